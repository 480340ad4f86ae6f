"""Scaling and shifting by degree, Eq. 8 and 13."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._dense import times, transpose_times

Film = tuple[Tensor, Tensor | None]


def degree_encoding(degree: Tensor, dim: int) -> Tensor:
    """Encode degrees by sines and cosines, so that similar degrees get similar codes.

    [delta(v)]_2i = sin(deg(v) / 10000^(2i / dim)), [delta(v)]_2i+1 = cos(the same).

    Shapes: (n,) -> (n, dim), float64.
    """
    column = torch.arange(dim, device=degree.device)
    even = column - column % 2
    angle = degree[:, None].double() / 10000 ** (even.double() / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def film_of(encoding: Tensor, weight: Tensor, bias: Tensor, share: Tensor | None) -> Film:
    """gamma + 1 and beta of each distinct degree (Eq. 8), and the mean of their squares (Eq. 13).

    Parameters
    ----------
    encoding : (n_distinct, encoding_dim)
    weight : (encoding_dim, 2 d)
    bias : (2 d,)
    share : (n_distinct,), the part of the batch that has each degree; None: no loss is asked for

    Returns
    -------
    (n_distinct, 2 d) : gamma + 1 beside beta
    scalar : sum of the share times ||gamma||^2 + ||beta||^2; None without shares
    """
    film: Film = _Film.apply(encoding, weight, bias, share)
    return film


class _Film(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, encoding: Tensor, weight: Tensor, bias: Tensor, share: Tensor | None) -> Film:
        film = times(encoding, weight).add_(bias)
        weighted = squares = None
        if share is not None:
            weighted = film * share[:, None]
            squares = (weighted * film).sum(0).sum()  # column sums are not divided among threads
        film[:, : len(bias) // 2].add_(1)
        ctx.save_for_backward(encoding, weighted)
        return film, squares

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, g_squares: Tensor | None) -> tuple[None, Tensor, Tensor, None]:
        encoding, weighted = ctx.saved_tensors
        if g_squares is not None:
            grad = torch.addcmul(grad, weighted, g_squares, value=2)
        return None, transpose_times(encoding, grad), grad.sum(0), None
