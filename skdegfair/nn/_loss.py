"""The terms of the objective, Eq. 10 to 14, each under its own name.

The paper writes sums over the training nodes for L1, L3 and L4, and means over
groups for L2. Here all four are means over nodes, so that mu and lambda mean the
same on a graph of a hundred nodes and on one of a million.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from ._tensors import NodeBatch

FairnessLoss = Callable[[Tensor, Tensor, Tensor], Tensor]


def parity_loss(probability: Tensor, y: Tensor, low: Tensor) -> Tensor:
    """Squared distance between the groups' mean predictions (Eq. 11); 0 where a group is empty.

    Shapes: (n, n_classes), (n,), (n,) -> ().
    """
    return _squared_gaps(probability, torch.ones_like(probability), low).sum()


def opportunity_loss(probability: Tensor, y: Tensor, low: Tensor) -> Tensor:
    """The same for equal opportunity: squared gaps of the mean probability of the true class, class by class.

    A class that is missing from a group adds nothing.

    Shapes: (n, n_classes), (n,), (n,) -> ().
    """
    truth = one_hot(y, probability.shape[1]).to(probability.dtype)
    return _squared_gaps(probability, truth, low).sum()


FAIRNESS_LOSSES: dict[str, FairnessLoss] = {"dsp": parity_loss, "deo": opportunity_loss}


class Objective:
    """L = L1 + mu L2 + lambda (L3 + L4) (Eq. 14).

    Parameters
    ----------
    fairness_weight : float, default=0.0
        The paper's mu.
    constraint_weight : float, default=0.0
        The paper's lambda.
    fairness_loss : {"dsp", "deo"} or None, default="dsp"
        None leaves the term out, also of the history.
    """

    def __init__(
        self, fairness_weight: float = 0.0, constraint_weight: float = 0.0, fairness_loss: str | None = "dsp"
    ) -> None:
        self.fairness_weight, self.constraint_weight = fairness_weight, constraint_weight
        self.fairness_loss = fairness_loss

    def terms(self, output: tuple[Tensor, dict[str, Tensor]], y: Tensor, batch: NodeBatch) -> dict[str, Tensor]:
        """Each term by name, not yet weighted."""
        logits, penalties = output
        terms = {"classification": cross_entropy(logits, y)}  # Eq. 10
        if self.fairness_loss is not None:
            probability = logits.softmax(1)
            terms["fairness"] = FAIRNESS_LOSSES[self.fairness_loss](probability, y, batch.low)  # Eq. 11
        return terms | penalties  # Eq. 12 and 13

    def total(self, terms: dict[str, Tensor]) -> Tensor:
        """The weighted sum of the terms."""
        weights = {
            "fairness": self.fairness_weight,
            "context": self.constraint_weight,
            "scale_shift": self.constraint_weight,
        }
        total = terms["classification"]
        for name, weight in weights.items():
            if weight and name in terms:
                total = total + weight * terms[name]
        return total


def _squared_gaps(value: Tensor, member: Tensor, low: Tensor) -> Tensor:
    """Column by column: the squared difference of the group means of ``value`` over its members."""
    in_low = member * low[:, None]
    in_high = member - in_low
    n_low, n_high = in_low.sum(0), in_high.sum(0)
    means = (value * in_low).sum(0) / n_low.clamp(min=1), (value * in_high).sum(0) / n_high.clamp(min=1)
    return torch.where((n_low > 0) & (n_high > 0), (means[0] - means[1]).square(), torch.zeros_like(n_low))
