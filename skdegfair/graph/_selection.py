"""Selecting nodes, and the other methods that scikit-learn expects of an X."""

from __future__ import annotations

from reprlib import repr as short
from typing import Any, NoReturn, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..exceptions import GraphAsArrayError
from ._alignment import NodeLabels, check_row_labels

NODES_ONLY = (
    "A Graph is indexed by nodes only, as in G[nodes]. Select columns of graph.X, or wrap a transformer of columns, as "
    "in GraphTransformer(ColumnTransformer(...))."
)
LABELS_AS_POSITIONS = (
    "G[...] takes positions or a mask, got an index, which holds labels of nodes. Use G.loc for labels, or "
    "index.to_numpy() if they are positions."
)
NOT_AN_ARRAY = (
    "A Graph cannot be used as a plain array, because its edges would be lost. Use graph.features for the features and "
    "graph.degree() for the degrees, or wrap a transformer, as in GraphTransformer(StandardScaler()) or "
    "GraphTransformer(ColumnTransformer(...)). A classifier of scikit-learn is fitted to graph.features."
)
NOT_COPIED = (
    "A Graph is never modified, so it has no copy to modify. To see what a model does with other features, for example "
    "with a shuffled column as in permutation_importance, pass graph.with_features(X)."
)


class NodeIndexed:
    """Base of Graph: rows are nodes, which are selected by position, by a mask or by label, and never modified."""

    __slots__ = ()
    __array_ufunc__ = None  # arithmetic with an array is an error, not an elementwise loop
    ndim = 2
    device = "cpu"  # scikit-learn reads it with array_api_dispatch

    @property
    def nodes(self) -> NDArray[np.intp]:
        raise NotImplementedError

    @property
    def node_labels(self) -> NodeLabels:
        raise NotImplementedError

    def _view(self, nodes: NDArray[np.intp] | None) -> Self:
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Self:
        key = without_columns(key)
        check_row_labels(self, nodes=key)  # a mask with labels
        if isinstance(key, pd.Index) and self.node_labels.are_names:
            raise IndexError(LABELS_AS_POSITIONS)
        return self._view(self.nodes[as_positions(key)])

    def take(self, indices: Any, axis: int = 0) -> Self:
        """Select nodes by position, as pandas does."""
        if axis != 0:
            raise IndexError(NODES_ONLY)
        return self[np.asarray(indices)]

    @property
    def iloc(self) -> Self:
        return self

    @property
    def loc(self) -> ByLabel:
        """Select nodes by the labels of the data frame, or by position in the whole graph where there are none."""
        return ByLabel(self)

    @property
    def index(self) -> pd.Index:
        """The labels of the selected nodes."""
        return self.node_labels.index

    def copy(self) -> NoReturn:
        """Raise TypeError, for tools that would modify a copy of X."""
        raise TypeError(NOT_COPIED)

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return np

    @property
    def __array_interface__(self) -> NoReturn:  # not __array__: ColumnTransformer would take the graph for an array
        raise GraphAsArrayError(NOT_AN_ARRAY)

    def __iter__(self) -> Any:
        raise TypeError("A Graph is not iterable; iterate over graph.nodes.")


class ByLabel:
    """``G.loc``: nodes by label, as in pandas. A mask selects as in ``G[mask]``."""

    __slots__ = ("_graph",)

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def __getitem__(self, key: Any) -> Any:
        key = without_columns(key)
        if np.asarray(key).dtype == bool:
            return self._graph[key]
        labels = self._graph.index
        try:
            found = pd.Series(np.arange(len(labels)), index=labels).loc[key]
        except KeyError as error:
            raise KeyError(
                f"G.loc found no such node: {error.args[0]}. Labels of nodes are those of G.index."
            ) from None
        return self._graph[np.atleast_1d(np.asarray(found))]


def without_columns(key: Any) -> Any:
    """Return the part of a key that selects nodes; scikit-learn indexes with ``[key, ...]`` too."""
    if not isinstance(key, tuple):
        return key
    if len(key) != 2 or not (key[1] is Ellipsis or (isinstance(key[1], slice) and key[1] == slice(None))):
        raise IndexError(NODES_ONLY)
    return key[0]


def as_positions(key: Any) -> slice | NDArray[Any]:
    """Return positions or a mask as numpy indexes with them. A single position selects one node."""
    if isinstance(key, slice):
        return key
    positions = np.asarray(key)
    if positions.ndim == 0 and positions.dtype.kind in "iu":
        positions = positions.reshape(1)
    if positions.size == 0 and positions.ndim == 1:
        return positions.astype(np.intp)
    if positions.dtype.kind not in "biu":
        raise IndexError(
            f"Nodes are selected by one list of positions or one mask, got {short(key)}. Use G.loc for labels of "
            "nodes, and graph.features for columns."
        )
    if positions.ndim != 1:
        raise IndexError(f"Nodes are selected by one list of positions or one mask, got {positions.ndim} dimensions.")
    return positions
