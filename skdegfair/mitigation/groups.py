"""Degree groups that are learned from a graph and its training nodes, and then apply to any node."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from torch import Tensor

from ..graph import Graph

GROUP_CONSTRAINTS: dict[str, Any] = {
    "fairness_groups": [StrOptions({"threshold"}), Interval(Integral, 2, None, closed="left")],
    "degree_threshold": [StrOptions({"mean", "median"}), Interval(Real, 0, None, closed="left")],
}


class HasDegree(Protocol):
    """A block, or a batch."""

    def degree(self, hops: int = 1) -> NDArray[np.float64]: ...


def learn_threshold(graph: Graph, threshold: str | float) -> float:
    """K of the paper: a number, or the mean or the median degree of the whole graph."""
    if not isinstance(threshold, str):
        return float(threshold)
    degree = graph.whole().degree()
    return float(np.mean(degree) if threshold == "mean" else np.median(degree))


class DegreeGroups:
    """Groups of nodes by degree.

    Parameters
    ----------
    boundaries : (n_groups - 1,)
        Group i has the degrees from boundary i - 1, inclusive, to boundary i, exclusive.
    """

    def __init__(self, boundaries: NDArray[np.float64]) -> None:
        self.boundaries = boundaries

    @classmethod
    def learn(
        cls, graph: Graph, nodes: NDArray[np.intp], groups: str | int, threshold: str | float = "mean"
    ) -> DegreeGroups:
        """Two groups at the threshold, the lower one inclusive, or ``groups`` quantile groups of the training nodes."""
        if groups == "threshold":
            return cls(np.array([np.nextafter(learn_threshold(graph, threshold), np.inf)]))
        degree = graph.whole().degree()[nodes]
        inner = np.unique(np.quantile(degree, np.arange(1, int(groups)) / int(groups)))
        return cls(inner[inner > degree.min()])

    def __len__(self) -> int:
        return len(self.boundaries) + 1

    def of(self, nodes: HasDegree) -> Tensor:
        """Number of each node's group, from 0 for the lowest degrees."""
        return torch.from_numpy(np.searchsorted(self.boundaries, nodes.degree(), side="right"))
