"""The debiasing context: what is added to a neighbourhood that is too poor or too rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ._by_degree import ContextByDegree, modulate_by_degree, pays
from ._modulate import modulate
from ._random import glorot_, parameter

if TYPE_CHECKING:
    from ._blocks import Block

Modulated = tuple[Tensor, dict[str, Tensor]]


class DebiasingFunction(nn.Module):
    """D(v; theta_*) = (gamma_v + 1) * f(c_v; theta_c,*) + beta_v for both groups (Eq. 6 to 8).

    ``f`` is a fully connected layer for each group. gamma and beta come from fully
    connected layers that both groups share; they depend on the degree alone and
    are computed once for each distinct degree.

    Parameters
    ----------
    d_in, d_out : int
    encoding_dim : int
        Length of the degree encoding.
    scale_shift : bool, default=True
        False is the paper's ablation without gamma and beta.
    contrast : bool, default=True
        False is the paper's ablation with one function for all nodes.
    """

    def __init__(
        self, d_in: int, d_out: int, *, encoding_dim: int, scale_shift: bool = True, contrast: bool = True
    ) -> None:
        super().__init__()
        self.d_out = d_out
        n_functions = 2 if contrast else 1
        self.weight = parameter(d_in, n_functions * d_out)  # [theta_c,0 | theta_c,1]
        self.bias = parameter(n_functions * d_out)
        self.film_weight = parameter(encoding_dim, 2 * d_out) if scale_shift else None
        self.film_bias = parameter(2 * d_out) if scale_shift else None

    def reset_parameters(self, generator: torch.Generator) -> None:
        for function in self.weight.split(self.d_out, dim=1):
            glorot_(function, generator)
        nn.init.zeros_(self.bias)
        if self.film_weight is not None and self.film_bias is not None:
            nn.init.zeros_(self.film_weight)  # start from gamma = beta = 0
            nn.init.zeros_(self.film_bias)

    def forward(self, own: Tensor, context: Tensor | None, bias: Tensor, block: Block, epsilon: float) -> Modulated:
        """Add the debiasing context to the aggregation, and give the layer's part of L3 and L4.

        ``own`` is the aggregation, ``bias`` its bias, ``context`` the context embedding times
        ``weight``: (n_after, n_functions * d_out); None: it stands beside ``own`` in one matrix.
        """
        film = self.film_weight, self.film_bias
        return _by_name(*modulate(own, context, bias, self.bias, *film, block, epsilon))

    def pays_by_degree(self, block: Block) -> bool:
        """Whether ``by_degree`` is the faster way."""
        return pays(len(block.low), len(block.degrees), len(self.weight), self.d_out)

    def by_degree(
        self, own: Tensor | None, of_context: Tensor | None, context: ContextByDegree, bias: Tensor, block: Block,
        epsilon: float,
    ) -> Modulated:  # fmt: skip
        """The same where the context embeddings are fixed; ``own`` or ``of_context`` as for ``modulate_by_degree``."""
        parameters = bias, self.weight, self.bias, self.film_weight, self.film_bias
        return _by_name(*modulate_by_degree(own, of_context, context, *parameters, block, epsilon))


def _by_name(modulated: Tensor, of_other: Tensor | None, of_film: Tensor | None) -> Modulated:
    parts = {"context": of_other, "scale_shift": of_film}  # Eq. 12 and 13, as means over the batch
    return modulated, {name: part for name, part in parts.items() if part is not None}
