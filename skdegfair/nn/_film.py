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
    """gamma and beta of each distinct degree (Eq. 8), and the mean of their squares (Eq. 13).

    Parameters
    ----------
    encoding : (n_distinct, encoding_dim)
    weight : (encoding_dim, 2 d)
    bias : (2 d,)
    share : (n_distinct,), the part of the batch that has each degree; None: no loss is asked for

    Attributes
    ----------
    table : (n_distinct, 2 d), gamma + 1 beside beta
    squares : sum of the share times ||gamma||^2 + ||beta||^2; None without shares
    """

    __slots__ = ("encoding", "table", "squares", "_weighted")

    def __init__(self, encoding: Tensor, weight: Tensor, bias: Tensor, share: Tensor | None) -> None:
        self.encoding = encoding
        self.table = times(encoding, weight).add_(bias)
        self.squares = self._weighted = None
        if share is not None:
            self._weighted = self.table * share[:, None]
            self.squares = (self._weighted * self.table).sum(0).sum()  # column sums are not divided among threads
        self.table[:, : len(bias) // 2].add_(1)

    def gradients(self, grad: Tensor, g_squares: Tensor | None) -> tuple[Tensor, Tensor]:
        """Those of weight and bias, given those of the table and of the squares."""
        if self._weighted is not None and g_squares is not None:
            grad = torch.addcmul(grad, self._weighted, g_squares, value=2)
        return transpose_times(self.encoding, grad), grad.sum(0)
