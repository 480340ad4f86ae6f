"""Degree groups that are learned from a graph and its training nodes, and then apply to any node."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..parameters import Unused
from ._graph import Graph

GROUP_CONSTRAINTS: dict[str, Any] = {
    "fairness_groups": [
        StrOptions({"threshold"}),
        Interval(Real, 0, 0.5, closed="right"),
        Interval(Integral, 2, None, closed="left"),
    ],
    "fairness_hops": [Interval(Integral, 1, None, closed="left")],
    "degree_threshold": [StrOptions({"mean", "median"}), Interval(Real, 0, None, closed="left")],
}
THRESHOLD_UNUSED = Unused(
    ("degree_threshold",), 'fairness_groups other than "threshold"', lambda own: own.fairness_groups != "threshold"
)


class HasDegree(Protocol):
    """A graph, or the nodes of a batch."""

    def degree(self, hops: int = 1) -> NDArray[np.float64]: ...


def learn_threshold(graph: Graph, threshold: str | float, hops: int = 1) -> float:
    """K of the paper: a number, or the mean or the median generalized degree of the whole graph."""
    return float(threshold) if not isinstance(threshold, str) else _average(graph.whole().degree(hops), threshold)


def _average(degree: NDArray[np.float64], kind: str) -> float:
    return float(np.mean(degree) if kind == "mean" else np.median(degree))


class DegreeGroups:
    """Groups of nodes by degree.

    Parameters
    ----------
    boundaries : (n_intervals - 1,)
        Interval i has the degrees from boundary i - 1, inclusive, to boundary i, exclusive.
    hops : int, default=1
        Number of hops of the generalized degree.
    codes : (n_intervals,), default=None
        Number of the group of each interval, from 0 for the lowest degrees, -1 for no group. None: each interval is a
        group.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.graph import DegreeGroups
    >>> groups = DegreeGroups.from_degrees(np.array([1.0, 1, 2, 3, 8, 9]), 0.2)
    >>> groups.of_degree(np.array([1.0, 4, 20]))
    array([ 0, -1,  1])
    """

    def __init__(
        self, boundaries: NDArray[np.float64], *, hops: int = 1, codes: NDArray[np.intp] | None = None
    ) -> None:
        self.boundaries, self.hops = boundaries, hops
        self.codes = np.arange(len(boundaries) + 1) if codes is None else codes

    @classmethod
    def learn(
        cls,
        graph: Graph,
        nodes: NDArray[np.intp],
        groups: str | float,
        *,
        threshold: str | float = "mean",
        hops: int = 1,
    ) -> DegreeGroups:
        """Groups as the assessment makes them, from the degrees of the training nodes.

        Parameters
        ----------
        graph : Graph
        nodes : (n_train,)
        groups : "threshold", float or int
            Two groups at the threshold, the lower one inclusive; the lowest and the highest share of the training
            nodes; or this number of groups between quantiles.
        threshold : {"mean", "median"} or float, default="mean"
        hops : int, default=1
        """
        degree = graph.whole().degree(hops)
        return cls.from_degrees(degree[nodes], groups, threshold=learn_threshold(graph, threshold, hops), hops=hops)

    @classmethod
    def from_degrees(
        cls, degree: NDArray[np.float64], groups: str | float, *, threshold: str | float = "mean", hops: int = 1
    ) -> DegreeGroups:
        """Groups from the degrees of the training nodes, which also give the threshold if it is not a number."""
        if isinstance(groups, str):
            return cls(_above(_average(degree, threshold) if isinstance(threshold, str) else threshold), hops=hops)
        if isinstance(groups, Integral):
            inner = np.unique(np.quantile(degree, np.arange(1, int(groups)) / int(groups)))
            return cls(inner[inner > degree.min()], hops=hops)
        low, high = np.percentile(degree, [100 * groups, 100 * (1 - groups)])
        return cls(_above(low, high), hops=hops, codes=np.array([0, -1, 1]))

    def idle(self, graph: Graph, nodes: NDArray[np.intp]) -> str | None:
        """The reason why the nodes cannot be compared, in words; None if at least two groups contain some of them."""
        return self.idle_at(graph.whole().degree(self.hops)[nodes])

    def idle_at(self, degree: NDArray[np.float64]) -> str | None:
        """The same for nodes of these degrees."""
        group = self.of_degree(degree)
        if len(np.unique(group[group >= 0])) > 1:
            return None
        if degree.min() == degree.max():
            return f"all of these nodes have the degree {degree[0]:g}"
        return f"all of these nodes, of degree {degree.min():g} to {degree.max():g}, are in the same degree group"

    def __len__(self) -> int:
        return int(self.codes.max()) + 1

    def of(self, nodes: HasDegree) -> NDArray[np.intp]:
        """Number of each node's group, from 0 for the lowest degrees, -1 for no group."""
        return self.of_degree(nodes.degree(self.hops))

    def of_degree(self, degree: NDArray[np.float64]) -> NDArray[np.intp]:
        """The same for nodes of these degrees."""
        return self.codes[np.searchsorted(self.boundaries, degree, side="right")]


def _above(*values: float) -> NDArray[np.float64]:
    """Boundaries of intervals whose lower part includes the values."""
    return np.nextafter(np.array(values), np.inf)
