"""Validation of features, adjacency, nodes and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

ASYMMETRIC = (
    "A is not symmetric: A[{i}, {j}] is {forth:g} but A[{j}, {i}] is {back:g}. If the edges have no "
    "direction, pass A.maximum(A.T); if they do, pass directed=True."
)
SPLITTING = "To split nodes with scikit-learn, pass Graph(X, A): of a plain A, only the rows would be selected."
EDGE_LIST = "For a list of edges use Graph.from_edges, for a networkx graph Graph.from_networkx."
PIECE = 2**24  # number of entries of a large file that are read at once
LABELS_DISAGREE = (
    "The {one} and the {other} have different labels, or the same labels in a different order. Reorder A, for example "
    "with A.loc[X.index, X.index]."
)


def check_features(X: Any) -> Any:
    """Return X as a DataFrame, a CSR matrix or a two-dimensional ndarray, without a copy if it is one."""
    if isinstance(X, pd.DataFrame):
        return X
    if sp.issparse(X):
        return X if X.format == "csr" else X.tocsr()
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(
            f"X must be a feature matrix with one row per node, got an array of shape {X.shape}. "
            "Reshape a single feature with X.reshape(-1, 1)."
        )
    return X


def check_adjacency(A: Any, X: Any, *, directed: bool = False) -> sp.csr_array:
    """Return the adjacency as a canonical CSR array without self loops. The input is not modified.

    Parameters
    ----------
    A : sparse matrix or array, ndarray, DataFrame or list of lists
        Non-negative weights; row v holds the nodes that v receives messages from.
    X : checked features
        A must have as many rows as X.
    directed : bool, default=False
        Whether A may differ from its transpose.
    """
    _check_labels(A, X)
    A = _as_csr(A)
    n_nodes = X.shape[0]
    if A.shape[0] != A.shape[1]:
        hint = EDGE_LIST if 2 in A.shape or A.shape[1] == 3 else SPLITTING
        raise ValueError(f"A must be square, one row and one column per node, got shape {A.shape}. {hint}")
    if A.shape[0] != n_nodes:
        raise ValueError(
            f"A has {A.shape[0]} nodes but X has {n_nodes} rows; they must describe the same nodes. {SPLITTING}"
        )
    for start in range(0, A.nnz, PIECE):
        weights = A.data[start : start + PIECE]
        for bad, what in ((~np.isfinite(weights), "NaN or infinite"), (weights < 0, "negative")):
            if bad.any():
                i, j = _position(A, start + int(bad.argmax()))
                raise ValueError(f"A contains a {what} weight at [{i}, {j}]: weights must be finite and at least 0.")
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    if A.diagonal().any() or not A.data.all():
        A = _without_loops(A)
    if not directed:
        _check_symmetric(A)
    return A


def check_nodes(nodes: Any, n_nodes: int, *, name: str = "nodes") -> NDArray[np.intp]:
    """Return a mask or an array of positions as positions. Duplicates raise ValueError."""
    nodes = np.asarray(nodes)
    if nodes.ndim != 1:
        raise ValueError(f"{name} must be a mask or a list of positions, got an array of shape {nodes.shape}.")
    if nodes.dtype == bool:
        if len(nodes) != n_nodes:
            raise ValueError(f"{name} is a mask of length {len(nodes)}, but there are {n_nodes} nodes.")
        nodes = np.flatnonzero(nodes)
    if nodes.size == 0:
        raise ValueError(f"{name} is empty: at least one node is needed.")
    if nodes.dtype.kind not in "iu":
        raise ValueError(f"{name} must contain booleans or integers, got dtype {nodes.dtype}.")
    low, high = int(nodes.min()), int(nodes.max())
    if low < 0 or high >= n_nodes:
        raise ValueError(
            f"{name} holds position {low if low < 0 else high}, out of range for {n_nodes} nodes (0 to {n_nodes - 1})."
        )
    values, counts = np.unique(nodes, return_counts=True)
    if len(values) < len(nodes) == n_nodes and high <= 1:
        raise ValueError(f"{name} looks like a mask of zeros and ones: pass booleans, as in {name}.astype(bool).")
    if len(values) < len(nodes):
        raise ValueError(f"{name} holds node {values[counts.argmax()]} more than once.")
    return nodes.astype(np.intp, copy=False)


def _as_csr(A: Any) -> sp.csr_array:
    if isinstance(A, pd.DataFrame):
        A = A.sparse.to_coo() if all(map(_is_sparse_dtype, A.dtypes)) and A.size else A.to_numpy()
    if not sp.issparse(A):
        kind = type(A).__name__
        A = np.empty((), dtype=object) if hasattr(A, "nodes") and hasattr(A, "edges") else np.asarray(A)
        if A.ndim != 2:
            what = f"an array of shape {A.shape}" if A.ndim else f"a {kind}"
            raise ValueError(f"A must be an adjacency matrix of shape (n_nodes, n_nodes), got {what}. {EDGE_LIST}")
        if A.dtype.kind not in "biufc":
            try:
                A = A.astype(np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"A must contain numbers, got dtype {A.dtype}. {EDGE_LIST}") from None
    if A.dtype.kind == "c":
        raise ValueError("A must contain real weights, got complex weights.")
    if A.dtype not in (np.float32, np.float64):
        A = A.astype(np.float64)
    return sp.csr_array(A)


def _is_sparse_dtype(dtype: Any) -> bool:
    return isinstance(dtype, pd.SparseDtype)


def _check_labels(A: Any, X: Any) -> None:
    """Raise ValueError if the labels of data frames disagree: read by position, the nodes would be mixed up."""
    if not isinstance(A, pd.DataFrame):
        return
    pairs = [("rows of A", A.index, "columns of A", A.columns)]
    if isinstance(X, pd.DataFrame):
        pairs.append(("rows of A", A.index, "rows of X", X.index))
    for one, left, other, right in pairs:
        unlabeled = isinstance(left, pd.RangeIndex) or isinstance(right, pd.RangeIndex)
        if len(left) == len(right) and not left.equals(right) and (not unlabeled or set(left) == set(right)):
            raise ValueError(LABELS_DISAGREE.format(one=one, other=other))


def _without_loops(A: sp.csr_array) -> sp.csr_array:
    A = A.tocoo()
    keep = (A.row != A.col) & (A.data != 0)
    return sp.csr_array((A.data[keep], (A.row[keep], A.col[keep])), shape=A.shape)


def _check_symmetric(A: sp.csr_array) -> None:
    if A.nnz > PIECE and _seems_symmetric(A):
        return
    T = sp.csr_array(A.T)
    if (
        np.array_equal(A.indptr, T.indptr)
        and np.array_equal(A.indices, T.indices)
        and np.allclose(A.data, T.data, atol=0)
    ):
        return
    difference = abs(A - T).tocoo()
    k = int(difference.data.argmax())
    i, j = int(difference.row[k]), int(difference.col[k])
    raise ValueError(ASYMMETRIC.format(i=i, j=j, forth=A[i, j], back=A[j, i]))


def _seems_symmetric(A: sp.csr_array) -> bool:
    """Check u'Av = v'Au for random vectors, which is very unlikely for an asymmetric A, without a transposed copy."""
    random = np.random.default_rng(0)
    for _ in range(3):
        u, v = random.normal(size=(2, A.shape[0]))
        if abs(u @ (A @ v) - v @ (A @ u)) > 1e-9 * np.sqrt(A.nnz) * A.data.max():
            return False
    return True


def _position(A: sp.csr_array, k: int) -> tuple[int, int]:
    return int(np.searchsorted(A.indptr, k, side="right") - 1), int(A.indices[k])
