"""Convert the ways to call ``fit`` and ``score`` to a single one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._graph import Graph


def accepts_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``method(X, y=None, A=None, ...)`` be called as ``method(X, A, y)`` too.

    ``functools.wraps`` leaves the signature as it is written, which is what
    scikit-learn's checks and its metadata routing read.
    """

    @functools.wraps(method)
    def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if args and "A" not in kwargs and not isinstance(X, Graph):
            first, *rest = args
            if "y" in kwargs or (rest and _is_labels(rest[0]) and not _is_labels(first)) or _is_adjacency(first, X):
                kwargs["A"] = first
                if rest:
                    kwargs["y"] = rest.pop(0)
                args = tuple(rest)
        return method(self, X, *args, **kwargs)

    return call


def reads_graphs(estimator: Any) -> bool:
    """Whether an estimator, or a part of it such as a step of a pipeline, takes a Graph as X.

    Those that do have a class attribute ``reads_graphs`` that is True.
    """
    parts = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    return any(getattr(part, "reads_graphs", False) is True for part in (estimator, *parts))


def _is_labels(value: Any) -> bool:
    """Whether an argument is a list of labels, or a column of them."""
    if isinstance(value, (list, tuple)):
        return len(value) == 0 or np.ndim(value[0]) == 0
    shape = getattr(value, "shape", None)
    return (
        shape is not None
        and not sp.issparse(value)
        and (len(shape) == 1 or (len(shape) == 2 and shape[0] > 1 == shape[1]))
    )


def _is_adjacency(value: Any, X: Any) -> bool:
    """Whether a second argument is a matrix of edges: sparse, or with a row and a column per node.

    Labels of several outputs are a matrix too, but not a square one.
    """
    if sp.issparse(value):
        return True
    try:
        shape = np.shape(value) if isinstance(value, (list, tuple)) else getattr(value, "shape", ())
        n_nodes = X.shape[0] if hasattr(X, "shape") else len(X)
    except (TypeError, ValueError, IndexError):  # ragged or not a matrix: the checks of X and y will say so
        return False
    return n_nodes > 1 and tuple(shape) == (n_nodes, n_nodes)
