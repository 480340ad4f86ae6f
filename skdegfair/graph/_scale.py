"""The scale of features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ._graph import Graph


def root_mean_square(graph: Graph) -> float:
    """Return the root mean square of all features, 1 if all are 0."""
    entries = graph.X.data if sp.issparse(graph.X) else graph.X
    rows = max(2**24 // graph.shape[1], 1)  # a large file is read in pieces

    def root(unit: float = 1.0) -> float:
        pieces = (entries[k : k + rows] for k in range(0, len(entries), rows))
        with np.errstate(over="ignore"):
            squares = sum(np.square(piece if unit == 1 else piece / unit, dtype=np.float64).sum() for piece in pieces)
        return float(np.sqrt(squares / np.prod(graph.X.shape)))

    scale = root()
    if scale > 0 and np.isfinite(scale):
        return scale
    largest = max((float(np.abs(entries[k : k + rows]).max()) for k in range(0, len(entries), rows)), default=0.0)
    return largest * root(largest) if largest else 1.0  # the squares are out of range
