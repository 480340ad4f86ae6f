"""Clusters of a graph: what is together, what is not, and in which order nothing changes."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from skdegfair.graph import graph_clusters


def cliques(sizes, edges=()):
    A = sp.block_diag([np.ones((n, n)) - np.eye(n) for n in sizes], format="lil")
    for i, j in edges:
        A[i, j] = A[j, i] = 1
    return sp.csr_array(A)


@pytest.mark.parametrize("kind", ["neighborhoods", "communities"])
def test_clusters_are_connected_and_isolated_nodes_alone(data, kind):
    A = sp.block_diag([data.A, sp.csr_array((3, 3))], format="csr")
    clusters = graph_clusters(A, kind)
    assert sorted(set(clusters)) == list(range(clusters.max() + 1))
    for cluster in range(clusters.max() + 1):
        inside = np.flatnonzero(clusters == cluster)
        assert connected_components(A[inside][:, inside])[0] == 1
    assert (np.bincount(clusters)[clusters[-3:]] == 1).all()
    assert 3 < clusters.max() < 100
    np.testing.assert_array_equal(clusters, graph_clusters(A.toarray(), kind))


def test_neighborhoods_start_at_hubs():
    star = np.zeros((8, 8))
    star[0, 1:6] = star[5, 6] = star[6, 7] = 1  # directions are ignored
    assert graph_clusters(star).tolist() == [0, 0, 0, 0, 0, 0, 1, 1]


def test_communities_are_dense_parts():
    A = cliques([6, 5, 7], edges=[(0, 6), (7, 12)])
    clusters = graph_clusters(A, "communities")
    assert clusters.tolist() == np.repeat(clusters[[0, 6, 11]], [6, 5, 7]).tolist()
    assert len(set(clusters)) == 3


def test_weights_count_for_communities():
    A = cliques([4, 4]).toarray()
    A[3, :3] = A[:3, 3] = 0.1  # node 3 is closer to the other part
    A[3, 4:] = A[4:, 3] = 1
    clusters = graph_clusters(A, "communities")
    assert clusters[3] == clusters[4] != clusters[0]


def test_wrong_input():
    with pytest.raises(ValueError, match="kind must be one of"):
        graph_clusters(np.eye(3), "hubs")
    with pytest.raises(ValueError, match="square"):
        graph_clusters(np.ones((2, 3)))
