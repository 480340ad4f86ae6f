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


def parity_contrast(y: Tensor, low: Tensor, n_classes: int, dtype: torch.dtype) -> Tensor:
    """Weights of the nodes in the gap between the groups' mean predictions of each class (Eq. 11).

    Shapes: (n,), (n,) -> (n, n_classes). They are 0 where a group is empty.
    """
    return _contrast(torch.ones(len(y), n_classes, dtype=dtype, device=y.device), low)


def opportunity_contrast(y: Tensor, low: Tensor, n_classes: int, dtype: torch.dtype) -> Tensor:
    """The same for equal opportunity: only the nodes of a class count in its gap.

    A class that is missing from a group adds nothing.
    """
    return _contrast(one_hot(y, n_classes).to(dtype), low)


CONTRASTS: dict[str, Callable[[Tensor, Tensor, int, torch.dtype], Tensor]] = {
    "dsp": parity_contrast,
    "deo": opportunity_contrast,
}
FAIRNESS_LOSSES = tuple(CONTRASTS)


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
            gaps = (logits.softmax(1) * self._contrast(y, batch, logits)).sum(0)
            terms["fairness"] = gaps.square().sum()  # Eq. 11
        return terms | penalties  # Eq. 12 and 13

    def _contrast(self, y: Tensor, batch: NodeBatch, logits: Tensor) -> Tensor:
        """Computed once for a batch, if it is one that remembers."""
        assert self.fairness_loss is not None
        known = getattr(batch, "contrasts", {})
        key = self.fairness_loss, logits.shape[1]
        if key not in known:
            known[key] = CONTRASTS[self.fairness_loss](y, batch.low, logits.shape[1], logits.dtype)
        return known[key]

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


def _contrast(member: Tensor, low: Tensor) -> Tensor:
    """Column by column: 1 / n for the low members, -1 / n for the high ones, so that sums are differences of means."""
    in_low = member * low[:, None]
    in_high = member - in_low
    n_low, n_high = in_low.sum(0), in_high.sum(0)
    return (in_low / n_low.clamp(min=1) - in_high / n_high.clamp(min=1)) * ((n_low > 0) & (n_high > 0))
