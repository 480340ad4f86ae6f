"""The debiasing context: what is added to a neighbourhood that is too poor or too rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from ._dense import dense_product
from ._random import glorot_, parameter

if TYPE_CHECKING:
    from ._tensors import GraphTensors


def degree_encoding(degree: Tensor, dim: int) -> Tensor:
    """Encode degrees by sines and cosines, so that similar degrees get similar codes.

    [delta(v)]_2i = sin(deg(v) / 10000^(2i / dim)), [delta(v)]_2i+1 = cos(the same).

    Shapes: (n,) -> (n, dim), float64.
    """
    column = torch.arange(dim, device=degree.device)
    even = column - column % 2
    angle = degree[:, None].double() / 10000 ** (even.double() / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


class Debiased(NamedTuple):
    """What the debiasing function gives for a layer; ``other`` and ``scale``, ``shift`` where it has them."""

    own: Tensor  # (n_nodes, d_out), D(v; theta_0) for v in S_0 and D(v; theta_1) for v in S_1
    other: Tensor | None  # (n_nodes, d_out), the other way round
    scale: Tensor | None  # (n_distinct, d_out), gamma of each distinct degree
    shift: Tensor | None  # (n_distinct, d_out), beta of each distinct degree


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
        self.d_out, self.encoding_dim, self.contrast = d_out, encoding_dim, contrast
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

    def forward(self, context: Tensor, graph: GraphTensors) -> Debiased:
        """``context`` is the context embedding times ``weight``: (n_nodes, n_functions * d_out)."""
        functions = (context + self.bias).split(self.d_out, dim=1)  # f(c_v; theta_c,*), Eq. 6
        if self.contrast:
            own = torch.where(graph.low, functions[0], functions[1])
            other = torch.where(graph.low, functions[1], functions[0])
        else:
            own, other = functions[0], None
        if self.film_weight is None or self.film_bias is None:
            return Debiased(own, other, None, None)
        film = dense_product(graph.degree_encoding(self.encoding_dim), self.film_weight) + self.film_bias  # Eq. 8
        gamma, beta = (graph.spread @ film).split(self.d_out, dim=1)
        scale, shift = film.split(self.d_out, dim=1)
        own = (gamma + 1) * own + beta  # Eq. 7
        other = None if other is None else (gamma + 1) * other + beta
        return Debiased(own, other, scale, shift)
