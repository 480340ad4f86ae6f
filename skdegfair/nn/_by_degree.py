"""The debiasing context of fixed features: weights for each degree in place of values for each node.

gamma, beta and the group hang on the degree alone, and D is linear in the context, so that
D(v; theta) = [c_v, 1] U with one matrix U for all nodes of a degree (Eq. 6 and 7). Where the
features are few and the same in every epoch, these matrices are smaller than arrays of
all nodes, and the sum over nodes of Eq. 12 needs no more than the features' second moments.
What is kept for it are the features twice, each with its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._dense import total
from ._film import Film
from ._modulate import Modulated
from ._sparse import SparseOperator, product

if TYPE_CHECKING:
    from ._blocks import Block


FEW = 32  # features: with more of them, dense products with values of all nodes are faster


def pays(n_nodes: int, n_distinct: int, n_features: int, d_out: int) -> bool:
    """Whether matrices for all degrees are less work than arrays of all nodes."""
    return n_features <= FEW and n_features < d_out and n_distinct * (n_features + 1) <= n_nodes


class ContextByDegree:
    """[c_v, 1] of each node after a layer, in the columns of its degree.

    Parameters
    ----------
    context : (n, p), the context embeddings (Eq. 5)
    block : Block

    Attributes
    ----------
    matrix : operator (n, n_distinct (p + 1))
    """

    __slots__ = ("matrix", "_filled", "_high", "_spreads", "_moments")
    _filled: Tensor  # (n, p + 1), the values of the matrix

    def __init__(self, context: Tensor, block: Block) -> None:
        (n, p), n_distinct = context.shape, block.degrees.shape[0]
        code = block.degree_code.cpu().numpy()
        filled = torch.cat([context, context.new_ones(n, 1)], dim=1)
        columns = (p + 1) * code[:, None] + np.arange(p + 1)
        parts = filled.cpu().numpy().ravel(), columns.ravel(), (p + 1) * np.arange(n + 1)
        matrix = sp.csr_array(parts, shape=(n, n_distinct * (p + 1)))
        self.matrix = SparseOperator(matrix, context.dtype).to(context.device)
        self._filled = self.matrix.forward.values().view(n, p + 1)
        self._high = np.zeros(n_distinct, dtype=np.intp)
        self._high[code] = ~block.low[:, 0].cpu().numpy()
        self._spreads: dict[int, SparseOperator] = {}
        self._moments: dict[Tensor, Tensor] = {}

    def spread(self, n_functions: int) -> SparseOperator:
        """From the rows of theta_c,0 and theta_c,1 to those of each degree, own group and then the other one."""
        if n_functions not in self._spreads:
            q = self._filled.shape[1]
            groups = np.stack([self._high, 1 - self._high]) if n_functions == 2 else np.zeros((1, len(self._high)), int)
            rows = (groups[:, :, None] + n_functions * np.arange(q)).ravel()
            parts = np.ones(len(rows)), rows, np.arange(len(rows) + 1)
            one_hot = sp.csr_array(parts, shape=(len(rows), n_functions * q))
            self._spreads[n_functions] = SparseOperator(one_hot, self._filled.dtype).to(self._filled.device)
        return self._spreads[n_functions]

    def moments(self, share: Tensor) -> Tensor:
        """Sums over the nodes of a degree of the share times [c_v, 1]^T [c_v, 1]: (n_distinct, p + 1, p + 1)."""
        if share not in self._moments:
            sums = self.matrix.transpose_times(self._filled * share[:, None])
            self._moments[share] = sums.view(-1, sums.shape[1], sums.shape[1])
        return self._moments[share]


def modulate_by_degree(
    own: Tensor | None, of_context: Tensor | None, context: ContextByDegree, bias: Tensor, function_weight: Tensor,
    function_bias: Tensor, film_weight: Tensor | None, film_bias: Tensor | None, block: Block, weight: float,
) -> Modulated:  # fmt: skip
    """As ``modulate``, of contexts that are fixed.

    Parameters
    ----------
    own : (n, d), the aggregated neighbourhood of each node
    of_context : (p, d), in place of ``own`` where the aggregation is the context times these weights
    context : ContextByDegree
    function_weight : (p, 2 d), or (p, d) without contrast, of the functions f(c; theta_c,*)
    bias, function_bias, film_weight, film_bias, block, weight : as for ``modulate``
    """
    inputs = own, of_context, bias, function_weight, function_bias, film_weight, film_bias
    outputs: Modulated = _ModulateByDegree.apply(*inputs, context, block, float(weight))
    return outputs


class _ModulateByDegree(torch.autograd.Function):
    """Matrices are (own or other group, n_distinct, p + 1, d); without contrast there is but the first."""

    @staticmethod
    def forward(
        ctx: Any, own: Tensor | None, of_context: Tensor | None, bias: Tensor, function_weight: Tensor,
        function_bias: Tensor, film_weight: Tensor | None, film_bias: Tensor | None, context: ContextByDegree,
        block: Block, weight: float,
    ) -> Modulated:  # fmt: skip
        d = bias.shape[0]
        spread = context.spread(function_bias.shape[0] // d)
        theta = torch.cat([function_weight, function_bias[None]])
        functions = product(spread.forward, theta.view(-1, d)).view(-1, len(block.degrees), len(theta), d)
        film, scale, debias, of_film, of_moments, of_other = None, None, functions, None, None, None
        if film_weight is not None and film_bias is not None:
            film = Film(block.degree_encoding(len(film_weight)), film_weight, film_bias)
            of_film = None if block.share is None else film.squares(block.degree_share)
            scale, shift = film.table.unsqueeze(1).split(d, dim=2)
            debias = functions * scale
            debias.narrow(2, -1, 1).add_(shift)  # U of Eq. 7
        if len(functions) == 2 and block.share is not None:
            of_moments = torch.bmm(context.moments(block.share), debias[1])
            of_other = total((of_moments * debias[1]).view(-1, d))  # Eq. 12
        if own is None:  # Eq. 9
            assert of_context is not None
            table = torch.add(torch.cat([of_context, bias[None]]), debias[0], alpha=weight)
            modulated = product(context.matrix.forward, table.view(-1, d))
        else:
            modulated = (own + bias).addmm_(context.matrix.forward, debias[0].view(-1, d), alpha=weight)
        ctx.save_for_backward(functions, scale, of_moments)
        ctx.context, ctx.spread, ctx.film, ctx.weight, ctx.alone = context, spread, film, weight, own is None
        return modulated, of_other, of_film

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, g_of_other: Tensor, g_of_film: Tensor) -> tuple[Tensor | None, ...]:
        functions, scale, of_moments = ctx.saved_tensors
        d, g_debias = grad.shape[1], torch.empty_like(functions)
        g_table = ctx.context.matrix.transpose_times(grad).view(functions.shape[1:])
        torch.mul(g_table, ctx.weight, out=g_debias[0])
        if of_moments is not None:
            torch.mul(of_moments, 2 * g_of_other, out=g_debias[1])
        else:
            g_debias[1:] = 0
        g_film: tuple[Tensor | None, Tensor | None] = None, None
        if ctx.film is not None:
            g_scale, g_shift = (functions * g_debias).sum((0, 2)), g_debias.select(2, -1).sum(0)
            g_film = ctx.film.gradients(torch.cat([g_scale, g_shift], dim=1), g_of_film)
            g_debias *= scale
        g_theta = ctx.spread.transpose_times(g_debias.view(-1, d)).view(functions.shape[2], -1)
        over_degrees = g_table.sum(0)
        g_own = (None, over_degrees[:-1]) if ctx.alone else (grad, None)
        return *g_own, over_degrees[-1], g_theta[:-1], g_theta[-1], *g_film, None, None, None
