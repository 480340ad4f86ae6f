"""Sparse products whose backward pass costs as much as the forward pass.

torch transposes a CSR matrix in each backward pass, which takes far longer than the product itself. A graph does not
change while a model is fitted, so its transpose is made once and kept.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

with warnings.catch_warnings():  # torch warns once per process that CSR is in beta
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
    torch.sparse_csr_tensor([0, 1], [0], [1.0], size=(1, 1), check_invariants=False)


PIECE = 512  # maximum number of entries of a row that are summed in one go, if rows are few
LONG = 2**14  # the same if rows are many: adding up the pieces is slow then


def csr_tensor(indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """A torch CSR matrix over arrays that are known to be in order."""
    return torch.sparse_csr_tensor(indptr, indices, values, size=shape, check_invariants=False)


def to_tensor(array: Any, dtype: torch.dtype) -> Tensor:
    """A tensor that owns its memory: torch does not support read-only arrays, such as joblib's."""
    return torch.tensor(np.ascontiguousarray(array), dtype=dtype)


def product(matrix: Tensor, h: Tensor) -> Tensor:
    """``matrix @ h`` without the zeros and the copy that ``@`` makes first."""
    return h.new_empty(matrix.shape[0], h.shape[1]).addmm_(matrix, h, beta=0)


def cut_long_rows(matrix: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array | None]:
    """Cut the long rows of a matrix into pieces; return the matrix that adds the pieces up, or None if none is long.

    Sums of pieces have smaller rounding errors than one sum over many nodes, and balance the load of threads.
    """
    lengths = np.diff(matrix.indptr)
    if lengths.max(initial=0) <= (PIECE if 8 * matrix.shape[0] <= matrix.shape[1] else LONG):
        return matrix, None
    counts = np.maximum(-(-lengths // PIECE), 1)
    ends = np.cumsum(counts)
    within = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
    indptr = np.append(np.repeat(matrix.indptr[:-1], counts) + PIECE * within, matrix.nnz)
    pieces = sp.csr_array((matrix.data, matrix.indices, indptr), shape=(ends[-1], matrix.shape[1]))
    return pieces, sp.csr_array((np.ones(ends[-1]), np.arange(ends[-1]), np.append(0, ends)))


class SparseOperator:
    """A constant sparse matrix M for products ``M @ h`` with gradients.

    Parameters
    ----------
    matrix : scipy sparse matrix of shape (n_rows, n_columns)
    dtype : torch dtype, default=torch.float32
    gradient : bool, default=True
        Whether gradients are needed. Without them, no transpose is kept.
    """

    __slots__ = ("forward", "_backward", "_collect")
    forward: Tensor
    _backward: Tensor | None
    _collect: Tensor | None  # from the pieces of long rows of the transpose to the rows

    def __init__(self, matrix: Any, dtype: torch.dtype = torch.float32, *, gradient: bool = True) -> None:
        matrix = sp.csr_array(matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        index = torch.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else torch.int64  # int32 is a fifth faster
        pattern = to_tensor(matrix.indptr, index), to_tensor(matrix.indices, index)
        self.forward = csr_tensor(*pattern, to_tensor(matrix.data, dtype), matrix.shape)
        self._backward = self._collect = None
        if not gradient:
            return
        transpose, collect = cut_long_rows(sp.csr_array(matrix.T))
        if collect is not None:
            self._collect = SparseOperator(collect, dtype, gradient=False).forward
        if np.array_equal(matrix.indptr, transpose.indptr) and np.array_equal(matrix.indices, transpose.indices):
            pattern_t = pattern  # an undirected graph: both directions share their indices
        else:
            pattern_t = to_tensor(transpose.indptr, index), to_tensor(transpose.indices, index)
        self._backward = csr_tensor(*pattern_t, to_tensor(transpose.data, dtype), transpose.shape)

    @property
    def shape(self) -> torch.Size:
        return self.forward.shape

    def to(self, device: Any) -> SparseOperator:
        moved = object.__new__(SparseOperator)
        for name in self.__slots__:
            part = getattr(self, name)
            setattr(moved, name, None if part is None else part.to(device))
        return moved

    def __matmul__(self, h: Tensor) -> Tensor:
        """(n_rows, n_columns) times (n_columns, width) -> (n_rows, width)."""
        result: Tensor = _Product.apply(self, h)
        return result

    def transpose_times(self, g: Tensor) -> Tensor:
        """``M.T @ g``, without a gradient: (n_rows, width) -> (n_columns, width)."""
        assert self._backward is not None
        sums = product(self._backward, g)
        return sums if self._collect is None else product(self._collect, sums)


class Chain:
    """A product of operators, applied one after the other, starting with the last."""

    __slots__ = ("operators",)

    def __init__(self, operators: list[SparseOperator]) -> None:
        self.operators = operators

    def to(self, device: Any) -> Chain:
        moved = {id(operator): operator.to(device) for operator in self.operators}
        return Chain([moved[id(operator)] for operator in self.operators])

    def __matmul__(self, h: Tensor) -> Tensor:
        for operator in reversed(self.operators):
            h = operator @ h
        return h


class _Product(torch.autograd.Function):
    """M h, whose gradient is M^T g."""

    @staticmethod
    def forward(ctx: Any, operator: SparseOperator, h: Tensor) -> Tensor:
        ctx.operator = operator
        return product(operator.forward, h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        return None, ctx.operator.transpose_times(grad)
