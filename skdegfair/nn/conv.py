"""Graph convolutions: GCN, GraphSAGE and GAT. AGGR of Eq. 4, behind one signature."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from .attention import attend
from .block import Block
from .features import Features, FixedFeatures, propagate, rounded, transform
from .operators import Attended, ClosedMean, OpenMean, Operator
from .weights import glorot_, parameter

Propagate = Callable[[Operator, Tensor], Tensor]  # an operator times values of all nodes


class Conv(nn.Module):
    """One layer of a graph neural network, before its activation; the learned weights are the paper's omega^l.

    It works in two steps: ``project`` treats single nodes, ``gather`` combines neighborhoods. Predictions run the two
    steps separately, in slices of nodes. ``forward`` may compute the same result faster.

    A layer with its own loss terms returns them with its output: ``(output, {"name": scalar})``.

    Parameters
    ----------
    d_in, d_out : int

    Attributes
    ----------
    operators : tuple of Operator
        Matrices of a block that it uses.

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_out = d_out
        self.weight = parameter(d_in, d_out)
        self.bias = parameter(d_out)

    @property
    def operators(self) -> tuple[Operator, ...]:
        raise NotImplementedError

    def reset_parameters(self, generator: torch.Generator) -> None:
        glorot_(self.weight, generator)
        nn.init.zeros_(self.bias)

    def forward(self, h: Features, block: Block) -> Tensor:
        return self.gather(self.project(h), block)

    def project(self, h: Features) -> Tensor:
        """Everything that is linear in single nodes: (n_before, d_in) -> (n_before, width)."""
        return rounded(lambda weight: transform(h, weight), self.projection())

    def projection(self) -> Tensor:
        """Weights of ``project``, (d_in, width)."""
        return self.weight

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        """Step of predictions that is applied to all nodes after ``project`` and before ``gather``."""
        return projected

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        """From projected nodes to neighborhoods: (n_before, width) -> (n_after, d_out)."""
        raise NotImplementedError


class GCN(Conv):
    """Mean over the neighbors and the node itself, of linearly transformed features.

    Parameters
    ----------
    operator : Operator, default=ClosedMean()
        Another weighted sum over neighborhoods in place of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import GCN, GNN, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> network = GNN([GCN(1, 4), GCN(4, 2)])
    >>> topology = Topology(graph, network.operators)
    >>> network(topology.batch(graph.nodes, n_layers=2)).logits.shape
    torch.Size([3, 2])
    """

    def __init__(self, d_in: int, d_out: int, *, operator: Operator | None = None) -> None:
        super().__init__(d_in, d_out)
        self.operator = ClosedMean() if operator is None else operator

    @property
    def operators(self) -> tuple[Operator, ...]:
        return (self.operator,)

    def forward(self, h: Features, block: Block) -> Tensor:
        return rounded(lambda weight: propagate(block[self.operator], h, weight), self.weight) + self.bias

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        return block[self.operator] @ projected + self.bias


class SAGE(Conv):
    """GraphSAGE: the node itself and the mean over its neighbors, each with its own weights.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import SAGE, GNN, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> network = GNN([SAGE(1, 4), SAGE(4, 2)])
    >>> topology = Topology(graph, network.operators)
    >>> network(topology.batch(graph.nodes, n_layers=2)).logits.shape
    torch.Size([3, 2])
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__(d_in, d_out)
        self.weight_self = parameter(d_in, d_out)

    @property
    def operators(self) -> tuple[Operator, ...]:
        return (OpenMean(),)

    def reset_parameters(self, generator: torch.Generator) -> None:
        super().reset_parameters(generator)
        glorot_(self.weight_self, generator)

    def forward(self, h: Features, block: Block) -> Tensor:
        if not isinstance(h, FixedFeatures):
            return super().forward(h, block)
        return block.of(transform(h, self.weight_self)) + propagate(block[OpenMean()], h, self.weight) + self.bias

    def projection(self) -> Tensor:
        return torch.cat([self.weight_self, self.weight], dim=1)

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        of_self, of_others = projected.split(self.d_out, dim=1)
        return block.of(of_self) + block[OpenMean()] @ of_others + self.bias


class GAT(Conv):
    """Attention over the neighbors and the node itself.

    The heads share the width, and their results are concatenated. In a layer whose outputs are classes, each head
    has the full width and they are averaged.

    Parameters
    ----------
    n_heads : int, default=1
    average_heads : bool, default=False

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import GAT, GNN, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> network = GNN([GAT(1, 4), GAT(4, 2)])
    >>> topology = Topology(graph, network.operators)
    >>> network(topology.batch(graph.nodes, n_layers=2)).logits.shape
    torch.Size([3, 2])
    """

    def __init__(self, d_in: int, d_out: int, *, n_heads: int = 1, average_heads: bool = False) -> None:
        super().__init__(d_in, d_out)
        self.n_heads, self.average_heads = n_heads, average_heads
        self.head_width = d_out if average_heads else d_out // n_heads
        self.weight = parameter(d_in, n_heads * self.head_width)
        self.attention_target = parameter(n_heads, 1, self.head_width)
        self.attention_source = parameter(n_heads, 1, self.head_width)

    @property
    def operators(self) -> tuple[Operator, ...]:
        return (Attended(),)

    def reset_parameters(self, generator: torch.Generator) -> None:
        super().reset_parameters(generator)
        for head in range(self.n_heads):
            glorot_(self.attention_target[head], generator)
            glorot_(self.attention_source[head], generator)

    def projection(self) -> Tensor:
        """Weights of the messages, followed by those of the scores of targets and of sources."""
        d_in, vectors = len(self.weight), torch.cat([self.attention_target, self.attention_source], dim=1)
        by_head = self.weight.view(d_in, self.n_heads, self.head_width).transpose(0, 1)
        scores = torch.bmm(by_head, vectors.transpose(1, 2))  # (n_heads, d_in, 2)
        return torch.cat([self.weight, scores.permute(1, 2, 0).reshape(d_in, -1)], dim=1)

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        z, target, source = projected.split([self.weight.shape[1], self.n_heads, self.n_heads], dim=1)
        z = z.unflatten(1, (self.n_heads, self.head_width)).transpose(0, 1)
        heads = attend(z, block.of(target).T, source.T, block[Attended()])
        gathered = heads.mean(0) if self.average_heads else heads.transpose(0, 1).reshape(-1, self.d_out)
        return gathered + self.bias


def convolution(backbone: str, d_in: int, d_out: int, *, n_heads: int = 1, last: bool = False) -> Conv:
    """A convolution of the named kind."""
    if backbone == "gat":
        return GAT(d_in, d_out, n_heads=n_heads, average_heads=last)
    return BACKBONES[backbone](d_in, d_out)


BACKBONES: dict[str, type[Conv]] = {"gcn": GCN, "sage": SAGE, "gat": GAT}
