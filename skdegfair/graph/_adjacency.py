"""Validation of adjacency matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ._alignment import is_count
from ._sparse import PIECE, canonical, check_symmetric
from ._validation import as_array, kind_of

SPLITTING = "To split nodes with scikit-learn, pass Graph(X, A): splitting a plain A would select only its rows."
EDGE_LIST = "For a list of edges use Graph.from_edges, for a networkx graph Graph.from_networkx."
NO_MATRIX = 'A must be an adjacency matrix of shape (n_nodes, n_nodes), or "none" for no edges'
SMALLEST, LARGEST = 1e-30, 1e30  # sums of weights and their reciprocals stay within the range of 32-bit floats
EXTREME = (
    "the weight {weight:g} at {at}: positive weights must be from 1e-30 to 1e30, because networks are trained in "
    "32-bit floats. Divide A by a typical weight, or remove such edges."
)
LABELS_DISAGREE = (
    "The {one} and the {other} have different labels, or the same labels in a different order. Reorder A, for example "
    "with A.loc[X.index, X.index]."
)


def check_adjacency(A: Any, X: Any, *, directed: bool = False) -> sp.csr_array | None:
    """Return the adjacency as a canonical CSR array without self loops, None for no edges. The input is not modified.

    Parameters
    ----------
    A : sparse matrix or array, ndarray, DataFrame, list of lists, None or "none"
        Non-negative weights; row v holds the nodes that v receives messages from.
    X : checked features
        A must have as many rows as X.
    directed : bool, default=False
        Whether A may differ from its transpose.
    """
    if A is None or (isinstance(A, str) and A == "none"):
        return None
    _check_labels(A, X)
    A = check_weights(A)
    n_nodes = X.shape[0]
    if A.shape[0] != n_nodes:
        raise ValueError(
            f"A has {A.shape[0]} nodes but X has {n_nodes} rows; they must describe the same nodes. {SPLITTING}"
        )
    if A.diagonal().any() or not A.data.all():
        A = _without_loops(A)
    if not directed:
        check_symmetric(A)
    return A


def check_weights(A: Any) -> sp.csr_array:
    """Return a square matrix of weights as a canonical CSR array, entries stored more than once added up."""
    A = _as_csr(A)
    if A.shape[0] != A.shape[1]:
        hint = EDGE_LIST if 2 in A.shape or A.shape[1] == 3 else SPLITTING
        raise ValueError(f"A must be square, one row and one column per node, got shape {A.shape}. {hint}")
    for start in range(0, A.nnz, PIECE):
        weights = A.data[start : start + PIECE]
        for bad, what in (
            (~np.isfinite(weights), "a NaN or infinite weight at {at}: weights must be finite and at least 0."),
            (weights < 0, "a negative weight at {at}: weights must be finite and at least 0."),
            ((weights > LARGEST) | ((weights < SMALLEST) & (weights != 0)), EXTREME),
        ):
            if bad.any():
                k = start + int(bad.argmax())
                i, j = int(np.searchsorted(A.indptr, k, side="right") - 1), int(A.indices[k])
                raise ValueError("A contains " + what.format(at=f"[{i}, {j}]", weight=A.data[k]))
    return A


def _frame_as_array(A: pd.DataFrame) -> NDArray[Any]:
    """Return the entries of a data frame, with NaN for missing ones."""
    # pandas 2 refuses na_value for a frame of integers even where nothing is missing
    return A.to_numpy(na_value=np.nan) if A.isna().any(axis=None) else A.to_numpy()


def _as_csr(A: Any) -> sp.csr_array:
    if isinstance(A, pd.DataFrame):
        A = A.sparse.to_coo() if all(map(_is_sparse_dtype, A.dtypes)) and A.size else _frame_as_array(A)
    if not sp.issparse(A):
        kind = kind_of(A)
        A = np.empty((), dtype=object) if hasattr(A, "nodes") and hasattr(A, "edges") else as_array(A, "A")
        if A.ndim != 2:
            raise ValueError(f"{NO_MATRIX}, got {kind}. {EDGE_LIST}")
        if A.dtype.kind not in "biufcmM":
            try:
                A = A.astype(np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"A must contain numbers, got dtype {A.dtype}. {EDGE_LIST}") from None
    if A.dtype.kind in "mM":
        raise ValueError("A must contain weights, got dates or durations. Convert them to numbers, such as days.")
    if A.dtype.kind == "c":
        raise ValueError("A must contain real weights, got complex weights.")
    if sp.issparse(A) and A.dtype == bool:  # stored twice, an edge is still one edge
        A = canonical(A, "A")
    if A.dtype not in (np.float32, np.float64):
        A = A.astype(np.float64)
    return sp.csr_array(canonical(A if sp.issparse(A) else sp.csr_array(A), "A"))


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
        unlabeled = is_count(left) or is_count(right)
        if len(left) == len(right) and not left.equals(right) and (not unlabeled or set(left) == set(right)):
            raise ValueError(LABELS_DISAGREE.format(one=one, other=other))


def _without_loops(A: sp.csr_array) -> sp.csr_array:
    A = A.tocoo()
    keep = (A.row != A.col) & (A.data != 0)
    return sp.csr_array((A.data[keep], (A.row[keep], A.col[keep])), shape=A.shape)
