"""Matrices of neighbourhoods, in scipy: closed ones, means over them, all that is within some hops."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

CONTEXT_BUDGET = 100_000_000
TOO_LARGE = (
    "Contexts of {hops} hops would hold {count} of this graph's nodes or more, all in all, over the budget of "
    '{budget:,} (about 3 GB). Use context_pool="walk", whose cost does not grow so, or fewer context_hops.'
)
CHUNK = 2**24


def is_unweighted(A: sp.csr_array) -> bool:
    """Whether all weights are 1; a large file is read in pieces."""
    return all((A.data[k : k + CHUNK] == 1).all() for k in range(0, A.nnz, CHUNK))


def distinct(degree: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The distinct degrees, and which of them each node has.

    The last one is repeated up to a multiple of eight, which products with them are faster for.
    """
    values, code = np.unique(degree, return_inverse=True)
    return np.pad(values, (0, -len(values) % 8), mode="edge"), code


def closed(A: sp.csr_array, own: NDArray[np.intp]) -> sp.csr_array:
    """Rows of an adjacency with the node itself, ``own``, added with weight 1."""
    n = len(own)
    loops = sp.csr_array((np.ones(n, dtype=A.dtype), own, np.arange(n + 1)), shape=A.shape)
    return sp.csr_array(A + loops)


def row_mean(matrix: sp.csr_array) -> sp.csr_array:
    """The matrix with rows that sum to 1, or are empty."""
    total = matrix @ np.ones(matrix.shape[1])
    total[total == 0] = 1  # an isolated node has an empty mean, which is 0
    data = matrix.data * np.repeat(1 / total, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


class Contexts:
    """C_r: the nodes that can be reached in at most r steps, the node itself included.

    Parameters
    ----------
    A : CSR adjacency
    hops : int, the paper's r
    """

    def __init__(self, A: sp.csr_array, hops: int) -> None:
        self.A, self.hops = A, hops
        self.step = closed(A, np.arange(A.shape[0])) if hops > 1 else None

    @cached_property
    def bound(self) -> NDArray[np.float64]:
        """At most so many nodes are in each context."""
        walks = np.diff(self.A.indptr) + 1.0
        if self.hops > 1:  # counted without weights
            ones = np.ones(self.A.nnz, dtype=np.float32)
            pattern = sp.csr_array((ones, self.A.indices, self.A.indptr), shape=self.A.shape)
            for _ in range(self.hops - 1):
                walks = np.minimum(pattern @ walks + walks, self.A.shape[0])
        return walks

    def rows(self, own: NDArray[np.intp]) -> sp.csr_array:
        """Contexts of some nodes: 1 where a node is in. Refused if over the budget."""
        if self.step is None or self.bound[own].sum() <= CONTEXT_BUDGET:
            return self._reached(own)
        parts, count = [], 0
        for rows in slices_of(self.bound[own], CONTEXT_BUDGET // 8):
            parts.append(self._reached(own[rows]))
            count += parts[-1].nnz
            if count > CONTEXT_BUDGET:
                raise ValueError(TOO_LARGE.format(hops=self.hops, count=f"{count:,}", budget=CONTEXT_BUDGET))
        return sp.csr_array(sp.vstack(parts))

    def _reached(self, own: NDArray[np.intp]) -> sp.csr_array:
        whole = np.array_equal(own, np.arange(self.A.shape[0]))
        context = closed(self.A if whole else self.A[own], own)
        context.data = np.ones_like(context.data)
        for _ in range(self.hops - 1):
            context = sp.csr_array(context @ self.step)
            context.data = np.ones_like(context.data)
        return context


def slices_of(sizes: NDArray[np.float64], budget: float) -> list[slice]:
    """Cut rows of known sizes into slices of at most ``budget``, or of one row."""
    ends = np.cumsum(sizes)
    slices, start = [], 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + budget, side="right")), start + 1)
        slices.append(slice(start, stop))
        start = stop
    return slices
