"""The training objective: named loss terms, each with its weight.

A term without a weight raises an error, so that no term can be dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from .block import Batch
from .gnn import Output, Terms

CLASSIFICATION = "classification"
Term = Callable[[Output, Tensor, Batch], Tensor]


class Objective:
    """A weighted sum of loss terms: classification, those of the layers, and further ones.

    Parameters
    ----------
    weights : dict from names of terms to floats, default={}
        Weights of all terms other than classification, whose weight is 1 unless it is given.
    terms : dict from names to callables, default={}
        Further terms: functions of the network's output, the labels and the batch that return a scalar. A term that
        is not a mean over nodes has an attribute ``is_mean = False``: for nodes that come in several batches it is
        computed once for all of them.
    unfairness : tuple of str, default=()
        Names of the terms that measure unfairness; ``valid_score`` subtracts them, weighted, from the accuracy.
    ramps : dict from names of terms to floats, default={}
        Fraction of the training over which the weight of a term grows linearly from 0 to its value.
    """

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        terms: Mapping[str, Term] | None = None,
        unfairness: tuple[str, ...] = (),
        ramps: Mapping[str, float] | None = None,
    ) -> None:
        self.weights = {CLASSIFICATION: 1.0, **(weights or {})}
        self.further = dict(terms or {})
        self.unfairness = unfairness
        self.ramps = {name: ramp for name, ramp in (ramps or {}).items() if ramp > 0}
        for option, names in {"unfairness": unfairness, "ramps": self.ramps}.items():
            for name in names:
                if name not in self.weights:
                    raise ValueError(f"{option} names the loss term {name!r}, which has no weight.")

    def terms(self, output: Output, y: Tensor, batch: Batch, only: Collection[str] | None = None) -> Terms:
        """Each term by name, before its weight; all of them, or ``only`` some."""
        known = {CLASSIFICATION: self.classification, **self.further}
        found = {name: term(output, y, batch) for name, term in known.items() if only is None or name in only}
        return found | output.terms

    def classification(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        """Mean cross-entropy of the batch's nodes (Eq. 10), weighted by ``sample_weight`` if there is one."""
        log_probability = output.log_probability
        if batch.sample_weight is None:
            loss = nll_loss(log_probability, y)
        else:
            loss = (nll_loss(log_probability, y, reduction="none") * batch.sample_weight).mean()
        return loss if batch.weight == 1 else batch.weight * loss

    def total(
        self, terms: Mapping[str, Tensor], weights: Mapping[str, float] | None = None, *, progress: float = 1.0
    ) -> Tensor:
        """The weighted sum of the terms.

        ``weights`` replaces the weights of this objective, for one phase of training; terms that it does not name
        are left out, but each must be known. ``progress`` is the fraction of the training that is done, for terms
        whose weight grows.
        """
        weights = self.weights if weights is None else weights
        for name in sorted((terms.keys() | weights.keys()) - self.weights.keys()):
            raise ValueError(f"The loss term {name!r} has no weight. Known terms: {', '.join(self.weights)}.")
        total: Any = None
        for name, full in weights.items():
            weight = full * min(progress / self.ramps[name], 1.0) if name in self.ramps else full
            if name in terms and weight:
                part = terms[name] if weight == 1 else terms[name] * float(weight)
                total = part if total is None else total + part
        if total is None:
            raise ValueError(f"No loss term has a weight other than 0 among {', '.join(terms)}.")
        result: Tensor = total
        return result

    def of_all_batches(self, output: Output, y: Tensor, batch: Any) -> dict[str, float]:
        """Terms that are not means over nodes, for nodes that came in several batches."""
        each = {name: term for name, term in self.further.items() if not getattr(term, "is_mean", True)}
        with torch.no_grad():
            return {name: float(term(output, y, batch)) for name, term in each.items()}
