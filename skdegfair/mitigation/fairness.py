"""The fairness loss: differences between the mean predictions of degree groups."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ..nn import Batch, Output, SparseOperator
from .groups import DegreeGroups


class Members(NamedTuple):
    """Which nodes of a batch count for the mean predictions of each group."""

    sums: SparseOperator  # (n_groups, n_batch), adds up the nodes of each group
    counted: Tensor | None  # (n_batch, n_classes), 1 where a node counts for a class; None: everywhere
    n: Tensor  # (n_groups, n_classes), number of nodes
    pairs: Tensor  # (n_pairs, 2)
    defined: Tensor  # (n_pairs, n_classes), 1 / n_pairs where both groups have a node


class FairnessLoss:
    """L2: squared differences between the mean predictions of groups, summed over classes (Eq. 11).

    With more than two groups it is the mean over all pairs of groups. A class that is missing from a group adds
    nothing for the pairs of this group.

    Parameters
    ----------
    groups : DegreeGroups
    kind : {"dsp", "deo", "both"}
        All nodes count for each class (degree statistical parity, DSP), the nodes of the class alone (degree equal
        opportunity, DEO), or the sum of both losses.
    """

    is_mean = False  # the loss of two batches is not the mean of their losses

    def __init__(self, groups: DegreeGroups, kind: str) -> None:
        self.groups, self.kinds = groups, ("dsp", "deo") if kind == "both" else (kind,)

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        probability = output.log_probability.exp()
        made = batch.derived(
            (self, probability.shape), lambda: [self._members(kind, y, batch, probability) for kind in self.kinds]
        )
        return torch.stack([self._loss(probability, members, batch) for members in made]).sum()

    def _loss(self, probability: Tensor, members: Members, batch: Batch) -> Tensor:
        counted = probability if members.counted is None else probability * members.counted
        rates = batch.reduce(members.sums @ counted) / members.n
        first, second = rates[members.pairs].unbind(1)
        return ((first - second).square() * members.defined).sum()

    def _members(self, kind: str, y: Tensor, batch: Batch, like: Tensor) -> Members:
        group = self.groups.of(batch).numpy()
        inside = np.flatnonzero(group >= 0)
        member = sp.csr_array((np.ones(len(inside)), (group[inside], inside)), shape=(len(self.groups), len(group)))
        counted = one_hot(y, like.shape[1]).to(like) if kind == "deo" else torch.ones_like(like)
        sums = SparseOperator(member, like.dtype).to(like.device)
        n = batch.reduce((sums @ counted).detach())
        pairs = torch.tensor(list(combinations(range(len(n)), 2)), dtype=torch.int64, device=like.device).view(-1, 2)
        defined = (n[pairs] > 0).all(1).to(like) / max(len(pairs), 1)
        return Members(sums, counted if kind == "deo" else None, n.clamp(min=1), pairs, defined)
