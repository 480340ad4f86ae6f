"""Sparse products that are as cheap backward as forward.

torch transposes a CSR matrix anew in each backward pass, which takes far longer
than the product itself. A graph does not change while a model is fitted, so its
transpose is made once and kept.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

with warnings.catch_warnings():  # torch says once per process that CSR is in beta: let it be here
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
    torch.sparse_csr_tensor([0, 1], [0], [1.0], size=(1, 1), check_invariants=False)


def csr_tensor(indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """A torch CSR matrix over arrays that are known to be in order."""
    return torch.sparse_csr_tensor(indptr, indices, values, size=shape, check_invariants=False)


def to_tensor(array: Any, dtype: torch.dtype) -> Tensor:
    """A tensor that owns its memory: arrays from joblib are read-only, which torch does not support."""
    return torch.tensor(np.ascontiguousarray(array), dtype=dtype)


def product(matrix: Tensor, h: Tensor) -> Tensor:
    """``matrix @ h``, written where it stays: ``@`` fills one array with zeros and copies it to another first."""
    return h.new_empty(matrix.shape[0], h.shape[1]).addmm_(matrix, h, beta=0)


class SparseOperator:
    """A constant sparse matrix M for products ``M @ h`` with gradients.

    Parameters
    ----------
    matrix : scipy sparse matrix of shape (n_rows, n_columns)
    dtype : torch dtype, default=torch.float32
    gradient : bool, default=True
        Whether gradients will be asked for: without, there is no transpose.
    """

    __slots__ = ("forward", "backward")
    forward: Tensor
    backward: Tensor | None

    def __init__(self, matrix: Any, dtype: torch.dtype = torch.float32, *, gradient: bool = True) -> None:
        matrix = sp.csr_array(matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        index = torch.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else torch.int64  # int32 is a fifth faster
        pattern = to_tensor(matrix.indptr, index), to_tensor(matrix.indices, index)
        self.forward = csr_tensor(*pattern, to_tensor(matrix.data, dtype), matrix.shape)
        self.backward = None
        if not gradient:
            return
        transpose = sp.csr_array(matrix.T)
        if np.array_equal(matrix.indptr, transpose.indptr) and np.array_equal(matrix.indices, transpose.indices):
            pattern_t = pattern  # an undirected graph: both directions share their indices
        else:
            pattern_t = to_tensor(transpose.indptr, index), to_tensor(transpose.indices, index)
        self.backward = csr_tensor(*pattern_t, to_tensor(transpose.data, dtype), transpose.shape)

    @property
    def shape(self) -> torch.Size:
        return self.forward.shape

    def to(self, device: Any) -> SparseOperator:
        moved = object.__new__(SparseOperator)
        moved.forward = self.forward.to(device)
        moved.backward = None if self.backward is None else self.backward.to(device)
        return moved

    def rows(self, rows: Tensor) -> SparseOperator:
        """Some rows of the matrix."""
        matrix = self.forward.cpu()
        parts = matrix.values().numpy(), matrix.col_indices().numpy(), matrix.crow_indices().numpy()
        chosen = sp.csr_array(parts, shape=tuple(matrix.shape))[rows.cpu().numpy()]
        return SparseOperator(chosen, self.forward.dtype).to(self.forward.device)

    def __matmul__(self, h: Tensor) -> Tensor:
        """(n_rows, n_columns) times (n_columns, width) -> (n_rows, width)."""
        result: Tensor = _Product.apply(self.forward, self.backward, h)
        return result


class Chain:
    """A product of operators, applied one after the other, the last one first."""

    __slots__ = ("operators",)

    def __init__(self, operators: list[SparseOperator]) -> None:
        self.operators = operators

    def to(self, device: Any) -> Chain:
        moved = {id(operator): operator.to(device) for operator in self.operators}
        return Chain([moved[id(operator)] for operator in self.operators])

    def rows(self, rows: Tensor) -> Chain:
        first, *others = self.operators
        return Chain([first.rows(rows), *others])

    def __matmul__(self, h: Tensor) -> Tensor:
        for operator in reversed(self.operators):
            h = operator @ h
        return h


Operator = SparseOperator | Chain


class _Product(torch.autograd.Function):
    """M h, whose gradient is M^T g."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, transpose: Tensor | None, h: Tensor) -> Tensor:
        ctx.transpose = transpose
        return product(matrix, h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, None, Tensor]:
        return None, None, product(ctx.transpose, grad)
