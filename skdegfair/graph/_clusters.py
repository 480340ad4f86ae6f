"""Clusters of nodes that are close to each other in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ._adjacency import check_weights

CLUSTER_KINDS = ("neighborhoods", "communities")
PASSES = 5
"""Few nodes move after the first passes."""


def graph_clusters(A: Any, kind: str = "neighborhoods") -> NDArray[np.intp]:
    """Divide the nodes of a graph into clusters of nodes that are close to each other.

    Parameters
    ----------
    A : sparse matrix or array, ndarray of shape (n_nodes, n_nodes)
        Adjacency. The direction of edges is ignored.
    kind : {"neighborhoods", "communities"}, default="neighborhoods"
        With "neighborhoods", the node with the most neighbors forms a cluster with all of
        them, then the node with the most neighbors among the remaining nodes with those of
        its neighbors that remain, and so on. Weights are ignored. With "communities", nodes
        move, one at a time, to the cluster of neighbors that increases the modularity most
        (the first phase of the Louvain method). Communities are larger.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Cluster of each node, numbered from 0. An isolated node is a cluster of its own.

    Notes
    -----
    Both kinds are deterministic. Neighborhoods read every edge once; communities read it up
    to five times, in a Python loop that takes about five seconds for 100,000 edges.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.graph import graph_clusters
    >>> A = np.zeros((6, 6))
    >>> for i, j in [(0, 1), (1, 2), (0, 2), (3, 4)]:
    ...     A[i, j] = A[j, i] = 1
    >>> graph_clusters(A).tolist()
    [0, 0, 0, 1, 1, 2]
    """
    if kind not in CLUSTER_KINDS:
        raise ValueError(f"kind must be one of {list(CLUSTER_KINDS)}, got {kind!r}.")
    edges = check_weights(A).astype(np.float64)
    edges = sp.csr_array(edges.maximum(edges.T))
    clusters = _neighborhoods(edges) if kind == "neighborhoods" else _communities(edges)
    return np.unique(clusters, return_inverse=True)[1].astype(np.intp)


def _neighborhoods(A: sp.csr_array) -> NDArray[np.intp]:
    clusters = np.full(A.shape[0], -1, dtype=np.intp)
    order = np.argsort(-np.diff(A.indptr), kind="stable")
    for number, node in enumerate(order):
        if clusters[node] < 0:
            around = A.indices[A.indptr[node] : A.indptr[node + 1]]
            clusters[around[clusters[around] < 0]] = number
            clusters[node] = number
    return clusters


def _communities(A: sp.csr_array) -> list[int]:
    """Move nodes between clusters while that increases the modularity. Lists, because numpy is slower on few values."""
    degrees: list[float] = A.sum(1).tolist()
    total = sum(degrees)
    starts, ends, weights = A.indptr.tolist(), A.indices.tolist(), A.data.tolist()
    clusters, sizes = list(range(len(degrees))), degrees.copy()
    order = np.argsort(degrees, kind="stable").tolist()  # nodes of low degree have the clearest choice
    for _ in range(PASSES):
        moved = False
        for node in order:
            degree, old = degrees[node], clusters[node]
            if not degree:
                continue
            sizes[old] -= degree
            links = {old: 0.0}
            for edge in range(starts[node], starts[node + 1]):
                cluster = clusters[ends[edge]]
                if ends[edge] != node:
                    links[cluster] = links.get(cluster, 0.0) + weights[edge]
            gains = {cluster: link - degree * sizes[cluster] / total for cluster, link in links.items()}
            best = max(gains, key=lambda cluster: gains[cluster])
            new = best if gains[best] > gains[old] + 1e-12 * total else old
            clusters[node] = new
            sizes[new] += degree
            moved |= new != old
        if not moved:
            break
    return clusters
