"""Attention over the neighbours of each node, on CSR rows.

Only scores, two numbers per edge and head, are kept per edge; the messages
themselves never are. Values are fetched with ``index_select``: brackets take
five times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu, pad

from ._sparse import csr_tensor, to_tensor

SLOPE = 0.2  # of the leaky ReLU of the scores, as in the GAT paper
STACKED = 2**20  # entries up to which heads are worked on together


class AttentionPattern:
    """The edges over which nodes attend: rows of a CSR pattern, and where each entry lies in its transpose.

    Parameters
    ----------
    matrix : scipy sparse matrix of shape (n_after, n_before)
        Weights; the attention paid to a neighbour is proportional to its weight.
        Each row needs at least one entry (the node itself).
    dtype : torch dtype, default=torch.float32
    gradient : bool, default=True
        Whether gradients will be asked for: without, there is no transpose.
    """

    shape: tuple[int, int]
    indptr: Tensor
    indices: Tensor
    row: Tensor
    indptr_t: Tensor  # of the transpose, where there is one
    indices_t: Tensor
    order_t: Tensor | None

    __slots__ = ("shape", "log_weight", "indptr", "indices", "row", "indptr_t", "indices_t", "order_t", "_stacks")

    def __init__(self, matrix: Any, dtype: torch.dtype = torch.float32, *, gradient: bool = True) -> None:
        matrix = sp.csr_array(matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        self._index(matrix, gradient)
        self.log_weight = to_tensor(np.log(matrix.data), dtype)

    def _index(self, matrix: sp.csr_array, gradient: bool) -> None:
        self.shape = matrix.shape
        self.indptr, self.indices = to_tensor(matrix.indptr, torch.int32), to_tensor(matrix.indices, torch.int32)
        self.row = to_tensor(np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), torch.int32)
        self.order_t = None
        if gradient:
            entry = sp.csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
            transpose = sp.csr_array(entry.T)
            self.indptr_t = to_tensor(transpose.indptr, torch.int32)
            self.indices_t = to_tensor(transpose.indices, torch.int32)
            self.order_t = to_tensor(transpose.data, torch.int32)
        self._stacks: dict[int, AttentionPattern] = {}

    def rows(self, rows: Tensor) -> AttentionPattern:
        """Some rows of the pattern."""
        parts = [part.cpu().numpy() for part in (self.log_weight, self.indices, self.indptr)]
        chosen = sp.csr_array(tuple(parts), shape=self.shape)[rows.cpu().numpy()]
        pattern = object.__new__(AttentionPattern)
        pattern._index(chosen, self.order_t is not None)
        pattern.log_weight = to_tensor(chosen.data, self.log_weight.dtype)
        return pattern.to(self.indices.device)

    def stacked(self, n: int) -> AttentionPattern:
        """So many copies of the pattern along the diagonal of a larger one, for heads that are worked on together."""
        if n not in self._stacks and n > 1:
            stack = object.__new__(AttentionPattern)
            (n_after, n_before), nnz = self.shape, len(self.indices)
            stack.shape = (n * n_after, n * n_before)
            stack.log_weight = self.log_weight.repeat(n)
            steps = {"indptr": nnz, "indices": n_before, "row": n_after}
            if self.order_t is not None:
                steps |= {"indptr_t": nnz, "indices_t": n_after, "order_t": nnz}
            stack.order_t = None
            for name, step in steps.items():
                part = getattr(self, name)
                copies = [part + k * step for k in range(n)]
                if name.startswith("indptr"):  # each copy begins where the one before ended
                    copies = [copies[0], *(copy[1:] for copy in copies[1:])]
                setattr(stack, name, torch.cat(copies))
            stack._stacks = {}
            self._stacks[n] = stack
        return self if n == 1 else self._stacks[n]

    def to(self, device: Any) -> AttentionPattern:
        moved = object.__new__(AttentionPattern)
        for name in self.__slots__:
            if hasattr(self, name):
                value = getattr(self, name)
                setattr(moved, name, value.to(device) if isinstance(value, Tensor) else value)
        moved._stacks = {}
        return moved

    def matrix(self, values: Tensor) -> Tensor:
        """CSR matrix with these values on the pattern."""
        return csr_tensor(self.indptr, self.indices, values, self.shape)

    def transposed(self, values: Tensor) -> Tensor:
        """Transpose of ``matrix(values)``."""
        assert self.order_t is not None
        values = values.index_select(0, self.order_t)
        return csr_tensor(self.indptr_t, self.indices_t, values, (self.shape[1], self.shape[0]))

    def of_row(self, value: Tensor) -> Tensor:
        """A value of each row, at each of its entries."""
        return value.index_select(0, self.row)

    def sampled(self, left: Tensor, right: Tensor) -> Tensor:
        """The entries of ``left @ right.T`` on the pattern."""
        missing = max(8 - left.shape[1], 0)  # a width below 8 takes up to ten times as long
        left, right = pad(left, (0, missing)), pad(right, (0, missing))
        nothing = self.matrix(left.new_zeros(len(self.indices)))
        return torch.sparse.sampled_addmm(nothing, left, right.T).values()

    def by_row(self, reduce: str, values: Tensor) -> Tensor:
        """ "sum" or "max" of each row; unlike a product with ones, the same for any number of threads."""
        return torch.segment_reduce(values, reduce, offsets=self.indptr.long(), unsafe=True)

    def column_sums(self, values: Tensor) -> Tensor:
        assert self.order_t is not None
        values = values.index_select(0, self.order_t)
        return torch.segment_reduce(values, "sum", offsets=self.indptr_t.long(), unsafe=True)


def attend(h: Tensor, listening: Tensor, speaking: Tensor, pattern: AttentionPattern) -> Tensor:
    """Sum over the neighbours u of v of softmax_u(leaky_relu(listening_v + speaking_u)) h_u, per head.

    Shapes: h (n_heads, n_before, width), listening (n_heads, n_after), speaking (n_heads, n_before)
    -> (n_heads, n_after, width).
    """
    n_heads, _, width = h.shape
    together = min(n_heads, max(STACKED // len(pattern.indices), 1))
    parts = []
    for heads in torch.arange(n_heads).split(together):
        k = slice(int(heads[0]), int(heads[-1]) + 1)
        stack = pattern.stacked(len(heads))
        parts.append(_Attend.apply(h[k].flatten(0, 1), listening[k].flatten(), speaking[k].flatten(), stack))
    return torch.cat(parts).view(n_heads, -1, width)


class _Attend(torch.autograd.Function):
    """Attention is kept as e_vu, not yet divided by its sum over u: rows are divided after the product, not edges."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, listening: Tensor, speaking: Tensor, pattern: AttentionPattern) -> Tensor:
        raw = pattern.of_row(listening) + speaking.index_select(0, pattern.indices)
        score = leaky_relu(raw, SLOPE) + pattern.log_weight
        attention = (score - pattern.of_row(pattern.by_row("max", score))).exp()
        total = pattern.by_row("sum", attention)[:, None]
        ctx.save_for_backward(h, raw, attention, total)
        ctx.pattern = pattern
        return pattern.matrix(attention) @ h / total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        h, raw, attention, total = ctx.saved_tensors
        pattern: AttentionPattern = ctx.pattern
        grad = (grad / total).contiguous()
        # gradient of each attention value: the product of message and gradient, at the edges only
        sampled = pattern.sampled(grad, h)
        mean = pattern.by_row("sum", attention * sampled)[:, None] / total
        score = attention * (sampled - pattern.of_row(mean.squeeze(1)))
        score = torch.ops.aten.leaky_relu_backward(score, raw, SLOPE, False)
        return pattern.transposed(attention) @ grad, pattern.by_row("sum", score), pattern.column_sums(score), None
