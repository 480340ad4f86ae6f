"""Gaps between the predictions for nodes of low and of high degree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..exceptions import EmptyGroupWarning
from ._table import (
    SCORES,
    GroupTable,
    Rates,
    gaps,
    mean_of_defined,
    prediction_rates,
    recalls,
    table_of,
    warn_of_empty_groups,
)

EMPTY_GROUP = "No node in degree group {group!r}: {gap} is undefined for it and averages over {defined} of {n} classes."
EMPTY_CELL = "No node of class {label!r} in degree group {group!r}{more}: {gap} averages over {defined} of {n} classes."


def delta_dsp(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    per_class: bool = False,
) -> Any:
    """Compute the degree statistical parity (DSP) gap: differences in how often each class is predicted (Eq. 15).

    Parameters
    ----------
    y_true : array-like of shape (n_nodes,)
        True classes. They only determine which classes exist: parity does not depend on them.
    y_pred : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,) or Graph, default=None
        Generalized degree of the nodes, as in ``G[test].degree()``, or ``G[test]`` itself.
    groups : array-like of shape (n_nodes,), default=None
        The group of each node, instead of degrees. Either numbers that increase with the
        degree, -1 for no group, as from :func:`degree_groups`; or names, missing for no
        group, in the order of a categorical or else in alphabetical order.
    share : float, default=None
        Fraction of the nodes in the low and in the high degree group, 0.2 if None.
    labels : array-like, default=None
        Classes to average over, by default those in y_true and y_pred. Pass all classes
        to compare several test sets.
    pairs : {"max", "mean"}, default="max"
        With more than two groups, use the largest difference over all pairs of groups, or
        the mean.
    per_class : bool, default=False
        If True, return a Series with the signed gap of each class, last group minus first.

    Returns
    -------
    float
        Mean over the classes, from 0 (parity) to 2 / n_classes for two groups. NaN, with
        a warning, if it is not defined.

    Examples
    --------
    >>> from skdegfair.metrics import delta_dsp
    >>> delta_dsp([0, 1, 0, 1, 1], [0, 0, 0, 1, 1], degree=[1, 2, 3, 4, 9], share=0.4)
    1.0
    """
    table = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    return _aggregate(prediction_rates(table.counts), table, "delta_dsp", pairs, per_class)


def delta_deo(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    per_class: bool = False,
) -> Any:
    """Compute the degree equal opportunity (DEO) gap: differences in the recall of each class (Eq. 16).

    A class that is missing from a group has no recall there. The mean is over the other
    classes, and a warning says which classes are left out and how many remain.

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
    table = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    return _aggregate(recalls(table.counts), table, "delta_deo", pairs, per_class)


def group_scores(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
) -> pd.DataFrame:
    """Compute size, accuracy, balanced accuracy and macro-F1 of each degree group, and the gap between groups.

    Parameters
    ----------
    y_true, y_pred, degree, groups, share, labels, pairs
        As for :func:`delta_dsp`.

    Returns
    -------
    DataFrame
        One row per group and a last row "gap". NaN if a score is not defined; a warning names
        groups without any node.

    Examples
    --------
    >>> from skdegfair.metrics import group_scores
    >>> group_scores([0, 1, 0, 0, 1], [0, 0, 0, 0, 1], degree=[1, 2, 3, 4, 9], share=0.4)["accuracy"].tolist()
    [0.5, 1.0, 0.5]
    """
    table = table_of(y_true, y_pred, degree=degree, groups=groups, share=share, labels=labels)
    warn_of_empty_groups(table, by_degree=groups is None)
    index = pd.Index([*table.groups, "gap"], name="group", dtype=object)
    frame = pd.DataFrame({"n": [*table.counts.sum((1, 2)), np.nan]}, index=index)
    for name, score in SCORES.items():
        values = score(table.counts)
        frame[name] = [*values, float(gaps(values, pairs))]
    return frame


def _aggregate(rates: Rates, table: GroupTable, name: str, pairs: str, per_class: bool) -> Any:
    """Return the signed gap of each class, or the mean gap, and warn about what is not defined."""
    by_class = gaps(rates.T, pairs)
    if np.isnan(rates).any():
        _warn_of_empty(rates, table, gap=name, defined=int((~np.isnan(by_class)).sum()), n=len(table.classes))
    if per_class:
        return pd.Series(rates[-1] - rates[0], index=pd.Index(table.classes, name="class"), name="gap")
    return float(mean_of_defined(by_class))


def _warn_of_empty(rates: Rates, table: GroupTable, **facts: Any) -> None:
    empty = table.counts.sum((1, 2)) == 0
    for group in np.flatnonzero(empty):
        warnings.warn(EMPTY_GROUP.format(group=table.groups[group], **facts), EmptyGroupWarning, stacklevel=4)
    cells = np.argwhere(np.isnan(rates) & ~empty[:, None])
    if len(cells):
        names = [(table.classes[position], table.groups[group]) for group, position in cells]
        more = "".join(f", nor of class {label!r} in {group!r}" for label, group in names[1:])
        message = EMPTY_CELL.format(label=names[0][0], group=names[0][1], more=more, **facts)
        warnings.warn(message, EmptyGroupWarning, stacklevel=4)
