"""Which nodes a key selects: positions, a mask or labels."""

from __future__ import annotations

from reprlib import repr as short
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

NODES_ONLY = (
    "A Graph is indexed by nodes only, as in G[nodes]. Select columns of graph.X, or wrap a transformer of columns, as "
    "in GraphTransformer(ColumnTransformer(...))."
)


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
