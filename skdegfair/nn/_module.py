"""The network: modulated layers from features to logits, and the penalties on the way."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ._aggregate import BACKBONES, Aggregation
from ._blocks import Block
from ._context import DebiasingFunction
from ._features import Features, FixedFeatures
from ._infer import infer
from ._random import Dropout
from ._tensors import GraphRows, NodeBatch

Penalties = dict[str, Tensor]


class ModulatedLayer(nn.Module):
    """One layer of Eq. 9 before its activation: aggregation plus the weighted debiasing context.

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    aggregate: Aggregation
    debias: DebiasingFunction | None

    def __init__(
        self, aggregate: Aggregation, debias: DebiasingFunction | None = None, *, context_weight: float = 0.0
    ) -> None:
        super().__init__()
        self.aggregate, self.debias, self.context_weight = aggregate, debias, context_weight

    def forward(self, h: Features, block: Block) -> tuple[Tensor, Penalties]:
        if self.debias is not None and isinstance(h, FixedFeatures) and self.debias.pays_by_degree(block):
            of_context = self.aggregate.weights_of_context(block)
            own = self.aggregate(h, block)[0] if of_context is None else None
            fixed = own, of_context, h.by_degree(block)
            return self.debias.by_degree(*fixed, self.aggregate.bias, block, self.context_weight)
        own, context = self.aggregate(h, block, self.context_functions())
        return self.finish(own, context, block)

    def context_functions(self) -> Tensor | None:
        """Weights of the debiasing function, by which contexts are multiplied."""
        return None if self.debias is None else self.debias.weight

    def finish(self, own: Tensor, context: Tensor | None, block: Block) -> tuple[Tensor, Penalties]:
        """From what the aggregation gave to the output."""
        if self.debias is None:
            return own + self.aggregate.bias, {}
        modulated: tuple[Tensor, Penalties] = self.debias(own, context, self.aggregate.bias, block, self.context_weight)
        return modulated


class DegFairGNN(nn.Module):
    """The paper's network; without modulation it is the base GNN.

    Parameters
    ----------
    n_features, n_classes : int
    backbone : {"gcn", "gat", "sage"}, default="gcn"
    hidden_dim : int, default=32
    n_layers : int, default=2
        The last layer gives one output per class.
    n_heads : int, default=1
        Attention heads of GAT.
    context_weight : float, default=1.0
        The paper's epsilon.
    modulation, contrast, scale_shift : bool, default=True
        False gives the paper's ablations.
    degree_encoding_dim : int or None, default=32
        None takes the width of each layer, as the paper writes it.
    dropout : float, default=0.5
        Of the hidden representations.
    seed : int, default=0
        Of the initial weights and of dropout. The weights of the base GNN do not
        depend on whether there is a debiasing function.
    """

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        *,
        backbone: str = "gcn",
        hidden_dim: int = 32,
        n_layers: int = 2,
        n_heads: int = 1,
        context_weight: float = 1.0,
        modulation: bool = True,
        contrast: bool = True,
        scale_shift: bool = True,
        degree_encoding_dim: int | None = 32,
        dropout: float = 0.5,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.seed = seed
        self.operators = {BACKBONES[backbone].operator} | ({"context"} if modulation else set())
        layers = []
        widths = [n_features] + [hidden_dim] * (n_layers - 1) + [n_classes]
        for number, (d_in, d_out) in enumerate(pairwise(widths), start=1):
            aggregate = BACKBONES[backbone](d_in, d_out, n_heads=n_heads, average_heads=number == n_layers)
            debias = None
            if modulation:
                encoding_dim = d_out if degree_encoding_dim is None else degree_encoding_dim
                debias = DebiasingFunction(
                    d_in, d_out, encoding_dim=encoding_dim, scale_shift=scale_shift, contrast=contrast
                )
            layers.append(ModulatedLayer(aggregate, debias, context_weight=context_weight))
        self.layers = nn.ModuleList(layers)
        self.activation = nn.LeakyReLU()
        self.dropout = Dropout(dropout, seed)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew from the seed, those of the base GNN first."""
        generator = torch.Generator().manual_seed(self.seed)
        layers = cast(list[ModulatedLayer], list(self.layers))
        for layer in layers:
            layer.aggregate.reset_parameters(generator)
        for layer in layers:
            if layer.debias is not None:
                layer.debias.reset_parameters(generator)

    def forward(self, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        """Logits of the batch, (n_batch, n_classes), and the sums over all layers of each penalty."""
        h: Features = batch.x
        penalties: Penalties = {}
        blocks = batch.blocks(len(self.layers))
        for layer, block in zip(self.layers, blocks, strict=True):
            if layer is not self.layers[0]:
                h = self.dropout(h, block.keys, slope=self.activation.negative_slope)  # Eq. 9
            h, added = layer(h, block)
            add_penalties(penalties, added)
        return cast(Tensor, h), penalties

    def infer(self, source: GraphRows, nodes: NDArray[np.intp], n_layers: int | None = None) -> Tensor:
        """Logits of some nodes, or what the first ``n_layers`` layers give, activated: (n_nodes, d_out)."""
        layers = cast(list[ModulatedLayer], list(self.layers))[:n_layers]
        return infer(layers, self.activation, source, nodes, activate_last=n_layers is not None)


def add_penalties(total: Penalties, part: Penalties) -> None:
    """Add each penalty of a layer to the sum over layers."""
    for name, value in part.items():
        total[name] = total[name] + value if name in total else value
