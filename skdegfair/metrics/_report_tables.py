"""The numbers of a fairness report, computed when they are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import scipy.sparse as sp

from ..graph import cached_property
from ._codes import check_codes
from ._evidence import Fifths, Reference, change_from_reference, detectable_gap, fifths_gap, label_gap
from ._inference import BY_CLASS, Resampled, class_gap_frame, gap_frame, rate_frame, resample
from ._paired import Predicted
from ._scores import overall_scores, scores_by_group
from ._table import Counts, GroupTable


class ReportTables:
    """Tables of a report. :class:`DegreeFairnessReport` describes them, and adds findings and views.

    Parameters
    ----------
    table : GroupTable
        Counts by group, true and predicted class.
    ranges : DataFrame or None, default=None
        Lowest and highest degree of each group, if degrees are known.
    curve : DataFrame or None, default=None
        Accuracy by degree, see :func:`degree_curve`.
    by_cluster : sparse array of shape (n_clusters, n_groups * n_classes * n_classes), default=None
        The counts of each cluster, if whole clusters are resampled.
    compared : Predicted or None, default=None
        The nodes with the predictions of a reference model, and with the assessed ones.
    fifths : Fifths or None, default=None
        The nodes divided into fifths by degree, if the groups are the nodes of lowest and of highest degree.
    share : float or None, default=None
        Intended fraction of the nodes in each group, if groups were made by degree.
    seed : int, default=0
    hops, pairs, confidence_level, n_resamples, name, mute
        As for :func:`degree_fairness_report`.
    """

    def __init__(
        self,
        table: GroupTable,
        *,
        ranges: pd.DataFrame | None = None,
        curve: pd.DataFrame | None = None,
        by_cluster: sp.csr_array | None = None,
        compared: Predicted | None = None,
        fifths: Fifths | None = None,
        share: float | None = None,
        seed: int = 0,
        hops: int = 1,
        pairs: str = "max",
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        name: str | None = None,
        mute: str | Iterable[str] = (),
    ) -> None:
        self.table, self.ranges, self.curve = table, ranges, curve
        self.by_cluster, self.compared, self.fifths = by_cluster, compared, fifths
        self.share, self.seed, self.hops, self.pairs = share, seed, hops, pairs
        self.confidence_level, self.n_resamples = confidence_level, n_resamples
        self.name, self.mute = name, check_codes(mute)

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
        """Scores of all nodes and both gaps, next to those of a majority vote and of the labels."""
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
        """How often each class is predicted, and its recall, in each group."""
        return rate_frame(self.table, self._resampled, confidence_level=self.confidence_level)

    @cached_property
    def label_gap(self) -> pd.Series:
        """Delta DSP of the true labels, its p-value, and the minimum number of errors for a delta DSP of 0."""
        return label_gap(self.counts, self.by_cluster, pairs=self.pairs, n_resamples=self.n_resamples, seed=self.seed)

    @cached_property
    def fifths_gap(self) -> pd.Series | None:
        """The largest delta DSP of any two fifths of the nodes by degree, its mean under chance and its p-value."""
        return None if self.fifths is None else fifths_gap(self.fifths, n_resamples=self.n_resamples, seed=self.seed)

    @cached_property
    def detectable_gaps(self) -> pd.Series:
        """The smallest gaps that would be beyond chance in 80 % of samples of this size."""
        options: dict[str, Any] = {"pairs": self.pairs, "confidence_level": self.confidence_level}
        return pd.Series({name: detectable_gap(self._resampled[name], **options) for name in BY_CLASS})

    @cached_property
    def reference(self) -> Reference | None:
        """The change from a reference model."""
        if self.compared is None:
            return None
        return change_from_reference(
            self.compared,
            self.groups,
            pairs=self.pairs,
            confidence_level=self.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )

    @cached_property
    def _resampled(self) -> dict[str, Resampled]:
        return resample(self.counts, self.n_resamples, self.seed, self.by_cluster)
