"""The ways people call ``fit`` and ``score``, brought into one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .graph import Graph


def accepts_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``method(X, y=None, A=None, ...)`` be called as ``method(X, A, y)`` too.

    ``functools.wraps`` leaves the signature as it is written, which is what
    scikit-learn's checks and its metadata routing read.
    """

    @functools.wraps(method)
    def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if args and "A" not in kwargs and not isinstance(X, Graph):
            first, *rest = args
            if "y" in kwargs or (first is None and rest) or _is_adjacency(first, X, alone=not rest):
                kwargs["A"] = first
                if rest:
                    kwargs["y"] = rest.pop(0)
                args = tuple(rest)
        return method(self, X, *args, **kwargs)

    return call


def _is_adjacency(value: Any, X: Any, *, alone: bool) -> bool:
    """Whether a second argument is a matrix of edges rather than labels.

    Beside a third argument any matrix of more than one column is one, so that the
    complaint about a wrong shape speaks of A. Alone, only a square one is: labels
    of several outputs are a matrix too.
    """
    if sp.issparse(value):
        return True
    try:
        shape: Any = np.shape(value) if isinstance(value, (list, tuple)) else getattr(value, "shape", ())
        n_nodes = X.shape[0] if hasattr(X, "shape") else len(X)
    except (TypeError, ValueError, IndexError):  # ragged or not a matrix: the checks of X and y will say so
        return False
    if len(shape) != 2:
        return False
    if shape[1] == 1:  # a column of labels, unless there is but one node
        return not alone and n_nodes == 1
    return not alone or tuple(shape) == (n_nodes, n_nodes)
