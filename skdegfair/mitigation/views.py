"""Networks that compute several representations of each node in training, and learn from all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..graph import cached_property
from ..nn import GNN, Batch, Output, Terms


@dataclass(frozen=True)
class ViewsOutput(Output):
    """The output of several views of a graph.

    The classification loss is the mean over the views of the cross-entropy of each.

    Attributes
    ----------
    views : logits of each view for all nodes that the last layer computes
    """

    views: Sequence[Tensor] = ()

    @cached_property
    def log_probability_of_everyone(self) -> Tensor:
        """Mean over the views of the log probabilities of each."""
        each = [logits.log_softmax(1) for logits in self.views]
        return each[0] if len(each) == 1 else torch.stack(each).mean(0)


class ViewsGNN(GNN):
    """A network that reads several views of a graph. Its heads read them one after the other.

    Subclasses compute the views.
    """

    def join(
        self, batch: Batch, views: Sequence[Tensor], for_heads: Sequence[Tensor], logits: Tensor, terms: Terms
    ) -> Output:
        """Put the results of the views together.

        Parameters
        ----------
        batch : Batch
        views : logits of each view for all nodes that the last layer computes
        for_heads : what the heads read of each view, for the same nodes
        logits : the logits that predictions use
        terms : loss terms of the layers
        """
        labeled = logits if batch.labeled is None else logits.index_select(0, batch.labeled)
        read = torch.cat(list(for_heads))
        heads: Mapping[str, Tensor] = self.apply_heads(read)
        return ViewsOutput(labeled, terms, read, heads, logits, batch.labeled, views)
