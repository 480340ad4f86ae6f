"""A whole graph that cannot fit into memory is refused, and no other one is."""

import numpy as np
import pytest
import scipy.sparse as sp

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.estimators._memory import available_memory, needed_memory
from skdegfair.mitigation import DegFair, Mitigation
from skdegfair.nn import Architecture


def need(graph, mitigation=None, **sizes):
    return needed_memory(graph, Architecture(graph.shape[1], 2, **sizes), mitigation or Mitigation())


def empty_graph(n_nodes, n_features):
    return Graph(sp.csr_array((n_nodes, n_features)), sp.csr_array((n_nodes, n_nodes)))


def test_available_memory_is_plausible():
    assert 10**7 < available_memory() < 10**15


def test_it_grows_with_the_graph_and_the_network(data):
    usual = need(data.graph)
    assert need(data.graph, hidden_dim=64) > usual
    assert need(data.graph, n_layers=4) > usual
    assert need(data.graph, backbone="gat", n_heads=4) > usual
    assert need(data.graph, DegFair()) > usual
    assert need(empty_graph(1000, 5)) > need(empty_graph(100, 5))


def test_sparse_features_take_the_memory_of_their_entries():
    graph = empty_graph(10**6, 10**5)
    assert need(graph) < 3e9
    dense = Graph(np.broadcast_to(np.float32(0), (10**6, 10**5)))  # would take 400 GB
    assert need(dense) > 4e11


def test_batches_are_not_refused(data):
    with pytest.raises(MemoryError, match=r"120 nodes .* takes at least .* Train in batches"):
        GNNClassifier(hidden_dim=2**36, max_epochs=1).fit(data.graph, data.y)
    fitted = DegFairGNNClassifier(batch_size=60, max_epochs=1, random_state=0).fit(data.graph, data.y)
    assert fitted.n_iter_ == 1
