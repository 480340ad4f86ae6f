"""Graph: node features and edges in one object that scikit-learn can split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ._alignment import NodeLabels, check_row_labels, is_count
from ._convert import edges_from_frame, edges_from_networkx, edges_from_pyg
from ._degree import generalized_degree
from ._validation import check_adjacency, check_features

NOT_AN_ARRAY = (
    "A Graph cannot be used as a plain array, because its edges would be lost. Use graph.features for the features and "
    "graph.degree() for the degrees, or wrap a transformer, as in GraphTransformer(StandardScaler())."
)


class Graph:
    """Node features and edges, indexed by node.

    ``G[nodes]`` is a view: it remembers which nodes are selected and shares the whole
    graph. scikit-learn can therefore split the nodes into folds while a model still
    sees every node and every edge (the transductive setting).
    ``G[nodes].induced()`` reduces the graph to these nodes (the inductive setting).

    Parameters
    ----------
    X : ndarray, sparse matrix or DataFrame of shape (n_nodes, n_features)
        Node features. The estimator that uses them validates them.
    A : sparse matrix, ndarray or DataFrame of shape (n_nodes, n_nodes), default=None
        Adjacency with non-negative weights; the weight of an unweighted edge is 1.
        Row v holds the nodes that v receives messages from. Self loops are dropped;
        layers that use them add their own. None means no edges.
    directed : bool, default=False
        Whether A may differ from its transpose.

    Attributes
    ----------
    X, A : the features and the adjacency (CSR) of the whole graph, also in a view
    nodes : ndarray, the positions of the selected nodes in the whole graph
    n_nodes, n_edges : size of the whole graph, an undirected edge counted once

    See Also
    --------
    GraphTransformer : Apply a scikit-learn transformer to the features of a graph.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair import Graph
    >>> A = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> G = Graph(np.eye(3), A)
    >>> G
    Graph(3 nodes, 2 edges, 3 features)
    >>> G[[1, 2]].degree().tolist()
    [1.0, 1.0]
    >>> G[[1, 2]].induced().degree().tolist()
    [0.0, 0.0]
    """

    __slots__ = ("X", "A", "directed", "_index", "_nodes", "_degrees", "__weakref__")
    __array_ufunc__ = None  # arithmetic with an array is an error, not an elementwise loop
    ndim = 2
    device = "cpu"  # scikit-learn reads it with array_api_dispatch

    def __init__(self, X: Any, A: Any = None, *, directed: bool = False) -> None:
        self.X = check_features(X)
        self.A = None if A is None else check_adjacency(A, self.X, directed=directed)
        self.directed = directed
        labeled = next((frame for frame in (X, A) if isinstance(frame, pd.DataFrame)), None)
        self._index: pd.Index | None = None if labeled is None else labeled.index  # kept when X becomes an array
        self._nodes: NDArray[np.intp] | None = None
        self._degrees: dict[int, NDArray[np.float64]] = {}

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        X: Any,
        *,
        source: str = "source",
        target: str = "target",
        weight: str | None = None,
        directed: bool = False,
    ) -> Graph:
        """Make a graph from a data frame with one row per edge.

        Parameters
        ----------
        edges : DataFrame
            A pair listed more than once counts once, with its largest weight.
        X : features, one row per node
            Edges refer to its index if it is a DataFrame, otherwise to row numbers.
        source, target : str, default="source", "target"
            Names of the columns with the end points.
        weight : str, default=None
            Name of the column with the weights. If None, each edge has the weight 1.
        directed : bool, default=False
            If True, the target of an edge receives messages from the source, but not the
            other way round. If False, both receive messages from each other.

        Examples
        --------
        >>> import pandas as pd
        >>> from skdegfair import Graph
        >>> X = pd.DataFrame({"age": [31, 45, 28]}, index=["ann", "bo", "cy"])
        >>> edges = pd.DataFrame({"source": ["ann", "bo"], "target": ["bo", "cy"]})
        >>> Graph.from_edges(edges, X).degree().tolist()
        [1.0, 2.0, 1.0]
        """
        X = check_features(X)
        return cls(X, edges_from_frame(edges, X, source, target, weight, directed), directed=directed)

    @classmethod
    def from_networkx(
        cls, graph: Any, X: Any = None, *, features: list[str] | None = None, weight: str | None = "weight"
    ) -> Graph:
        """Make a graph from a networkx graph, with the nodes in the same order.

        Parameters
        ----------
        graph : networkx graph
            A DiGraph gives a directed graph, in which a node receives messages from its
            predecessors. Parallel edges count once, with their largest weight.
        X : features, default=None
            One row per node: a DataFrame indexed by node, or in the order of
            ``graph.nodes``.
        features : list of str, default=None
            Node attributes to use as features instead of X.
        weight : str, default="weight"
            Edge attribute with the weights. Edges without it have the weight 1. None
            ignores weights.
        """
        X, A = edges_from_networkx(graph, X, features, weight)
        return cls(X, A, directed=graph.is_directed())

    @classmethod
    def from_pyg(cls, data: Any, *, directed: bool = False) -> Graph:
        """Make a graph from a torch_geometric ``Data`` object.

        Parameters
        ----------
        data : torch_geometric.data.Data
            Its ``x``, ``edge_index`` and ``edge_weight`` are used; without ``edge_weight``
            each edge has the weight 1. A pair listed more than once counts once, with its
            largest weight. Self loops are dropped.
        directed : bool, default=False
            If False, every edge connects its nodes in both directions. If True, a node
            receives messages from the sources of its edges, as in torch_geometric's layers.
        """
        X, A = edges_from_pyg(data, directed)
        return cls(X, A, directed=directed)

    # -- the whole graph and its parts -------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_edges(self) -> int:
        stored = 0 if self.A is None else int(self.A.nnz)
        return stored if self.directed else stored // 2

    @property
    def nodes(self) -> NDArray[np.intp]:
        return np.arange(self.n_nodes) if self._nodes is None else self._nodes

    @property
    def is_whole(self) -> bool:
        """Whether all nodes are selected, in their own order."""
        return self._nodes is None

    @property
    def node_labels(self) -> NodeLabels:
        """The labels of the selected nodes: those of the data frame X or A, otherwise positions in the whole graph."""
        if self._index is None:
            return NodeLabels(pd.Index(self.nodes), False)
        return NodeLabels(self._index if self._nodes is None else self._index[self._nodes], not is_count(self._index))

    @property
    def features(self) -> Any:
        """The features of the selected nodes."""
        if self._nodes is None:
            return self.X
        return self.X.iloc[self._nodes] if hasattr(self.X, "iloc") else self.X[self._nodes]

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Return the generalized degree A^r 1 (Eq. 1) of the selected nodes, counted in the whole graph."""
        if hops not in self._degrees:
            none = self.A is None
            self._degrees[hops] = np.zeros(self.n_nodes) if none else generalized_degree(self.A, hops)
        degree = self._degrees[hops]
        return degree.copy() if self._nodes is None else degree[self._nodes]

    def whole(self) -> Graph:
        """Return the graph with all nodes selected."""
        return self._view(None)

    def induced(self) -> Graph:
        """Return the subgraph of the selected nodes and the edges between them."""
        if self._nodes is None:
            return self
        cut = self._view(None)
        cut.X = self.features
        cut.A = None if self.A is None else sp.csr_array(self.A[self._nodes][:, self._nodes])
        cut._index = None if self._index is None else self._index[self._nodes]
        cut._degrees = {}
        return cut

    def with_features(self, X: Any) -> Graph:
        """Return the same nodes and edges with other features."""
        X = check_features(X)
        if X.shape[0] != self.n_nodes:
            raise ValueError(f"X has {X.shape[0]} rows, but the graph has {self.n_nodes} nodes.")
        check_row_labels(self.whole(), X=X)
        view = self._view(self._nodes)
        view.X = X
        return view

    def _view(self, nodes: NDArray[np.intp] | None) -> Graph:
        """Return a view of this graph, which was validated before, with other nodes selected."""
        view = object.__new__(type(self))
        view.X, view.A, view.directed, view._degrees = self.X, self.A, self.directed, self._degrees
        view._index = self._index
        view._nodes = nodes
        return view

    # -- what scikit-learn, joblib and Dask expect of an X -----------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        return (self.n_nodes if self._nodes is None else len(self._nodes), int(self.X.shape[1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Graph:
        if isinstance(key, tuple):  # scikit-learn indexes with [key, ...]
            if len(key) != 2 or not (key[1] is Ellipsis or (isinstance(key[1], slice) and key[1] == slice(None))):
                raise IndexError("A Graph is indexed by nodes only, as in G[nodes].")
            key = key[0]
        if not isinstance(key, slice):
            key = np.asarray(key)
            if key.ndim == 0 and key.dtype.kind in "iu":
                key = key.reshape(1)
            if key.ndim != 1:
                raise IndexError(f"Nodes are selected by one list of positions or one mask, got {key.ndim} dimensions.")
            key = key.astype(np.intp) if key.size == 0 else key
        return self._view(self.nodes[key])

    def take(self, indices: Any, axis: int = 0) -> Graph:
        """Select nodes by position, as pandas does."""
        if axis != 0:
            raise IndexError("A Graph is indexed by nodes only, as in G[nodes].")
        return self[np.asarray(indices)]

    @property
    def iloc(self) -> Graph:
        return self

    @property
    def loc(self) -> Graph:
        return self  # scikit-learn uses it for masks; nodes have positions, not labels

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return np

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError(NOT_AN_ARRAY)

    def __iter__(self) -> Any:
        raise TypeError("A Graph is not iterable; iterate over graph.nodes.")

    def __getstate__(self) -> tuple[Any, ...]:
        return self.X, self.A, self.directed, self._index, self._nodes  # degrees are cheaper to compute than to send

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.X, self.A, self.directed, self._index, self._nodes = state
        self._degrees = {}

    def __copy__(self) -> Graph:
        return self._view(self._nodes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self  # graphs are never modified, so clones of an estimator can share them

    def __sizeof__(self) -> int:
        """Return the bytes of all arrays. Dask uses it to decide whether to send a graph once or once per task."""
        total = object.__sizeof__(self) + (0 if self._nodes is None else self._nodes.nbytes)
        matrix: Any
        for matrix in (self.X, self.A):
            if sp.issparse(matrix):
                total += matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
            elif hasattr(matrix, "memory_usage"):
                total += int(matrix.memory_usage().sum())
            elif matrix is not None:
                total += matrix.nbytes
        return total

    def __repr__(self) -> str:
        of = "" if self._nodes is None else f"{len(self)} of "
        edges = f"{self.n_edges} {'directed ' if self.directed else ''}edges"
        return f"Graph({of}{self.n_nodes} nodes, {edges}, {self.X.shape[1]} features)"
