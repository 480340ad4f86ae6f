"""Dense products and sums whose bits do not depend on the number of threads.

A BLAS divides a matrix product among its threads, and the rounding depends on their number. Divided into a fixed
number of blocks in advance, the product is as fast and always the same: a model fitted in a worker process (one
thread) equals a model fitted alone.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

BLOCKS = 8


def dense_product(h: Tensor, weight: Tensor) -> Tensor:
    """``h @ weight``. Shapes: (n, d_in), (d_in, d_out) -> (n, d_out)."""
    product: Tensor = _Product.apply(h, weight)
    return product


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(h, weight)
        return times(h, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        h, weight = ctx.saved_tensors
        return (
            times(grad, weight.T) if ctx.needs_input_grad[0] else None,
            transpose_times(h, grad) if ctx.needs_input_grad[1] else None,
        )


def times(h: Tensor, weight: Tensor) -> Tensor:
    n, d_in = h.shape
    if n < BLOCKS:
        return times(torch.cat([h, h.new_zeros(BLOCKS - n, d_in)]), weight)[:n]
    weights = weight.expand(BLOCKS, *weight.shape)
    whole = n - n % BLOCKS
    if whole == n:
        return torch.bmm(h.reshape(BLOCKS, -1, d_in), weights).view(n, -1)
    product = h.new_empty(n, weight.shape[1])
    torch.bmm(h[:whole].reshape(BLOCKS, -1, d_in), weights, out=product[:whole].view(BLOCKS, -1, weight.shape[1]))
    product[whole:] = torch.bmm(h[-BLOCKS:, None], weights)[whole - n :, 0]  # the last eight rows as blocks of one row
    return product


def transpose_times(h: Tensor, grad: Tensor) -> Tensor:
    n = h.shape[0]
    whole = n - n % BLOCKS
    if grad.shape[1] < h.shape[1]:  # three times faster with the narrower one first
        return transpose_times(grad, h).T
    left, right = h[:whole].reshape(BLOCKS, -1, h.shape[1]), grad[:whole].reshape(BLOCKS, -1, grad.shape[1])
    sums = torch.bmm(left.transpose(1, 2), right).sum(0)
    if whole < n:
        sums += (h[whole:, :, None] * grad[whole:, None]).sum(0)
    return sums


def row_by_row(h: Tensor, weight: Tensor) -> Tensor:
    """``h @ weight`` for few rows, each with bits that do not depend on the other rows. (n, d_in) -> (n, d_out)."""
    return torch.bmm(h[:, None], weight.expand(len(h), *weight.shape))[:, 0]


def total(values: Tensor) -> Tensor:
    """The sum of all entries, by column sums, which are not divided among threads. (n, d) -> ()."""
    return values.sum(0).sum()
