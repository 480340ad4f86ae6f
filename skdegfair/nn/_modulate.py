"""Aggregation plus debiasing context (Eq. 7, 9 and 12) as one step with a gradient of its own.

What it needs of each node is computed anew for the gradient rather than kept: the
only large thing it remembers is its input. It works through the nodes in slices
that stay in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

if TYPE_CHECKING:
    from ._blocks import Block

SLICE = 2**17  # entries of a slice, half a megabyte


def modulate(
    aggregated: Tensor, functions: Tensor, bias: Tensor, film: Tensor | None, block: Block, weight: float
) -> tuple[Tensor, Tensor | None]:
    """Add ``weight`` times the debiasing context, and sum up L3.

    Parameters
    ----------
    aggregated : (n, d), the neighbourhoods
    functions : (n, 2 d), f(c; theta_c,0) and f(c; theta_c,1) side by side, or (n, d) without contrast
    bias : (d,), of the aggregation
    film : (n_distinct, 2 d), gamma and beta of each distinct degree; None: all 0
    block : Block
    weight : float, the paper's epsilon

    Returns
    -------
    (n, d) : aggregated + bias + weight * D(v; theta of v's own group)
    scalar : the part-weighted sum of ||D(v; theta of the other group)||^2; None without contrast
    """
    contrast = functions.shape[1] > aggregated.shape[1]  # two functions, one for each group
    modulated, other = _Modulate.apply(aggregated, functions, bias, film, block, weight)
    return modulated, other if contrast else None


class _Slice(NamedTuple):
    """What forward and backward compute alike for some nodes."""

    low: Tensor
    own: Tensor  # f(c; theta_c) of the own group
    other: Tensor | None
    scale: Tensor | None  # gamma + 1
    shift: Tensor | None

    def debiased(self, function: Tensor) -> Tensor:
        """D = (gamma + 1) f + beta (Eq. 7)."""
        if self.scale is None or self.shift is None:
            return function
        return torch.addcmul(self.shift, self.scale, function)


def _slices(functions: Tensor, film: Tensor | None, block: Block, d: int) -> Any:
    step = max(SLICE // d, 1)
    for start in range(0, len(functions), step):
        rows = slice(start, start + step)
        first, low = functions[rows, :d], block.low[rows]
        scale = shift = other = None
        own = first
        if functions.shape[1] > d:
            second = functions[rows, d:]
            own, other = torch.where(low, first, second), torch.where(low, second, first)
        if film is not None:
            scale, shift = film.index_select(0, block.degree_code[rows]).split(d, dim=1)
        yield rows, _Slice(low, own, other, scale, shift)


class _Modulate(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, aggregated: Tensor, functions: Tensor, bias: Tensor, film: Tensor | None, block: Block, weight: float
    ) -> tuple[Tensor, Tensor]:
        d = aggregated.shape[1]
        film = _plus_one(film, d)
        modulated = torch.empty_like(aggregated)
        squares = aggregated.new_zeros(d)
        for rows, part in _slices(functions, film, block, d):
            torch.add(aggregated[rows], bias, out=modulated[rows])
            modulated[rows].add_(part.debiased(part.own), alpha=weight)  # Eq. 9
            if part.other is not None and block.share is not None:
                squares += (block.share[rows, None] * part.debiased(part.other).square()).sum(0)  # Eq. 12
        ctx.save_for_backward(functions, film)
        ctx.block, ctx.weight, ctx.d = block, weight, d
        return modulated, squares.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, grad_squares: Tensor) -> tuple[Tensor | None, ...]:
        functions, film = ctx.saved_tensors
        block, d = ctx.block, ctx.d
        g_functions = torch.empty_like(functions)
        g_film = None if film is None else functions.new_empty(len(functions), 2 * d)
        for rows, part in _slices(functions, film, block, d):
            g_own = ctx.weight * grad[rows]  # of D(v; own group), then of D(v; other group)
            g_other = None
            if part.other is not None:
                g_other = part.debiased(part.other) * (2 * grad_squares * block.share[rows, None])
            if g_film is not None:
                torch.mul(g_own, part.own, out=g_film[rows, :d])
                g_film[rows, d:] = g_own
                g_own = g_own * part.scale
                if g_other is not None:
                    g_film[rows, :d].addcmul_(g_other, part.other)
                    g_film[rows, d:] += g_other
                    g_other *= part.scale
            if g_other is None:
                g_functions[rows] = g_own
            else:
                g_functions[rows, :d] = torch.where(part.low, g_own, g_other)
                g_functions[rows, d:] = torch.where(part.low, g_other, g_own)
        g_film = None if g_film is None else block.spread.backward @ g_film  # sums over nodes of equal degree
        return grad, g_functions, grad.sum(0), g_film, None, None


def _plus_one(film: Tensor | None, d: int) -> Tensor | None:
    """gamma + 1 beside beta: added where there are few, not for each node."""
    if film is None:
        return None
    film = film.clone()
    film[:, :d] += 1
    return film
