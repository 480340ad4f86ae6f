"""How differently a classifier treats badly and well connected nodes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ._table import (
    Rates,
    accuracies,
    balanced_accuracies,
    gaps,
    macro_f1,
    mean_of_defined,
    prediction_rates,
    recalls,
    table_of,
)

EMPTY_GROUP = "No node in degree group {group}: its rates are not defined and are left out."
EMPTY_CELL = "No node of class {label!r} in degree group {group}: its recall is not defined and is left out."


def delta_dsp(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    per_class: bool = False,
) -> Any:
    """Degree statistical parity gap: do all groups get each class equally often? (Eq. 15)

    Parameters
    ----------
    y_true : array-like of shape (n_nodes,)
        Tells which classes there are; parity itself does not ask what is true.
    y_pred : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,), default=None
        Generalized degree of the same nodes, as in ``G[test].degree()``.
    groups : array-like of shape (n_nodes,), default=None
        In place of degrees: the number of each node's group from 0 for the lowest
        degrees, -1 for none. See :func:`skdegfair.graph.degree_groups`.
    share : float, default=None
        Size of the low and the high group made from degrees, 0.2 if None.
    labels : array-like, default=None
        The classes to average over; by default those in y_true and y_pred. Give all
        classes where several test sets are to be compared.
    pairs : {"max", "mean"}, default="max"
        Over the pairs of groups, where there are more than two, take the largest
        difference or the mean.
    per_class : bool, default=False
        Return a Series of the signed gaps instead, last group minus first.

    Returns
    -------
    float
        Mean over the classes, from 0 (parity) to 2 / n_classes for two groups; NaN, with
        a warning, if it is not defined.

    Examples
    --------
    >>> from skdegfair.metrics import delta_dsp
    >>> delta_dsp([0, 1, 0, 1, 1], [0, 0, 0, 1, 1], degree=[1, 2, 3, 4, 9], share=0.4)
    1.0
    """
    counts, classes = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    for group in np.flatnonzero(counts.sum((1, 2)) == 0):
        warnings.warn(EMPTY_GROUP.format(group=group), stacklevel=2)
    return _aggregate(prediction_rates(counts), classes, pairs, per_class)


def delta_deo(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    per_class: bool = False,
) -> Any:
    """Degree equal opportunity gap: is each class recognised equally often in all groups? (Eq. 16)

    A class that is missing from a group is left out of the mean, with a warning.

    Parameters
    ----------
    y_true, y_pred, degree, groups, share, labels, pairs, per_class
        As for :func:`delta_dsp`.

    Returns
    -------
    float
        From 0 to 1; NaN if no class is present in two groups.

    Examples
    --------
    >>> from skdegfair.metrics import delta_deo
    >>> delta_deo([0, 1, 0, 0, 1], [0, 0, 0, 0, 1], degree=[1, 2, 3, 4, 9], share=0.4)
    0.5
    """
    counts, classes = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    rates = recalls(counts)
    for group, position in np.argwhere(np.isnan(rates)):
        warnings.warn(EMPTY_CELL.format(label=classes[position], group=group), stacklevel=2)
    return _aggregate(rates, classes, pairs, per_class)


def group_scores(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
) -> pd.DataFrame:
    """Size, accuracy, balanced accuracy and macro-F1 of each degree group, and the largest gap between groups.

    Parameters
    ----------
    y_true, y_pred, degree, groups, share, labels
        As for :func:`delta_dsp`.

    Returns
    -------
    DataFrame
        A row per group and a last row "gap"; NaN where a score is not defined.

    Examples
    --------
    >>> from skdegfair.metrics import group_scores
    >>> group_scores([0, 1, 0, 0, 1], [0, 0, 0, 0, 1], degree=[1, 2, 3, 4, 9], share=0.4)["accuracy"].tolist()
    [0.5, 1.0, 0.5]
    """
    counts, _ = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    scores = {"accuracy": accuracies, "balanced_accuracy": balanced_accuracies, "macro_f1": macro_f1}
    names = pd.Index([*range(len(counts)), "gap"], name="group", dtype=object)
    table = pd.DataFrame({"n": [*counts.sum((1, 2)), np.nan]}, index=names)
    for name, score in scores.items():
        values = score(counts)
        table[name] = [*values, float(gaps(values))]
    return table


def _aggregate(rates: Rates, classes: list[Any], pairs: str, per_class: bool) -> Any:
    """Gaps per class (signed) or their mean. Shapes: (n_groups, n_classes) -> (n_classes,) or ()."""
    if pairs not in ("max", "mean"):
        raise ValueError(f'pairs must be "max" or "mean", got {pairs!r}.')
    if per_class:
        return pd.Series(rates[-1] - rates[0], index=pd.Index(classes, name="class"), name="gap")
    return float(mean_of_defined(gaps(rates.T, pairs)))
