"""How differently a classifier treats badly and well connected nodes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph import degree_groups

EMPTY_CELL = (
    "No node of {what} in the {group}-degree group: the gap of this class is not defined and is left out of the mean."
)


def group_counts(
    y_true: NDArray[Any], y_pred: NDArray[Any], groups: NDArray[Any], n_classes: int
) -> NDArray[np.float64]:
    """Confusion matrix of either group, (2, n_classes, n_classes): group, true class, predicted class.

    Classes are given as positions, groups as 0 (low), 1 (high) and -1 (neither).
    """
    inside = groups >= 0
    cell = (groups[inside].astype(np.intp) * n_classes + y_true[inside]) * n_classes + y_pred[inside]
    counts = np.bincount(cell, minlength=2 * n_classes**2).astype(np.float64)
    return counts.reshape(2, n_classes, n_classes)


def prediction_rates(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(predicted class | group), (2, n_classes); NaN for an empty group."""
    with np.errstate(invalid="ignore"):
        return counts.sum(1) / counts.sum((1, 2))[:, None]


def recalls(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(predicted class = true class | true class, group), (2, n_classes); NaN for an empty cell."""
    with np.errstate(invalid="ignore"):
        return np.diagonal(counts, axis1=1, axis2=2) / counts.sum(2)


def mean_gap(rates: NDArray[np.float64]) -> float:
    """Mean over the classes of the absolute difference between the groups, NaN cells left out."""
    gaps = np.abs(rates[0] - rates[1])
    defined = gaps[~np.isnan(gaps)]
    return float(defined.mean()) if len(defined) else float("nan")


def delta_dsp(
    y_true: ArrayLike, y_pred: ArrayLike, *, degree: ArrayLike, share: float = 0.2, labels: ArrayLike | None = None
) -> float:
    """Degree statistical parity gap: do both groups get each class equally often? (Eq. 15)

    Parameters
    ----------
    y_true : array-like of shape (n_nodes,)
        Tells which classes there are; parity itself does not ask what is true.
    y_pred : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,)
        Generalized degree of the same nodes.
    share : float, default=0.2
        Size of the low and the high group, see :func:`skdegfair.graph.degree_groups`.
    labels : array-like, default=None
        The classes to average over; by default those in y_true and y_pred.

    Returns
    -------
    float
        Between 0 (parity) and 2 / n_classes; NaN, with a warning, if a group is empty.

    Examples
    --------
    >>> from skdegfair.metrics import delta_dsp
    >>> delta_dsp([0, 1, 0, 1, 1], [0, 0, 0, 1, 1], degree=[1, 2, 3, 4, 9], share=0.4)
    1.0
    """
    counts = _counts(y_true, y_pred, degree, share, labels)[0]
    for group in np.flatnonzero(counts.sum((1, 2)) == 0):
        warnings.warn(f"No node in the {('low', 'high')[group]}-degree group: the gap is not defined.", stacklevel=2)
    return mean_gap(prediction_rates(counts))


def delta_deo(
    y_true: ArrayLike, y_pred: ArrayLike, *, degree: ArrayLike, share: float = 0.2, labels: ArrayLike | None = None
) -> float:
    """Degree equal opportunity gap: is each class recognised equally often in both groups? (Eq. 16)

    A class that is missing from a group is left out of the mean, with a warning.

    Parameters
    ----------
    y_true, y_pred, degree, share, labels
        As for :func:`delta_dsp`.

    Returns
    -------
    float
        Between 0 and 1; NaN if no class is present in both groups.

    Examples
    --------
    >>> from skdegfair.metrics import delta_deo
    >>> delta_deo([0, 1, 0, 0, 1], [0, 0, 0, 0, 1], degree=[1, 2, 3, 4, 9], share=0.4)
    0.5
    """
    counts, classes = _counts(y_true, y_pred, degree, share, labels)
    rates = recalls(counts)
    for group, position in np.argwhere(np.isnan(rates)):
        what = f"class {classes[position]!r}"
        warnings.warn(EMPTY_CELL.format(what=what, group=("low", "high")[group]), stacklevel=2)
    return mean_gap(rates)


def _counts(
    y_true: ArrayLike, y_pred: ArrayLike, degree: ArrayLike, share: float, labels: ArrayLike | None
) -> tuple[NDArray[np.float64], list[Any]]:
    truth, predicted, degree = np.asarray(y_true), np.asarray(y_pred), np.asarray(degree)
    if not len(truth) == len(predicted) == len(degree):
        raise ValueError(
            f"y_true, y_pred and degree must be of equal length, got {len(truth)}, {len(predicted)}, {len(degree)}."
        )
    present = np.unique(np.concatenate([truth, predicted]))
    classes = present if labels is None else np.unique(np.asarray(labels))
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise ValueError(f"labels lacks the class {unknown[0]!r}.")
    positions = np.searchsorted(classes, truth), np.searchsorted(classes, predicted)
    return group_counts(*positions, degree_groups(degree, share=share), len(classes)), classes.tolist()
