"""Scaling and shifting by degree, Eq. 8 and 13."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from ._dense import BLOCKS, total


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

    __slots__ = ("encoding", "table", "_zero", "_weighted")

    def __init__(self, encoding: Tensor, weight: Tensor, bias: Tensor) -> None:
        self.encoding = encoding.view(BLOCKS, -1, encoding.shape[1])
        self._zero = _where_nothing_is_done(bias.shape[0], bias.dtype, bias.device)
        table = torch.baddbmm(bias + self._zero, self.encoding, weight.expand(BLOCKS, -1, -1))
        self.table = table.view(-1, bias.shape[0])
        self._weighted: Tensor | None = None

    def squares(self, share: Tensor) -> Tensor:
        """The sum over the distinct degrees of their shares, a column, times ||gamma||^2 + ||beta||^2 (Eq. 13)."""
        values = self.table - self._zero
        self._weighted = values * share
        return total(values * self._weighted)

    def gradients(self, grad: Tensor, g_squares: Tensor) -> tuple[Tensor, Tensor]:
        """Those of weight and bias, given those of the table and of the squares."""
        if self._weighted is not None:
            grad = torch.addcmul(grad, self._weighted, g_squares, value=2)
        return torch.bmm(self.encoding.transpose(1, 2), grad.view(BLOCKS, -1, grad.shape[1])).sum(0), grad.sum(0)


@cache
def _where_nothing_is_done(width: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """The row of a table for which gamma and beta are 0."""
    return torch.cat(
        [torch.ones(width // 2, dtype=dtype, device=device), torch.zeros(width // 2, dtype=dtype, device=device)]
    )
