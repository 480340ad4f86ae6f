"""Convert edge lists, networkx graphs and torch_geometric data to an adjacency matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp


def edges_from_frame(
    edges: pd.DataFrame, X: Any, source: str, target: str, weight: str | None, directed: bool
) -> sp.csr_array:
    """Return the adjacency of an edge list whose end points are index labels of X, or row numbers."""
    if not isinstance(edges, pd.DataFrame):
        raise TypeError(f"edges must be a DataFrame with one row per edge, got a {type(edges).__name__}.")
    wanted = [source, target] + ([] if weight is None else [weight])
    missing = [name for name in wanted if name not in edges.columns]
    if missing:
        raise ValueError(f"edges has no column {missing[0]!r}; its columns are {list(edges.columns)}.")
    labels = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(X.shape[0])
    if not labels.is_unique:
        raise ValueError(
            "The index of X contains a label more than once, so edges cannot refer to rows. Make it unique."
        )
    ends = []
    for name in (source, target):
        rows = labels.get_indexer(pd.Index(edges[name]))
        if (rows < 0).any():
            unknown = edges[name].iloc[int((rows < 0).argmax())]
            raise ValueError(f"Column {name!r} of edges contains {unknown!s}, which is not among the rows of X.")
        ends.append(rows)
    weights = np.ones(len(edges)) if weight is None else edges[weight].to_numpy(dtype=np.float64)
    return _adjacency(ends[0], ends[1], weights, X.shape[0], directed)


def edges_from_networkx(graph: Any, X: Any, features: list[str] | None, weight: str | None) -> tuple[Any, sp.csr_array]:
    """Return the features and the adjacency of a networkx graph."""
    if (X is None) == (features is None):
        raise ValueError("Pass either X or features (the names of the node attributes to use as features).")
    if features is not None:
        rows = []
        for node, attributes in graph.nodes(data=True):
            absent = [name for name in features if name not in attributes]
            if absent:
                raise ValueError(f"Node {node!r} has no attribute {absent[0]!r}.")
            rows.append([attributes[name] for name in features])
        X = pd.DataFrame(rows, columns=features, index=list(graph.nodes))
    position = {node: k for k, node in enumerate(graph.nodes)}
    X = _in_order(X, list(position))
    edges = list(graph.edges(data=weight, default=1.0) if weight else ((u, v, 1.0) for u, v in graph.edges()))
    source = np.array([position[u] for u, _, _ in edges], dtype=np.intp)
    target = np.array([position[v] for _, v, _ in edges], dtype=np.intp)
    weights = np.array([w for _, _, w in edges], dtype=np.float64)
    return X, _adjacency(source, target, weights, len(position), graph.is_directed())


def edges_from_pyg(data: Any, directed: bool) -> tuple[Any, sp.csr_array]:
    """Return the features and the adjacency of a torch_geometric Data object."""
    missing = [name for name in ("x", "edge_index") if getattr(data, name, None) is None]
    if missing:
        raise ValueError(
            f"The Data object has no {' and no '.join(missing)}. Set x to the node features, one row per node, and "
            "edge_index to the edges, with shape (2, n_edges)."
        )
    X = data.x.detach().cpu().numpy()
    source, target = data.edge_index.detach().cpu().numpy()
    weight = getattr(data, "edge_weight", None)
    weights = np.ones(len(source)) if weight is None else weight.detach().cpu().numpy().astype(np.float64)
    if weights.shape != source.shape:
        raise ValueError(
            f"edge_weight has shape {weights.shape}, but edge_index holds {len(source)} edges. Give one weight each."
        )
    return X, _adjacency(source, target, weights, X.shape[0], directed)


def _in_order(X: Any, nodes: list[Any]) -> Any:
    """Return the rows of a data frame in the order of the nodes in its index."""
    if not isinstance(X, pd.DataFrame) or (isinstance(X.index, pd.RangeIndex) and X.index[:1].tolist() == [0]):
        return X
    if not X.index.is_unique or set(X.index) != set(nodes):
        raise ValueError("The index of X must contain every node of the graph exactly once.")
    return X.loc[nodes]


def _adjacency(source: Any, target: Any, weights: Any, n_nodes: int, directed: bool) -> sp.csr_array:
    """Return the adjacency: row v holds the sources of edges to v. A pair listed twice keeps its largest weight."""
    bad = ~(weights >= 0) | np.isinf(weights)
    if bad.any():
        raise ValueError(
            f"Edge {int(bad.argmax())} has weight {weights[bad][0]}: weights must be finite and at least 0."
        )
    ends = np.concatenate([source, target])
    unknown = (ends < 0) | (ends >= n_nodes)
    if unknown.any():
        raise ValueError(f"An edge refers to node {ends[unknown][0]}, but X has {n_nodes} rows (0 to {n_nodes - 1}).")
    order = np.lexsort((weights, source, target))
    rows, columns, weights = target[order], source[order], weights[order]
    last = np.ones(len(rows), dtype=bool)
    last[:-1] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
    A = sp.csr_array((weights[last], (rows[last], columns[last])), shape=(n_nodes, n_nodes))
    return A if directed else sp.csr_array(A.maximum(A.T))
