"""A synthetic graph with degree bias, for which the fair labels are known."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from ..graph import Graph

DESCR = """Degree-biased graph: {n_nodes} nodes, {n_edges} edges, {n_classes} classes, bias {bias:g}.

Every node has a merit and, independently of it, a popularity. The observed label (y) ranks nodes by merit plus bias
times popularity, the fair label (y_fair) by merit alone. Popular nodes have many neighbors, more often of their own
observed class than of another. The features depend on both merit and popularity."""


def make_degree_biased_graph(
    n_nodes: int = 1000,
    *,
    n_classes: int = 3,
    n_features: int = 16,
    mean_degree: float = 10.0,
    bias: float = 1.0,
    homophily: float = 0.7,
    noise: float = 2.0,
    random_state: Any = None,
    return_X_A_y: bool = False,
) -> Any:
    """Make a graph whose labels favor well-connected nodes, controlled by ``bias``.

    Parameters
    ----------
    n_nodes : int, default=1000
    n_classes : int, default=3
        Classes of equal size, ordered from the least to the most favored.
    n_features : int, default=16
    mean_degree : float, default=10.0
        Target for the mean degree. Degrees vary widely around it. The actual mean is
        lower, because no pair is linked twice and no node is linked to itself: for a
        target of 10 it is about 7.1 with 100 nodes and 9.4 with 1000.
    bias : float, default=1.0
        Weight of popularity in the label, relative to merit. With 0, y equals y_fair.
    homophily : float, default=0.7
        Fraction of the edges that are drawn within a class. The others join any nodes.
    noise : float, default=2.0
        Standard deviation of the noise on the features.
    random_state : int, RandomState instance or None, default=None
    return_X_A_y : bool, default=False
        Return ``(X, A, y)`` instead of a Bunch.

    Returns
    -------
    Bunch, or (X, A, y)
        The Bunch contains ``graph``, ``X``, ``A``, ``y``, ``y_fair`` and ``DESCR``.

    Examples
    --------
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> data = make_degree_biased_graph(300, random_state=0)
    >>> data.graph
    Graph(300 nodes, 1303 edges, 16 features)
    >>> rich = data.graph.degree() > 10
    >>> bool((data.y[rich] == 2).mean() > (data.y_fair[rich] == 2).mean())
    True
    """
    _check_options(n_nodes, n_classes, n_features, mean_degree, bias, homophily, noise)
    random = check_random_state(random_state)
    merit, popularity = random.normal(size=(2, n_nodes))
    y, y_fair = (_ranked_classes(value, n_classes) for value in (merit + bias * popularity, merit))
    A = _draw_edges(y, np.exp(popularity), int(n_nodes * mean_degree / 2), homophily, random)
    directions = random.normal(size=(2, n_features))
    X = np.column_stack([merit, popularity]) @ directions + noise * random.normal(size=(n_nodes, n_features))
    if return_X_A_y:
        return X, A, y
    graph = Graph(X, A)
    text = DESCR.format(n_nodes=n_nodes, n_edges=graph.n_edges, n_classes=n_classes, bias=bias)
    return Bunch(graph=graph, X=X, A=graph.A, y=y, y_fair=y_fair, DESCR=text)


def _check_options(
    n_nodes: int, n_classes: int, n_features: int, mean_degree: float, bias: float, homophily: float, noise: float
) -> None:
    for name, count in {"n_nodes": n_nodes, "n_classes": n_classes, "n_features": n_features}.items():
        if not isinstance(count, Integral) or isinstance(count, bool):
            raise ValueError(f"{name} must be an integer, got {count!r}.")
    if not 2 <= n_classes <= n_nodes:
        raise ValueError(f"n_classes must be from 2 to n_nodes ({n_nodes}), got {n_classes}.")
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}.")
    for name, value in {"mean_degree": mean_degree, "bias": bias, "noise": noise}.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be at least 0 and finite, got {value}.")
    if not 0 <= homophily <= 1:
        raise ValueError(f"homophily must be from 0 to 1, got {homophily}.")


def _ranked_classes(value: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """Return classes of equal size by rank."""
    rank = np.empty(len(value), dtype=np.intp)
    rank[np.argsort(value, kind="stable")] = np.arange(len(value))
    return rank * n_classes // len(value)


def _draw_edges(
    block: NDArray[np.intp], popularity: NDArray[np.float64], n_edges: int, homophily: float, random: Any
) -> sp.csr_array:
    """Draw edges between nodes in proportion to their popularity, some of them within a block."""
    order = np.argsort(block, kind="stable")  # blocks are intervals of the cumulative popularity
    edge_of = np.concatenate([[0.0], np.cumsum(popularity[order])])
    first = np.searchsorted(block[order], np.arange(block.max() + 2))
    starts, ends = edge_of[first[:-1]], edge_of[first[1:]]

    def pick(low: Any, high: Any) -> NDArray[np.intp]:
        drawn = random.uniform(low, high, size=n_edges)
        by_value = np.argsort(drawn)  # searching sorted values makes better use of the cache
        at = np.empty(n_edges, dtype=np.intp)
        at[by_value] = np.searchsorted(edge_of, drawn[by_value], side="right") - 1
        return order[np.clip(at, 0, len(order) - 1)]

    source = pick(0.0, edge_of[-1])
    within = random.uniform(size=n_edges) < homophily
    target = pick(np.where(within, starts[block[source]], 0.0), np.where(within, ends[block[source]], edge_of[-1]))
    keep = source != target
    n_nodes = len(block)
    index = np.int32 if n_edges < 2**30 else np.int64  # twice as many entries as edges
    ends_kept = source[keep].astype(index), target[keep].astype(index)
    A = sp.csr_array((np.ones(keep.sum()), ends_kept), shape=(n_nodes, n_nodes))
    A = sp.csr_array(A + A.T)
    A.data[:] = 1.0
    return A
