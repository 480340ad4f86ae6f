"""A graph neural network: layers from features to logits, and heads on the hidden representation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..graph import cached_property
from .block import Batch
from .conv import Conv, convolution
from .dropout import Dropout
from .features import Features
from .infer import infer
from .operators import Operator
from .topology import Topology

Terms = dict[str, Tensor]


@dataclass(frozen=True)
class Output:
    """Output of a network for a batch.

    Attributes
    ----------
    logits : (n_batch, n_classes)
    terms : loss terms of the layers by name, before their weights
    hidden : (n_everyone, hidden_dim), input of the last layer for the nodes after it
    heads : output of each head for ``hidden``, by name
    everyone : (n_everyone, n_classes)
        Logits of all nodes that the last layer computes. They are those of the batch, unless the batch requires all
        nodes of the graph to be computed.
    labeled : (n_batch,) or None, the rows of ``everyone`` that are the batch's nodes

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import GNN, Architecture, Linear, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> layers = Architecture(n_features=1, n_classes=2, hidden_dim=8).convs()
    >>> network = GNN(layers, heads={"degree": Linear(8, 1)})
    >>> output = network(Topology(graph, network.operators).batch(graph.nodes, n_layers=2))
    >>> output.logits.shape, output.hidden.shape, output.heads["degree"].shape
    (torch.Size([3, 2]), torch.Size([3, 8]), torch.Size([3, 1]))
    """

    logits: Tensor
    terms: Terms
    hidden: Tensor | None = None
    heads: Mapping[str, Tensor] = field(default_factory=dict)
    everyone: Tensor | None = None
    labeled: Tensor | None = None

    @cached_property
    def log_probability(self) -> Tensor:
        """Log probabilities of the batch's nodes, (n_batch, n_classes)."""
        every = self.log_probability_of_everyone
        return every if self.labeled is None else every.index_select(0, self.labeled)

    @cached_property
    def log_probability_of_everyone(self) -> Tensor:
        """Log probabilities of all nodes that the last layer computes; every loss term reads the same ones."""
        return (self.logits if self.everyone is None else self.everyone).log_softmax(1)

    def detached(self) -> Output:
        """The same values, without the data that their gradients need."""
        terms, heads = ({name: value.detach() for name, value in each.items()} for each in (self.terms, self.heads))
        hidden, everyone = (None if each is None else each.detach() for each in (self.hidden, self.everyone))
        return Output(self.logits.detach(), terms, hidden, heads, everyone, self.labeled)


@dataclass(frozen=True)
class Architecture:
    """Sizes of a network, and the seed of its weights and of dropout.

    Parameters
    ----------
    n_features, n_classes : int
    backbone : {"gcn", "sage", "gat"}, default="gcn"
    hidden_dim : int, default=32
    n_layers : int, default=2
    n_heads : int, default=1
        Heads of attention, for "gat".
    dropout : float, default=0.5
    seed : int, default=0

    Examples
    --------
    >>> from skdegfair.nn import Architecture
    >>> Architecture(n_features=10, n_classes=3, n_layers=3).widths
    [(10, 32), (32, 32), (32, 3)]
    """

    n_features: int
    n_classes: int
    backbone: str = "gcn"
    hidden_dim: int = 32
    n_layers: int = 2
    n_heads: int = 1
    dropout: float = 0.5
    seed: int = 0

    @property
    def widths(self) -> list[tuple[int, int]]:
        """Input and output width of each layer; the last layer has one output per class."""
        return list(pairwise([self.n_features] + [self.hidden_dim] * (self.n_layers - 1) + [self.n_classes]))

    def convs(self) -> list[Conv]:
        """The layers of the plain network."""
        widths = self.widths
        return [
            convolution(self.backbone, *width, n_heads=self.n_heads, last=number == len(widths))
            for number, width in enumerate(widths, start=1)
        ]


class GNN(nn.Module):
    """Layers with leaky ReLU and dropout between them.

    Parameters
    ----------
    layers : sequence of Conv, or of layers with the same methods
    dropout : float, default=0.5
        Fraction of the hidden representation that is dropped in training.
    seed : int, default=0
        Seed of the initial weights and of dropout. The weights of the convolutions are drawn first, so that they do not
        depend on other parts of a network.
    heads : dict from names to modules, default=None
        Applied to the hidden representation. They take part in training, not in predictions.

    Attributes
    ----------
    needs_all_nodes : bool
        Whether all nodes of the graph must be computed for a batch, because layers ignore what a block leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import GNN, Architecture, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> network = GNN(Architecture(n_features=1, n_classes=2).convs(), seed=0)
    >>> network.infer(Topology(graph, network.operators), graph.nodes).shape
    torch.Size([3, 2])
    """

    needs_all_nodes = False

    def __init__(
        self,
        layers: Sequence[nn.Module],
        *,
        dropout: float = 0.5,
        seed: int = 0,
        heads: Mapping[str, nn.Module] | None = None,
    ) -> None:
        super().__init__()
        if heads and len(layers) < 2:
            raise ValueError("Heads read the hidden representation, so the network needs at least 2 layers.")
        self.seed = seed
        self.layers = nn.ModuleList(layers)
        self.heads = nn.ModuleDict(dict(heads or {}))
        self.activation: nn.Module = nn.LeakyReLU()
        self.dropout = Dropout(dropout, seed)
        self.reset_parameters()

    @property
    def operators(self) -> frozenset[Operator]:
        """Every operator that a layer reads."""
        return frozenset(operator for layer in self.layers for operator in cast(Any, layer).operators)

    def reset_parameters(self) -> None:
        """Draw the weights again from the seed."""
        generator = torch.Generator().manual_seed(self.seed)
        parts = [part for part in self.modules() if part is not self and hasattr(part, "reset_parameters")]
        for part in sorted(parts, key=lambda part: not isinstance(part, Conv)):
            _reset(cast(Any, part), generator)

    def forward(self, batch: Batch) -> Output:
        h: Features = batch.x
        terms: Terms = {}
        hidden: Tensor | None = None
        for layer, block in zip(self.layers, batch.blocks, strict=True):
            if layer is not self.layers[0]:
                h = self.dropout(h, block.keys, slope=self.activation.negative_slope)  # Eq. 9
                hidden = cast(Tensor, h)
            h, added = layer_output(layer(h, block))
            add_terms(terms, added)
        return self.outcome(batch, cast(Tensor, h), hidden, terms)

    def outcome(self, batch: Batch, logits: Tensor, hidden: Tensor | None, terms: Terms) -> Output:
        """Put the results of the layers together."""
        if hidden is not None:
            hidden = batch.everyone.of(hidden)
        labeled = logits if batch.labeled is None else logits.index_select(0, batch.labeled)
        return Output(labeled, terms, hidden, self.apply_heads(hidden), logits, batch.labeled)

    def apply_heads(self, hidden: Tensor | None) -> Terms:
        """Output of each head for the hidden representation."""
        return {name: head(hidden) for name, head in self.heads.items()}

    def constrain(self) -> None:
        """Change the weights after a training step so that they meet constraints of the network."""

    def infer(self, topology: Topology, nodes: NDArray[np.intp], n_layers: int | None = None) -> Tensor:
        """Logits of some nodes, or the activated output of the first ``n_layers`` layers: (n_nodes, d_out)."""
        layers = cast(list[Conv], list(self.layers))[:n_layers]
        return infer(layers, self.activation, topology, nodes, activate_last=n_layers is not None)


def _reset(part: Any, generator: torch.Generator) -> None:
    """Draw the weights of a part; torch's own modules take no generator, so theirs comes from a seed."""
    if inspect.signature(part.reset_parameters).parameters:
        part.reset_parameters(generator)
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**31, (), generator=generator)))
        part.reset_parameters()


def layer_output(output: Tensor | tuple[Tensor, Terms]) -> tuple[Tensor, Terms]:
    """The output of a layer and its loss terms, which most layers do not have."""
    return output if isinstance(output, tuple) else (output, {})


def add_terms(total: Terms, part: Mapping[str, Tensor]) -> None:
    """Add each loss term of a layer to the sum over layers."""
    for name, value in part.items():
        total[name] = total[name] + value if name in total else value
