"""Mistakes with features, adjacency, nodes and labels."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import DataConversionWarning
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from torch_geometric.data import Data

from skdegfair import DegFairGNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import RepeatedEdgesWarning
from skdegfair.graph import degree_groups, generalized_degree, graph_clusters
from skdegfair.metrics import delta_dsp

from .cases import Mistake, World

EDGES = pd.DataFrame({"source": [0, 1], "target": [1, 2]})
MASKED = np.ma.masked_array(np.ones((40, 40)), mask=np.eye(40))


def damaged(w: World, part: str, position: int, value: int, source: str = "A") -> sp.csr_array:
    """A CSR matrix with one wrong index, as people make by hand."""
    matrix = sp.csr_array(getattr(w, source))
    arrays = {name: getattr(matrix, name).copy() for name in ("data", "indices", "indptr")}
    made = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=matrix.shape)
    getattr(made, part)[position] = value
    return made


def in_halves(X: Any) -> sp.csr_array:
    """A CSR matrix that stores every entry as two halves, the columns in descending order."""
    n_rows, n_columns = X.shape
    indices = np.tile(np.repeat(np.arange(n_columns)[::-1], 2), n_rows)
    data = np.repeat(X[:, ::-1] / 2, 2, axis=1).ravel()
    return sp.csr_array((data, indices, np.arange(n_rows + 1) * 2 * n_columns), shape=X.shape)


def with_weight(w: World, weight: float) -> sp.csr_array:
    """The adjacency with another weight of the edge between nodes 0 and 3."""
    A = w.A.toarray()
    A[0, 3] = A[3, 0] = weight
    return sp.csr_array(A)


def shuffled(w: World, value: Any) -> Any:
    return value.iloc[w.order]


def columns(chosen: Any) -> ColumnTransformer:
    return ColumnTransformer([("scaled", StandardScaler(), chosen)])


def fit(w: World, **params: Any) -> DegFairGNNClassifier:
    return clone(w.clf).set_params(**params)


def classes(y: Any) -> tuple[Any, ...]:
    """Classes learned from y, and their kind."""
    fitted = DegFairGNNClassifier(max_epochs=1, random_state=0).fit(World().G, y)
    return (*fitted.classes_.tolist(), fitted.classes_.dtype.kind)


def half(w: World) -> pd.Series:
    return pd.Series([True, False] * 20, index=w.nodes)


def numbered(order: list[int]) -> nx.Graph:
    net = nx.Graph()
    net.add_nodes_from(order)
    net.add_edge(0, 1)
    return net


def scaled_in_place(w: World, X: Any) -> Any:
    transformer = GraphTransformer(StandardScaler(copy=False))
    result = transformer.fit_transform(X)
    return result.X if isinstance(result, Graph) else result


FEATURES = [
    Mistake(
        "features of three dimensions", lambda w: Graph(np.ones((4, 3, 2))), ValueError, ("X must be", "(4, 3, 2)")
    ),
    Mistake("a Series as X", lambda w: Graph(w.series, w.A), ValueError, ("X must be", "(40,)", "reshape")),
    Mistake("a file name as X", lambda w: Graph("nodes.csv"), ValueError, ("X must be", "'nodes.csv'")),
    Mistake("None as X", lambda w: Graph(None, w.A), ValueError, ("X must be", "None")),
    Mistake("a dict as X", lambda w: Graph({"a": [1]}), ValueError, ("X must be", "dict")),
    Mistake("ragged rows of X", lambda w: Graph([[1, 2], [3]]), ValueError, ("X must have rows of equal length",)),
    Mistake("a masked X", lambda w: Graph(MASKED, w.A), ValueError, ("X is a masked array", "filled")),
    Mistake("a sparse X of one dimension", lambda w: Graph(sp.coo_array(w.y), w.A), ValueError, ("X must have two",)),
    Mistake("a Graph as X", lambda w: Graph(w.G), TypeError, ("A Graph cannot be used", "graph.features")),
    Mistake(
        "a networkx graph as X", lambda w: Graph(nx.path_graph(40)), TypeError, ("X is a networkx", "from_networkx")
    ),
    Mistake("a networkx graph in fit", lambda w: w.clf.fit(nx.path_graph(40), w.y), TypeError, ("X is a networkx",)),
    Mistake(
        "torch_geometric data as X",
        lambda w: Graph(Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0], [1]]))),
        TypeError,
        ("X is a torch_geometric", "from_pyg"),
    ),
    Mistake(
        "a tensor with a gradient as X", lambda w: Graph(torch.tensor(w.X, requires_grad=True), w.A).X, lambda w: w.X
    ),
    Mistake("tensors", lambda w: Graph(torch.tensor(w.X), torch.tensor(w.A.toarray())).degree(), lambda w: w.degree),
    Mistake(
        "a column of text",
        lambda w: w.clf.fit(w.frame.assign(b="red"), w.A, w.y),
        ValueError,
        ("Column 'b' of X", "'red'", "GraphTransformer(make_column_transformer((OneHotEncoder(), ['b'])"),
    ),
    Mistake(
        "a categorical column in a Graph",
        lambda w: w.plain.fit(Graph(w.frame.assign(b=pd.Categorical(["red", "blue"] * 20)), w.A), w.y),
        ValueError,
        ("Column 'b' of X", "OneHotEncoder"),
    ),
    Mistake(
        "an array of text", lambda w: w.clf.fit(np.full((40, 2), "x"), w.A, w.y), ValueError, ("Column 0 of X", "'x'")
    ),
    Mistake(
        "a column of dates",
        lambda w: w.clf.fit(w.frame.assign(c=pd.date_range("2020", periods=40)), w.A, w.y),
        ValueError,
        ("Column 'c' of X contains dates",),
    ),
    Mistake(
        "a missing value in a nullable column",
        lambda w: w.clf.fit(w.frame.assign(c=pd.array([1, None] * 20, dtype="Int64")), w.A, w.y),
        ValueError,
        ("Input X contains NaN",),
    ),
    Mistake(
        "two columns of one name",
        lambda w: w.clf.fit(w.frame.set_axis(list("aabc"), axis=1), w.A, w.y),
        ValueError,
        ("unique column names", "'a' 2 times"),
    ),
    Mistake("no features", lambda w: w.clf.fit(w.X[:, :0], w.A, w.y), ValueError, ("0 feature(s)",)),
    Mistake(
        "a negative column index in X",
        lambda w: Graph(damaged(w, "indices", 5, -7, source="X"), w.A),
        ValueError,
        ("X is a damaged sparse matrix", "column index -7"),
    ),
    Mistake(
        "a sparse X with entries stored twice",
        lambda w: clone(w.plain).fit(in_halves(w.X), w.A, w.y).feature_scale_,
        lambda w: clone(w.plain).fit(sp.csr_array(w.X), w.A, w.y).feature_scale_,
    ),
    Mistake(
        "other features in another order",
        lambda w: w.named.with_features(shuffled(w, w.frame)),
        ValueError,
        ("X and graph have the same labels in a different order", "X.loc[graph.index]"),
    ),
]

ADJACENCY = [
    Mistake("A has another number of nodes", lambda w: Graph(w.X[:5], w.A), ValueError, ("A has 40 nodes", "X has 5")),
    Mistake("A is one-dimensional", lambda w: Graph(w.X, w.y), ValueError, ("A must be an adjacency matrix",)),
    Mistake("A is not square", lambda w: Graph(w.X, w.A[:, :30]), ValueError, ("A must be square", "(40, 30)")),
    Mistake("a sparse A of one dimension", lambda w: Graph(w.X, sp.coo_array(w.y)), ValueError, ("A must have two",)),
    Mistake("an unknown word as A", lambda w: Graph(w.X, "nothing"), ValueError, ("A must be", '"none"', "'nothing'")),
    Mistake("the word none as A", lambda w: Graph(w.X, "none").degree(), lambda w: np.zeros(40)),
    Mistake(
        "a networkx graph as A", lambda w: Graph(w.X, nx.path_graph(40)), ValueError, ("A must be", "from_networkx")
    ),
    Mistake("a Graph as A", lambda w: Graph(w.X, w.G), TypeError, ("A Graph cannot be used as a plain array",)),
    Mistake("a masked A", lambda w: Graph(w.X, MASKED), ValueError, ("A is a masked array",)),
    Mistake("text as weights", lambda w: Graph(w.X, np.full((40, 40), "a")), ValueError, ("A must contain numbers",)),
    Mistake("complex weights", lambda w: Graph(w.X, w.A * 1j), ValueError, ("A must contain real weights",)),
    Mistake(
        "a missing weight",
        lambda w: Graph(w.X, pd.DataFrame(w.A.toarray()).astype("Float64").replace(0.0, pd.NA)),
        ValueError,
        ("NaN or infinite weight at [0, 0]",),
    ),
    Mistake("a negative weight", lambda w: Graph(w.X, with_weight(w, -1)), ValueError, ("negative weight at [0, 3]",)),
    Mistake(
        "a subnormal weight", lambda w: Graph(w.X, with_weight(w, 1e-310)), ValueError, ("1e-310 at [0, 3]", "1e-30")
    ),
    Mistake("a huge weight", lambda w: Graph(w.X, with_weight(w, 1e200)), ValueError, ("1e+200 at [0, 3]", "1e30")),
    Mistake(
        "one small weight that is not symmetric",
        lambda w: Graph(w.X, w.A * 1e9 + sp.coo_array(([1e-3], ([5], [9])), shape=(40, 40))),
        ValueError,
        ("A is not symmetric: A[5, 9] is 0.001", "directed=True"),
    ),
    Mistake(
        "a column index out of range",
        lambda w: Graph(w.X, damaged(w, "indices", 3, 10**6)),
        ValueError,
        ("A is a damaged sparse matrix", "column index 1000000", "0 to 39"),
    ),
    Mistake(
        "a negative column index",
        lambda w: generalized_degree(damaged(w, "indices", 0, -1)),
        ValueError,
        ("A is a damaged sparse matrix", "column index -1"),
    ),
    Mistake(
        "row pointers that decrease",
        lambda w: Graph(w.X, damaged(w, "indptr", 4, 99)),
        ValueError,
        ("indptr", "decrease"),
    ),
    Mistake(
        "row pointers beyond the entries",
        lambda w: Graph(w.X, damaged(w, "indptr", 40, 10**6)),
        ValueError,
        ("indptr ends at 1000000",),
    ),
    Mistake(
        "entries of A stored twice",
        lambda w: Graph(w.X, sp.coo_array((np.ones(4), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(40, 40))).degree()[:3],
        lambda w: [2, 2, 0],
    ),
    Mistake(
        "true entries of A stored twice",
        lambda w: Graph(w.X, sp.coo_array(([True] * 4, ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(40, 40))).degree()[:3],
        lambda w: [1, 1, 0],
    ),
    Mistake(
        "a matrix class of numpy", lambda w: Graph(w.X, w.A.todense().view(np.matrix)).degree(), lambda w: w.degree
    ),
    Mistake(
        "rows of A in another order than X",
        lambda w: Graph(w.frame, pd.DataFrame(w.A.toarray(), index=w.nodes, columns=w.nodes).iloc[w.order, w.order]),
        ValueError,
        ("rows of A and the rows of X", "A.loc[X.index, X.index]"),
    ),
    Mistake("directed is a word", lambda w: Graph(w.X, w.A, directed="no"), TypeError, ("directed", "'no'")),
    Mistake(
        "clusters of a Graph", lambda w: graph_clusters(w.G), TypeError, ("A Graph cannot be used as a plain array",)
    ),
    Mistake(
        "clusters of missing weights", lambda w: graph_clusters(w.A * np.nan), ValueError, ("NaN or infinite weight",)
    ),
    Mistake("an unknown kind of clusters", lambda w: graph_clusters(w.A, "hubs"), ValueError, ("kind", "'hubs'")),
]

EDGE_LISTS = [
    Mistake(
        "edges are a list", lambda w: Graph.from_edges([(0, 1)], w.X), TypeError, ("edges", "list", "pd.DataFrame(")
    ),
    Mistake("no such column of edges", lambda w: Graph.from_edges(EDGES, w.X, weight="w"), ValueError, ("column 'w'",)),
    Mistake(
        "two columns of edges with one name",
        lambda w: Graph.from_edges(pd.concat([EDGES, EDGES], axis=1), w.X),
        ValueError,
        ("more than one column 'source'",),
    ),
    Mistake("an unknown end point", lambda w: Graph.from_edges(EDGES + 39, w.X), ValueError, ("'source'", "40")),
    Mistake(
        "a missing end point",
        lambda w: Graph.from_edges(EDGES.replace(2, np.nan), w.X),
        ValueError,
        ("'target'", "nan"),
    ),
    Mistake(
        "a weight that is text",
        lambda w: Graph.from_edges(EDGES.assign(w="heavy"), w.X, weight="w"),
        ValueError,
        ("Column 'w' of edges must contain numbers",),
    ),
    Mistake(
        "a complex weight in a list",
        lambda w: Graph.from_edges(EDGES.assign(w=1j), w.X, weight="w"),
        ValueError,
        ("Column 'w' of edges", "complex"),
    ),
    Mistake(
        "a missing weight in a list",
        lambda w: Graph.from_edges(EDGES.assign(w=pd.array([1, None], dtype="Int64")), w.X, weight="w"),
        ValueError,
        ("Edge 1 has weight nan",),
    ),
    Mistake(
        "ids in a column that fit the row numbers",
        lambda w: Graph.from_edges(EDGES, pd.DataFrame({"id": [2, 0, 1], "age": [1.0, 2.0, 3.0]})),
        ValueError,
        ("column 'id'", "X.set_index('id')"),
    ),
    Mistake(
        "ids in a column that do not fit",
        lambda w: Graph.from_edges(EDGES + 7, pd.DataFrame({"id": [8, 9, 7], "age": [1.0, 2.0, 3.0]})),
        ValueError,
        ("contains 7", "X.set_index('id')"),
    ),
    Mistake(
        "an index with a label twice",
        lambda w: Graph.from_edges(EDGES, w.frame.set_axis([0] * 40)),
        ValueError,
        ("The index of X contains a label more than once",),
    ),
    Mistake(
        "an edge listed twice",
        lambda w: Graph.from_edges(pd.concat([EDGES, EDGES[:1]]), w.X),
        RepeatedEdgesWarning,
        ("from row 0 of X to row 1", "weight is 2", "drop_duplicates"),
    ),
    Mistake(
        "an edge listed in both directions",
        lambda w: Graph.from_edges(pd.DataFrame({"source": [0, 1], "target": [1, 0]}), w.X).degree()[:3],
        lambda w: [1, 1, 0],
    ),
    Mistake("no networkx graph", lambda w: Graph.from_networkx(w.A, w.X), TypeError, ("networkx graph", "csr_array")),
    Mistake(
        "features are one name",
        lambda w: Graph.from_networkx(nx.path_graph(3), features="age"),
        TypeError,
        ("features", "['age']"),
    ),
    Mistake(
        "a networkx weight that is text",
        lambda w: Graph.from_networkx(nx.Graph([(0, 1, {"weight": "heavy"})]), w.X[:2]),
        ValueError,
        ("Edge attribute 'weight' must contain numbers",),
    ),
    Mistake(
        "numbered nodes in another order, X without labels",
        lambda w: Graph.from_networkx(numbered([2, 0, 1]), w.X[:3]),
        ValueError,
        ("not in this order", "pd.DataFrame(X"),
    ),
    Mistake(
        "numbered nodes in another order, X with a RangeIndex",
        lambda w: Graph.from_networkx(numbered([2, 0, 1]), pd.DataFrame({"age": [10, 11, 12]})).X["age"],
        lambda w: [12, 10, 11],
    ),
    Mistake(
        "a RangeIndex that has only some of the nodes",
        lambda w: Graph.from_networkx(numbered([0, 1, 5]), pd.DataFrame({"age": [10, 11, 12]})),
        ValueError,
        ("index of X must contain every node", "set_axis"),
    ),
    Mistake("no torch_geometric data", lambda w: Graph.from_pyg(w.A), ValueError, ("has no x and no edge_index",)),
    Mistake(
        "edge_index of the wrong shape",
        lambda w: Graph.from_pyg(Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1], [1, 2], [0, 2]]))),
        ValueError,
        ("edge_index", "(3, 2)"),
    ),
    Mistake(
        "edge_index of floats",
        lambda w: Graph.from_pyg(Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0.0], [1.0]]))),
        ValueError,
        ("edge_index must contain integers", "float32"),
    ),
]

SELECTION = [
    Mistake("labels in brackets", lambda w: w.named[["v01"]], IndexError, ("'v01'", "G.loc")),
    Mistake("a column in brackets", lambda w: w.named["a"], IndexError, ("'a'", "graph.features")),
    Mistake("positions that are floats", lambda w: w.G[[1.0, 2.0]], IndexError, ("[1.0, 2.0]",)),
    Mistake("rows and columns", lambda w: w.G[[1], [0]], IndexError, ("by nodes only", "GraphTransformer")),
    Mistake("a position out of range", lambda w: w.G[[99]], IndexError, ("99", "40")),
    Mistake("a mask that is too short", lambda w: w.G[[True, False]], IndexError, ("2", "40")),
    Mistake(
        "a mask in another order",
        lambda w: w.named[shuffled(w, half(w))],
        ValueError,
        ("nodes and X", "different order"),
    ),
    Mistake(
        "a mask in another order, of a view",
        lambda w: w.named[w.order][half(w)],
        ValueError,
        ("nodes and X", "different order"),
    ),
    Mistake(
        "a mask by loc in another order", lambda w: w.named.loc[shuffled(w, half(w))], ValueError, ("different order",)
    ),
    Mistake("a nullable mask", lambda w: w.named[half(w).astype("boolean")].nodes, lambda w: np.arange(0, 40, 2)),
    Mistake("an unknown label", lambda w: w.named.loc[["v01", "zz"]], KeyError, ("zz", "G.index")),
    Mistake("a position where there are labels", lambda w: w.named.loc[3], KeyError, ("3", "G.index")),
    Mistake("labels", lambda w: w.named[w.order].loc[["v07", "v01"]].nodes, lambda w: [7, 1]),
    Mistake("labels where there are none", lambda w: w.G[w.order].loc[[7, 1]].nodes, lambda w: [7, 1]),
    Mistake(
        "labels of a transformed graph",
        lambda w: w.named.with_features(w.X).loc["v05":"v07"].nodes,
        lambda w: [5, 6, 7],
    ),
    Mistake("a Graph as an array", lambda w: np.asarray(w.G), TypeError, ("A Graph cannot be used as a plain array",)),
    Mistake(
        "a ColumnTransformer of positions", lambda w: columns([0]).fit(w.named), TypeError, ("r(ColumnTransformer(",)
    ),
    Mistake(
        "a ColumnTransformer of names", lambda w: columns(["a"]).fit(w.named), TypeError, ("r(ColumnTransformer(",)
    ),
    Mistake(
        "a ColumnTransformer of types",
        lambda w: columns(make_column_selector(dtype_include=float)).fit_transform(w.named),
        TypeError,
        ("GraphTransformer(ColumnTransformer(",),
    ),
    Mistake(
        "permutation importance",
        lambda w: permutation_importance(w.fitted(), w.G, w.y, n_repeats=1),
        TypeError,
        ("permutation_importance", "graph.with_features"),
    ),
    Mistake("partial dependence", lambda w: partial_dependence(w.fitted(), w.G, [0]), TypeError, ("graph.features",)),
]

LABELS = [
    Mistake(
        "nodes in another order",
        lambda w: w.clf.fit(w.named, w.series, nodes=shuffled(w, half(w))),
        ValueError,
        ("nodes",),
    ),
    Mistake(
        "validation nodes in another order",
        lambda w: w.clf.fit(w.frame, w.A, w.series, validation_nodes=shuffled(w, half(w))),
        ValueError,
        ("validation_nodes and X", "different order"),
    ),
    Mistake(
        "nodes by label", lambda w: w.clf.fit(w.named, w.y, nodes=w.nodes[:9]), ValueError, ("nodes", "get_indexer")
    ),
    Mistake("nodes are a set", lambda w: w.clf.fit(w.G, w.y, nodes={1, 2}), ValueError, ("nodes must be", "set")),
    Mistake("nodes are a number", lambda w: w.clf.fit(w.G, w.y, nodes=3), ValueError, ("nodes must be", "3")),
    Mistake("one node twice", lambda w: w.clf.fit(w.G, w.y, nodes=[4, 5, 4]), ValueError, ("node 4 more than once",)),
    Mistake(
        "a mask of numbers", lambda w: w.clf.fit(w.G, w.y, nodes=[0, 1] * 20), ValueError, ("mask of zeros and ones",)
    ),
    Mistake(
        "y is a data frame in another order",
        lambda w: w.clf.fit(w.named, shuffled(w, w.series.to_frame())),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y is a data frame",
        lambda w: w.clf.fit(w.named, w.series.to_frame()),
        DataConversionWarning,
        ("column-vector y",),
    ),
    Mistake(
        "y has a reversed RangeIndex",
        lambda w: w.clf.fit(w.frame.reset_index(drop=True), w.A, pd.Series(w.y)[::-1]),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y in another order than a Graph without labels",
        lambda w: w.clf.fit(w.G, shuffled(w, pd.Series(w.y))),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y has other labels",
        lambda w: w.clf.fit(w.named, w.series.set_axis([*w.nodes[1:], "zz"])),
        ValueError,
        ("y and X", "'zz'"),
    ),
    Mistake(
        "y in another order than a data frame, in a pipeline",
        lambda w: make_pipeline(GraphTransformer(StandardScaler()), w.clf).fit(w.frame, shuffled(w, w.series)),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y in another order than a Graph, in a pipeline",
        lambda w: make_pipeline(GraphTransformer(StandardScaler()), w.clf).fit(w.named, shuffled(w, w.series)),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y in another order than a transformed Graph",
        lambda w: w.clf.fit(GraphTransformer(StandardScaler()).fit_transform(w.named), shuffled(w, w.series)),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake(
        "y in another order than a Graph transformed to pandas",
        lambda w: w.clf.fit(
            GraphTransformer(StandardScaler()).set_output(transform="pandas").fit_transform(w.named[:30]),
            w.series[:30][::-1],
        ),
        ValueError,
        ("y and X", "different order"),
    ),
    Mistake("y is masked", lambda w: w.clf.fit(w.G, np.ma.masked_equal(w.y, 0)), ValueError, ("y is a masked array",)),
    Mistake("y is a dict", lambda w: w.clf.fit(w.G, dict(enumerate(w.y))), ValueError, ("y should be", "dict")),
    Mistake("y mixes types", lambda w: w.clf.fit(w.G, [1, "a"] * 20), ValueError, ("y mixes labels", "int, str")),
    Mistake(
        "y has a missing label", lambda w: w.clf.fit(w.G, [None, *w.y[1:]]), ValueError, ("y contains NaN, at node 0",)
    ),
    Mistake("nullable integers as y", lambda w: classes(pd.array(w.y, dtype="Int64")), lambda w: classes(w.y)),
    Mistake("a nullable Index as y", lambda w: classes(pd.Index(w.y, dtype="Int64")), lambda w: classes(w.y)),
    Mistake(
        "nullable booleans as y", lambda w: classes(pd.array(w.y > 0, dtype="boolean")), lambda w: classes(w.y > 0)
    ),
    Mistake("categories as y", lambda w: classes(pd.Categorical(w.y)), lambda w: classes(w.y)),
    Mistake(
        "several placeholders",
        lambda w: fit(w, unlabeled=[-1, -2]).fit(w.G, w.y),
        ValueError,
        ("unlabeled must be one value", "[-1, -2]"),
    ),
    Mistake(
        "a placeholder of another type",
        lambda w: fit(w, unlabeled="0").fit(w.G, w.y),
        ValueError,
        ("unlabeled='0' is not in y", "unlabeled=0"),
    ),
]

TRANSFORMERS = [
    Mistake(
        "a transformer that writes into its input",
        lambda w: scaled_in_place(w, w.G),
        lambda w: StandardScaler().fit_transform(w.X),
    ),
    Mistake(
        "a transformer that writes into a data frame",
        lambda w: scaled_in_place(w, w.named),
        lambda w: StandardScaler().fit_transform(w.frame.copy()),  # pandas 2 stores a copy in another order
    ),
    Mistake(
        "a transformer that writes into a matrix",
        lambda w: scaled_in_place(w, w.X),
        lambda w: StandardScaler().fit_transform(w.X),
    ),
    Mistake("a classifier as transformer", lambda w: GraphTransformer(w.clf).fit(w.G, w.y), TypeError, ("DegFairGNN",)),
    Mistake("None as transformer", lambda w: GraphTransformer(None).fit(w.G), TypeError, ("transformer must", "None")),
    Mistake("a class as transformer", lambda w: GraphTransformer(StandardScaler).fit(w.G), TypeError, ("instance",)),
    Mistake(
        "a transformer that returns one column",
        lambda w: GraphTransformer(FunctionTransformer(lambda X: X.sum(1))).fit_transform(w.G),
        ValueError,
        ("(40,)",),
    ),
]

DEGREES = [
    *(
        Mistake(f"hops={hops!r}", lambda w, hops=hops: w.G.degree(hops), error, ("hops must be", repr(hops)))
        for hops, error in ((0, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError), (1.0, TypeError))
    ),
    Mistake("hops=0 without edges", lambda w: Graph(w.X).degree(0), ValueError, ("hops must be at least 1", "0")),
    Mistake("degrees of a Graph", lambda w: generalized_degree(w.G), TypeError, ("graph.degree()",)),
    Mistake(
        "degrees of negative weights", lambda w: generalized_degree(-w.A), ValueError, ("negative weight at [0, 3]",)
    ),
    Mistake("degrees of complex weights", lambda w: generalized_degree(w.A * 1j), ValueError, ("A must contain real",)),
    Mistake("n_groups is text", lambda w: degree_groups(w.degree, n_groups="4"), TypeError, ("n_groups", "'4'")),
    Mistake("n_groups is a fraction", lambda w: degree_groups(w.degree, n_groups=2.5), TypeError, ("n_groups", "2.5")),
    Mistake(
        "n_groups is 1", lambda w: degree_groups(w.degree, n_groups=1), ValueError, ("n_groups must be at least 2",)
    ),
    Mistake("share is text", lambda w: degree_groups(w.degree, share="0.2"), TypeError, ("share", "'0.2'")),
    Mistake(
        "share is too large", lambda w: degree_groups(w.degree, share=0.7), ValueError, ("share must be in", "0.7")
    ),
    Mistake("threshold is text", lambda w: degree_groups(w.degree, threshold="3"), TypeError, ("threshold", "'3'")),
    Mistake("threshold is NaN", lambda w: degree_groups(w.degree, threshold=np.nan), ValueError, ("threshold", "nan")),
    Mistake(
        "boundaries are a number", lambda w: degree_groups(w.degree, boundaries=3), ValueError, ("boundaries", "3")
    ),
    Mistake(
        "a boundary is NaN",
        lambda w: degree_groups(w.degree, boundaries=[1, np.nan]),
        ValueError,
        ("boundaries", "nan"),
    ),
    Mistake("no boundaries", lambda w: degree_groups(w.degree, boundaries=[]), ValueError, ("boundaries",)),
    Mistake("degrees are text", lambda w: degree_groups(["few", "many"]), ValueError, ("degree must contain",)),
    Mistake("a degree is NaN", lambda w: degree_groups([1, np.nan]), ValueError, ("degree", "nan at position 1")),
    Mistake("a Graph as degrees", lambda w: degree_groups(w.G), TypeError, ("graph.degree()",)),
    Mistake(
        "all degrees are equal",
        lambda w: delta_dsp(w.y, w.y, degree=np.full(40, 3)),
        UserWarning,
        ("No node in degree group 'high'",),
    ),
]

MISTAKES = [*FEATURES, *ADJACENCY, *EDGE_LISTS, *SELECTION, *LABELS, *TRANSFORMERS, *DEGREES]
