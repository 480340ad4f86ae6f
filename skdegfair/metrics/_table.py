"""One table of counts by degree group, true class and predicted class. All metrics are computed from it.

Counts are arrays of shape (..., n_groups, n_classes, n_classes), so a thousand resampled
tables are assessed at once. A rate without any node is NaN, never 0.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import EmptyGroupWarning
from ..graph import check_row_labels
from ._inputs import check_pairs, check_same_type, classes_of, group_numbers

Counts = NDArray[np.float64]
Rates = NDArray[np.float64]

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")

MAX_CELLS = 10_000_000
"""Cells of a table; a report of a larger one takes more than a gigabyte."""

EMPTY_GROUP = "No node in group {group!r}: gaps between it and other groups are not defined. {advice}"
EQUAL_DEGREES = (
    "If many nodes have the same degree, choose a boundary with groups=degree_groups(degree, threshold=...)."
)
UNUSED_CATEGORY = "If this is not intended, drop it from the categories of groups with remove_unused_categories()."
TOO_MANY = (
    "A table of {n_classes} classes by {n_classes} classes for {n_groups} groups is too large. Are y_true and y_pred "
    "classes? If so, merge rare classes."
)


class GroupTable(NamedTuple):
    """Counts of predictions, and the meaning of the axes."""

    counts: Counts  # (n_groups, n_classes, n_classes)
    outside: Counts  # (n_classes, n_classes), of the nodes in no group
    groups: list[Any]
    classes: list[Any]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, including those in no group."""
        return int(self.counts.sum() + self.outside.sum())


def group_counts(
    y_true: NDArray[Any], y_pred: NDArray[Any], groups: NDArray[Any], n_classes: int, n_groups: int = 2
) -> Counts:
    """Compute the confusion matrix of each group, (n_groups, n_classes, n_classes): group, true class, predicted class.

    Classes are positions, groups are numbers from 0, with -1 for nodes in no group.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import group_counts
    >>> y_true, y_pred, groups = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])
    >>> counts = group_counts(y_true, y_pred, groups, n_classes=2)
    >>> counts.tolist()
    [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]]]
    """
    y_true, y_pred, groups = (np.asarray(values) for values in (y_true, y_pred, groups))
    for name, values, n in (("y_true", y_true, n_classes), ("y_pred", y_pred, n_classes), ("groups", groups, n_groups)):
        if len(values) and np.max(values) >= n:
            raise ValueError(f"{name} must contain positions below {n}, got {np.max(values)}.")
    inside = groups >= 0
    cell = (groups[inside].astype(np.intp) * n_classes + y_true[inside]) * n_classes + y_pred[inside]
    counts = np.bincount(cell, minlength=n_groups * n_classes**2).astype(np.float64)
    return counts.reshape(n_groups, n_classes, n_classes)


def prediction_rates(counts: Counts) -> Rates:
    """Compute P(predicted class | group), (..., n_groups, n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import group_counts, prediction_rates
    >>> y_true, y_pred, groups = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])
    >>> counts = group_counts(y_true, y_pred, groups, n_classes=2)
    >>> prediction_rates(counts)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    counts = np.asarray(counts)
    return ratio(counts.sum(-2), counts.sum((-1, -2))[..., None])


def recalls(counts: Counts) -> Rates:
    """Compute P(predicted class = true class | true class, group), (..., n_groups, n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import group_counts, recalls
    >>> y_true, y_pred, groups = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])
    >>> counts = group_counts(y_true, y_pred, groups, n_classes=2)
    >>> recalls(counts)  # NaN: no node of the group is in the class
    array([[0.5, nan],
           [nan, 1. ]])
    """
    counts = np.asarray(counts)
    return ratio(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1))


def accuracies(counts: Counts) -> Rates:
    """Compute P(predicted class = true class | group), (..., n_groups)."""
    return ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum((-1, -2)))


def balanced_accuracies(counts: Counts) -> Rates:
    """Compute the mean recall over the classes of a group, (..., n_groups)."""
    return mean_of_defined(recalls(counts))


def macro_f1(counts: Counts) -> Rates:
    """Compute the mean F1 over the classes that are true or predicted in a group, (..., n_groups)."""
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    return mean_of_defined(ratio(2 * hits, counts.sum(-1) + counts.sum(-2)))


SCORES = {"accuracy": accuracies, "balanced_accuracy": balanced_accuracies, "macro_f1": macro_f1}
"""One number per group."""


def gaps(rates: Rates, pairs: str = "max") -> Rates:
    """Compute the gap between groups: the largest difference over all pairs of groups, or the mean.

    Shapes: groups along axis -1 -> without that axis. NaN if fewer than two groups are defined.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import gaps
    >>> rates = np.array([[0.25, 0.5, 1.0], [0.5, 0.5, np.nan]])  # of two classes in three groups
    >>> gaps(rates)
    array([0.75, 0.  ])
    >>> gaps(rates, pairs="mean")
    array([0.5, 0. ])
    """
    check_pairs(pairs)
    defined = (~np.isnan(rates)).sum(-1)
    if pairs == "mean":  # of n sorted rates, rate k is subtracted from n - 1 - k others, and k are subtracted from it
        signs = 2 * np.arange(rates.shape[-1]) + 1 - defined[..., None]
        return ratio(np.maximum(np.nansum(np.sort(rates) * signs, -1), 0.0), defined * (defined - 1) / 2)
    return np.where(defined > 1, np.fmax.reduce(rates, axis=-1) - np.fmin.reduce(rates, axis=-1), np.nan)


def mean_gap(rates: Rates, pairs: str) -> Rates:
    """Compute the gap between groups, averaged over classes: (..., n_groups, n_classes) -> (...)."""
    return mean_of_defined(gaps(np.swapaxes(rates, -1, -2), pairs))


def mean_of_defined(values: Rates) -> Rates:
    """Compute the mean along the last axis, ignoring NaN. NaN if all values are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import mean_of_defined
    >>> mean_of_defined(np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, np.nan]]))
    array([0.75,  nan])
    """
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))


def ratio(part: Any, whole: Any) -> Rates:
    """Divide; NaN if the denominator is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def table_of(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: ArrayLike | None,
    groups: ArrayLike | None,
    share: float | None,
    labels: ArrayLike | None,
) -> GroupTable:
    """Count predictions, with groups from degrees or as given. Raises ValueError if the inputs do not fit."""
    check_row_labels(y_true=y_true, y_pred=y_pred, degree=degree, groups=groups)
    truth, predicted = classes_of("y_true", y_true), classes_of("y_pred", y_pred)
    check_same_type(y_true=truth, y_pred=predicted)
    if not len(truth):
        raise ValueError("There are no nodes to assess: y_true is empty.")
    numbers, names = group_numbers(degree, groups, share)
    if not len(truth) == len(predicted) == len(numbers):
        raise ValueError(
            "y_true, y_pred and the degrees or groups must have the same length, got "
            f"{len(truth)}, {len(predicted)} and {len(numbers)}."
        )
    classes = present = np.union1d(truth, predicted)
    if labels is not None:
        classes = np.unique(classes_of("labels", labels))
        check_same_type(y_true=truth, labels=classes)
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise ValueError(f"labels does not contain the class {unknown[0]}.")
    if (len(names) + 1) * len(classes) ** 2 > MAX_CELLS:
        raise ValueError(TOO_MANY.format(n_classes=len(classes), n_groups=len(names)))
    positions = np.searchsorted(classes, truth), np.searchsorted(classes, predicted)
    counts = group_counts(*positions, numbers + 1, len(classes), len(names) + 1)
    return GroupTable(counts[1:], counts[0], names, classes.tolist())


def warn_of_empty_groups(table: GroupTable, *, by_degree: bool) -> None:
    """Warn if nothing can be compared with a group, because it has no nodes. Groups are by degree, or as given."""
    advice = EQUAL_DEGREES if by_degree else UNUSED_CATEGORY
    for group, n_nodes in zip(table.groups, table.counts.sum((1, 2)), strict=True):
        if not n_nodes:
            message = EMPTY_GROUP.format(group=group, advice=advice)
            warnings.warn(message, EmptyGroupWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return the stacklevel that makes a warning point to the code that called this package, at any depth."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
