"""Randomness that belongs to one model: the caller's generators are never touched."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn


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

    def forward(self, h: Tensor) -> Tensor:
        if not self.training or self.dropped == 0:
            return h
        drawn = self.random.random_raw(h.numel() // 8 + 1).view(np.uint8)[: h.numel()]
        keep = torch.from_numpy(drawn >= self.dropped).view(h.shape).to(h.device)
        return h * (keep.to(h.dtype) * (256 / (256 - self.dropped)))

    def extra_repr(self) -> str:
        return f"rate={self.dropped / 256:g}"
