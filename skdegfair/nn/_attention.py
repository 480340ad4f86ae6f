"""Attention over the neighbours of each node, on CSR rows.

Only scores, one number per edge and head, are kept per edge; the messages
themselves never are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._sparse import csr_tensor, to_tensor

SLOPE = 0.2  # of the leaky ReLU of the scores, as in the GAT paper


class AttentionPattern:
    """The edges over which a node attends: rows of a CSR pattern, and where each entry lies in its transpose.

    Parameters
    ----------
    matrix : scipy sparse matrix of shape (n_nodes, n_nodes)
        Weights; the attention paid to a neighbour is proportional to its weight.
        Each row needs at least one entry (the node itself).
    dtype : torch dtype, default=torch.float32
    """

    __slots__ = ("indptr", "indices", "rows", "indptr_t", "indices_t", "order_t", "log_weight", "shape")

    def __init__(self, matrix: Any, dtype: torch.dtype = torch.float32) -> None:
        matrix = sp.csr_array(matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        entry = sp.csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
        transpose = sp.csr_array(entry.T)
        self.shape = matrix.shape
        self.indptr, self.indices = to_tensor(matrix.indptr, torch.int32), to_tensor(matrix.indices, torch.int32)
        self.indptr_t = to_tensor(transpose.indptr, torch.int32)
        self.indices_t = to_tensor(transpose.indices, torch.int32)
        self.order_t = to_tensor(transpose.data, torch.int64)
        self.rows = to_tensor(np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), torch.int64)
        self.log_weight = to_tensor(np.log(matrix.data), dtype)

    def to(self, device: Any) -> AttentionPattern:
        moved = object.__new__(AttentionPattern)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(moved, name, value.to(device) if isinstance(value, Tensor) else value)
        return moved

    def matrix(self, values: Tensor) -> Tensor:
        """CSR matrix with these values on the pattern."""
        return csr_tensor(self.indptr, self.indices, values, self.shape)

    def transposed(self, values: Tensor) -> Tensor:
        """Transpose of ``matrix(values)``."""
        return csr_tensor(self.indptr_t, self.indices_t, values[self.order_t], self.shape)

    def by_row(self, reduce: str, values: Tensor) -> Tensor:
        """ "sum" or "max" of each row; unlike a product with ones, the same for any number of threads."""
        return torch.segment_reduce(values, reduce, offsets=self.indptr.long(), unsafe=True)

    def column_sums(self, values: Tensor) -> Tensor:
        return torch.segment_reduce(values[self.order_t], "sum", offsets=self.indptr_t.long(), unsafe=True)


def attend(h: Tensor, listening: Tensor, speaking: Tensor, pattern: AttentionPattern) -> Tensor:
    """Sum over the neighbours u of v of softmax_u(leaky_relu(listening_v + speaking_u)) h_u, per head.

    Shapes: h (n_heads, n, width), listening and speaking (n_heads, n) -> (n_heads, n, width).
    """
    heads = [_Attend.apply(h[k], listening[k], speaking[k], pattern) for k in range(h.shape[0])]
    return torch.stack(heads)


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, listening: Tensor, speaking: Tensor, pattern: AttentionPattern) -> Tensor:
        score = listening[pattern.rows] + speaking[pattern.indices]
        positive = score > 0
        score = torch.where(positive, score, SLOPE * score) + pattern.log_weight
        attention = (score - pattern.by_row("max", score)[pattern.rows]).exp()
        attention = attention / pattern.by_row("sum", attention)[pattern.rows]
        ctx.save_for_backward(h, attention, positive)
        ctx.pattern = pattern
        return pattern.matrix(attention) @ h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        h, attention, positive = ctx.saved_tensors
        pattern: AttentionPattern = ctx.pattern
        grad = grad.contiguous()
        # gradient of each attention value: the product of message and gradient, at the edges only
        sampled = torch.sparse.sampled_addmm(pattern.matrix(torch.zeros_like(attention)), grad, h.T).values()
        weighted = attention * sampled
        score = weighted - attention * pattern.by_row("sum", weighted)[pattern.rows]
        score = torch.where(positive, score, SLOPE * score)
        return pattern.transposed(attention) @ grad, pattern.by_row("sum", score), pattern.column_sums(score), None
