"""Clusters of nodes whose errors may be alike, and counts by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ..graph import CLUSTER_KINDS, Graph, graph_clusters
from ._inputs import check_choice, describe
from ._table import GroupTable

NO_GRAPH = (
    "clusters={clusters!r} is computed from a graph, but only degrees or groups are given. Pass the nodes as a Graph, "
    "as in G[test], or pass an array with the cluster of each node."
)

Clusters = NDArray[np.intp]


def cluster_numbers(clusters: Any, graph: Any) -> Clusters | None:
    """Return the number of the cluster of each node, or None without clusters.

    Parameters
    ----------
    clusters : {"neighborhoods", "communities"}, array-like of shape (n_nodes,) or None
    graph : Graph of the nodes, or anything else if there is none
        Clusters are computed in the whole graph.
    """
    if clusters is None:
        return None
    if isinstance(clusters, str):
        check_choice("clusters", clusters, CLUSTER_KINDS)
        if not isinstance(graph, Graph):
            raise ValueError(NO_GRAPH.format(clusters=clusters))
        A = sp.csr_array((graph.n_nodes, graph.n_nodes)) if graph.A is None else graph.A
        return graph_clusters(A, clusters)[graph.nodes]
    if np.ndim(clusters) != 1:
        raise ValueError(f"clusters must contain the cluster of each node, got {describe(clusters)}.")
    numbers, _ = pd.factorize(pd.Series(clusters), sort=True)  # so that the order of the nodes plays no role
    if (numbers < 0).any():
        raise ValueError(f"clusters holds {(numbers < 0).sum()} missing values. Each node must have a cluster.")
    return numbers.astype(np.intp)


def table_by_cluster(
    table: GroupTable, y_true: Any, y_pred: Any, groups: NDArray[np.intp], clusters: Clusters
) -> sp.csr_array:
    """Divide the counts of a table by cluster: (n_clusters, n_groups * n_classes * n_classes).

    Parameters
    ----------
    table : GroupTable
    y_true, y_pred : array-like of shape (n_nodes,)
        The classes that the table counts.
    groups, clusters : ndarray of shape (n_nodes,)
        Numbers of the group and of the cluster of each node. Nodes in no group are left out.
    """
    if len(clusters) != len(groups):
        raise ValueError(f"clusters has {len(clusters)} entries, but there are {len(groups)} nodes.")
    inside = groups >= 0
    names, numbers = np.unique(clusters[inside], return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"The nodes that are compared must be in at least two clusters, got {len(names)}.")
    truth, predicted = (np.searchsorted(table.classes, np.asarray(y))[inside] for y in (y_true, y_pred))
    cells = np.ravel_multi_index((groups[inside], truth, predicted), table.counts.shape)
    return sp.csr_array((np.ones(len(cells)), (numbers, cells)), shape=(len(names), table.counts.size))
