"""Adversaries: heads that learn to read a property of nodes, which the network learns to hide from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval
from torch import Tensor, from_numpy, nn
from torch.nn.functional import cross_entropy, leaky_relu

from ..graph import DegreeGroups, Graph
from ..nn import Batch, Block, Linear, Output
from ..parameters import LARGEST
from .base import Mitigation, Phase

ADVERSARY_CONSTRAINTS: dict[str, Any] = {
    "adversary_weight": [Interval(Real, 0, LARGEST, closed="both")],
    "adversary_rate": [Interval(Real, 0, None, closed="neither")],
}


class Property(Protocol):
    """A property of nodes that an adversary reads, such as their degree group."""

    def of(self, nodes: Block) -> NDArray[np.intp]:
        """Number of each node's value, from 0, or -1 for a node that does not count.

        If an adversary reads several representations of a node, this is the same value for all of them, or the values
        for all of them, one after the other.
        """
        ...


class AdversaryLoss:
    """L_A: cross-entropy of adversaries, each of which predicts a property of nodes from their representation.

    It is the sum over the adversaries that the output contains. Nodes without the property do not count.

    The network maximizes L_A, which has no upper bound. It would continue to do so after an adversary has become as bad
    as a constant guess, and training would not converge. So beyond that point, L_A has no gradient for the network.

    Parameters
    ----------
    properties : dict from names of heads to properties
    """

    def __init__(self, properties: Mapping[str, Property]) -> None:
        self.properties = dict(properties)

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        is_networks_turn = output.hidden is not None and output.hidden.requires_grad
        losses = [
            self._loss(head, output.heads[head], batch, is_networks_turn)
            for head in self.properties
            if head in output.heads
        ]
        return sum(losses, start=output.logits.new_zeros(()))

    def _loss(self, head: str, logits: Tensor, batch: Batch, is_networks_turn: bool) -> Tensor:
        value, bound = batch.derived((self, head, len(logits)), lambda: self._values(head, batch, logits))
        if not (value >= 0).any():  # a batch without a node that has the property
            return (logits * 0).sum()
        loss = cross_entropy(logits, value, ignore_index=-1)
        return loss.detach() if is_networks_turn and loss.item() > bound else loss

    def _values(self, head: str, batch: Batch, logits: Tensor) -> tuple[Tensor, float]:
        """The property of each row, and the loss of a constant guess, which is the entropy of the property."""
        value = self.properties[head].of(batch.everyone)
        sizes = np.bincount(value[value >= 0])
        shares = sizes / max(sizes.sum(), 1)
        repeated = from_numpy(np.tile(value, len(logits) // len(value))).to(logits.device)
        return repeated, float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())


class Perceptron(nn.Module):
    """Two linear layers with a leaky ReLU between them.

    Shapes: (n, d_in) -> (n, d_out).
    """

    def __init__(self, d_in: int, d_hidden: int, d_out: int, *, slope: float = 0.2) -> None:
        super().__init__()
        self.first, self.second, self.slope = Linear(d_in, d_hidden), Linear(d_hidden, d_out), slope

    def forward(self, h: Tensor) -> Tensor:
        result: Tensor = self.second(leaky_relu(self.first(h), self.slope))
        return result


class GroupMitigation(Mitigation):
    """Base of the methods that hide the degree group of a node. Subclasses have the parameters of the groups."""

    fairness_groups: Any
    fairness_hops: int
    degree_threshold: Any

    @property
    def hides(self) -> bool:
        """Whether any weight makes the method hide the groups."""
        raise NotImplementedError

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        self.groups_ = DegreeGroups.learn(
            graph, nodes, self.fairness_groups, threshold=self.degree_threshold, hops=self.fairness_hops
        )

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        why = self.groups_.idle(graph, graph.whole().nodes)
        if why and self.hides:
            yield f"{type(self).__name__} has no effect: it compares degree groups of nodes, and {why}."


def adversary_phase(heads: tuple[str, ...], *, rate: float, steps: int = 1, term: str = "adversary") -> Phase:
    """Let the adversaries minimize their loss, for the representation that the network has just computed."""
    return Phase("adversary", parameters=heads, weights={term: 1.0}, steps=steps, rate=rate, reuse=True)
