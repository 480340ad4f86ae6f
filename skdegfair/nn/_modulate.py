"""Aggregation plus debiasing context (Eq. 6, 7, 9 and 12) as one step with a gradient of its own.

It remembers its input alone; the rest is computed anew for the gradient. It works
through the nodes in slices: what is as small as that stays in the processor's cache,
and its memory is not asked of the system anew each time.
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
    own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor, film: Tensor | None, block: Block,
    weight: float,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Add ``weight`` times the debiasing context to the aggregation, and sum up L3.

    Parameters
    ----------
    own : (n, d), the aggregated neighbourhood of each node
    context : (n, 2 d), the context of each node times theta_c,0 and theta_c,1, or (n, d) without contrast
        None: it stands beside ``own``, in the same matrix.
    bias : (d,), of the aggregation
    function_bias : (2 d,) or (d,), of the functions f(c; theta_c,*)
    film : (n_distinct, 2 d), gamma and beta of each distinct degree; None: all 0
    block : Block
    weight : float, the paper's epsilon

    Returns
    -------
    (n, d) : aggregation + weight * D(v; theta of v's own group)
    scalar : sum of the share times ||D(v; theta of the other group)||^2; None without contrast
    """
    modulated, squares = _Modulate.apply(own, context, bias, function_bias, film, block, weight)
    return modulated, squares if len(function_bias) > len(bias) else None


class _Modulate(torch.autograd.Function):
    """The functions of a node are worked on together: first that of its own group, then that of the other."""

    @staticmethod
    def forward(
        ctx: Any, own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor, film: Tensor | None,
        block: Block, weight: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        d = len(bias)
        aggregated, contexts = (own[:, :d], own[:, d:]) if context is None else (own, context)
        film = None if film is None else torch.cat([film[:, :d] + 1, film[:, d:]], dim=1)  # gamma + 1 beside beta
        modulated = own.new_empty(len(own), d)
        squares = bias.new_zeros(d)
        for rows in _slices(len(own), d):
            scale, shift = _of_nodes(film, block, rows)
            debiased = _debiased(_functions(contexts, function_bias, block, rows, d), scale, shift)
            torch.add(aggregated[rows], bias, out=modulated[rows]).add_(debiased[0], alpha=weight)  # Eq. 9
            if len(debiased) == 2 and block.share is not None:
                squares += (debiased[1] * block.share[rows, None]).mul_(debiased[1]).sum(0)  # Eq. 12
        ctx.save_for_backward(own if context is None else context, function_bias, film)
        ctx.block, ctx.weight, ctx.d, ctx.joint = block, weight, d, context is None
        return modulated, squares.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, grad_squares: Tensor) -> tuple[Tensor | None, ...]:
        saved, function_bias, film = ctx.saved_tensors
        block, d = ctx.block, ctx.d
        g_saved = torch.empty_like(saved)
        contexts, g_contexts = (saved[:, d:], g_saved[:, d:]) if ctx.joint else (saved, g_saved)
        g_film = None if film is None else saved.new_empty(len(saved), 2 * d)
        g_function_bias = torch.zeros_like(function_bias)
        for rows in _slices(len(saved), d):
            functions = _functions(contexts, function_bias, block, rows, d)
            scale, shift = _of_nodes(film, block, rows)
            g_part = torch.empty_like(functions)
            torch.mul(grad[rows], ctx.weight, out=g_part[0])  # of D, as yet
            if len(functions) == 2:
                debiased = _debiased(functions[1], scale, shift)
                torch.mul(debiased, block.share[rows, None] * (2 * grad_squares), out=g_part[1])
            if g_film is not None and scale is not None:
                g_scale, g_shift = torch.mul(g_part[0], functions[0], out=g_film[rows, :d]), g_film[rows, d:]
                g_shift.copy_(g_part[0])
                for function, g_function in zip(functions[1:], g_part[1:], strict=True):
                    g_scale.addcmul_(g_function, function)
                    g_shift.add_(g_function)
                g_part *= scale
            if len(functions) == 2:
                g_part = g_part.view(-1, d).index_select(0, block.low_then_high(rows))
            g_part = g_part.view(-1, len(function_bias))
            g_contexts[rows] = g_part
            g_function_bias += g_part.sum(0)
        if g_film is not None:
            g_film = block.spread.backward @ g_film  # sums over nodes of equal degree
        if ctx.joint:
            g_saved[:, :d] = grad
            return g_saved, None, grad.sum(0), g_function_bias, g_film, None, None
        return grad, g_saved, grad.sum(0), g_function_bias, g_film, None, None


def _slices(n: int, d: int) -> list[slice]:
    step = max(SLICE // d, 1)
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _functions(contexts: Tensor, bias: Tensor, block: Block, rows: slice, d: int) -> Tensor:
    """f(c; theta_c) of some nodes' own groups (Eq. 6) and, with contrast, then of the other groups: (1 or 2, n, d)."""
    functions = contexts[rows] + bias
    if len(bias) > d:  # two rows per node, fetched by index: faster than by a mask
        functions = functions.view(-1, d).index_select(0, block.own_then_other(rows))
    return functions.view(-1, rows.stop - rows.start, d)


def _of_nodes(film: Tensor | None, block: Block, rows: slice) -> tuple[Tensor, Tensor] | tuple[None, None]:
    """gamma + 1 and beta of each node."""
    if film is None:
        return None, None
    scale, shift = film.index_select(0, block.degree_code[rows]).chunk(2, dim=1)
    return scale, shift


def _debiased(functions: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """D = (gamma + 1) f + beta (Eq. 7)."""
    return functions if scale is None or shift is None else torch.addcmul(shift, scale, functions)
