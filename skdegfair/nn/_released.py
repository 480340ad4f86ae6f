"""The arithmetic of the authors' released code, where it departs from the paper's equations.

Kept apart from the paper's, so that the numbers the paper reports can be traced.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, leaky_relu

from ._features import Features, transform
from ._loss import Objective
from ._module import DegFairGNN, Penalties, add_penalties
from ._random import Dropout, parameter
from ._sparse import SparseOperator
from ._tensors import GraphRows, GraphTensors, NodeBatch


class ReleasedLayer(nn.Module):
    """A layer of the released code, activation included.

    Shapes: (n_nodes, d_in) -> (n_nodes, d_out), for "sage" (n_nodes, 2 d_out).
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        backbone: str,
        encoding_dim: int,
        context_weight: float,
        modulation: bool,
        contrast: bool,
        scale_shift: bool,
        seed: int,
    ) -> None:
        super().__init__()
        self.backbone, self.encoding_dim, self.context_weight = backbone, encoding_dim, context_weight
        self.contrast, self.d_out = contrast, d_out
        self.weight, self.bias = parameter(d_in, d_out), parameter(d_out)
        self.attention = parameter(2, d_out) if backbone == "gat" else None
        self.edge_dropout = Dropout(0.5, seed) if backbone == "gat" else None
        self.context = parameter(d_out, (2 if contrast else 1) * d_out) if modulation else None
        self.film_weight = parameter(encoding_dim, 2 * d_out) if modulation and scale_shift else None
        self.film_bias = parameter(2 * d_out) if modulation and scale_shift else None

    def reset_parameters(self, generator: torch.Generator) -> None:
        _as_linear(self.weight, len(self.weight), generator)
        _as_linear(self.bias, len(self.weight), generator)
        if self.attention is not None:
            bound = 1.414 * math.sqrt(6 / (1 + 2 * self.d_out))
            nn.init.uniform_(self.attention, -bound, bound, generator=generator)
        if self.context is not None:
            _as_linear(self.context, self.d_out, generator)
        if self.film_weight is not None and self.film_bias is not None:
            nn.init.uniform_(self.film_weight, generator=generator)  # from 0 to 1
            nn.init.uniform_(self.film_bias, generator=generator)

    def forward(self, x: Features, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        graph = batch.graph
        degree = graph.degrees[graph.degree_code, None].to(self.weight.dtype)
        linear = transform(x, self.weight)
        h = (linear + self.bias) * math.sqrt(self.encoding_dim)
        mean = graph.open_mean @ h  # of the neighbours; 0 where there are none
        added, penalties = self._context(mean, batch)
        if self.backbone == "gcn":
            out = (degree * mean + h + added) / (degree + 1)
        elif self.backbone == "sage":
            out = torch.cat([h, (degree * (graph.open_mean @ linear) + self.bias + added) / (degree + 1)], dim=1)
        else:
            total, weights = self._attend(h, graph)
            out = (total + added) / (weights + 1e-5 + 1)
        return leaky_relu(out), penalties

    def _context(self, mean: Tensor, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        """What is added to the sum over the neighbours, and the penalties: norms that are not squared."""
        if self.context is None:
            return torch.zeros_like(mean), {}
        graph = batch.graph
        functions = transform(mean, self.context).split(self.d_out, dim=1)
        own = torch.where(graph.low, functions[0], functions[-1])
        penalties: Penalties = {}
        if self.film_weight is not None and self.film_bias is not None:
            film = leaky_relu(graph.degree_encoding(self.encoding_dim) @ self.film_weight + self.film_bias)
            gamma, beta = (graph.spread @ film).split(self.d_out, dim=1)
            own = (gamma + 1) * own + beta
            norms = sum(part.norm(dim=1) for part in film.split(self.d_out, dim=1))
            penalties["scale_shift"] = batch.whole.degree_share[:, 0] @ norms
        if self.contrast:
            penalties["context"] = batch.whole.share @ own.norm(dim=1)  # of the context in use, not of the other one
            own = torch.where(graph.low, own, -own)  # that of nodes of high degree is subtracted
        return self.context_weight * own, penalties

    def _attend(self, h: Tensor, graph: GraphTensors) -> tuple[Tensor, Tensor]:
        """Weighted sum over the neighbours and the sum of the weights; the more alike, the less they weigh."""
        assert self.attention is not None
        assert self.edge_dropout is not None
        pattern = cast(SparseOperator, graph.open_mean).forward
        target = pattern.col_indices().long()
        source = torch.repeat_interleave(torch.arange(len(h), device=h.device), pattern.crow_indices().diff().long())
        listening, speaking = h @ self.attention[0], h @ self.attention[1]
        weight = torch.exp(-leaky_relu(listening[source] + speaking[target]))
        weights = torch.zeros_like(h[:, :1]).index_add(0, source, weight[:, None])
        messages = self.edge_dropout(weight[:, None]) * h[target]
        return torch.zeros_like(h).index_add(0, source, messages), weights


class Heads(nn.Module):
    """Layers side by side, with the mean of their penalties."""

    def __init__(self, heads: list[ReleasedLayer]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)

    def reset_parameters(self, generator: torch.Generator) -> None:
        for head in self.heads:
            cast(ReleasedLayer, head).reset_parameters(generator)

    def forward(self, x: Features, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        outputs = [head(x, batch) for head in self.heads]
        total: Penalties = {}
        for _, penalties in outputs:
            add_penalties(total, penalties)
        means = {name: value / len(outputs) for name, value in total.items()}
        return torch.cat([output for output, _ in outputs], dim=1), means


class Readout(nn.Module):
    """The linear classifier after the last layer. Shapes: (n_nodes, d_in) -> (n_nodes, n_classes)."""

    def __init__(self, d_in: int, n_classes: int) -> None:
        super().__init__()
        self.weight, self.bias = parameter(d_in, n_classes), parameter(n_classes)

    def reset_parameters(self, generator: torch.Generator) -> None:
        _as_linear(self.weight, len(self.weight), generator)
        _as_linear(self.bias, len(self.weight), generator)

    def forward(self, h: Tensor, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        return transform(h, self.weight) + self.bias, {}


class ReleasedGNN(DegFairGNN):
    """The network of the released code. It differs from the paper's equations in this:

    The representations are multiplied by the square root of the length of the degree
    encoding. The context is the mean over the neighbours alone, of transformed
    representations. gamma and beta pass a leaky ReLU, and start from 0 to 1. Contexts are
    added before the division by the degree, those of high degree with a minus. The
    penalties are norms, not their squares, and L3 is on the context in use. "Low" is below
    the threshold, not at it. For "gcn" and "sage" a linear classifier follows the layers;
    "sage" has layers of a half and a quarter of ``hidden_dim``; "gat" has no self loops and
    weighs neighbours by the exponential of the negative score. Dropout of the input of
    "gat" is left out. The release has ``hidden_dim=48, n_heads=3`` for "gat".

    Parameters
    ----------
    As for DegFairGNN.
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
        nn.Module.__init__(self)  # layers of its own; what is done with them is inherited
        self.seed, self.operators = seed, {"open_mean", "degrees"}

        def layer(d_in: int, d_out: int, number: int = 0) -> ReleasedLayer:
            return ReleasedLayer(
                d_in,
                d_out,
                backbone=backbone,
                encoding_dim=degree_encoding_dim or d_out,
                context_weight=context_weight,
                modulation=modulation,
                contrast=contrast,
                scale_shift=scale_shift,
                seed=seed + 1 + number,  # each drops edges of its own
            )

        layers: list[nn.Module] = []
        d_in = n_features
        for number in range(1, n_layers + (backbone != "gat")):
            if backbone == "gat":
                heads = range((number - 1) * n_heads, number * n_heads)
                layers.append(Heads([layer(d_in, hidden_dim // n_heads, head) for head in heads]))
                d_in = hidden_dim
            elif backbone == "sage":
                layers.append(layer(d_in, max(1, hidden_dim // 2**number)))
                d_in = 2 * max(1, hidden_dim // 2**number)
            else:
                layers.append(layer(d_in, hidden_dim))
                d_in = hidden_dim
        layers.append(layer(d_in, n_classes, n_layers * n_heads) if backbone == "gat" else Readout(d_in, n_classes))
        self.layers = nn.ModuleList(layers)
        self.dropout = Dropout(dropout, seed)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew from the seed."""
        generator = torch.Generator().manual_seed(self.seed)
        for layer in self.layers:
            cast(ReleasedLayer, layer).reset_parameters(generator)

    def forward(self, batch: NodeBatch) -> tuple[Tensor, Penalties]:
        """As of DegFairGNN; the layers read the whole graph, the last one too."""
        h, penalties = self._hidden(batch)
        logits, last = self.layers[-1](h, batch)
        add_penalties(penalties, last)
        return logits[batch.nodes], penalties

    @torch.no_grad()
    def infer(self, source: GraphRows, nodes: NDArray[np.intp], n_layers: int | None = None) -> Tensor:
        """As of DegFairGNN."""
        batch = NodeBatch(source.tensors().to(next(self.parameters()).device), nodes)
        return self(batch)[0] if n_layers is None else cast(Tensor, self._hidden(batch)[0])[batch.nodes]

    def _hidden(self, batch: NodeBatch) -> tuple[Features, Penalties]:
        h: Features = batch.graph.x
        penalties: Penalties = {}
        for layer in self.layers[:-1]:
            h, added = layer(h, batch)
            h = self.dropout(h)
            add_penalties(penalties, added)
        return h, penalties


class ReleasedObjective(Objective):
    """The objective of the released code: L2 is the mean over classes of the squared gap of mean log probabilities.

    Its groups are the batch's nodes below and not below the mean degree of the batch.
    """

    def terms(self, output: tuple[Tensor, dict[str, Tensor]], y: Tensor, batch: NodeBatch) -> dict[str, Tensor]:
        logits, penalties = output
        degree = batch.graph.degrees[batch.graph.degree_code[batch.nodes]]
        low = degree < degree.mean()
        fairness = logits.new_zeros(())
        if low.any() and not low.all():
            log_probability = logits.log_softmax(1)
            fairness = (log_probability[low].mean(0) - log_probability[~low].mean(0)).square().mean()
        return {"classification": cross_entropy(logits, y), "fairness": fairness} | penalties


def _as_linear(weight: nn.Parameter, fan_in: int, generator: torch.Generator) -> None:
    """As torch initialises a Linear layer."""
    nn.init.uniform_(weight, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in), generator=generator)
