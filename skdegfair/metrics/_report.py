"""All that predictions say about degree fairness, in one object."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..graph import as_labels
from . import _render
from ._assessed import assess
from ._curve import degree_curve
from ._inference import Resampled, class_gap_frame, gap_frame, rate_frame, resample
from ._resampling import check_options
from ._scores import overall_scores, scores_by_group
from ._table import Counts, GroupTable, as_degrees, group_numbers, table_of


class DegreeFairnessReport:
    """What predictions give to nodes of low and of high degree, how sure that is, and what chance would give.

    Made by :func:`degree_fairness_report` or :meth:`from_estimator`. ``print`` shows it as
    text, a notebook as HTML, and :meth:`to_html` writes a page with plots.

    Parameters
    ----------
    table : GroupTable
        Counts by group, true and predicted class.
    ranges : DataFrame or None, default=None
        Lowest and highest degree of each group, where degrees are known.
    curve : DataFrame or None, default=None
        Accuracy by degree, see :func:`degree_curve`.
    hops : int, default=1
        Of the generalized degree.
    pairs : {"max", "mean"}, default="max"
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
    seed : int, default=0

    Attributes
    ----------
    counts : ndarray of shape (n_groups, n_classes, n_classes)
        Nodes by group, true class and predicted class.
    classes, groups : list
    scores : DataFrame
        Accuracy, balanced accuracy, macro-F1 of all nodes and both gaps: of the predictions,
        of a vote for the most frequent true class, and of the true labels themselves,
        which may have a gap too.
    group_scores : DataFrame
        Size, degrees, accuracy, balanced accuracy and macro-F1 of each group.
    gaps : DataFrame
        Each gap between groups; ``corrected``, an estimate of it without the part that
        noise adds; its bootstrap confidence interval ``ci_low``, ``ci_high``, which
        contains 0 whenever chance could have made the gap; mean and 95 % quantile of the
        gap under chance and the ``p_value``; and over how many classes it is defined.
    class_gaps : DataFrame
        The same for each class, last group minus first, signed. The null is that of the
        absolute difference.
    rates : DataFrame
        How often each class is predicted and recognised in each group: on how many nodes,
        with an interval and the range that chance gives.
    curve : DataFrame or None

    Notes
    -----
    Whether degree plays a part at all is for the p-value to say, how large a part for the
    interval. Both take nodes for independent. The errors of a graph neural network are
    alike among neighbours, so that the truth is less certain than they say; and they
    concern this one fitted model on these nodes, not another split or seed. The p-values
    of classes are not adjusted for their number.

    The bootstrap keeps the sizes of the groups and draws from the table with one more node
    for each class of a group, spread half as the predictions of that class in all groups
    and half as all predictions.
    Chance means: for delta DSP, accuracy and macro-F1, the same nodes dealt to groups of
    these sizes at random; for delta DEO and balanced accuracy, the same within each true
    class. Nodes in no group count for the scores of all nodes only.
    """

    def __init__(
        self,
        table: GroupTable,
        *,
        ranges: pd.DataFrame | None = None,
        curve: pd.DataFrame | None = None,
        hops: int = 1,
        pairs: str = "max",
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
    ) -> None:
        self.table, self.ranges, self.curve = table, ranges, curve
        self.hops, self.pairs = hops, pairs
        self.confidence_level, self.n_resamples, self.seed = confidence_level, n_resamples, seed

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        degree: Any = None,
        groups: ArrayLike | None = None,
        hops: int = 1,
        labels: ArrayLike | None = None,
        **options: Any,
    ) -> DegreeFairnessReport:
        """Assess a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X : Graph or array-like of shape (n_nodes, n_features)
            The nodes to assess, as in ``G[test]``.
        y : array-like of shape (n_nodes,)
            Their true classes. Nodes that the estimator takes for unlabelled are left out.
        degree : array-like of shape (n_nodes,), default=None
            Degrees of the nodes; read from X if it is a Graph.
        groups, hops, labels, **options
            Further parameters of :func:`degree_fairness_report`. The classes are by default
            all that the estimator knows, and those in y.
        """
        nodes = assess(estimator, X, y, degree=degree, groups=groups, hops=hops, labels=labels)
        return degree_fairness_report(
            nodes.y_true,
            nodes.y_pred,
            degree=nodes.degree,
            groups=nodes.groups,
            hops=hops,
            labels=nodes.labels,
            **options,
        )

    # -- tables ------------------------------------------------------------------------------------

    @property
    def counts(self) -> Counts:
        return self.table.counts

    @property
    def classes(self) -> list[Any]:
        return self.table.classes

    @property
    def groups(self) -> list[Any]:
        return self.table.groups

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Scores of all nodes and both gaps, beside those of a majority vote and of the labels."""
        return overall_scores(self.table, self.pairs)

    @cached_property
    def group_scores(self) -> pd.DataFrame:
        """Size, degrees and scores of each group."""
        return scores_by_group(self.table, self.ranges)

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """Each gap with its interval and its null."""
        return gap_frame(self._resampled, pairs=self.pairs, confidence_level=self.confidence_level)

    @cached_property
    def class_gaps(self) -> pd.DataFrame:
        """The signed gap of each class with its interval and its null."""
        return class_gap_frame(self._resampled, self.classes, confidence_level=self.confidence_level)

    @cached_property
    def rates(self) -> pd.DataFrame:
        """How often each class is predicted and recognised in each group."""
        return rate_frame(self.table, self._resampled, confidence_level=self.confidence_level)

    @cached_property
    def _resampled(self) -> dict[str, Resampled]:
        return resample(self.counts, self.n_resamples, self.seed)

    # -- views -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return _render.as_text(self)

    def _repr_html_(self) -> str:
        return _render.as_fragment(self)

    def to_html(self, path: str | Path | None = None, *, title: str = "Degree fairness report") -> str:
        """Write a page with all tables and plots, which needs no other file.

        Parameters
        ----------
        path : str or Path, default=None
            Where to write it; None only returns it.
        title : str

        Returns
        -------
        str
            The page.
        """
        page = _render.as_page(self, title)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page


def degree_fairness_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    hops: int = 1,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
) -> DegreeFairnessReport:
    """Assess how differently predictions treat nodes of low and of high degree.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,) or Graph, default=None
        Generalized degrees of the nodes, or the nodes as a view of their graph, as in
        ``G[test]``.
    groups : array-like of shape (n_nodes,), default=None
        Groups to compare in place of the nodes of lowest and highest degree: numbers from
        0 for the lowest degrees with -1 for none, or names. For quartiles of degrees say
        ``groups=degree_groups(degree, n_groups=4)``; degree may be given as well.
    hops : int, default=1
        Which generalized degree to count in a Graph (walks of that length); where degrees
        are given as numbers, which they are.
    share : float, default=None
        Size of the low and the high group made from degrees, 0.2 if None.
    labels : array-like, default=None
        The classes to average over; by default those in y_true and y_pred.
    pairs : {"max", "mean"}, default="max"
        Over pairs of more than two groups, the largest difference or the mean.
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
        Tables drawn for the bootstrap and for each null.
    random_state : int, RandomState instance or None, default=0
        The same state gives the same report.

    Returns
    -------
    DegreeFairnessReport

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import degree_fairness_report
    >>> random = np.random.RandomState(0)
    >>> degree, y = random.poisson(5, size=500), random.randint(2, size=500)
    >>> report = degree_fairness_report(y, np.where(degree > 7, 1, y), degree=degree)
    >>> report.scores.loc["predictions", "delta_dsp"] > report.gaps.loc["delta_dsp", "null_95"]
    np.True_
    """
    check_options(pairs, confidence_level, n_resamples)
    degrees = None if degree is None else as_degrees(degree, hops)
    grouping: dict[str, Any] = {"degree": degrees if groups is None else None, "groups": groups, "share": share}
    table = table_of(y_true, y_pred, labels=labels, **grouping)
    ranges = curve = None
    if degrees is not None:
        right = as_labels(y_true) == as_labels(y_pred)
        curve = degree_curve(right, degrees, confidence_level=confidence_level)
        numbers, _ = group_numbers(**grouping)
        ranges = pd.Series(degrees).groupby(numbers).agg(degree_min="min", degree_max="max")
        ranges = ranges.reindex(range(len(table.groups)))
    return DegreeFairnessReport(
        table,
        ranges=ranges,
        curve=curve,
        hops=hops,
        pairs=pairs,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=int(check_random_state(random_state).randint(2**31 - 1)),
    )
