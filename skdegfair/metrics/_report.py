"""Report on the degree fairness of predictions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..graph import cached_property
from . import _render
from ._assessed import assess, name_of
from ._findings import Findings
from ._report_parts import report_parts
from ._report_tables import ReportTables
from ._rules import find
from ._table import warn_of_empty_groups


class DegreeFairnessReport(ReportTables):
    """Report on the degree fairness of predictions, with confidence intervals and results under chance.

    Use :func:`degree_fairness_report` or :meth:`from_estimator` to make one. ``print`` shows
    it as text, a notebook shows it as HTML, and :meth:`to_html` writes a page with the tables.

    Attributes
    ----------
    findings : Findings
        What the numbers mean: a tuple of :class:`Finding`, the most important first.
    counts : ndarray of shape (n_groups, n_classes, n_classes)
        Nodes by group, true class and predicted class.
    classes, groups : list
    scores : DataFrame
        Accuracy, balanced accuracy and macro-F1 of all nodes, and both gaps: for the
        predictions, for a vote for the most frequent true class, and for the true labels
        themselves, which can have a gap, too.
    group_scores : DataFrame
        Size, degrees, accuracy, balanced accuracy and macro-F1 of each group.
    gaps : DataFrame
        Each gap between groups; ``corrected``, an estimate without the part that noise
        adds; its bootstrap confidence interval ``ci_low``, ``ci_high``, which excludes 0
        if and only if the ``p_value`` is below ``1 - confidence_level``; the mean and the
        95 % quantile of the gap under chance, and the p-value; and the number of classes
        for which it is defined.
    class_gaps : DataFrame
        The same for each class, last group minus first, signed. The null distribution is
        that of the absolute difference.
    rates : DataFrame
        How often each class is predicted, and its recall, in each group: number of nodes,
        rate, interval, and range under chance.
    label_gap : Series
        Delta DSP of the true labels (``gap``), its ``p_value``, and the minimum number of
        errors in the groups that a delta DSP of 0 requires (``n_errors``).
    detectable_gaps : Series
        The smallest delta DSP and delta DEO that would be beyond chance in 80 % of samples
        of this size. Infinite if there is none.
    reference : Reference or None
        The change from a reference model: ``reference.gaps``, ``reference.groups``.
    curve : DataFrame or None
        Accuracy by degree, see :func:`degree_curve`, if degrees are known.

    Notes
    -----
    Use the p-value to judge whether degree plays a role, and the interval to judge how
    large it is. Without clusters, both treat nodes as independent. The errors of a graph
    neural network are similar among neighbors, so the results are less certain than
    p-values and intervals say. They also apply to this fitted model and these nodes only,
    not to another split or seed. The p-values of classes are not adjusted for multiple
    comparisons.

    The bootstrap keeps the group sizes. It draws from the table with one additional node
    for each class of a group: half of it is distributed like the predictions of that class
    in all groups, and half like all predictions. The end of an interval that is next to 0
    is moved where it would contradict the p-value: to 0, or to the gap minus the largest gap
    that chance can explain.

    Under chance, for delta DSP, accuracy and macro-F1, nodes are assigned at random to
    groups of the same sizes; for delta DEO and balanced accuracy, this is done within each
    true class. Nodes in no group only count for the scores of all nodes.

    With clusters, the bootstrap draws whole clusters. Under chance, all groups have the same
    rates, and the noise is that of the bootstrap.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import DegreeFairnessReport
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> clf = GNNClassifier(max_epochs=20, random_state=0).fit(data.graph[:100], data.y[:100])
    >>> report = DegreeFairnessReport.from_estimator(clf, data.graph[100:], data.y[100:])
    >>> report.groups
    ['low', 'high']
    >>> report.gaps.index.tolist()
    ['delta_dsp', 'delta_deo', 'accuracy', 'balanced_accuracy', 'macro_f1']
    """

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
        share: float | None = None,
        labels: ArrayLike | None = None,
        clusters: Any = None,
        reference: Any = None,
        name: str | None = None,
        mute: str | Iterable[str] = (),
        **options: Any,
    ) -> DegreeFairnessReport:
        """Assess a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X : Graph or array-like of shape (n_nodes, n_features)
            The nodes to assess, as in ``G[test]``.
        y : array-like of shape (n_nodes,)
            True classes. Nodes that are unlabeled for the estimator are left out.
        degree : array-like of shape (n_nodes,), default=None
            Degrees of the nodes, read from X if it is a Graph.
        reference : fitted classifier or array-like of shape (n_nodes,), default=None
            Another model for the same nodes, or its predictions.
        name : str, default=None
            Name of the model. By default that of the estimator's class; for a pipeline or a
            search, that of its classifier.
        groups, hops, share, labels, clusters, mute
            As for :func:`degree_fairness_report`. By default, ``labels`` are all classes of the
            estimator and of the reference, and those in y.
        **options
            ``pairs``, ``confidence_level``, ``n_resamples`` and ``random_state``, also as for
            :func:`degree_fairness_report`.
        """
        given: dict[str, Any] = {"degree": degree, "groups": groups, "clusters": clusters, "reference": reference}
        nodes = assess(estimator, X, y, hops=hops, labels=labels, **given)
        return degree_fairness_report(
            nodes.y_true,
            nodes.y_pred,
            degree=nodes.degree,
            groups=nodes.groups,
            hops=hops,
            labels=nodes.labels,
            clusters=nodes.clusters,
            reference=nodes.reference,
            share=share,
            name=name_of(estimator) if name is None else name,
            mute=mute,
            **options,
        )

    @cached_property
    def findings(self) -> Findings:
        """What the numbers mean, the most important first."""
        return find(self)

    def __repr__(self) -> str:
        return _render.as_text(self)

    def _repr_html_(self) -> str:
        return _render.as_fragment(self)

    def to_html(self, path: str | Path | None = None, *, title: str = _render.TITLE) -> str:
        """Write a self-contained page with all tables.

        Parameters
        ----------
        path : str or Path, default=None
            Where to write the page. If None, it is only returned.
        title : str, default="Degree fairness report"

        Returns
        -------
        str
            The page.

        See Also
        --------
        skdegfair.display.report_page : A page with tables and plots.

        Examples
        --------
        >>> from skdegfair.metrics import degree_fairness_report
        >>> report = degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 1], degree=[1, 2, 3, 4], share=0.5)
        >>> report.to_html().count("<table")
        4
        """
        return _render.write_page(self, path, title)


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
    clusters: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    reference: ArrayLike | None = None,
    name: str | None = None,
    mute: str | Iterable[str] = (),
) -> DegreeFairnessReport:
    """Assess how predictions differ between nodes of low and of high degree.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,) or Graph, default=None
        Generalized degrees of the nodes, or the nodes as a view of their graph, as in
        ``G[test]``.
    groups : array-like of shape (n_nodes,), default=None
        Groups to compare instead of the nodes of lowest and highest degree: numbers from 0
        for the lowest degrees, with -1 for no group, or names. For quartiles of the degrees,
        pass ``groups=degree_groups(degree, n_groups=4)``. You may also pass degree.
    hops : int, default=1
        Number of hops of the generalized degree, which counts walks of that length. If
        degrees are passed as numbers, the number of hops that they were computed with.
    share : float, default=None
        Fraction of the nodes in the low and in the high degree group, 0.2 if None.
    labels : array-like, default=None
        Classes to average over, by default those in y_true and y_pred.
    pairs : {"max", "mean"}, default="max"
        With more than two groups, use the largest difference over all pairs, or the mean.
    clusters : {"neighborhoods", "communities"} or array-like of shape (n_nodes,), default=None
        Clusters of nodes whose errors may be alike, such as neighbors. Whole clusters are
        resampled, so that intervals and p-values allow for errors that are similar within a
        cluster. The names are those of :func:`skdegfair.graph.graph_clusters`; they require
        that degree is a Graph. By default, nodes are treated as independent.
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
        Number of tables drawn for the bootstrap and for each null distribution.
    random_state : int, RandomState instance or None, default=0
        The same state gives the same report.
    reference : array-like of shape (n_nodes,), default=None
        Predictions of another model for the same nodes, such as one without mitigation. The
        findings then say if the gap narrowed only because one group lost accuracy. If
        ``labels`` is None, the classes in reference are averaged over, too.
    name : str, default=None
        Name of the model, for headings.
    mute : str or iterable of str, default=()
        Codes of findings to leave out, such as ``("DF08",)``. They are listed in
        ``skdegfair.metrics.FINDING_CODES``.

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
    parts = report_parts(
        y_true, y_pred, degree=degree, groups=groups, hops=hops, share=share, labels=labels, pairs=pairs,
        clusters=clusters, confidence_level=confidence_level, n_resamples=n_resamples, random_state=random_state,
        reference=reference,
    )  # fmt: skip
    warn_of_empty_groups(parts["table"], by_degree=groups is None)
    return DegreeFairnessReport(**parts, name=name, mute=mute)
