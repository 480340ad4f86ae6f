"""Randomness that belongs to one model: the caller's generators are never touched."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu

from ..graph import hash_keys

SLICE = 2**17  # entries
leaky_relu_backward = torch.ops.aten.leaky_relu_backward


def parameter(*shape: int) -> nn.Parameter:
    """Weights yet to be drawn, in single precision whatever torch's default is."""
    return nn.Parameter(torch.empty(shape, dtype=torch.float32))


def glorot_(weight: Tensor, generator: torch.Generator) -> None:
    """Fill a (d_in, d_out) matrix uniformly, scaled as Glorot and Bengio (2010) proposed."""
    bound = math.sqrt(6 / (weight.shape[0] + weight.shape[1]))
    with torch.no_grad():
        weight.uniform_(-bound, bound, generator=generator)


class Dropout(nn.Module):
    """Zero a random part of the entries while training, with a stream of its own.

    One random byte decides about each entry, ten times cheaper than torch's
    Bernoulli draws on a CPU; the rate is thereby rounded to 1/256.

    Shapes: any -> the same.
    """

    def __init__(self, rate: float, seed: int) -> None:
        super().__init__()
        self.dropped = min(round(256 * rate), 255)  # of 256 byte values
        self.random = np.random.SFC64(seed)

    def forward(self, h: Tensor, keys: NDArray[np.uint64] | None = None, *, slope: float = 1.0) -> Tensor:
        """Drop entries, after a leaky ReLU of the given slope.

        With ``keys``, one per row, the entries of a row hang on its key alone, and the
        stream is left as it is.
        """
        if not self.training or self.dropped == 0:
            return leaky_relu(h, slope)
        if keys is None:
            drawn = self.random.random_raw(h.numel() // 8 + 1).view(np.uint8)[: h.numel()]
        else:
            words = hash_keys(keys[:, None], np.arange(h.shape[1] // 8 + 1))
            drawn = words.view(np.uint8).reshape(len(h), -1)[:, : h.shape[1]]
        keep = torch.from_numpy((drawn >= self.dropped).view(np.uint8)).view(h.shape).to(h.device)  # bytes: no bools
        kept: Tensor = _Drop.apply(h, keep, 256 / (256 - self.dropped), slope)
        return kept

    def extra_repr(self) -> str:
        return f"rate={self.dropped / 256:g}"


class _Drop(torch.autograd.Function):
    """Leaky ReLU, then the product with a mask of bytes, in slices: only what is asked for takes up memory."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, keep: Tensor, scale: float, slope: float) -> Tensor:
        out = torch.empty_like(h)
        for h_part, keep_part, part in _parts(h, keep, out):
            torch.mul(leaky_relu(h_part, slope), keep_part.to(h.dtype).mul_(scale), out=part)
        ctx.save_for_backward(out, keep)
        ctx.scale, ctx.slope = scale, slope
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        out, keep = ctx.saved_tensors
        g_h = torch.empty_like(grad)
        for g_part, keep_part, out_part, part in _parts(grad, keep, out, g_h):
            kept = keep_part.to(grad.dtype).mul_(ctx.scale).mul_(g_part)
            # what was kept has the sign that it had before
            leaky_relu_backward.grad_input(kept, out_part, ctx.slope, True, grad_input=part)
        return g_h, None, None, None


def _parts(*arrays: Tensor) -> list[tuple[Tensor, ...]]:
    """Slices of the arrays, where they are large."""
    n, size = len(arrays[0]), arrays[0].numel()
    if size <= SLICE:
        return [arrays]
    step = max(SLICE * n // size, 1)
    return [tuple(array[start : start + step] for array in arrays) for start in range(0, n, step)]
