"""Properties of Graph on random graphs: however it is handed over or cut, it is the same graph."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from skdegfair import DegFairGNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.exceptions import RepeatedEdgesWarning
from skdegfair.graph import _sparse

quick = settings(max_examples=40, deadline=None)


@st.composite
def edge_lists(draw):
    """Number of nodes, and edges with weights, some of them listed more than once; no loops."""
    n = draw(st.integers(2, 9))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    edges = draw(st.lists(st.tuples(pairs, st.sampled_from([0.5, 1.0, 2.0])), max_size=20))
    return n, np.array([pair for pair, _ in edges], dtype=int).reshape(-1, 2), np.array([weight for _, weight in edges])


def dense(n, ends, weights):
    """Symmetric adjacency, entry by entry."""
    A = np.zeros((n, n))
    for (i, j), weight in zip(ends, weights, strict=True):
        A[i, j] += weight
        A[j, i] += weight
    return A


def unsorted(A, seed):
    """The same matrix as CSR with each entry in two parts, in random order within its row."""
    random, coo = np.random.default_rng(seed), sp.coo_array(A)
    rows, columns, data = np.tile(coo.row, 2), np.tile(coo.col, 2), np.tile(coo.data / 2, 2)
    order = np.lexsort((random.random(len(rows)), rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(A)))])
    return sp.csr_array((data[order], columns[order], indptr), shape=A.shape)


@quick
@given(edge_lists(), st.integers(0, 99))
def test_every_representation_is_the_same_graph(edges, seed):
    n, ends, weights = edges
    A, X = dense(n, ends, weights), np.eye(n)
    names = [f"v{k}" for k in range(n)]
    both = np.concatenate([ends, ends[:, ::-1]])
    twice = (np.concatenate([weights, weights]), both.T)
    frame = pd.DataFrame({"source": both[:, 0], "target": both[:, 1], "w": twice[0]})
    named = frame.assign(source=[names[k] for k in both[:, 0]], target=[names[k] for k in both[:, 1]])
    graphs = [
        Graph(X, A),
        Graph(X, sp.coo_array(twice, shape=(n, n))),
        Graph(X, unsorted(A, seed)),
        Graph(X, sp.csc_matrix(A)),
        Graph(X, sp.lil_array(A)),
        Graph(X, pd.DataFrame(A, index=names, columns=names)),
        Graph.from_edges(frame, X, weight="w"),
        Graph.from_edges(named, pd.DataFrame(X, index=names), weight="w"),
    ]
    for graph in graphs:
        np.testing.assert_allclose(graph.A.toarray(), A)
        np.testing.assert_allclose(graph.degree(), A.sum(1))
        np.testing.assert_allclose(graph.degree(2), A @ A.sum(1))
        assert graph.A.has_canonical_format
        assert graph.n_edges == np.count_nonzero(A) // 2


@quick
@given(edge_lists())
def test_edges_listed_more_than_once_add_up_and_are_noticed(edges):
    n, ends, _ = edges
    frame = pd.DataFrame(ends, columns=["source", "target"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = Graph.from_edges(frame, np.eye(n), directed=True)
    counted = sp.coo_array((np.ones(len(ends)), (ends[:, 1], ends[:, 0])), shape=(n, n)).toarray()
    np.testing.assert_array_equal(graph.A.toarray(), counted)
    assert [each.category for each in caught] == [RepeatedEdgesWarning] * bool((counted > 1).any())


@quick
@given(edge_lists(), st.randoms(use_true_random=False))
def test_permuted_and_induced_graphs(edges, random):
    n, ends, weights = edges
    A, order = dense(n, ends, weights), list(range(n))
    random.shuffle(order)
    some = order[: random.randint(1, n)]
    graph = Graph(pd.DataFrame(np.eye(n), index=[f"v{k}" for k in range(n)]), A)
    cut = graph[some].induced()
    np.testing.assert_array_equal(cut.A.toarray(), A[some][:, some])
    assert cut.A.has_canonical_format
    assert cut.index.tolist() == [f"v{k}" for k in some] == graph[some].index.tolist()
    np.testing.assert_array_equal(graph[some].degree(), A.sum(1)[some])
    label = f"v{some[-1]}"
    assert graph[some].loc[label].nodes.tolist() == [some[-1]]
    assert cut.loc[[label]].nodes.tolist() == [len(some) - 1]
    assert graph[order][np.argsort(order)].nodes.tolist() == list(range(n))


@pytest.mark.parametrize("piece", [1, 3, 1000])
@settings(max_examples=15, deadline=None)
@given(edge_lists().filter(lambda edges: len(edges[1])), st.integers(0, 1000))
def test_asymmetric_entries_are_found_beside_large_ones(piece, edges, k):
    n, ends, weights = edges
    A = dense(n, ends, weights)
    A[0, n - 1] = A[n - 1, 0] = 1e9
    rows, columns = np.nonzero(A)
    i, j = rows[k % len(rows)], columns[k % len(rows)]
    before, _sparse.PIECE = _sparse.PIECE, piece  # entries compared at once
    try:
        Graph(np.eye(n), A)
        A[i, j] *= 1.001
        with pytest.raises(
            ValueError, match=rf"A\[{i}, {j}\] is .* but A\[{j}, {i}\]|A\[{j}, {i}\] is .* A\[{i}, {j}\]"
        ):
            Graph(np.eye(n), A)
    finally:
        _sparse.PIECE = before


@pytest.mark.parametrize("options", [{}, {"batch_size": 16, "n_neighbors": 3}, {"backbone": "gat", "batch_size": 16}])
def test_an_induced_permutation_trains_as_the_permuted_matrix(options):
    data = make_degree_biased_graph(60, n_features=4, random_state=0)
    order = np.random.default_rng(0).permutation(60)
    A = sp.csr_array(data.A)
    forms = [
        data.graph[order].induced(),
        Graph(data.X[order], A[order][:, order]),
        Graph(data.X[order], A.toarray()[order][:, order]),
    ]
    predicted = [
        DegFairGNNClassifier(max_epochs=3, random_state=0, **options).fit(form, data.y[order]).predict_proba(data.graph)
        for form in forms
    ]
    np.testing.assert_array_equal(predicted[0], predicted[1])
    np.testing.assert_array_equal(predicted[0], predicted[2])
