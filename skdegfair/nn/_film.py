"""Scaling and shifting by degree, Eq. 8 and 13."""

from __future__ import annotations

import torch
from torch import Tensor

from ._dense import times, transpose_times


def degree_encoding(degree: Tensor, dim: int) -> Tensor:
    """Encode degrees by sines and cosines, so that similar degrees get similar codes.

    [delta(v)]_2i = sin(deg(v) / 10000^(2i / dim)), [delta(v)]_2i+1 = cos(the same).

    Shapes: (n,) -> (n, dim), float64.
    """
    column = torch.arange(dim, device=degree.device)
    even = column - column % 2
    angle = degree[:, None].double() / 10000 ** (even.double() / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


class Film:
    """gamma and beta of each distinct degree (Eq. 8), and how to go back from them to their weights.

    Parameters
    ----------
    encoding : (n_distinct, encoding_dim)
    weight : (encoding_dim, 2 d)
    bias : (2 d,)

    Attributes
    ----------
    values : (n_distinct, 2 d), gamma beside beta
    table : the same with gamma + 1
    """

    __slots__ = ("encoding", "values", "table")

    def __init__(self, encoding: Tensor, weight: Tensor, bias: Tensor) -> None:
        self.encoding = encoding
        self.values = times(encoding, weight).add_(bias)
        self.table = self.values.clone()
        self.table[:, : len(bias) // 2].add_(1)

    def squares(self, share: Tensor) -> Tensor:
        """The sum over the distinct degrees of their shares times ||gamma||^2 + ||beta||^2 (Eq. 13)."""
        return (self.values.square() * share[:, None]).sum(0).sum()  # column sums are not divided among threads

    def gradients(self, grad: Tensor, g_squares: Tensor | None) -> tuple[Tensor, Tensor]:
        """Those of weight and bias, given those of the table and of each degree's squares."""
        if g_squares is not None:
            grad = torch.addcmul(grad, self.values, g_squares[:, None], value=2)
        return transpose_times(self.encoding, grad), grad.sum(0)
