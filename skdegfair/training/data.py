"""Training nodes in the form that skorch expects of a data set, and the iterators over their batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from ..graph import Graph
from ..nn import Batch, NeighborSampler


class NodeDataset(Dataset[Any]):
    """Training nodes with their labels, and the validation nodes of the same graph.

    Parameters
    ----------
    source : Batch or NeighborSampler
        All nodes as one batch, or a sampler that makes batches of some.
    y : LongTensor of shape (n_nodes,)
    view : Graph
        The same nodes as a view of their graph, for scorers that need degrees.
    sample_weight : tensor of shape (n_nodes,), default=None
        Weight of each node in the classification loss, for batches that a sampler makes.
    valid : NodeDataset, default=None
    """

    def __init__(
        self,
        source: Batch | NeighborSampler,
        y: Tensor,
        view: Graph,
        *,
        sample_weight: Tensor | None = None,
        valid: NodeDataset | None = None,
    ) -> None:
        self.source, self.y, self.view, self.sample_weight, self.valid = source, y, view, sample_weight, valid
        self.order: NDArray[np.intp] | None = None  # of the last pass through the nodes; None: their own
        self.epoch = 0  # number of passes, which determines the batches

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the nodes, in the order of the last pass."""
        degree = self.view.degree(hops)
        return degree if self.order is None else degree[self.order]

    def __len__(self) -> int:
        return len(self.view)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError("The nodes of a graph come in batches.")


class WholeGraph:
    """Iterator over the single batch of whole-graph training, in place of torch's DataLoader."""

    def __init__(self, dataset: NodeDataset, batch_size: int | None = None) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[tuple[Batch, Tensor]]:
        assert isinstance(self.dataset.source, Batch)
        yield self.dataset.source, self.dataset.y


class SampledNodes:
    """Iterator over batches of nodes with some of their neighbors.

    Batches have about equal size. Training nodes come in a new order with new neighbors in each epoch, validation
    nodes always with the same neighbors.

    Parameters
    ----------
    dataset : NodeDataset
    batch_size : int
        Maximum number of nodes in a batch.
    training : bool, default=False
    rank, n_processes : int, default=0, 1
        Which process this is, of several that share each batch of ``n_processes`` times ``batch_size`` nodes.
    reduce : callable, default=None
        Sums a tensor over these processes.
    """

    def __init__(
        self,
        dataset: NodeDataset,
        batch_size: int,
        *,
        training: bool = False,
        rank: int = 0,
        n_processes: int = 1,
        reduce: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self.dataset, self.training, self.rank, self.n_processes = dataset, training, rank, n_processes
        self.reduce = reduce
        if len(dataset) < n_processes:
            raise ValueError(f"{n_processes} processes cannot share {len(dataset)} training nodes.")
        n_batches = -(-len(dataset) // (batch_size * n_processes))
        self.n_batches = min(n_batches, len(dataset) // n_processes)  # each process has a node of each batch

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self) -> Iterator[tuple[Batch, Tensor]]:
        sampler, y, nodes = self.dataset.source, self.dataset.y, self.dataset.view.nodes
        assert isinstance(sampler, NeighborSampler)
        order = np.arange(len(nodes))
        if self.training:
            self.dataset.epoch += 1
            order = np.random.default_rng([sampler.seed, self.dataset.epoch]).permutation(order)
        batches = np.array_split(order, self.n_batches)
        parts = [np.array_split(places, self.n_processes)[self.rank] for places in batches]
        self.dataset.order = np.concatenate(parts) if self.training else None
        weights = self.dataset.sample_weight
        for number, (places, mine) in enumerate(zip(batches, parts, strict=True)):
            step = self.dataset.epoch * self.n_batches + number if self.training else 0
            index = torch.from_numpy(mine)
            batch = sampler.batch(
                nodes[mine],
                step,
                places=mine,
                part=self.n_processes / len(places),
                sample_weight=None if weights is None else weights[index],
                reduce=self.reduce,
            )
            yield batch, y[index]
