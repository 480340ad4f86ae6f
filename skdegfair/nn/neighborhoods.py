"""Neighborhoods in scipy: the neighbors of some nodes, and all nodes within some hops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..graph import cached_property

REACH_BUDGET = 100_000_000
TOO_LARGE = (
    "Summed over all nodes of this graph, there are {count} or more nodes within {hops} hops. That exceeds the "
    'budget of {budget:,} (about 3 GB). Use context_pool="walk", whose cost grows linearly, or fewer hops.'
)
CHUNK = 2**24


@dataclass
class Neighborhoods:
    """Neighbors of some nodes, all of them or a sample.

    Attributes
    ----------
    weighted : CSR (n_after, n_before)
        Weights of the edges to each node from its neighbors. A sampled neighbor counts for all that it represents.
    counted : CSR (n_after, n_before)
        The same without weights: how many neighbors each entry represents.
    own : (n_after,)
        Position of each node among those of the columns.
    degree : (n_after,)
        Total weight of all neighbors, sampled or not.
    n_neighbors : (n_after,)
        Number of all neighbors.
    reached : CSR (n_after, n_before) or None
        Mean over the nodes within several hops, if it is requested.
    is_sampled : bool
    """

    weighted: sp.csr_array
    counted: sp.csr_array
    own: NDArray[np.intp]
    degree: NDArray[np.float64]
    n_neighbors: NDArray[np.intp]
    reached: sp.csr_array | None = None
    is_sampled: bool = False

    def with_self(self, matrix: sp.csr_array) -> sp.csr_array:
        """The rows with the node itself added, with weight 1."""
        return closed(matrix, self.own)

    def divided(self, matrix: sp.csr_array, total: NDArray[np.float64]) -> sp.csr_array:
        """Each row divided by its total; a row without neighbors is empty, and its mean is 0."""
        per_row = 1 / np.where(total == 0, 1, total)
        data = matrix.data * np.repeat(per_row, np.diff(matrix.indptr))
        return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def is_unweighted(A: sp.csr_array) -> bool:
    """Whether all weights are 1; a large file is read in pieces."""
    return all((A.data[k : k + CHUNK] == 1).all() for k in range(0, A.nnz, CHUNK))


def pattern(A: sp.csr_array) -> sp.csr_array:
    """The same entries with weights of 1."""
    return sp.csr_array((np.ones(A.nnz, dtype=np.float32), A.indices, A.indptr), shape=A.shape)


def closed(A: sp.csr_array, own: NDArray[np.intp]) -> sp.csr_array:
    """Rows of an adjacency with the node itself, ``own``, added with weight 1."""
    n = len(own)
    loops = sp.csr_array((np.ones(n, dtype=A.dtype), own, np.arange(n + 1)), shape=A.shape)
    return sp.csr_array(A + loops)


class ReachedNodes:
    """C_r of the paper: the nodes that can be reached in at most r steps, including the node itself.

    Parameters
    ----------
    A : CSR adjacency
    hops : int, the paper's r
    """

    def __init__(self, A: sp.csr_array, hops: int) -> None:
        self.A, self.hops = A, hops

    @cached_property
    def step(self) -> sp.csr_array:
        return closed(self.A, np.arange(self.A.shape[0]))

    @cached_property
    def bound(self) -> NDArray[np.float64]:
        """Upper bound on the number of nodes that each node reaches."""
        walks = np.diff(self.A.indptr) + 1.0
        if self.hops > 1:
            ones = pattern(self.A)
            for _ in range(self.hops - 1):
                walks = np.minimum(ones @ walks + walks, self.A.shape[0])
        return walks

    def mean(self, own: NDArray[np.intp]) -> sp.csr_array:
        """Rows of some nodes, each with equal weights that sum to 1."""
        rows = self.rows(own)
        sizes = np.diff(rows.indptr)
        rows.data = np.repeat(1.0 / sizes, sizes)
        return rows

    def rows(self, own: NDArray[np.intp]) -> sp.csr_array:
        """Rows of some nodes, 1 where a node is reached. Raises ValueError if they exceed the budget."""
        if self.hops == 1 or self.bound[own].sum() <= REACH_BUDGET:
            return self._reached(own)
        parts, count = [], 0
        for rows in slices_of(self.bound[own], REACH_BUDGET // 8):
            parts.append(self._reached(own[rows]))
            count += parts[-1].nnz
            if count > REACH_BUDGET:
                raise ValueError(TOO_LARGE.format(hops=self.hops, count=f"{count:,}", budget=REACH_BUDGET))
        return sp.csr_array(sp.vstack(parts))

    def _reached(self, own: NDArray[np.intp]) -> sp.csr_array:
        whole = np.array_equal(own, np.arange(self.A.shape[0]))
        reached = closed(self.A if whole else self.A[own], own)
        reached.data = np.ones_like(reached.data)
        for _ in range(self.hops - 1):
            reached = sp.csr_array(reached @ self.step)
            reached.data = np.ones_like(reached.data)
        return reached


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
