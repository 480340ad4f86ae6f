"""Graph: node features and edges in one object that scikit-learn can split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ._adjacency import check_adjacency
from ._alignment import NodeLabels, check_row_labels, is_count
from ._convert import edges_from_frame, edges_from_networkx, edges_from_pyg
from ._degree import check_hops, count_walks
from ._selection import NodeIndexed
from ._validation import check_features, n_bytes


class Graph(NodeIndexed):
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
        layers that use them add their own. Entries that a sparse matrix stores more than
        once add up, as in scipy. None or "none" means no edges.
    directed : bool, default=False
        Whether A may differ from its transpose.

    Attributes
    ----------
    X, A : the features and the adjacency (CSR) of the whole graph, also in a view
    nodes : ndarray, the positions of the selected nodes in the whole graph
    n_nodes, n_edges : size of the whole graph, an undirected edge counted once
    index : pandas Index, the labels of the selected nodes (see ``loc``)

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

    def __init__(self, X: Any, A: Any = None, *, directed: bool = False) -> None:
        if not isinstance(directed, (bool, np.bool_)):
            raise TypeError(f"directed must be True or False, got {directed!r}.")
        self.X = check_features(X)
        self.A = check_adjacency(A, self.X, directed=directed)
        self.directed = bool(directed)
        labels = [frame.index for frame in (X, A) if isinstance(frame, pd.DataFrame)]
        self._index: pd.Index | None = min(labels, key=is_count, default=None)  # names; kept when X becomes an array
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
            The weights of a pair listed more than once add up, as in a sparse matrix, with a
            warning if the edges have no weights. An undirected edge may be listed in one
            direction or in both; if the weights differ, the larger one counts.
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
            predecessors. The weights of parallel edges add up.
        X : features, default=None
            One row per node: a DataFrame indexed by node, in any order, or rows in the order
            of ``graph.nodes``.
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
            each edge has the weight 1. The weights of a pair listed more than once add up, as
            in torch_geometric's layers. Self loops are dropped.
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
        whole = pd.RangeIndex(self.n_nodes) if self._index is None else self._index
        return NodeLabels(whole if self._nodes is None else whole[self._nodes], not is_count(whole), whole)

    @property
    def features(self) -> Any:
        """The features of the selected nodes."""
        if self._nodes is None:
            return self.X
        return self.X.iloc[self._nodes] if hasattr(self.X, "iloc") else self.X[self._nodes]

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Return the generalized degree A^r 1 (Eq. 1) of the selected nodes, counted in the whole graph."""
        check_hops(hops)
        if hops not in self._degrees:
            self._degrees[hops] = np.zeros(self.n_nodes) if self.A is None else count_walks(self.A, hops)
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
        if cut.A is not None:
            cut.A.sort_indices()
        cut._index = None if self._index is None else self._index[self._nodes]
        cut._degrees = {}
        return cut

    def with_features(self, X: Any) -> Graph:
        """Return the same nodes and edges with other features."""
        X = check_features(X)
        if X.shape[0] != self.n_nodes:
            raise ValueError(f"X has {X.shape[0]} rows, but the graph has {self.n_nodes} nodes.")
        check_row_labels(graph=self.whole(), X=X)
        view = self._view(self._nodes)
        view.X = X
        if isinstance(X, pd.DataFrame) and not self.node_labels.are_names:
            view._index = X.index
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
        return total + n_bytes(self.X) + n_bytes(self.A)

    def __repr__(self) -> str:
        of = "" if self._nodes is None else f"{len(self)} of "
        edges = f"{self.n_edges} {'directed ' if self.directed else ''}edges"
        return f"Graph({of}{self.n_nodes} nodes, {edges}, {self.X.shape[1]} features)"
