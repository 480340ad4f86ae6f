"""The terms of the objective, Eq. 10 to 14, each under its own name.

The paper writes sums over the training nodes for L1, L3 and L4, and means over
groups for L2. Here all four are means over nodes, so that mu and lambda mean the
same on a graph of a hundred nodes and on one of a million.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import nll_loss, one_hot

from ._tensors import NodeBatch

Together = Callable[[Tensor], Tensor]


def parity_members(y: Tensor, n_classes: int) -> Tensor:
    """Who counts in the gap between the groups' mean predictions of a class (Eq. 11): all. (n,) -> (n, n_classes)."""
    return torch.ones(len(y), n_classes, device=y.device)


def opportunity_members(y: Tensor, n_classes: int) -> Tensor:
    """The same for equal opportunity: only the nodes of a class count in its gap."""
    return one_hot(y, n_classes)


MEMBERS: dict[str, Callable[[Tensor, int], Tensor]] = {"dsp": parity_members, "deo": opportunity_members}
FAIRNESS_LOSSES = tuple(MEMBERS)


def alone(value: Tensor) -> Tensor:
    """The sum over all processes where there is but one."""
    return value


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
    together : callable, default=alone
        Sums a tensor over the processes that share a batch. The gradients of their
        objectives then have the gradient of the batch's objective as their mean.
    """

    def __init__(
        self,
        fairness_weight: float = 0.0,
        constraint_weight: float = 0.0,
        fairness_loss: str | None = "dsp",
        together: Together = alone,
    ) -> None:
        self.fairness_weight, self.constraint_weight = fairness_weight, constraint_weight
        self.fairness_loss, self.together = fairness_loss, together

    def terms(self, output: tuple[Tensor, dict[str, Tensor]], y: Tensor, batch: NodeBatch) -> dict[str, Tensor]:
        """Each term by name, not yet weighted."""
        logits, penalties = output
        contrast = self._contrast(y, batch, logits)
        classification, fairness = _Fit.apply(logits, y, contrast, self.together)  # Eq. 10 and 11
        weight = getattr(batch, "weight", 1.0)
        terms = {"classification": classification if weight == 1 else weight * classification}
        if self.fairness_loss is not None:
            terms["fairness"] = fairness
        return terms | penalties  # Eq. 12 and 13

    def fairness_of(self, logits: Tensor, y: Tensor, low: Tensor) -> float:
        """The fairness loss of nodes that came in several batches: it is no mean over these."""
        assert self.fairness_loss is not None
        members = MEMBERS[self.fairness_loss](y, logits.shape[1]).to(logits.dtype)
        gaps = (logits.softmax(1) * _contrast(members, low, alone)).sum(0)
        return float(gaps.square().sum())

    def _contrast(self, y: Tensor, batch: NodeBatch, logits: Tensor) -> Tensor | None:
        """Weights of the nodes in the gaps, computed once for a batch, if it is one that remembers."""
        if self.fairness_loss is None:
            return None
        known = getattr(batch, "contrasts", {})
        key = self.fairness_loss, logits.shape[1]
        if key not in known:
            members = MEMBERS[self.fairness_loss](y, logits.shape[1]).to(logits.dtype)
            known[key] = _contrast(members, batch.low, self.together)
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
                total = torch.add(total, terms[name], alpha=float(weight))
        return total


def _contrast(member: Tensor, low: Tensor, together: Together) -> Tensor:
    """Column by column: 1 / n for the low members, -1 / n for the high ones, so that sums are differences of means.

    All 0 where a group has no member: such a class adds nothing.
    """
    in_low = member * low[:, None]
    in_high = member - in_low
    n_low, n_high = together(torch.stack([in_low.sum(0), in_high.sum(0)]))
    return (in_low / n_low.clamp(min=1) - in_high / n_high.clamp(min=1)) * ((n_low > 0) & (n_high > 0))


class _Fit(torch.autograd.Function):
    """Cross-entropy, and the sum over the classes of squared gaps of probability; both read the same softmax."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, y: Tensor, contrast: Tensor | None, together: Together
    ) -> tuple[Tensor, Tensor]:
        log_probability = logits.log_softmax(1)
        probability = log_probability.exp()
        gaps = None if contrast is None else together((probability * contrast).sum(0))
        ctx.n_processes = 1 if together is alone else together(logits.new_ones(()))
        ctx.save_for_backward(probability, y, contrast, gaps)
        return nll_loss(log_probability, y), logits.new_zeros(()) if gaps is None else gaps.square().sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g_entropy: Tensor, g_squares: Tensor) -> tuple[Tensor, None, None, None]:
        probability, y, contrast, gaps = ctx.saved_tensors
        grad = probability.scatter_add(1, y[:, None], probability.new_full((len(y), 1), -1.0))
        grad *= g_entropy / len(y)
        if contrast is not None:
            of_probability = contrast * (2 * ctx.n_processes * g_squares * gaps)
            mean = (probability * of_probability).sum(1, keepdim=True)
            grad.addcmul_(probability, of_probability - mean)
        return grad, None, None, None
