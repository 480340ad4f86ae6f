"""Aggregation plus debiasing context (Eq. 6, 7, 9 and 12) as one step with a gradient of its own.

Of each node it remembers its input alone; the rest is computed anew for the
gradient. It works through the nodes in slices that stay in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

if TYPE_CHECKING:
    from ._blocks import Block

SLICE = 2**17  # entries of a slice, half a megabyte


def modulate(
    both: Tensor, bias: Tensor, function_bias: Tensor, film: Tensor | None, block: Block, weight: float
) -> tuple[Tensor, Tensor | None]:
    """Add ``weight`` times the debiasing context to the aggregation, and sum up L3.

    Parameters
    ----------
    both : (n, d + 2 d), or (n, d + d) without contrast
        The aggregated neighbourhood of each node, and beside it its context times theta_c,0 and theta_c,1.
    bias : (d,), of the aggregation
    function_bias : (2 d,) or (d,), of the functions f(c; theta_c,*) (Eq. 6)
    film : (n_distinct, 2 d), gamma and beta of each distinct degree; None: all 0
    block : Block
    weight : float, the paper's epsilon

    Returns
    -------
    (n, d) : aggregation + weight * D(v; theta of v's own group)
    scalar : sum of the share times ||D(v; theta of the other group)||^2; None without contrast
    """
    modulated, squares = _Modulate.apply(both, bias, function_bias, film, block, weight)
    return modulated, squares if len(function_bias) > len(bias) else None


class _Modulate(torch.autograd.Function):
    """The functions of a node are worked on together: first that of its own group, then that of the other."""

    @staticmethod
    def forward(
        ctx: Any, both: Tensor, bias: Tensor, function_bias: Tensor, film: Tensor | None, block: Block, weight: float
    ) -> tuple[Tensor, Tensor]:
        n, d = len(both), len(bias)
        functions = both[:, d:] + function_bias  # Eq. 6
        if len(function_bias) > d:  # two rows per node, fetched by index: faster than by a mask
            functions = functions.view(-1, d).index_select(0, block.own_and_other)
        functions = functions.view(-1, n, d)
        film = None if film is None else torch.cat([film[:, :d] + 1, film[:, d:]], dim=1)  # gamma + 1 beside beta
        modulated = torch.empty_like(functions[0])
        squares = bias.new_zeros(d)
        for rows in _slices(n, d):
            scale, shift = _of_nodes(film, block, rows)
            debiased = _debiased(functions[:, rows], scale, shift)
            out = torch.add(both[rows, :d], bias, out=modulated[rows])
            out.add_(debiased[0], alpha=weight)  # Eq. 9
            if len(functions) == 2 and block.share is not None:
                squares += (debiased[1] * block.share[rows, None]).mul_(debiased[1]).sum(0)  # Eq. 12
        ctx.save_for_backward(functions, film)
        ctx.block, ctx.weight = block, weight
        return modulated, squares.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, grad_squares: Tensor) -> tuple[Tensor | None, ...]:
        functions, film = ctx.saved_tensors
        block: Block = ctx.block
        n_functions, n, d = functions.shape
        g_functions = torch.empty_like(functions)
        g_film = None if film is None else functions.new_empty(n, 2 * d)
        for rows in _slices(n, d):
            part, g_part = functions[:, rows], g_functions[:, rows]
            scale, shift = _of_nodes(film, block, rows)
            torch.mul(grad[rows], ctx.weight, out=g_part[0])  # of D, as yet
            if n_functions == 2 and block.share is not None:
                debiased = _debiased(part[1], scale, shift)
                torch.mul(debiased, block.share[rows, None] * (2 * grad_squares), out=g_part[1])
            if g_film is not None and scale is not None:
                g_scale, g_shift = torch.mul(g_part[0], part[0], out=g_film[rows, :d]), g_film[rows, d:]
                if n_functions == 2:
                    g_scale.addcmul_(g_part[1], part[1])
                    torch.add(g_part[0], g_part[1], out=g_shift)
                else:
                    g_shift.copy_(g_part[0])
                g_part *= scale
        if g_film is not None:
            g_film = block.spread.backward @ g_film  # type: ignore[operator]  # sums over nodes of equal degree
        if n_functions == 2:
            g_functions = g_functions.view(-1, d).index_select(0, block.low_and_high)
        g_functions = g_functions.view(n, -1)
        return torch.cat([grad, g_functions], dim=1), grad.sum(0), g_functions.sum(0), g_film, None, None


def _slices(n: int, d: int) -> list[slice]:
    step = max(SLICE // d, 1)
    return [slice(start, start + step) for start in range(0, n, step)] if n > step else [slice(None)]


def _of_nodes(film: Tensor | None, block: Block, rows: slice) -> tuple[Tensor, Tensor] | tuple[None, None]:
    """gamma + 1 and beta of each node."""
    if film is None:
        return None, None
    scale, shift = film.index_select(0, block.degree_code[rows]).chunk(2, dim=1)
    return scale, shift


def _debiased(functions: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """D = (gamma + 1) f + beta (Eq. 7)."""
    return functions if scale is None or shift is None else torch.addcmul(shift, scale, functions)
