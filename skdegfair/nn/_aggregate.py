"""Neighbourhood aggregation of the base GNNs, AGGR of Eq. 4, behind one signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ._attention import attend
from ._random import glorot_, parameter
from ._sparse import Features, propagate, transform

if TYPE_CHECKING:
    from ._tensors import GraphTensors


class Aggregation(nn.Module):
    """A node's neighbourhood in one vector; the learned weights are the paper's omega^l.

    Shapes: (n_nodes, d_in) -> (n_nodes, d_out).
    """

    operator: str  # the part of GraphTensors that it reads

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.weight = parameter(d_in, d_out)
        self.bias = parameter(d_out)

    def reset_parameters(self, generator: torch.Generator) -> None:
        glorot_(self.weight, generator)
        nn.init.zeros_(self.bias)

    def forward(self, h: Features, graph: GraphTensors) -> Tensor:
        raise NotImplementedError

    def with_context(self, h: Features, graph: GraphTensors, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The aggregation, and beside it the context embedding (Eq. 5) times ``weight``."""
        return self(h, graph), propagate(graph.context, h, weight)


class GCN(Aggregation):
    """Mean over the neighbours and the node itself, of linearly transformed features."""

    operator = "closed_mean"

    def forward(self, h: Features, graph: GraphTensors) -> Tensor:
        return propagate(graph.closed_mean, h, self.weight) + self.bias

    def with_context(self, h: Features, graph: GraphTensors, weight: Tensor) -> tuple[Tensor, Tensor]:
        if graph.closed_mean is not graph.context:
            return super().with_context(h, graph, weight)
        both = propagate(graph.context, h, torch.cat([self.weight, weight], dim=1))  # one mean serves both
        return both[:, : self.d_out] + self.bias, both[:, self.d_out :]


class SAGE(Aggregation):
    """GraphSAGE: the node itself and the mean over its neighbours, each with weights of its own."""

    operator = "open_mean"

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__(d_in, d_out)
        self.weight_self = parameter(d_in, d_out)

    def reset_parameters(self, generator: torch.Generator) -> None:
        super().reset_parameters(generator)
        glorot_(self.weight_self, generator)

    def forward(self, h: Features, graph: GraphTensors) -> Tensor:
        return transform(h, self.weight_self) + propagate(graph.open_mean, h, self.weight) + self.bias


class GAT(Aggregation):
    """Attention over the neighbours and the node itself.

    The heads share the width and their results stand side by side. In a layer
    whose outputs are classes, each head is of full width and they are averaged.
    """

    operator = "attention"

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__(d_in, d_out)
        self.n_heads, self.average_heads = n_heads, average_heads
        self.head_width = d_out if average_heads else d_out // n_heads
        self.weight = parameter(d_in, n_heads * self.head_width)
        self.listening = parameter(n_heads, 1, self.head_width)
        self.speaking = parameter(n_heads, 1, self.head_width)

    def reset_parameters(self, generator: torch.Generator) -> None:
        super().reset_parameters(generator)
        for head in range(self.n_heads):
            glorot_(self.listening[head], generator)
            glorot_(self.speaking[head], generator)

    def forward(self, h: Features, graph: GraphTensors) -> Tensor:
        z = transform(h, self.weight).view(-1, self.n_heads, self.head_width).transpose(0, 1).contiguous()
        heads = attend(z, (z * self.listening).sum(2), (z * self.speaking).sum(2), graph.attention)
        if self.average_heads:
            return heads.mean(0) + self.bias
        return heads.transpose(0, 1).reshape(-1, self.d_out) + self.bias


BACKBONES: dict[str, type[Aggregation]] = {"gcn": GCN, "sage": SAGE, "gat": GAT}
