"""The arithmetic of the authors' released code, where it departs from the paper's equations.

It is separate from the implementation of the equations, so that the numbers that the paper reports can be traced.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..graph import Graph, learn_threshold
from ..nn import GNN, Architecture, Batch, Block, Linear, OpenMean, Output, Term, Terms, Topology
from ..nn.dropout import Dropout
from ..nn.features import Features, transform
from ..nn.gnn import add_terms
from ..nn.weights import parameter
from ..parameters import Unused
from .base import Mitigation
from .degfair import NOTHING_TO_COMPARE, DegFair, DistinctDegrees


class ReleasedConv(nn.Module):
    """A layer of the released code, with its activation.

    Shapes: (n_before, d_in) -> (n_after, d_out), for "sage" (n_after, 2 d_out).
    """

    operators = (OpenMean(),)

    def __init__(self, d_in: int, d_out: int, *, backbone: str, options: ReleasedDegFair, seed: int) -> None:
        super().__init__()
        self.backbone, self.d_out = backbone, d_out
        self.encoding_dim = options.degree_encoding_dim or d_out
        self.context_weight, self.contrast = options.context_weight, options.contrast
        self.threshold = options.degree_threshold_
        self.weight, self.bias = parameter(d_in, d_out), parameter(d_out)
        is_gat, modulated, film = backbone == "gat", options.modulation, options.modulation and options.scale_shift
        self.attention = parameter(2, d_out) if is_gat else None
        self.edge_dropout = Dropout(0.5, seed) if is_gat else None
        self.context = parameter(d_out, (2 if self.contrast else 1) * d_out) if modulated else None
        self.film_weight = parameter(self.encoding_dim, 2 * d_out) if film else None
        self.film_bias = parameter(2 * d_out) if film else None

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

    def forward(self, x: Features, block: Block) -> tuple[Tensor, Terms]:
        linear = transform(x, self.weight)
        h = (linear + self.bias) * math.sqrt(self.encoding_dim)
        mean = block[OpenMean()] @ h  # over the neighbors; 0 if there are none
        degree = torch.from_numpy(block.degree())[:, None].to(h)
        added, terms = self._context(mean, block)
        if self.backbone == "gcn":
            out = (degree * mean + h + added) / (degree + 1)
        elif self.backbone == "sage":
            summed = degree * (block[OpenMean()] @ linear) + self.bias
            out = torch.cat([h, (summed + added) / (degree + 1)], dim=1)
        else:
            total, weights = self._attend(h, block)
            out = (total + added) / (weights + 1e-5 + 1)
        return leaky_relu(out), terms

    def _context(self, mean: Tensor, block: Block) -> tuple[Tensor, Terms]:
        """The term added to the sum over the neighbors, and the penalties, which are norms that are not squared."""
        if self.context is None:
            return torch.zeros_like(mean), {}
        low = torch.from_numpy(block.degree() < self.threshold)[:, None].to(mean.device)
        functions = transform(mean, self.context).split(self.d_out, dim=1)
        own = torch.where(low, functions[0], functions[-1])
        terms: Terms = {}
        if self.film_weight is not None and self.film_bias is not None:
            weight = self.film_weight
            degrees = block.derived(("degrees", len(weight)), lambda: DistinctDegrees(block, len(weight), weight))
            film = leaky_relu(degrees.encoding @ weight + self.film_bias)
            gamma, beta = (degrees.spread @ film).split(self.d_out, dim=1)
            own = (gamma + 1) * own + beta
            if block.share is not None:
                norms = sum(part.norm(dim=1) for part in film.split(self.d_out, dim=1))
                terms["scale_shift"] = degrees.share[:, 0] @ norms
        if self.contrast:
            if block.share is not None:
                terms["context"] = block.share @ own.norm(dim=1)  # the context in use, not the other one
            own = torch.where(low, own, -own)  # that of high-degree nodes is subtracted
        return self.context_weight * own, terms

    def _attend(self, h: Tensor, block: Block) -> tuple[Tensor, Tensor]:
        """Weighted sum over the neighbors and the sum of the weights; similar nodes weigh less."""
        assert self.attention is not None
        assert self.edge_dropout is not None
        pattern = block[OpenMean()].forward
        source = pattern.col_indices().long()
        target = torch.repeat_interleave(torch.arange(len(h), device=h.device), pattern.crow_indices().diff().long())
        of_target, of_source = h @ self.attention[0], h @ self.attention[1]
        weight = torch.exp(-leaky_relu(of_target[target] + of_source[source]))
        weights = torch.zeros_like(h[:, :1]).index_add(0, target, weight[:, None])
        messages = self.edge_dropout(weight[:, None]) * h[source]
        return torch.zeros_like(h).index_add(0, target, messages), weights


class Heads(nn.Module):
    """Layers side by side, with the mean of their penalties."""

    operators = (OpenMean(),)

    def __init__(self, heads: list[ReleasedConv]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)

    def forward(self, x: Features, block: Block) -> tuple[Tensor, Terms]:
        outputs = [head(x, block) for head in self.heads]
        terms: Terms = {}
        for _, added in outputs:
            add_terms(terms, {name: value / len(outputs) for name, value in added.items()})
        return torch.cat([output for output, _ in outputs], dim=1), terms


class Readout(Linear):
    """The linear classifier after the last layer."""

    operators = ()

    def reset_parameters(self, generator: torch.Generator) -> None:
        _as_linear(self.weight, len(self.weight), generator)
        _as_linear(self.bias, len(self.weight), generator)

    def forward(self, h: Features, block: Block | None = None) -> Tensor:
        return super().forward(h)


class ReleasedGNN(GNN):
    """The network of the released code: see :class:`ReleasedDegFair`. Every layer reads the whole graph."""

    needs_all_nodes = True

    def forward(self, batch: Batch) -> Output:
        h, terms = self._hidden(batch)
        last = self.layers[-1](h, batch.everyone)
        logits, added = last if isinstance(last, tuple) else (last, {})
        add_terms(terms, added)
        return self.outcome(batch, logits, h, terms)

    @torch.no_grad()
    def infer(self, topology: Topology, nodes: NDArray[np.intp], n_layers: int | None = None) -> Tensor:
        batch = topology.batch(nodes, 1, all_nodes=True)
        if n_layers is None:
            return self(batch).logits
        hidden = self._hidden(batch)[0]
        return hidden if batch.labeled is None else hidden[batch.labeled]

    def _hidden(self, batch: Batch) -> tuple[Tensor, Terms]:
        h: Features = batch.x
        terms: Terms = {}
        for layer in self.layers[:-1]:
            h, added = layer(h, batch.everyone)
            h = self.dropout(h)
            add_terms(terms, added)
        return cast(Tensor, h), terms


CONTEXT = ("context_weight", "constraint_weight", "scale_shift", "contrast", "degree_encoding_dim")
"""Parameters of the debiasing context."""


class ReleasedFairnessLoss:
    """L2 of the released code: the mean over classes of the squared gap of mean log probabilities.

    Its groups are the nodes whose degree is below the mean degree of the batch, and the other nodes of the batch.
    """

    is_mean = False

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        degree = batch.degree()
        low = torch.from_numpy(degree < degree.mean()).to(output.logits.device)
        if low.all() or not low.any():
            return output.logits.new_zeros(())
        log_probability = output.log_probability
        return (log_probability[low].mean(0) - log_probability[~low].mean(0)).square().mean()


class ReleasedDegFair(Mitigation):
    """DegFairGNN with the arithmetic of the authors' released code.

    Use :class:`DegFair`, which follows the paper's equations, for new work, and this class to trace the numbers that
    the paper reports.

    Parameters
    ----------
    degree_threshold, context_weight, fairness_weight, constraint_weight, scale_shift, contrast, modulation, \
degree_encoding_dim
        As for :class:`DegFair`.

    Attributes
    ----------
    degree_threshold_ : float

    Notes
    -----
    It departs from the equations as follows. Representations are multiplied by the square root of the length of the
    degree encoding. The context is the mean over the neighbors alone, of transformed representations. gamma and beta
    pass through a leaky ReLU and start between 0 and 1. Contexts are added before the division by the degree, those
    of high-degree nodes with a minus sign. The penalties are norms, not squared norms, and L3 penalizes the context
    in use. "Low" means below the threshold, not at it. For "gcn" and "sage" a linear classifier follows the layers;
    "sage" has layers of a half and a quarter of ``hidden_dim``; "gat" has no self-loops, ignores edge weights and
    weighs neighbors by the exponential of the negative score. The fairness loss compares mean log probabilities.
    Features are read as they are: normalize their rows first, as the authors do for Chameleon and Squirrel, with
    ``GraphTransformer(Normalizer("l1"))``. The dropout of the input of "gat" is left out. The released settings of
    "gat" are ``hidden_dim=48, n_heads=3``.

    The released code has contexts of one hop, the fairness loss for statistical parity, and training on whole graphs.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import ReleasedDegFair
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> mitigation = ReleasedDegFair(context_weight=0.01, fairness_weight=1e-3)
    >>> GNNClassifier(mitigation=mitigation, max_epochs=20, random_state=0).fit(X, A, y).predict(X, A).shape
    (200,)
    """

    supports_batches = False
    supports_distributed = False
    scales_features = False
    unfairness = ("fairness",)
    unused = (
        Unused((*CONTEXT, "degree_threshold"), "modulation=False", lambda own: not own.modulation),
        Unused(("degree_encoding_dim",), "scale_shift=False", lambda own: not own.scale_shift),
    )
    _parameter_constraints: dict[str, Any] = {
        name: constraint
        for name, constraint in DegFair._parameter_constraints.items()
        if name not in ("context_hops", "context_pool") and (name == "fairness_weight" or "fairness" not in name)
    }

    def __init__(
        self,
        *,
        degree_threshold: str | float = "mean",
        context_weight: float = 1.0,
        fairness_weight: float = 1.0,
        constraint_weight: float = 1e-4,
        scale_shift: bool = True,
        contrast: bool = True,
        modulation: bool = True,
        degree_encoding_dim: int | None = 32,
    ) -> None:
        self.degree_threshold = degree_threshold
        self.context_weight = context_weight
        self.fairness_weight = fairness_weight
        self.constraint_weight = constraint_weight
        self.scale_shift = scale_shift
        self.contrast = contrast
        self.modulation = modulation
        self.degree_encoding_dim = degree_encoding_dim

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        self.degree_threshold_ = learn_threshold(graph, self.degree_threshold)

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        degree = graph.whole().degree()[nodes]
        if self.fairness_weight and degree.min() == degree.max():
            why = f"all of these nodes have the degree {degree[0]:g}"
            yield NOTHING_TO_COMPARE.format(weight=self.fairness_weight, why=why)

    def build(self, architecture: Architecture) -> GNN:
        backbone, hidden_dim, n_heads = architecture.backbone, architecture.hidden_dim, architecture.n_heads
        n_layers, seed = architecture.n_layers, architecture.seed

        def layer(d_in: int, d_out: int, number: int = 0) -> ReleasedConv:
            return ReleasedConv(d_in, d_out, backbone=backbone, options=self, seed=seed + 1 + number)

        layers: list[nn.Module] = []
        d_in = architecture.n_features
        for number in range(1, n_layers + (backbone != "gat")):
            if backbone == "gat":  # each head drops edges of its own
                heads = range((number - 1) * n_heads, number * n_heads)
                layers.append(Heads([layer(d_in, hidden_dim // n_heads, head) for head in heads]))
                d_in = hidden_dim
            elif backbone == "sage":
                layers.append(layer(d_in, max(1, hidden_dim // 2**number)))
                d_in = 2 * max(1, hidden_dim // 2**number)
            else:
                layers.append(layer(d_in, hidden_dim))
                d_in = hidden_dim
        n_classes = architecture.n_classes
        layers.append(layer(d_in, n_classes, n_layers * n_heads) if backbone == "gat" else Readout(d_in, n_classes))
        return ReleasedGNN(layers, dropout=architecture.dropout, seed=seed)

    def terms(self) -> dict[str, Term]:
        return {"fairness": ReleasedFairnessLoss()}

    def weights(self) -> dict[str, float]:
        return {
            "fairness": self.fairness_weight,
            "context": self.constraint_weight,
            "scale_shift": self.constraint_weight,
        }


def _as_linear(weight: nn.Parameter, fan_in: int, generator: torch.Generator) -> None:
    """As torch initializes a Linear layer."""
    nn.init.uniform_(weight, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in), generator=generator)
