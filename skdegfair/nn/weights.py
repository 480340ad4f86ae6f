"""Parameters of a network: how they are made and drawn, with a generator that belongs to one model."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .features import Features, rounded, transform


def parameter(*shape: int) -> nn.Parameter:
    """Weights that are drawn later, in single precision regardless of torch's default."""
    return nn.Parameter(torch.empty(shape, dtype=torch.float32))


def glorot_(weight: Tensor, generator: torch.Generator) -> None:
    """Fill a (d_in, d_out) matrix uniformly, scaled as Glorot and Bengio (2010) proposed."""
    bound = math.sqrt(6 / (weight.shape[0] + weight.shape[1]))
    with torch.no_grad():
        weight.uniform_(-bound, bound, generator=generator)


class Linear(nn.Module):
    """A linear map with a bias, whose bits do not depend on the number of threads.

    Shapes: (n, d_in) -> (n, d_out).

    Examples
    --------
    >>> import torch
    >>> from skdegfair.nn import Linear
    >>> head = Linear(8, 1)
    >>> head.reset_parameters(torch.Generator().manual_seed(0))
    >>> head(torch.zeros(3, 8))[:, 0].tolist()
    [0.0, 0.0, 0.0]
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight, self.bias = parameter(d_in, d_out), parameter(d_out)

    def reset_parameters(self, generator: torch.Generator) -> None:
        glorot_(self.weight, generator)
        nn.init.zeros_(self.bias)

    def forward(self, h: Features) -> Tensor:
        return rounded(lambda weight: transform(h, weight), self.weight) + self.bias
