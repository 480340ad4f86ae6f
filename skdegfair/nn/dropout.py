"""Dropout whose randomness belongs to one model: the caller's generators are never touched."""

from __future__ import annotations

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


class RandomStream(nn.Module):
    """A part of a network that draws random numbers; checkpoints contain the state of its stream.

    Parameters
    ----------
    seed : int

    Attributes
    ----------
    random : numpy bit generator
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = np.random.SFC64(seed)

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        """Numbers between 0, inclusive, and 1, exclusive."""
        return np.random.Generator(self.random).random(shape)


class Dropout(RandomStream):
    """Zero a random fraction of the entries in training, with a random stream of its own.

    One random byte per entry is ten times cheaper than torch's Bernoulli draws on a CPU. The rate is therefore
    rounded to a multiple of 1/256.

    Shapes: any -> the same.
    """

    def __init__(self, rate: float, seed: int) -> None:
        super().__init__(seed)
        self.dropped = min(round(256 * rate), 255)  # of 256 byte values

    def forward(self, h: Tensor, keys: NDArray[np.uint64] | None = None, *, slope: float = 1.0) -> Tensor:
        """Drop entries, after a leaky ReLU of the given slope.

        With ``keys``, one per row, the entries of a row depend on its key alone, and the stream is not used.
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
    """Leaky ReLU, then the product with a mask of bytes, in slices, so that only the result takes up memory."""

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
            # kept entries have the sign that they had before
            leaky_relu_backward.grad_input(kept, out_part, ctx.slope, True, grad_input=part)
        return g_h, None, None, None


def _parts(*arrays: Tensor) -> list[tuple[Tensor, ...]]:
    """Slices of the arrays, if they are large."""
    n, size = len(arrays[0]), arrays[0].numel()
    if size <= SLICE:
        return [arrays]
    step = max(SLICE * n // size, 1)
    return [tuple(array[start : start + step] for array in arrays) for start in range(0, n, step)]
