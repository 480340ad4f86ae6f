"""Aggregation plus debiasing context (Eq. 6 to 9, 12 and 13) as one step with a gradient of its own.

It works through the nodes in slices: what is as small as that stays in the processor's
cache. Of a single slice it remembers what the gradient needs, of several its input alone:
the rest is computed anew.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._dense import total
from ._film import Film

if TYPE_CHECKING:
    from ._blocks import Block

Modulated = tuple[Tensor, Tensor | None, Tensor | None]
SLICE = 2**17  # entries of a slice, half a megabyte


def modulate(
    own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor, film_weight: Tensor | None,
    film_bias: Tensor | None, block: Block, weight: float,
) -> Modulated:  # fmt: skip
    """Add ``weight`` times the debiasing context to the aggregation, and sum up L3 and L4.

    Parameters
    ----------
    own : (n, d), the aggregated neighbourhood of each node
    context : (n, 2 d), the context of each node times theta_c,0 and theta_c,1, or (n, d) without contrast
        None: it stands beside ``own``, in the same matrix, whose further columns do not count.
    bias : (d,), of the aggregation
    function_bias : (2 d,) or (d,), of the functions f(c; theta_c,*)
    film_weight : (encoding_dim, 2 d), of gamma and beta; None: both are 0
    film_bias : (2 d,)
    block : Block
    weight : float, the paper's epsilon

    Returns
    -------
    (n, d) : aggregation + weight * D(v; theta of v's own group)
    scalar : sum of the share times ||D(v; theta of the other group)||^2; None without contrast or shares
    scalar : sum of the share times ||gamma||^2 + ||beta||^2; None without gamma and beta or shares
    """
    inputs = own, context, bias, function_bias, film_weight, film_bias
    outputs: Modulated = _Modulate.apply(*inputs, block, weight)
    return outputs


class _Modulate(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, own: Tensor, context: Tensor | None, bias: Tensor, function_bias: Tensor,
        film_weight: Tensor | None, film_bias: Tensor | None, block: Block, weight: float,
    ) -> Modulated:  # fmt: skip
        n, d = own.shape[0], bias.shape[0]
        joint = context is None
        source, biases = (own, torch.cat([bias, function_bias])) if context is None else (context, function_bias)
        film, of_film = None, None
        if film_weight is not None and film_bias is not None:
            film = Film(block.degree_encoding(len(film_weight)), film_weight, film_bias)
            of_film = None if block.share is None else film.squares(block.degree_share)
        modulated, of_other = own.new_empty(n, d), []
        slices = _slices(n, d)
        for rows in slices:
            at = _Slice(source, biases, film, block, rows, d, joint)
            aggregated = at.values[:, :d] if joint else _of(own, rows) + bias
            torch.add(aggregated, at.debiased[0], alpha=float(weight), out=_of(modulated, rows))  # Eq. 9
            if at.weighted is not None:
                of_other.append(total(at.weighted * at.debiased[1]))  # Eq. 12
        known = (at.functions, at.scale, at.weighted) if len(slices) == 1 else ()
        ctx.save_for_backward(source, biases, *known)
        ctx.block, ctx.film, ctx.weight, ctx.d, ctx.joint = block, film, weight, d, joint
        return modulated, reduce(torch.add, of_other) if of_other else None, of_film

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, g_of_other: Tensor, g_of_film: Tensor) -> tuple[Tensor | None, ...]:
        source, biases, *known = ctx.saved_tensors
        block, film, d, n, width = ctx.block, ctx.film, ctx.d, source.shape[0], biases.shape[0]
        g_source: Tensor | None = None
        bias_parts = []
        g_nodes = None if film is None else source.new_empty(2, n, d)  # of gamma + 1 and beta
        for rows in _slices(n, d):
            if known:
                functions, scale, weighted = known
            else:
                at = _Slice(source, biases, film, block, rows, d, ctx.joint)
                functions, scale, weighted = at.functions, at.scale, at.weighted
            of_rows = _of(grad, rows)
            g_values = grad.new_empty(width // d, len(of_rows), d)
            g_functions = g_values
            if ctx.joint:
                g_values[0] = of_rows
                g_functions = g_values[1:]
            torch.mul(of_rows, ctx.weight, out=g_functions[0])  # of D, as yet
            if weighted is None:
                g_functions[1:] = 0
            else:
                torch.mul(weighted, 2 * g_of_other, out=g_functions[1])
            if g_nodes is not None and scale is not None:
                g_scale, g_shift = g_nodes if rows is None else g_nodes[:, rows]
                torch.mul(g_functions[0], functions[0], out=g_scale)
                if weighted is None:
                    g_shift.copy_(g_functions[0])
                else:
                    g_scale.addcmul_(g_functions[1], functions[1])
                    torch.add(g_functions[0], g_functions[1], out=g_shift)
                g_functions *= scale
            part = block.node_by_node(g_values, rows, ctx.joint)
            g_source = _put(part, g_source, rows, source)
            bias_parts.append(part.sum(0))
        g_biases = reduce(torch.add, bias_parts)
        g_film: tuple[Tensor | None, Tensor | None] = None, None
        if film is not None and g_nodes is not None:
            of_degrees = [block.spread.transpose_times(each) for each in g_nodes]  # sums over nodes of equal degree
            g_film = film.gradients(torch.cat(of_degrees, dim=1), g_of_film)
        if ctx.joint:
            return g_source, None, g_biases[:d], g_biases[d:], *g_film, None, None
        return grad, g_source, grad.sum(0), g_biases, *g_film, None, None


class _Slice:
    """What is computed of some nodes; arrays are (kind, n, d), each kind contiguous.

    Attributes
    ----------
    values : (n, width), the input with biases
    functions : f(c; theta_c) of the nodes' own groups (Eq. 6) and, with contrast, then of the other groups
    scale : (n, d), gamma + 1
    debiased : D of both (Eq. 7)
    weighted : (n, d), D of the other group times the share; None where nothing is summed up
    """

    __slots__ = ("values", "functions", "scale", "debiased", "weighted")

    def __init__(
        self, source: Tensor, biases: Tensor, film: Film | None, block: Block, rows: slice | None, d: int, joint: bool
    ) -> None:
        self.values = _of(source, rows)[:, : biases.shape[0]] + biases
        self.functions = self.debiased = block.own_then_other(self.values, rows, d, joint)
        self.scale = self.weighted = None
        if film is not None:
            self.scale, shift = block.scale_then_shift(film.table, rows)
            self.debiased = torch.addcmul(shift, self.scale, self.functions)
        if len(self.functions) == 2 and block.share is not None:
            self.weighted = self.debiased[1] * _of(block.share, rows)[:, None]


def _slices(n: int, d: int) -> list[slice | None]:
    """None stands for all nodes, where they are few."""
    step = max(SLICE // d, 1)
    return [None] if n <= step else [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _of(value: Tensor, rows: slice | None) -> Tensor:
    return value if rows is None else value[rows]


def _put(part: Tensor, whole: Tensor | None, rows: slice | None, like: Tensor) -> Tensor:
    """Put the part of a slice in its place; if it is all, it is the whole."""
    if part.shape == like.shape:
        return part
    if whole is None:
        whole = torch.empty_like(like)
        whole[:, part.shape[1] :] = 0
    _of(whole, rows)[:, : part.shape[1]] = part
    return whole
