"""Scaling and shifting by degree, Eq. 8 and 13."""

from __future__ import annotations

import torch
from torch import Tensor

from ._dense import times, total, transpose_times


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
    table : (n_distinct, 2 d), gamma + 1 beside beta
    """

    __slots__ = ("table", "_encoding", "_values", "_weighted")

    def __init__(self, encoding: Tensor, weight: Tensor, bias: Tensor) -> None:
        self._encoding = encoding
        self._values = times(encoding, weight).add_(bias)
        self.table = self._values.clone()
        self.table[:, : bias.shape[0] // 2].add_(1)
        self._weighted: Tensor | None = None

    def squares(self, share: Tensor) -> Tensor:
        """The sum over the distinct degrees of their shares, a column, times ||gamma||^2 + ||beta||^2 (Eq. 13)."""
        self._weighted = self._values * share
        return total(self._values * self._weighted)

    def gradients(self, grad: Tensor, g_squares: Tensor) -> tuple[Tensor, Tensor]:
        """Those of weight and bias, given those of the table and, if they were asked for, of the squares."""
        if self._weighted is not None:
            grad = torch.addcmul(grad, self._weighted, g_squares, value=2)
        return transpose_times(self._encoding, grad), grad.sum(0)
