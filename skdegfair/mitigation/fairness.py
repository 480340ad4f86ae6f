"""The fairness loss: differences between the mean predictions of degree groups."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ..graph import DegreeGroups
from ..nn import Batch, Output, SparseOperator


class Contrast(NamedTuple):
    """Matrices that convert the predictions of a batch to differences between the means of groups."""

    differences: SparseOperator  # (n_pairs, n_batch), first group of a pair minus second
    counted: Tensor | None  # (n_batch, n_classes), 1 / n where a node counts for a class; None: 1 / n is in differences
    defined: Tensor  # (n_pairs, n_classes), 1 / n_pairs where both groups have a node


class FairnessLoss:
    """L2: squared differences between the mean predictions of groups, summed over classes (Eq. 11).

    With more than two groups it is the mean over all pairs of groups. A class that is missing from a group adds
    nothing for the pairs of this group.

    Parameters
    ----------
    groups : DegreeGroups
    kind : {"dsp", "deo", "both"}
        Whether all nodes count for each class (degree statistical parity, DSP), or only the nodes of the class (degree
        equal opportunity, DEO), or the loss is the sum of both.
    """

    is_mean = False  # the loss of two batches is not the mean of their losses

    def __init__(self, groups: DegreeGroups, kind: str) -> None:
        self.groups, self.kinds = groups, ("dsp", "deo") if kind == "both" else (kind,)

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        probability = output.log_probability.exp()
        contrasts = batch.derived(
            (self, probability.shape), lambda: [self._contrast(kind, y, batch, probability) for kind in self.kinds]
        )
        first, *others = (self._loss(probability, contrast, batch) for contrast in contrasts)
        return sum(others, start=first)

    def _loss(self, probability: Tensor, contrast: Contrast, batch: Batch) -> Tensor:
        counted = probability if contrast.counted is None else probability * contrast.counted
        gaps = batch.reduce(contrast.differences @ counted)
        return (gaps.square() * contrast.defined).sum()

    def _contrast(self, kind: str, y: Tensor, batch: Batch, like: Tensor) -> Contrast:
        group, n_groups = torch.from_numpy(self.groups.of(batch)), len(self.groups)
        member = one_hot(group + 1, n_groups + 1)[:, 1:].double()  # a row of zeros for no group
        of_class = torch.ones_like(like) if kind == "dsp" else one_hot(y, like.shape[1])
        n = batch.reduce((member.T @ of_class.cpu().double()).to(like))
        pairs = torch.tensor(list(combinations(range(n_groups), 2)), dtype=torch.int64).view(-1, 2)
        defined = (n[pairs] > 0).all(1).to(like) / max(len(pairs), 1)
        share = (1 / n.clamp(min=1)).cpu().double()  # (n_groups, n_classes)
        sign = one_hot(pairs[:, 0], n_groups).double() - one_hot(pairs[:, 1], n_groups).double()
        counted = None
        if kind == "dsp":
            sign = sign * share[:, 0]
        else:
            counted = of_class.to(like) * (member @ share).to(like)
        differences = SparseOperator((sign @ member.T).numpy(), like.dtype).to(like.device)
        return Contrast(differences, counted, defined)
