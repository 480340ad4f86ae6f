"""Neighbourhood aggregation of the base GNNs, AGGR of Eq. 4, behind one signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from ._attention import attend
from ._features import Features, FixedFeatures, propagate, transform
from ._random import glorot_, parameter

if TYPE_CHECKING:
    from ._blocks import Block

Gathered = tuple[Tensor, Tensor | None]  # the context is None where there is none, or where it stands beside the rest


class Aggregation(nn.Module):
    """A node's neighbourhood in one vector; the learned weights are the paper's omega^l.

    It has two steps: ``project`` is about single nodes, ``gather`` about neighbourhoods.
    Beside its own work it takes the context embedding (Eq. 5) times weights of the
    debiasing function, where there is one: they often share a product.

    Shapes: (n_before, d_in) -> (n_after, d_out), before a bias is added, and (n_after, width of the context).
    """

    operator: str  # the part of a Block that it reads

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.weight = parameter(d_in, d_out)
        self.bias = parameter(d_out)

    def reset_parameters(self, generator: torch.Generator) -> None:
        glorot_(self.weight, generator)
        nn.init.zeros_(self.bias)

    def forward(self, h: Features, block: Block, context_weight: Tensor | None = None) -> Gathered:
        """The aggregation and, if given weights for it, the weighted context embedding."""
        return self.gather(self.project(h, context_weight), block)

    def weights_of_context(self, block: Block) -> Tensor | None:
        """Weights such that the aggregation is the context embedding times these, if there are such."""
        return None

    def project(self, h: Features, context_weight: Tensor | None) -> Tensor:
        """All that is linear in single nodes, and beside it the same for the context."""
        weights = self._weights() if context_weight is None else torch.cat([self._weights(), context_weight], dim=1)
        return rounded(lambda weight: transform(h, weight), weights)

    def gather(self, projected: Tensor, block: Block) -> Gathered:
        """From what ``project`` gave to neighbourhoods."""
        raise NotImplementedError

    def _weights(self) -> Tensor:
        return self.weight


class GCN(Aggregation):
    """Mean over the neighbours and the node itself, of linearly transformed features."""

    operator = "closed_mean"

    def weights_of_context(self, block: Block) -> Tensor | None:
        return self.weight if block.closed_mean is block.context else None  # one mean serves both

    def forward(self, h: Features, block: Block, context_weight: Tensor | None = None) -> Gathered:
        if context_weight is None:
            return rounded(lambda weight: propagate(block.closed_mean, h, weight), self.weight), None
        if self.weights_of_context(block) is not None:
            both = torch.cat([self.weight, context_weight], dim=1)
            return propagate(block.context, h, padded(both)), None
        return propagate(block.closed_mean, h, self.weight), propagate(block.context, h, context_weight)

    def gather(self, projected: Tensor, block: Block) -> Gathered:
        return with_context(block.closed_mean @ projected[:, : self.d_out], projected[:, self.d_out :], block)


class SAGE(Aggregation):
    """GraphSAGE: the node itself and the mean over its neighbours, each with weights of its own."""

    operator = "open_mean"

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__(d_in, d_out)
        self.weight_self = parameter(d_in, d_out)

    def reset_parameters(self, generator: torch.Generator) -> None:
        super().reset_parameters(generator)
        glorot_(self.weight_self, generator)

    def forward(self, h: Features, block: Block, context_weight: Tensor | None = None) -> Gathered:
        if not isinstance(h, FixedFeatures):
            return super().forward(h, block, context_weight)
        own = block.of(transform(h, self.weight_self)) + propagate(block.open_mean, h, self.weight)
        return own, None if context_weight is None else propagate(block.context, h, context_weight)

    def gather(self, projected: Tensor, block: Block) -> Gathered:
        of_self, of_others, context = projected.split(
            [self.d_out, self.d_out, projected.shape[1] - 2 * self.d_out], dim=1
        )
        return with_context(block.of(of_self) + block.open_mean @ of_others, context, block)

    def _weights(self) -> Tensor:
        return torch.cat([self.weight_self, self.weight], dim=1)


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

    def forward(self, h: Features, block: Block, context_weight: Tensor | None = None) -> Gathered:
        own = self.gather(self.project(h, None), block)[0]
        return own, None if context_weight is None else propagate(block.context, h, context_weight)

    def gather(self, projected: Tensor, block: Block) -> Gathered:
        widths = [self.weight.shape[1], self.n_heads, self.n_heads]
        z, listening, speaking, context = projected.split([*widths, projected.shape[1] - sum(widths)], dim=1)
        z = z.unflatten(1, (self.n_heads, self.head_width)).transpose(0, 1)
        heads = attend(z, block.of(listening).T, speaking.T, block.attention)
        gathered = heads.mean(0) if self.average_heads else heads.transpose(0, 1).reshape(-1, self.d_out)
        return with_context(gathered, context, block)

    def _weights(self) -> Tensor:
        """Those of the messages, and what they make of the vectors that a node listens and speaks with."""
        d_in, vectors = len(self.weight), torch.cat([self.listening, self.speaking], dim=1)
        by_head = self.weight.view(d_in, self.n_heads, self.head_width).transpose(0, 1)
        scores = torch.bmm(by_head, vectors.transpose(1, 2))  # (n_heads, d_in, 2)
        return torch.cat([self.weight, scores.permute(1, 2, 0).reshape(d_in, -1)], dim=1)


def with_context(own: Tensor, context: Tensor, block: Block) -> Gathered:
    """The aggregation and, if anything was projected for it, the context."""
    return own, block.context @ context if context.shape[1] else None


def rounded(product: Callable[[Tensor], Tensor], weight: Tensor) -> Tensor:
    """The product with a weight, taken with 16, 24, 32 or more columns: others take up to three times as long."""
    wider = padded(weight)
    return product(weight) if wider is weight else product(wider)[:, : weight.shape[1]]


def padded(weight: Tensor) -> Tensor:
    missing = max(16 - weight.shape[1], -weight.shape[1] % 8)
    return pad(weight, (0, missing)) if missing else weight


BACKBONES: dict[str, type[Aggregation]] = {"gcn": GCN, "sage": SAGE, "gat": GAT}
