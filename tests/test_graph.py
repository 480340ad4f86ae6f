"""Graph: what it accepts, what it refuses, and that views neither copy nor change it."""

import copy
import pickle
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils import resample
from torch_geometric.data import Data
from torch_geometric.nn import SimpleConv
from torch_geometric.utils import degree, remove_self_loops, to_undirected

from skdegfair import Graph

PATH = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]], dtype=float)
X = np.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_any_sparse_adjacency(form, kind):
    A = (sp.csr_array if kind == "array" else sp.csr_matrix)(PATH).asformat(form)
    graph = Graph(X, A)
    assert isinstance(graph.A, sp.csr_array)
    np.testing.assert_array_equal(graph.A.toarray(), PATH)


@pytest.mark.parametrize(
    "A",
    [
        PATH,
        PATH.astype(np.float32),
        PATH.astype(int),
        PATH.tolist(),
        PATH.astype(object),
        pd.DataFrame(PATH),
        pd.DataFrame(PATH, index=list("abcd"), columns=list("abcd")),
        pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(PATH)),
    ],
    ids=["float64", "float32", "int", "list", "object", "frame", "labeled frame", "sparse frame"],
)
def test_other_forms_of_adjacency(A):
    np.testing.assert_array_equal(Graph(X, A).A.toarray(), PATH)


def test_boolean_adjacency_counts_edges():
    assert Graph(X, PATH > 0).degree().tolist() == [1, 2, 1, 0]


def test_self_loops_stored_zeros_and_duplicates():
    A = PATH + np.diag([5.0, 0, 1, 1])
    assert Graph(X, A).degree().tolist() == PATH.sum(1).tolist()
    stored = sp.csr_array((np.array([1.0, 0.0, 1.0]), np.array([1, 2, 0]), np.array([0, 2, 3, 3, 3])), shape=(4, 4))
    assert Graph(X, stored).n_edges == 1
    twice = sp.csr_array((np.ones(4), np.array([1, 1, 0, 0]), np.array([0, 2, 4, 4, 4])), shape=(4, 4))
    assert Graph(X, twice).degree().tolist() == [2, 2, 0, 0]
    assert twice.nnz == 4  # as it was handed over


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.ones((4, 3)), "square"),
        (np.zeros((3, 3)), "3 nodes but X has 4 rows"),
        (np.zeros(4), "adjacency matrix of shape"),
        (np.triu(PATH), r"A\[0, 1\] is 1 but A\[1, 0\] is 0|A\[1, 2\] is 2 but A\[2, 1\] is 0"),
        (np.triu(PATH), r"A\.maximum\(A\.T\).*directed=True"),
        (-PATH, r"negative weight at \[0, 1\]"),
        (np.where(PATH == 2, np.nan, PATH), r"NaN or infinite weight at \[1, 2\]"),
        (np.where(PATH == 2, np.inf, PATH), r"NaN or infinite weight at \[1, 2\]"),
        (PATH.astype(complex), "numbers|real"),
        (np.full((4, 4), "a"), "numbers"),
    ],
)
def test_bad_adjacency(A, message):
    with pytest.raises(ValueError, match=message):
        Graph(X, A)


def test_labels_in_another_order_are_refused():
    frame = pd.DataFrame(X, index=list("abcd"))
    A = pd.DataFrame(PATH, index=list("abcd"), columns=list("abcd"))
    assert Graph(frame, A).degree().tolist() == [1, 3, 2, 0]
    with pytest.raises(ValueError, match=r"A\.loc\[X\.index, X\.index\]"):
        Graph(frame.iloc[::-1], A)
    with pytest.raises(ValueError, match="columns of A"):
        Graph(frame, A.iloc[:, ::-1])
    with pytest.raises(ValueError, match="rows of X"):
        Graph(frame.set_axis(list("abce")), A)


def test_directed_edges():
    graph = Graph(X, np.triu(PATH), directed=True)
    assert graph.degree().tolist() == [1, 2, 0, 0]
    assert graph.n_edges == 2
    assert "directed" in repr(graph)
    assert graph[:2].directed


def test_nearly_symmetric_weights_are_symmetric():
    A = PATH.copy()
    A[0, 1] *= 1 + 1e-12
    assert Graph(X, A).n_edges == 2


def test_tiny_weights_are_compared_too():
    with pytest.raises(ValueError, match="not symmetric"):
        Graph(X[:2], [[0, 1e-9], [5e-9, 0]])


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.uint8])
def test_other_numbers(dtype):
    assert Graph(X, PATH.astype(dtype)).A.dtype == np.float64


def test_features_need_two_dimensions():
    with pytest.raises(ValueError, match="one row per node"):
        Graph(np.ones(4), PATH)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ([2, 0], [2, 0]),
        (np.array([3]), [3]),
        (slice(1, 3), [1, 2]),
        (1, [1]),
        (np.int64(1), [1]),
        (np.array(1), [1]),
        (np.array([True, False, False, True]), [0, 3]),
        ([True, False, False, True], [0, 3]),
        (pd.Series([False, True, False, False]), [1]),
        ((np.array([2]), Ellipsis), [2]),
        ((slice(None), slice(None)), [0, 1, 2, 3]),
        ([], []),
        (-1, [3]),
    ],
)
def test_selecting_nodes(key, expected):
    graph = Graph(X, PATH)
    view = graph[key]
    assert view.nodes.tolist() == expected
    assert view.shape == (len(expected), 2)
    assert len(view) == len(expected)
    np.testing.assert_array_equal(view.features, X[expected])
    assert view.degree().tolist() == PATH.sum(1)[expected].tolist()


def test_selecting_nodes_by_label():
    graph = Graph(pd.DataFrame(X, index=list("dcba")), PATH)
    assert graph.loc["c"].nodes.tolist() == [1]
    assert graph.loc[["a", "d"]].nodes.tolist() == [3, 0]
    assert graph.loc["c":"a"].nodes.tolist() == [1, 2, 3]
    assert graph.loc[np.array([True, False, False, True])].nodes.tolist() == [0, 3]
    assert graph[[2, 3]].loc[["a", "b"]].nodes.tolist() == [3, 2]
    assert graph.induced().with_features(X).loc[graph.index[::-1]].nodes.tolist() == [3, 2, 1, 0]
    with pytest.raises(KeyError, match="no such node: c"):
        graph[[2, 3]].loc["c"]
    assert Graph(X, PATH)[[3, 1]].loc[3].nodes.tolist() == [3]
    assert Graph(X, PATH)[[1, 3]].loc[:].nodes.tolist() == [1, 3]
    with pytest.raises(KeyError, match="0"):
        Graph(X, PATH)[[3, 1]].loc[0]


def test_labels_are_names_if_one_data_frame_has_names():
    A = pd.DataFrame(PATH, index=list("abcd"), columns=list("abcd"))
    assert Graph(pd.DataFrame(X), A).index.tolist() == list("abcd")
    assert Graph(X, PATH).with_features(pd.DataFrame(X, index=list("abcd"))).index.tolist() == list("abcd")
    assert pickle.loads(pickle.dumps(Graph(X, A)[1:])).index.tolist() == list("bcd")


def test_sparse_features_become_canonical_and_stay_as_they_were():
    parts = (np.ones(4), np.array([1, 0, 1, 1]), np.array([0, 2, 4, 4, 4]))
    given = sp.csr_matrix(parts, shape=(4, 2))
    graph = Graph(given, PATH)
    assert isinstance(graph.X, sp.csr_matrix)
    np.testing.assert_array_equal(graph.X.toarray(), [[1, 1], [0, 2], [0, 0], [0, 0]])
    assert graph.X.has_canonical_format
    assert given.indices.tolist() == [1, 0, 1, 1]
    again = Graph(graph.X, PATH)
    assert np.shares_memory(again.X.data, graph.X.data)


def test_a_form_that_is_out_of_date_is_not_believed():
    A = sp.csr_array(PATH)
    assert A.has_canonical_format  # scipy remembers it
    A.indices[1:3] = A.indices[[2, 1]]
    A.data[1:3] = A.data[[2, 1]]
    graph = Graph(X, A)
    assert graph.A.has_sorted_indices
    np.testing.assert_array_equal(graph.A.toarray(), PATH)


def damaged(form, part, position, value):
    A = sp.csr_array(PATH).asformat(form)
    getattr(A, part)[position] = value
    return A


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (damaged("csr", "indices", 0, 4), r"column index 4, but indices must be from 0 to 3"),
        (damaged("csc", "indices", 0, -2), r"row index -2"),
        (damaged("bsr", "indices", 0, 900), r"column index 900"),
        (damaged("coo", "col", 0, 4), r"column index 4"),
        (damaged("csr", "indptr", 0, 1), r"indptr must have 5 entries that start at 0"),
        (damaged("csr", "indptr", 2, 0), r"never decrease"),
        (damaged("csr", "indptr", 4, 5), r"indptr ends at 5, but there are 4 indices and 4 values"),
    ],
)
def test_damaged_matrices_are_refused_before_scipy_reads_them(A, message):
    with pytest.raises(ValueError, match=rf"A is a damaged sparse matrix: .*{message}"):
        Graph(X, A)
    with pytest.raises(ValueError, match=rf"X is a damaged sparse matrix: .*{message}"):
        Graph(A, PATH)


def test_weights_at_the_limits():
    for weight in (1e-30, 1e30):
        assert Graph(X, PATH * weight / 2 if weight > 1 else PATH * weight).n_edges == 2
    with pytest.raises(ValueError, match=r"the weight 2e\+30 at \[1, 2\]"):
        Graph(X, PATH * 1e30)


def test_views_share_everything_and_nest():
    graph = Graph(X, PATH)
    view = graph[[3, 2, 1]][[1, 2]]
    assert view.nodes.tolist() == [2, 1]
    assert view.X is graph.X
    assert view.A is graph.A
    assert view.whole().nodes.tolist() == [0, 1, 2, 3]
    view.degree(hops=2)
    assert graph._degrees is view._degrees
    assert list(graph._degrees) == [2]


def test_degrees_cannot_be_changed_from_outside():
    graph = Graph(X, PATH)
    graph.degree()[:] = 7
    assert graph.degree().tolist() == [1, 3, 2, 0]


def test_generalized_degree_is_a_power_of_the_adjacency():
    graph = Graph(X, PATH)
    for hops in (1, 2, 3):
        np.testing.assert_allclose(graph.degree(hops), np.linalg.matrix_power(PATH, hops).sum(1))
    with pytest.raises(ValueError, match="hops"):
        graph.degree(0)


def test_induced_subgraph():
    cut = Graph(X, PATH)[[2, 1]].induced()
    np.testing.assert_array_equal(cut.A.toarray(), [[0, 2], [2, 0]])
    np.testing.assert_array_equal(cut.X, X[[2, 1]])
    assert cut.degree().tolist() == [2, 2]
    assert Graph(X)[[0]].induced().A is None
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert Graph(frame, PATH)[[2]].induced().X["a"].tolist() == [4.0]


def test_without_edges():
    graph = Graph(X)
    assert graph.degree().tolist() == [0] * 4
    assert repr(graph[:1]) == "Graph(1 of 4 nodes, 0 edges, 2 features)"


@pytest.mark.parametrize("key", [(0, 1), ([0], [1]), [[0, 1], [2, 3]], np.True_])
def test_only_nodes_can_be_indexed(key):
    with pytest.raises(IndexError, match=r"by nodes only|one list of positions"):
        Graph(X, PATH)[key]


def test_out_of_range():
    with pytest.raises(IndexError):
        Graph(X, PATH)[[4]]
    with pytest.raises(IndexError, match="by nodes only"):
        Graph(X, PATH).take([0], axis=1)


def test_a_graph_is_no_array():
    graph = Graph(X, PATH)
    with pytest.raises(TypeError, match="GraphTransformer"):
        np.asarray(graph)
    with pytest.raises(TypeError, match="GraphTransformer"):
        StandardScaler().fit(graph)
    with pytest.raises(TypeError):
        np.ones(4) + graph
    with pytest.raises(TypeError, match="not iterable"):
        iter(graph)


def test_scikit_learn_splits_nodes():
    train, test, nodes, _ = train_test_split(Graph(X, PATH), np.arange(4), random_state=0)
    assert train.nodes.tolist() == nodes.tolist()
    assert sorted([*train.nodes, *test.nodes]) == [0, 1, 2, 3]
    drawn, labels = resample(Graph(X, PATH), np.arange(4), random_state=0)
    assert drawn.nodes.tolist() == labels.tolist()


def test_pickle_and_copy():
    graph = Graph(X, PATH)[[1, 2]]
    graph.degree()
    again = pickle.loads(pickle.dumps(graph))
    assert again.nodes.tolist() == [1, 2]
    assert again._degrees == {}
    assert again.degree().tolist() == graph.degree().tolist()
    assert copy.deepcopy(graph) is graph
    assert copy.copy(graph).nodes.tolist() == [1, 2]


def test_size_in_bytes_is_that_of_the_arrays():
    big = np.zeros((1000, 50))
    assert sys.getsizeof(Graph(big, sp.csr_array((1000, 1000)))) > big.nbytes
    assert sys.getsizeof(Graph(pd.DataFrame(big))) > big.nbytes
    assert sys.getsizeof(Graph(sp.csr_array(big + 1))) > big.nbytes


def test_read_only_memory_maps(tmp_path):
    A = sp.csr_array(PATH + np.eye(4))
    parts = {}
    for name, array in {"X": X, "data": A.data, "indices": A.indices, "indptr": A.indptr}.items():
        np.save(tmp_path / f"{name}.npy", array)
        parts[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    mapped = sp.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=(4, 4))
    assert Graph(parts["X"], mapped).degree().tolist() == [1, 3, 2, 0]


def test_other_features():
    graph = Graph(X, PATH)[[0, 1]]
    other = graph.with_features(X + 1)
    np.testing.assert_array_equal(other.features, X[:2] + 1)
    assert other.A is graph.A
    with pytest.raises(ValueError, match="3 rows"):
        graph.with_features(X[:3])


def test_edge_list():
    edges = pd.DataFrame({"source": [0, 1, 1, 2], "target": [1, 0, 2, 1], "w": [1.0, 1.0, 2.0, 0.5]})
    np.testing.assert_array_equal(Graph.from_edges(edges, X).A.toarray(), (PATH > 0).astype(float))
    np.testing.assert_array_equal(Graph.from_edges(edges, X, weight="w").A.toarray(), PATH)
    with pytest.raises(ValueError, match=r"Edge 3 has weight -0\.5"):
        Graph.from_edges(edges.assign(w=[1, 1, 2, -0.5]), X, weight="w")
    directed = Graph.from_edges(edges.iloc[:1], X, directed=True)
    assert directed.A.toarray()[1, 0] == 1  # the target hears from the source
    assert directed.n_edges == 1


def test_edge_list_with_labels():
    frame = pd.DataFrame(X, index=list("abcd"), columns=["u", "v"])
    edges = pd.DataFrame({"who": ["b", "c"], "whom": ["a", "b"], "w": [1, 2]})
    graph = Graph.from_edges(edges, frame, source="who", target="whom", weight="w")
    np.testing.assert_array_equal(graph.A.toarray(), PATH)
    with pytest.raises(ValueError, match=r"contains .z., which is not among the rows of X"):
        Graph.from_edges(edges.replace("c", "z"), frame, source="who", target="whom")
    with pytest.raises(ValueError, match="no column 'source'"):
        Graph.from_edges(edges, frame)
    with pytest.raises(ValueError, match="more than once"):
        Graph.from_edges(edges, frame.set_axis(list("aabc")), source="who", target="whom")


def test_networkx():
    net = nx.from_numpy_array(PATH)
    np.testing.assert_array_equal(Graph.from_networkx(net, X).A.toarray(), PATH)
    assert Graph.from_networkx(net, X, weight=None).degree().tolist() == [1, 2, 1, 0]
    nx.set_node_attributes(net, {node: {"age": node + 0.5, "size": 1} for node in net})
    graph = Graph.from_networkx(net, features=["size", "age"])
    assert graph.X.columns.tolist() == ["size", "age"]
    assert graph.X["age"].tolist() == [0.5, 1.5, 2.5, 3.5]
    with pytest.raises(ValueError, match="Node 0 has no attribute 'height'"):
        Graph.from_networkx(net, features=["height"])
    with pytest.raises(ValueError, match="either X or features"):
        Graph.from_networkx(net)
    directed = Graph.from_networkx(nx.DiGraph([(0, 1), (1, 2), (2, 3)]), X)
    assert directed.directed
    assert directed.degree().tolist() == [0, 1, 1, 1]
    assert Graph.from_networkx(nx.MultiGraph([(0, 1), (0, 1), (2, 3)]), X).degree().tolist() == [2, 2, 1, 1]
    frame = pd.DataFrame(X, index=list("dcba"))
    named = Graph.from_networkx(nx.relabel_nodes(net, dict(enumerate("abcd"))), frame)
    np.testing.assert_array_equal(named.X.to_numpy(), X[::-1])
    with pytest.raises(ValueError, match="must contain every node"):
        Graph.from_networkx(net, frame)


def pyg_data(**changes):
    """Five nodes: a path, a pair that is listed in both directions, a self loop and an isolated node."""
    edges = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 2, 3]])
    return Data(**{"x": torch.arange(10.0).reshape(5, 2), "edge_index": edges} | changes)


def dense(data, *, directed):
    """Adjacency, entry by entry: row v holds the sources of the edges that end in v."""
    A = np.zeros((data.num_nodes, data.num_nodes))
    weights = torch.ones(data.num_edges) if data.edge_weight is None else data.edge_weight
    for (u, v), weight in zip(data.edge_index.T.tolist(), weights.tolist(), strict=True):
        for row, column in [(v, u)] if directed else [(v, u), (u, v)]:
            if row != column:
                A[row, column] = max(A[row, column], weight)
    return A


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 3.0, 1.0]])
def test_torch_geometric(directed, weights):
    data = pyg_data(edge_weight=None if weights is None else torch.tensor(weights))
    graph = Graph.from_pyg(data, directed=directed)
    np.testing.assert_array_equal(graph.A.toarray(), dense(data, directed=directed))
    np.testing.assert_array_equal(graph.X, data.x.numpy())
    assert graph.directed == directed
    assert graph.degree()[4] == 0  # the isolated node


def test_messages_are_those_of_torch_geometric():
    """Sums over the neighbors, by a layer of torch_geometric and by the adjacency."""
    data = pyg_data(edge_weight=torch.tensor([1.0, 2.0, 0.5, 3.0, 1.0]))
    edges, weights = remove_self_loops(data.edge_index, data.edge_weight)
    summed = SimpleConv(aggr="sum")(data.x, edges, weights)
    np.testing.assert_allclose(Graph.from_pyg(data, directed=True).A @ data.x.numpy(), summed)
    edges, weights = to_undirected(edges, weights, reduce="max")
    summed = SimpleConv(aggr="sum")(data.x, edges, weights)
    np.testing.assert_allclose(Graph.from_pyg(data).A @ data.x.numpy(), summed)
    degrees = degree(to_undirected(edges)[1], num_nodes=5)
    np.testing.assert_array_equal(Graph.from_pyg(pyg_data()).degree(), degrees)


def test_torch_geometric_without_edges():
    graph = Graph.from_pyg(pyg_data(edge_index=torch.empty((2, 0), dtype=torch.long)))
    assert repr(graph) == "Graph(5 nodes, 0 edges, 2 features)"
    assert graph.degree().tolist() == [0] * 5


def test_torch_geometric_pairs_listed_twice_and_features_with_a_gradient():
    edges = torch.tensor([[0, 0, 0], [1, 1, 1]])
    data = pyg_data(edge_index=edges, edge_weight=torch.tensor([1.0, 3.0, 2.0]))
    data.x.requires_grad_()
    graph = Graph.from_pyg(data, directed=True)
    assert graph.A.toarray()[1, 0] == 6
    summed = SimpleConv(aggr="sum")(data.x, data.edge_index, data.edge_weight).detach()
    np.testing.assert_allclose(graph.A @ graph.X, summed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": None}, "has no x. Set x to the node features"),
        ({"edge_index": None}, "has no edge_index"),
        ({"x": None, "edge_index": None}, "has no x and no edge_index"),
        ({"x": torch.arange(5.0)}, "X must be a feature matrix"),
        ({"edge_index": torch.tensor([[0, 1], [1, 5]])}, r"refers to node 5, but X has 5 rows \(0 to 4\)"),
        ({"edge_index": torch.tensor([[0, -1], [1, 4]])}, "refers to node -1"),
        ({"edge_weight": torch.tensor([1.0, -2.0, 1.0, 1.0, 1.0])}, r"Edge 1 has weight -2\.0"),
        ({"edge_weight": torch.ones(5, 1)}, r"edge_weight has shape \(5, 1\), but edge_index holds 5 edges"),
    ],
)
def test_torch_geometric_bad_input(changes, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_pyg(pyg_data(**changes))
