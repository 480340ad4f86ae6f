"""Convert edge lists, networkx graphs and torch_geometric data to an adjacency matrix."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ..exceptions import RepeatedEdgesWarning
from ._alignment import is_count
from ._validation import as_array

ID_COLUMN = (
    "Edges refer to rows of X by number, but its column {name!r} contains all of their end points as well. If it holds "
    "the names of the nodes, pass X.set_index({name!r}); if row numbers are right, pass X.to_numpy()."
)
REPEATED = (
    "Edges without weights are listed more than once ({count} of them), such as the one from row {source} of X to row "
    "{target}. Repeated edges add up, so its weight is {weight:g}. If each edge should have the weight 1, remove "
    "repeated ones, as in {remedy}; if not, pass the weights."
)
OTHER_ORDER = (
    "The nodes of the graph are the numbers 0 to {last}, but not in this order (the first is {first}), and the rows of "
    "X have no labels. Pass pd.DataFrame(X) if row k belongs to node k, or pd.DataFrame(X, index=list(graph.nodes)) if "
    "the rows are in the order of graph.nodes."
)


def edges_from_frame(
    edges: pd.DataFrame, X: Any, source: str, target: str, weight: str | None, directed: bool
) -> sp.csr_array:
    """Return the adjacency of an edge list whose end points are index labels of X, or row numbers."""
    if not isinstance(edges, pd.DataFrame):
        raise TypeError(
            f"edges must be a DataFrame with one row per edge, got a {type(edges).__name__}. Make one, as in "
            'pd.DataFrame(edges, columns=["source", "target"]).'
        )
    wanted = [source, target] + ([] if weight is None else [weight])
    missing = [name for name in wanted if name not in edges.columns]
    if missing:
        raise ValueError(
            f"edges has no column {missing[0]!r}; its columns are {list(edges.columns)}. Name the columns with the end "
            "points with source= and target=."
        )
    double = [name for name in wanted if edges[name].ndim > 1]
    if double:
        raise ValueError(f"edges has more than one column {double[0]!r}. Rename or remove the others.")
    labels = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(X.shape[0])
    if not labels.is_unique:
        raise ValueError(
            "The index of X contains a label more than once, so edges cannot refer to rows. Make it unique."
        )
    id_column = _id_column(X, pd.concat([edges[source], edges[target]]))
    ends = []
    for name in (source, target):
        rows = labels.get_indexer(pd.Index(edges[name]))
        if (rows < 0).any():
            unknown = edges[name].iloc[int((rows < 0).argmax()) :].tolist()[0]
            hint = (
                "" if id_column is None else f" Column {id_column!r} of X contains it: use X.set_index({id_column!r})."
            )
            raise ValueError(f"Column {name!r} of edges contains {unknown!r}, which is not among the rows of X.{hint}")
        ends.append(rows)
    if id_column is not None:
        raise ValueError(ID_COLUMN.format(name=id_column))
    weights = None if weight is None else _as_weights(edges[weight], f"Column {weight!r} of edges")
    remedy = f"edges.drop_duplicates([{source!r}, {target!r}])"
    return _adjacency(ends[0], ends[1], weights, X.shape[0], directed, remedy)


def edges_from_networkx(graph: Any, X: Any, features: list[str] | None, weight: str | None) -> tuple[Any, sp.csr_array]:
    """Return the features and the adjacency of a networkx graph."""
    if not (hasattr(graph, "nodes") and hasattr(graph, "is_directed")):
        raise TypeError(f"graph must be a networkx graph, got a {type(graph).__name__}.")
    if isinstance(features, str):
        raise TypeError(f"features must be a list of node attributes, as in [{features!r}].")
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
    weights = _as_weights([w for _, _, w in edges], f"Edge attribute {weight!r}")
    return X, _adjacency(source, target, weights, len(position), graph.is_directed())


def edges_from_pyg(data: Any, directed: bool) -> tuple[Any, sp.csr_array]:
    """Return the features and the adjacency of a torch_geometric Data object."""
    missing = [name for name in ("x", "edge_index") if getattr(data, name, None) is None]
    if missing:
        raise ValueError(
            f"The Data object has no {' and no '.join(missing)}. Set x to the node features, one row per node, and "
            "edge_index to the edges, with shape (2, n_edges)."
        )
    X, edges = as_array(data.x, "x"), as_array(data.edge_index, "edge_index")
    if edges.ndim != 2 or len(edges) != 2 or edges.dtype.kind not in "iu":
        raise ValueError(
            f"edge_index must contain integers and have shape (2, n_edges), got dtype {edges.dtype} and shape "
            f"{edges.shape}."
        )
    source, target = edges
    weight = getattr(data, "edge_weight", None)
    weights = None if weight is None else as_array(weight, "edge_weight").astype(np.float64)
    if weights is not None and weights.shape != source.shape:
        raise ValueError(
            f"edge_weight has shape {weights.shape}, but edge_index holds {len(source)} edges. Pass one per edge."
        )
    return X, _adjacency(source, target, weights, X.shape[0], directed, "data.coalesce()")


def _in_order(X: Any, nodes: list[Any]) -> Any:
    """Return features in the order of the nodes: by label if X is a data frame whose index contains them."""
    if not isinstance(X, pd.DataFrame):
        if nodes != list(range(len(nodes))) and set(nodes) == set(range(len(nodes))):
            raise ValueError(OTHER_ORDER.format(last=len(nodes) - 1, first=nodes[0]))
        return X
    known = X.index.isin(nodes)
    if is_count(X.index) and not known.any():  # the rows have no names
        return X
    if not (known.all() and X.index.is_unique and len(X) == len(nodes)):
        raise ValueError(
            "The index of X must contain every node of the graph exactly once. If the rows are in the order of the "
            "nodes, pass X.set_axis(list(graph.nodes))."
        )
    return X.loc[nodes]


def _id_column(X: Any, ends: pd.Series) -> Any:
    """Return the name of a column that may hold the names of nodes, None if there is none or rows have names."""
    if not isinstance(X, pd.DataFrame) or not is_count(X.index) or not len(ends):
        return None
    used = pd.Index(ends.unique())
    for name, column in X.items():
        is_name = not pd.api.types.is_float_dtype(column) and not pd.api.types.is_bool_dtype(column)
        if is_name and used.isin(column).all() and column.is_unique and not is_count(pd.Index(column)):
            return name
    return None


def _as_weights(values: Any, name: str) -> NDArray[np.float64]:
    weights = np.asarray(values)
    if weights.dtype.kind in "cmM":
        raise ValueError(f"{name} must contain real weights, got dtype {weights.dtype}. Convert them to numbers.")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must contain numbers, got dtype {weights.dtype}.") from None


def _adjacency(source: Any, target: Any, weights: Any, n_nodes: int, directed: bool, remedy: str = "") -> sp.csr_array:
    """Return the adjacency: row v holds the sources of edges to v. The weights of repeated edges add up."""
    unweighted, weights = weights is None, np.ones(len(source)) if weights is None else weights
    bad = ~(weights >= 0) | np.isinf(weights)
    if bad.any():
        raise ValueError(
            f"Edge {int(bad.argmax())} has weight {weights[bad][0]}: weights must be finite and at least 0."
        )
    ends = np.concatenate([source, target])
    unknown = (ends < 0) | (ends >= n_nodes)
    if unknown.any():
        raise ValueError(f"An edge refers to node {ends[unknown][0]}, but X has {n_nodes} rows (0 to {n_nodes - 1}).")
    A = sp.csr_array((weights, (target, source)), shape=(n_nodes, n_nodes))  # adds up
    if unweighted:
        _warn_of_repeated(A.tocoo(), remedy)
    return A if directed else sp.csr_array(A.maximum(A.T))


def _warn_of_repeated(A: sp.coo_array, remedy: str) -> None:
    """Without weights, a repeated edge is more often an accident than a weight. Self loops are dropped anyway."""
    repeated = np.flatnonzero((A.data > 1) & (A.row != A.col))
    if len(repeated):
        k = repeated[0]
        text = REPEATED.format(count=len(repeated), source=A.col[k], target=A.row[k], weight=A.data[k], remedy=remedy)
        warnings.warn(text, RepeatedEdgesWarning, stacklevel=5)
