"""Edges as other libraries keep them, turned into an adjacency matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp


def edges_from_frame(
    edges: pd.DataFrame, X: Any, source: str, target: str, weight: str | None, directed: bool
) -> sp.csr_array:
    """Adjacency of an edge list whose end points are labels of X (or its row numbers)."""
    wanted = [source, target] + ([] if weight is None else [weight])
    missing = [name for name in wanted if name not in edges.columns]
    if missing:
        raise ValueError(f"edges has no column {missing[0]!r}; its columns are {list(edges.columns)}.")
    labels = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(X.shape[0])
    if not labels.is_unique:
        raise ValueError("The index of X holds a label more than once, so edges cannot name its rows.")
    ends = []
    for name in (source, target):
        rows = labels.get_indexer(pd.Index(edges[name]))
        if (rows < 0).any():
            unknown = edges[name].iloc[int((rows < 0).argmax())]
            raise ValueError(f"Column {name!r} of edges names {unknown!r}, which is not among the rows of X.")
        ends.append(rows)
    weights = np.ones(len(edges)) if weight is None else edges[weight].to_numpy(dtype=np.float64)
    return _adjacency(ends[0], ends[1], weights, X.shape[0], directed)


def edges_from_networkx(graph: Any, X: Any, features: list[str] | None, weight: str | None) -> tuple[Any, sp.csr_array]:
    """Features and adjacency of a networkx graph."""
    import networkx as nx

    if (X is None) == (features is None):
        raise ValueError("Give either X or features, the names of the node attributes to use as features.")
    if features is not None:
        rows = []
        for node, attributes in graph.nodes(data=True):
            absent = [name for name in features if name not in attributes]
            if absent:
                raise ValueError(f"Node {node!r} has no attribute {absent[0]!r}.")
            rows.append([attributes[name] for name in features])
        X = pd.DataFrame(rows, columns=features, index=list(graph.nodes))
    return X, sp.csr_array(nx.to_scipy_sparse_array(graph, weight=weight, dtype=np.float64, format="csr"))


def edges_from_pyg(data: Any, directed: bool) -> tuple[Any, sp.csr_array]:
    """Features and adjacency of a torch_geometric Data object."""
    if data.x is None or data.edge_index is None:
        raise ValueError("The Data object needs x and edge_index.")
    X = data.x.detach().cpu().numpy()
    source, target = data.edge_index.detach().cpu().numpy()
    weight = getattr(data, "edge_weight", None)
    weights = np.ones(len(source)) if weight is None else weight.detach().cpu().numpy().astype(np.float64)
    return X, _adjacency(target, source, weights, X.shape[0], directed)  # messages flow from source to target


def _adjacency(rows: Any, columns: Any, weights: Any, n_nodes: int, directed: bool) -> sp.csr_array:
    """CSR in which a pair that is listed several times keeps its largest weight."""
    order = np.lexsort((weights, columns, rows))
    rows, columns, weights = rows[order], columns[order], weights[order]
    last = np.ones(len(rows), dtype=bool)
    last[:-1] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
    A = sp.csr_array((weights[last], (rows[last], columns[last])), shape=(n_nodes, n_nodes))
    return A if directed else sp.csr_array(A.maximum(A.T))
