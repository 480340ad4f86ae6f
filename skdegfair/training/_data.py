"""Nodes to train on, in the shape that skorch expects of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from ..graph import Graph
from ..nn import NodeBatch


class NodeDataset(Dataset[Any]):
    """Training nodes with their labels, and the validation nodes of the same graph beside them.

    Parameters
    ----------
    batch : NodeBatch
    y : LongTensor of shape (n_batch,)
    view : Graph
        The same nodes as a view of their graph, for scorers that ask for degrees.
    valid : NodeDataset or None, default=None
    """

    def __init__(self, batch: NodeBatch, y: Tensor, view: Graph, valid: NodeDataset | None = None) -> None:
        self.batch, self.y, self.view, self.valid = batch, y, view, valid

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the nodes."""
        return self.view.degree(hops)

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError("The nodes of a graph come as one batch.")


class WholeGraph:
    """Iterator over the one batch of whole-graph training, in place of torch's DataLoader."""

    def __init__(self, dataset: NodeDataset, batch_size: int | None = None) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[tuple[NodeBatch, Tensor]]:
        yield self.dataset.batch, self.dataset.y
