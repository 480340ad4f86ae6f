"""Sparse matrices as users make them: checked before any routine of scipy reads them, then brought into one form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

DAMAGED = (
    "{name} is a damaged sparse matrix: {fault}. Make it again from its entries, as in "
    "scipy.sparse.coo_array((values, (rows, columns)), shape=shape)."
)
ASYMMETRIC = (
    "A is not symmetric: A[{i}, {j}] is {forth:.9g} but A[{j}, {i}] is {back:.9g}. If the edges have no "
    "direction, pass A.maximum(A.T); if they do, pass directed=True."
)
PIECE = 2**24  # number of entries of a large file that are read at once
TOLERANCE = 1e-5  # relative difference of two weights that count as equal


def canonical(matrix: Any, name: str) -> Any:
    """Return a sparse matrix as CSR with sorted entries, those that are stored more than once added up.

    The input is not modified; one that has this form shares its memory with the result.
    """
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got a sparse array of shape {matrix.shape}.")
    fault = _fault(matrix)
    if fault is not None:
        raise ValueError(DAMAGED.format(name=name, fault=fault))
    new = sp.csr_matrix if isinstance(matrix, sp.spmatrix) else sp.csr_array
    csr = new(matrix)  # a new object: the flags of the old one may be out of date
    if csr.has_canonical_format and len(csr.data) == csr.nnz:
        return csr
    csr = csr.copy()
    csr.sum_duplicates()
    csr.prune()
    return csr


def check_symmetric(A: sp.csr_array) -> None:
    """Raise ValueError if a weight differs from that of the opposite edge. A must be canonical.

    Rows of a very large A are compared with columns in pieces, so that it is never transposed as a whole.
    """
    if A.nnz <= 6 * PIECE:
        _check_opposite(A, sp.csr_array(A.T))
    else:
        for rows in _pieces(A):
            _check_opposite(sp.csr_array(A[rows]), sp.csr_array(A[:, rows].T), rows.start)


def _check_opposite(forth: sp.csr_array, back: sp.csr_array, start: int = 0) -> None:
    """Compare rows, starting with row ``start``, with the same columns."""
    if (
        np.array_equal(forth.indptr, back.indptr)
        and np.array_equal(forth.indices, back.indices)
        and np.allclose(forth.data, back.data, rtol=TOLERANCE, atol=0)
    ):
        return
    gap = abs(forth - back).tocoo()
    relative = gap.data / forth.maximum(back)[gap.row, gap.col]
    k = int(relative.argmax())
    i, j = int(gap.row[k]), int(gap.col[k])
    raise ValueError(ASYMMETRIC.format(i=start + i, j=j, forth=forth[i, j], back=back[i, j]))


def _fault(matrix: Any) -> str | None:
    """Return what is wrong with the indices of a sparse matrix; scipy's routines would read outside of its arrays."""
    if matrix.format == "coo":
        pairs = zip(("row", "column"), (matrix.row, matrix.col), matrix.shape, strict=True)
        return next(filter(None, (_out_of_range(*pair) for pair in pairs)), None)
    if matrix.format not in ("csr", "csc", "bsr"):
        return None
    blocks = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    sizes = [(side, size // block) for side, size, block in zip(("row", "column"), matrix.shape, blocks, strict=True)]
    (_, n_major), (side, n_minor) = reversed(sizes) if matrix.format == "csc" else sizes
    indptr, indices = matrix.indptr, matrix.indices
    if len(indptr) != n_major + 1 or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        return f"indptr must have {n_major + 1} entries that start at 0 and never decrease"
    if indptr[-1] > min(len(indices), len(matrix.data)):
        return f"indptr ends at {indptr[-1]}, but there are {len(indices)} indices and {len(matrix.data)} values"
    return _out_of_range(side, indices[: indptr[-1]], n_minor)


def _out_of_range(side: str, index: NDArray[Any], size: int) -> str | None:
    if not len(index):
        return None
    low, high = int(index.min()), int(index.max())
    if low >= 0 and high < size:
        return None
    return f"it has the {side} index {low if low < 0 else high}, but indices must be from 0 to {size - 1}"


def _pieces(A: sp.csr_array) -> Iterator[slice]:
    """Cut the rows into pieces of about PIECE entries, or of one row."""
    start, n_rows = 0, A.shape[0]
    while start < n_rows:
        stop = int(np.searchsorted(A.indptr, A.indptr[start] + PIECE, side="right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        yield slice(start, stop)
        start = stop
