"""Aggregation plus debiasing context (Eq. 6, 7, 9, 12 and 13) as one step with a gradient of its own.

It works through the nodes in slices: what is as small as that stays in the processor's
cache. Of a single slice it remembers what the gradient needs, of several its input alone:
the rest is computed anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._dense import weighted_squares

if TYPE_CHECKING:
    from ._blocks import Block

SLICE = 2**17  # entries of a slice, half a megabyte


def modulate(
    own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor, film: Tensor | None, block: Block,
    weight: float,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Add ``weight`` times the debiasing context to the aggregation, and sum up L3 and L4.

    Parameters
    ----------
    own : (n, d), the aggregated neighbourhood of each node
    context : (n, 2 d), the context of each node times theta_c,0 and theta_c,1, or (n, d) without contrast
        None: it stands beside ``own``, in the same matrix, whose further columns do not count.
    bias : (d,), of the aggregation
    function_bias : (2 d,) or (d,), of the functions f(c; theta_c,*)
    film : (n_distinct, 2 d), gamma and beta of each distinct degree; None: all 0
    block : Block
    weight : float, the paper's epsilon

    Returns
    -------
    (n, d) : aggregation + weight * D(v; theta of v's own group)
    scalar : sum of the share times ||D(v; theta of the other group)||^2; 0 without contrast
    scalar : sum of the share times ||gamma||^2 + ||beta||^2
    """
    outputs: tuple[Tensor, Tensor, Tensor] = _Modulate.apply(own, context, bias, function_bias, film, block, weight)
    return outputs


class _Modulate(torch.autograd.Function):
    """The functions of a node are worked on together: first that of its own group, then that of the other."""

    @staticmethod
    def forward(
        ctx: Any, own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor, film: Tensor | None,
        block: Block, weight: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        n, d = own.shape[0], bias.shape[0]
        contexts = own[:, d : d + function_bias.shape[0]] if context is None else context
        aggregated = own[:, :d] if context is None else own
        modulated = own.new_empty(n, d)
        context_squares, film_squares = bias.new_zeros(d), bias.new_zeros(())
        table = None
        if film is not None:
            table = torch.cat([film[:, :d] + 1, film[:, d:]], dim=1)  # gamma + 1 beside beta
            if block.share is not None:
                film_squares = weighted_squares(block.degree_share, film)  # Eq. 13
        slices = _slices(n, d)
        for rows in slices:
            functions = _functions(contexts, function_bias, block, rows, d)
            scale, shift = _of_nodes(table, block, rows)
            debiased = _debiased(functions, scale, shift)
            out = torch.add(_of(aggregated, rows), bias, out=_of(modulated, rows))
            out.add_(debiased[0], alpha=weight)  # Eq. 9
            if debiased.shape[0] == 2 and block.share is not None:
                other = debiased[1]
                context_squares += (other * _of(block.share, rows)[:, None]).mul_(other).sum(0)  # Eq. 12
        known = (functions, scale, debiased[-1]) if len(slices) == 1 else ()
        ctx.save_for_backward(own if context is None else context, function_bias, film, table, *known)
        ctx.block, ctx.weight, ctx.d, ctx.joint = block, weight, d, context is None
        return modulated, context_squares.sum(), film_squares

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, g_context: Tensor, g_scale_shift: Tensor) -> tuple[Tensor | None, ...]:
        saved, function_bias, film, table, *known = ctx.saved_tensors
        block, d, width = ctx.block, ctx.d, function_bias.shape[0]
        n = saved.shape[0]
        g_saved = torch.empty_like(saved)
        contexts, g_contexts = saved, g_saved
        if ctx.joint:
            contexts, g_contexts = saved[:, d : d + width], g_saved[:, d : d + width]
            g_saved[:, :d] = grad
            if d + width < saved.shape[1]:
                g_saved[:, d + width :] = 0
        g_nodes = None if film is None else saved.new_empty(n, 2 * d)
        g_function_bias = torch.zeros_like(function_bias)
        for rows in _slices(n, d):
            if known:
                functions, scale, other = known
            else:
                functions = _functions(contexts, function_bias, block, rows, d)
                scale, shift = _of_nodes(table, block, rows)
                other = _debiased(functions[-1], scale, shift)
            g_part = torch.empty_like(functions)
            torch.mul(_of(grad, rows), ctx.weight, out=g_part[0])  # of D, as yet
            if functions.shape[0] == 2:
                torch.mul(other, (_of(block.share, rows) * (2 * g_context))[:, None], out=g_part[1])
            if g_nodes is not None and scale is not None:
                g_scale, g_shift = _of(g_nodes, rows).split(d, dim=1)
                torch.mul(g_part[0], functions[0], out=g_scale)
                if functions.shape[0] == 2:
                    g_scale.addcmul_(g_part[1], functions[1])
                    torch.add(g_part[0], g_part[1], out=g_shift)
                else:
                    g_shift.copy_(g_part[0])
                g_part *= scale
            if functions.shape[0] == 2:
                g_part = g_part.view(-1, d).index_select(0, block.low_then_high(rows))
            g_part = g_part.view(-1, width)
            _of(g_contexts, rows).copy_(g_part)
            g_function_bias += g_part.sum(0)
        g_film = None
        if film is not None:
            g_film = block.spread.backward @ g_nodes  # sums over nodes of equal degree
            g_film.addcmul_(film, (block.degree_share * (2 * g_scale_shift))[:, None])
        g_own = g_saved if ctx.joint else grad
        return g_own, None if ctx.joint else g_saved, grad.sum(0), g_function_bias, g_film, None, None


def _slices(n: int, d: int) -> list[slice | None]:
    """None stands for all nodes, where they are few."""
    step = max(SLICE // d, 1)
    return [None] if n <= step else [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _of(value: Tensor, rows: slice | None) -> Tensor:
    return value if rows is None else value[rows]


def _functions(contexts: Tensor, bias: Tensor, block: Block, rows: slice | None, d: int) -> Tensor:
    """f(c; theta_c) of some nodes' own groups (Eq. 6) and, with contrast, then of the other groups: (1 or 2, n, d)."""
    functions = _of(contexts, rows) + bias
    n = functions.shape[0]
    if bias.shape[0] > d:  # two rows per node, fetched by index: faster than by a mask
        functions = functions.view(-1, d).index_select(0, block.own_then_other(rows))
    return functions.view(-1, n, d)


def _of_nodes(table: Tensor | None, block: Block, rows: slice | None) -> tuple[Tensor, Tensor] | tuple[None, None]:
    """gamma + 1 and beta of each node."""
    if table is None:
        return None, None
    scale, shift = table.index_select(0, _of(block.degree_code, rows)).chunk(2, dim=1)
    return scale, shift


def _debiased(functions: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """D = (gamma + 1) f + beta (Eq. 7)."""
    return functions if scale is None or shift is None else torch.addcmul(shift, scale, functions)
