"""One table of counts, by degree group, true and predicted class: all metrics are read off it.

Counts are arrays of shape (..., n_groups, n_classes, n_classes), so that a thousand
resampled tables are assessed in one go. A rate of nothing is NaN, never 0.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph import degree_groups

Counts = NDArray[np.float64]
Rates = NDArray[np.float64]


def group_counts(
    y_true: NDArray[Any], y_pred: NDArray[Any], groups: NDArray[Any], n_classes: int, n_groups: int = 2
) -> Counts:
    """Confusion matrix of each group, (n_groups, n_classes, n_classes): group, true class, predicted class.

    Classes are given as positions, groups as numbers from 0, with -1 for nodes in none.
    """
    inside = groups >= 0
    cell = (groups[inside].astype(np.intp) * n_classes + y_true[inside]) * n_classes + y_pred[inside]
    counts = np.bincount(cell, minlength=n_groups * n_classes**2).astype(np.float64)
    return counts.reshape(n_groups, n_classes, n_classes)


def prediction_rates(counts: Counts) -> Rates:
    """P(predicted class | group), (..., n_groups, n_classes)."""
    return _ratio(counts.sum(-2), counts.sum((-1, -2))[..., None])


def recalls(counts: Counts) -> Rates:
    """P(predicted class = true class | true class, group), (..., n_groups, n_classes)."""
    return _ratio(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1))


def accuracies(counts: Counts) -> Rates:
    """P(predicted class = true class | group), (..., n_groups)."""
    return _ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum((-1, -2)))


def balanced_accuracies(counts: Counts) -> Rates:
    """Mean recall over the classes that a group has, (..., n_groups)."""
    return mean_of_defined(recalls(counts))


def macro_f1(counts: Counts) -> Rates:
    """Mean F1 over the classes that are true or predicted in a group, (..., n_groups)."""
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    return mean_of_defined(_ratio(2 * hits, counts.sum(-1) + counts.sum(-2)))


def gaps(rates: Rates, pairs: str = "max") -> Rates:
    """How far the groups lie apart: the largest difference over all pairs of groups, or their mean.

    Shapes: groups along axis -1 -> without that axis. NaN where fewer than two groups are defined.
    """
    differences = np.stack(
        [np.abs(rates[..., i] - rates[..., j]) for i, j in combinations(range(rates.shape[-1]), 2)], axis=-1
    )
    if pairs == "mean":
        return mean_of_defined(differences)
    largest = np.where(np.isnan(differences), -1.0, differences).max(-1)
    return np.where(largest < 0, np.nan, largest)


def mean_of_defined(values: Rates) -> Rates:
    """Mean along the last axis, NaN left out; NaN if nothing is left."""
    defined = ~np.isnan(values)
    return _ratio(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))


def table_of(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: ArrayLike | None,
    groups: ArrayLike | None,
    share: float | None,
    labels: ArrayLike | None,
) -> tuple[Counts, list[Any]]:
    """Counts and classes of predictions, with groups from degrees or as given; complaints where they do not fit."""
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    for name, values in (("y_true", truth), ("y_pred", predicted)):
        if values.ndim != 1:
            raise ValueError(f"{name} must hold one class per node, got an array of shape {values.shape}.")
    numbers, n_groups = _group_numbers(degree, groups, share)
    if not len(truth) == len(predicted) == len(numbers):
        raise ValueError(
            "y_true, y_pred and the degrees or groups must be of equal length, got "
            f"{len(truth)}, {len(predicted)} and {len(numbers)}."
        )
    present = np.unique(np.concatenate([truth, predicted]))
    classes = present if labels is None else np.unique(np.asarray(labels))
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise ValueError(f"labels lacks the class {unknown[0]}.")
    positions = np.searchsorted(classes, truth), np.searchsorted(classes, predicted)
    return group_counts(*positions, numbers, len(classes), n_groups), classes.tolist()


def _group_numbers(
    degree: ArrayLike | None, groups: ArrayLike | None, share: float | None
) -> tuple[NDArray[np.intp], int]:
    if (degree is None) == (groups is None):
        raise ValueError("Give either degree, as in degree=graph.degree(), or groups.")
    if degree is not None:
        return degree_groups(degree, share=share), 2
    if share is not None:
        raise ValueError("share makes groups of degree; groups are given already.")
    numbers = np.asarray(groups)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers) or numbers.max() < 1:
        raise ValueError(
            "groups must hold a number per node, from 0 for the lowest degrees to at least 1; -1 for none."
        )
    return numbers.astype(np.intp), int(numbers.max()) + 1


def _ratio(part: Any, whole: Any) -> Rates:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))
