"""Learned weights of the existing edges: products, projection, and a gap between groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..nn.attention import AttentionPattern
from ..nn.dense import total
from ..nn.sparse import product


def aggregate(values: Tensor, h: Tensor, pattern: AttentionPattern) -> Tensor:
    """The product of a sparse matrix, given by its values on a pattern, and h: (nnz,), (n, d) -> (n, d)."""
    result: Tensor = _Aggregate.apply(values, h, pattern)
    return result


class _Aggregate(torch.autograd.Function):
    """The gradient of a value is the product of message and gradient, at the edges only."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, h: Tensor, pattern: AttentionPattern) -> Tensor:
        ctx.save_for_backward(values, h)
        ctx.pattern = pattern
        return product(pattern.matrix(values), h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        values, h = ctx.saved_tensors
        grad = grad.contiguous()
        g_values = ctx.pattern.sampled(grad, h) if ctx.needs_input_grad[0] else None
        g_h = product(ctx.pattern.transposed(values), grad) if ctx.needs_input_grad[1] else None
        return g_values, g_h, None


def edge_products(z: Tensor, pattern: AttentionPattern) -> Tensor:
    """The products z_i z_j at the entries (i, j) of a pattern: (n, d) -> (nnz,)."""
    result: Tensor = _EdgeProducts.apply(z, pattern)
    return result


class _EdgeProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, pattern: AttentionPattern) -> Tensor:
        ctx.save_for_backward(z)
        ctx.pattern = pattern
        return pattern.sampled(z, z)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (z,) = ctx.saved_tensors
        grad = grad.contiguous()
        return product(ctx.pattern.matrix(grad), z) + product(ctx.pattern.transposed(grad), z), None


def project_rows(values: NDArray[np.float64], indptr: NDArray[Any]) -> NDArray[np.float64]:
    """Project each row of a CSR matrix onto the probability simplex: the nearest row that is at least 0 and sums to 1.

    Only stored entries take part, so nothing is added where there is no edge. Rows must not be empty.
    """
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    first = indptr[:-1]
    largest = np.maximum.reduceat(values, first)
    values = np.maximum(values - largest[row], -1.0)  # a shift does not matter; what is 1 below the largest becomes 0
    order = np.lexsort((-values, row))  # the entries of each row, starting with the largest
    falling = values[order]
    sums = np.cumsum(falling)
    sums -= (sums[first] - falling[first])[row]
    place = np.arange(1, len(row) + 1) - first[row]
    positive = falling * place > sums - 1
    last = first + np.bincount(row, positive, minlength=len(first)).astype(np.intp) - 1
    shift = (sums[last] - 1) / place[last]
    return np.maximum(values - shift[row], 0)


def mean_products(z: Tensor, member: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of z_i z_j over pairs of different nodes of the same group, and over pairs of different groups.

    With s_k the sum of z over group k, the sum of all products within the groups is that of |s_k|^2, so single pairs
    are not computed. Shapes: (n, d), (n, n_groups) with one 1 in each row -> (), ().
    """
    z, member = z.double(), member.double()  # differences of large sums
    sums, sizes = member.T @ z, member.sum(0)
    n = sizes.sum()
    within = sums.square().sum()
    same = (within - total(z.square())) / ((sizes.square().sum() - n).clamp(min=1))
    other = (sums.sum(0).square().sum() - within) / (n.square() - sizes.square().sum()).clamp(min=1)
    return same, other
