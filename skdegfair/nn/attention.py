"""Attention over the neighbors of each node, on CSR rows.

Only two scores per edge and head are stored, never the messages. Values are fetched with ``index_select``, which is
five times faster than brackets.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding_bag, leaky_relu, pad

from .sparse import csr_tensor, product, to_tensor

SLOPE = 0.2  # of the leaky ReLU of the scores, as in the GAT paper
STACKED = 2**20  # maximum number of entries for which heads are computed together
NARROW = 3  # maximum number of columns that are faster to fetch one by one


class AttentionPattern:
    """The edges that attention uses: rows of a CSR pattern, and the position of each entry in its transpose.

    Parameters
    ----------
    matrix : scipy sparse matrix of shape (n_after, n_before)
        Weights; the attention to a neighbor is proportional to its weight. Each row needs at least one entry (the
        node itself).
    dtype : torch dtype, default=torch.float32
    gradient : bool, default=True
        Whether gradients are needed. Without them, no transpose is kept.
    """

    shape: tuple[int, int]
    indptr: Tensor
    indices: Tensor
    row: Tensor
    indptr_t: Tensor  # of the transpose, where there is one
    indices_t: Tensor
    order_t: Tensor | None

    __slots__ = (
        "shape", "log_weight", "log_range", "indptr", "indices", "row", "indptr_t", "indices_t", "order_t", "_stacks"
    )  # fmt: skip

    def __init__(self, matrix: Any, dtype: torch.dtype = torch.float32, *, gradient: bool = True) -> None:
        matrix = sp.csr_array(matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        self._index(matrix, gradient)
        self._weigh(to_tensor(np.log(matrix.data), dtype))

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

    def _weigh(self, log_weight: Tensor) -> None:
        self.log_weight = log_weight
        self.log_range = float(log_weight.abs().max()) if len(log_weight) else 0.0

    def _like(self, matrix: sp.csr_array, log_weight: Tensor) -> AttentionPattern:
        """Another pattern, on the same device."""
        pattern = object.__new__(AttentionPattern)
        pattern._index(matrix, self.order_t is not None)
        pattern._weigh(log_weight)
        return pattern.to(self.indices.device)

    def stacked(self, n: int) -> AttentionPattern:
        """The pattern for n heads that are computed together: rows and columns are heads of nodes, node by node."""
        if n not in self._stacks and n > 1:
            indices, indptr = self.indices.cpu().numpy(), self.indptr.cpu().numpy()
            numbers = sp.csr_array((np.arange(len(indices)) + 1, indices, indptr), shape=self.shape)
            stack = sp.csr_array(sp.kron(numbers, sp.eye_array(n, dtype=np.int64), format="csr"))
            self._stacks[n] = self._like(stack, self.log_weight.cpu()[stack.data - 1])
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
        """Repeat the value of each row at each of its entries."""
        return value.index_select(0, self.row)

    def sampled(self, left: Tensor, right: Tensor) -> Tensor:
        """The entries of ``left @ right.T`` on the pattern."""
        if left.shape[1] <= NARROW:  # column by column
            columns = zip(left.T.contiguous(), right.T.contiguous(), strict=True)
            products = (self.of_row(one).mul_(other.index_select(0, self.indices)) for one, other in columns)
            return reduce(Tensor.add_, products)
        missing = max(8 - left.shape[1], 0)  # a width below 8 takes up to ten times as long
        left, right = pad(left, (0, missing)), pad(right, (0, missing))
        entries = self.matrix(left.new_zeros(len(self.indices)))
        return torch.sparse.sampled_addmm(entries, left, right.T, out=entries).values()

    def row_max(self, values: Tensor) -> Tensor:
        return torch.segment_reduce(values, "max", offsets=self.indptr.long(), unsafe=True)

    def row_sums(self, values: Tensor) -> Tensor:
        """Sum each row. Unlike a product with a vector of ones, the result does not depend on the number of threads."""
        everything = torch.arange(len(values), dtype=torch.int32, device=values.device)
        return _sums(values, everything, self.indptr)

    def column_sums(self, values: Tensor) -> Tensor:
        assert self.order_t is not None
        return _sums(values, self.order_t, self.indptr_t)


def _sums(values: Tensor, order: Tensor, indptr: Tensor) -> Tensor:
    """Sums of values, fetched in the given order, between consecutive entries of ``indptr``."""
    return embedding_bag(order, values[:, None], indptr, mode="sum", include_last_offset=True).squeeze(1)


def attend(h: Tensor, target: Tensor, source: Tensor, pattern: AttentionPattern) -> Tensor:
    """Sum over the neighbors u of v of softmax_u(leaky_relu(target_v + source_u)) h_u, per head.

    Shapes: h (n_heads, n_before, width), target (n_heads, n_after), source (n_heads, n_before)
    -> (n_heads, n_after, width). Faster if the heads of a node are adjacent in memory.
    """
    n_heads, _, width = h.shape
    reused = pattern.order_t is not None  # in training; a stack that is used once does not pay off
    together = max(STACKED // len(pattern.indices), 1) if reused else 1
    if together < n_heads:
        parts = zip(h.split(together), target.split(together), source.split(together), strict=True)
        return torch.cat([attend(*part, pattern) for part in parts])
    by_node = h.transpose(0, 1).reshape(-1, width), target.T.reshape(-1), source.T.reshape(-1)
    gathered: Tensor = _Attend.apply(*by_node, pattern.stacked(n_heads))
    return gathered.view(-1, n_heads, width).transpose(0, 1)


def _top(score: Tensor, target: Tensor, source: Tensor, pattern: AttentionPattern) -> Tensor:
    """Value to subtract from the scores of each row so that exponentials neither overflow nor vanish.

    An upper bound that needs no pass over the edges if the source scores are close to each other; otherwise the
    largest score of the row.
    """
    least, most = source.aminmax()
    if most - least + pattern.log_range < 40:  # the bound may exceed the scores of a row by this much
        return leaky_relu(target + most, SLOPE)
    return pattern.row_max(score)


class _Attend(torch.autograd.Function):
    """Stores e_vu before the division by its sum over u: rows are divided after the product, which is cheaper."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, target: Tensor, source: Tensor, pattern: AttentionPattern) -> Tensor:
        raw = pattern.of_row(target) + source.index_select(0, pattern.indices)
        score = leaky_relu(raw, SLOPE).add_(pattern.log_weight)
        attention = score.sub_(pattern.of_row(_top(score, target, source, pattern))).exp_()
        summed = product(pattern.matrix(attention), pad(h, (0, 1), value=1.0))  # the last column: sums over u
        total = summed[:, -1:].clone()  # or all of them would be kept for backward
        gathered = summed[:, :-1] / total
        ctx.save_for_backward(h, raw, attention, total, gathered)
        ctx.pattern = pattern
        return gathered

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        h, raw, attention, total, gathered = ctx.saved_tensors
        pattern: AttentionPattern = ctx.pattern
        grad = grad / total
        mean = (grad * gathered).sum(1)
        # gradient of each attention value: the product of message and gradient, at the edges only
        score = pattern.sampled(grad, h).sub_(pattern.of_row(mean)).mul_(attention)
        score = torch.ops.aten.leaky_relu_backward(score, raw, SLOPE, False)
        g_h = product(pattern.transposed(attention), grad)
        return g_h, pattern.row_sums(score), pattern.column_sums(score), None
