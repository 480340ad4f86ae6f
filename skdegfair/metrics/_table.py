"""One table of counts by degree group, true class and predicted class. All metrics are computed from it.

Counts are arrays of shape (..., n_groups, n_classes, n_classes), so a thousand resampled
tables are assessed at once. A rate without any node is NaN, never 0.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..graph import as_labels, as_typed_array, degree_groups

Counts = NDArray[np.float64]
Rates = NDArray[np.float64]

MISSING = (
    "{name} holds {n} missing labels. Assess only nodes whose class is known, as in y_true[known], y_pred[known] and "
    "degree[known]."
)
TWO_TYPES = "y_true holds {one} and y_pred holds {other}. Convert both to the same type."
TWO_GROUPS = (
    "groups must contain the group of each node, and at least two groups: integers that increase with the degree, "
    "negative for no group, or names."
)


class GroupTable(NamedTuple):
    """Counts of predictions, and the meaning of the axes."""

    counts: Counts  # (n_groups, n_classes, n_classes)
    outside: Counts  # (n_classes, n_classes), of the nodes in no group
    groups: list[Any]
    classes: list[Any]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, with those in no group."""
        return int(self.counts.sum() + self.outside.sum())


def group_counts(
    y_true: NDArray[Any], y_pred: NDArray[Any], groups: NDArray[Any], n_classes: int, n_groups: int = 2
) -> Counts:
    """Compute the confusion matrix of each group, (n_groups, n_classes, n_classes): group, true class, predicted class.

    Classes are positions, groups are numbers from 0, with -1 for nodes in no group.
    """
    inside = groups >= 0
    cell = (groups[inside].astype(np.intp) * n_classes + y_true[inside]) * n_classes + y_pred[inside]
    counts = np.bincount(cell, minlength=n_groups * n_classes**2).astype(np.float64)
    return counts.reshape(n_groups, n_classes, n_classes)


def prediction_rates(counts: Counts) -> Rates:
    """Compute P(predicted class | group), (..., n_groups, n_classes)."""
    return ratio(counts.sum(-2), counts.sum((-1, -2))[..., None])


def recalls(counts: Counts) -> Rates:
    """Compute P(predicted class = true class | true class, group), (..., n_groups, n_classes)."""
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
    """
    check_pairs(pairs)
    differences = np.stack(
        [np.abs(rates[..., i] - rates[..., j]) for i, j in combinations(range(rates.shape[-1]), 2)], axis=-1
    )
    if pairs == "mean":
        return mean_of_defined(differences)
    largest = np.where(np.isnan(differences), -1.0, differences).max(-1)
    return np.where(largest < 0, np.nan, largest)


def mean_gap(rates: Rates, pairs: str) -> Rates:
    """Compute the gap between groups, averaged over classes: (..., n_groups, n_classes) -> (...)."""
    return mean_of_defined(gaps(np.swapaxes(rates, -1, -2), pairs))


def check_pairs(pairs: str) -> None:
    if pairs not in ("max", "mean"):
        raise ValueError(f'pairs must be "max" or "mean", got {pairs!r}.')


def mean_of_defined(values: Rates) -> Rates:
    """Compute the mean along the last axis, ignoring NaN. NaN if nothing else is left."""
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
    truth, predicted = (classes_of(name, y) for name, y in (("y_true", y_true), ("y_pred", y_pred)))
    if (truth.dtype.kind in "US") != (predicted.dtype.kind in "US"):
        raise ValueError(TWO_TYPES.format(one=truth.dtype.name, other=predicted.dtype.name))
    numbers, names = group_numbers(degree, groups, share)
    if not len(truth) == len(predicted) == len(numbers):
        raise ValueError(
            "y_true, y_pred and the degrees or groups must have the same length, got "
            f"{len(truth)}, {len(predicted)} and {len(numbers)}."
        )
    if not len(truth):
        raise ValueError("There are no nodes to assess: y_true is empty.")
    present = np.union1d(truth, predicted)
    classes = present if labels is None else np.unique(np.asarray(labels))
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise ValueError(f"labels does not contain the class {unknown[0]}.")
    positions = np.searchsorted(classes, truth), np.searchsorted(classes, predicted)
    counts = group_counts(*positions, numbers + 1, len(classes), len(names) + 1)
    return GroupTable(counts[1:], counts[0], names, classes.tolist())


def group_numbers(degree: Any, groups: Any, share: float | None) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the group number of each node, -1 for no group, and the names of the groups."""
    if (degree is None) == (groups is None):
        raise ValueError("Pass either degree, as in degree=graph.degree(), or groups.")
    if degree is not None:
        return degree_groups(as_degrees(degree), share=share), ["low", "high"]
    if share is not None:
        raise ValueError("share is for groups by degree, but groups is given. Pass only one of them.")
    given = pd.Series(groups if np.ndim(groups) == 1 else np.empty(0)).infer_objects()
    if pd.api.types.is_numeric_dtype(given) and not pd.api.types.is_bool_dtype(given):
        if (given.dropna() % 1 != 0).any():
            raise ValueError(TWO_GROUPS)
        given = given.where(given >= 0)
    named = pd.Categorical(given)  # ordered by number or name, or as in a categorical; missing for no group
    names = named.categories.tolist()
    if len(names) < 2:
        raise ValueError(TWO_GROUPS)
    return named.codes.astype(np.intp), [int(name) if isinstance(name, float) else name for name in names]


def as_degrees(degree: Any, hops: int = 1) -> NDArray[np.float64]:
    """Return degrees as numbers; for a Graph, or the data set that skorch gets, they are computed."""
    if callable(getattr(degree, "degree", None)):
        return np.asarray(degree.degree(hops))
    values = np.asarray(degree)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise ValueError("degree must contain one finite number per node, or be a Graph of the nodes.")
    return values


def classes_of(name: str, y: Any) -> NDArray[Any]:
    """Return one class per node. Raises ValueError if classes are missing or of different types."""
    labels = as_labels(y, name)
    missing = int(pd.isna(labels).sum())
    if missing:
        raise ValueError(MISSING.format(name=name, n=missing))
    return as_typed_array(labels, name)
