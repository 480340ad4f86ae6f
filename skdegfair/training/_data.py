"""Nodes to train on, in the shape that skorch expects of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from ..graph import Graph
from ..nn import NeighbourSampler, NodeBatch, SampledBatch


class NodeDataset(Dataset[Any]):
    """Training nodes with their labels, and the validation nodes of the same graph beside them.

    Parameters
    ----------
    source : NodeBatch or NeighbourSampler
        All of the nodes as one batch, or what makes batches of some.
    y : LongTensor of shape (n_nodes,)
    view : Graph
        The same nodes as a view of their graph, for scorers that ask for degrees.
    valid : NodeDataset or None, default=None
    """

    def __init__(
        self, source: NodeBatch | NeighbourSampler, y: Tensor, view: Graph, valid: NodeDataset | None = None
    ) -> None:
        self.source, self.y, self.view, self.valid = source, y, view, valid
        self.order: NDArray[np.intp] | None = None  # in which the nodes last came, where it is not their own

    @property
    def batch(self) -> NodeBatch:
        """All of the nodes, in training on the whole graph."""
        assert isinstance(self.source, NodeBatch)
        return self.source

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the nodes, in the order in which they last came."""
        degree = self.view.degree(hops)
        return degree if self.order is None else degree[self.order]

    def __len__(self) -> int:
        return len(self.view)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError("The nodes of a graph come in batches.")


class WholeGraph:
    """Iterator over the one batch of whole-graph training, in place of torch's DataLoader."""

    def __init__(self, dataset: NodeDataset, batch_size: int | None = None) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[tuple[NodeBatch, Tensor]]:
        yield self.dataset.batch, self.dataset.y


class SampledNodes:
    """Iterator over batches of nodes with some of their neighbours.

    Batches are of about equal size. Training nodes come in a new order with new
    neighbours in each epoch, validation nodes always with the same ones.

    Parameters
    ----------
    dataset : NodeDataset
    batch_size : int
        The most nodes in a batch.
    training : bool, default=False
    rank, n_processes : int, default=0, 1
        Of several processes that share each batch of ``n_processes`` times ``batch_size``
        nodes, which one this is.
    """

    def __init__(
        self, dataset: NodeDataset, batch_size: int, *, training: bool = False, rank: int = 0, n_processes: int = 1
    ) -> None:
        self.dataset, self.training, self.rank, self.n_processes = dataset, training, rank, n_processes
        if len(dataset) < n_processes:
            raise ValueError(f"{n_processes} processes cannot share {len(dataset)} training nodes.")
        n_batches = -(-len(dataset) // (batch_size * n_processes))
        self.n_batches = min(n_batches, len(dataset) // n_processes)  # each process has a node of each batch
        self.epoch = 0

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self) -> Iterator[tuple[SampledBatch, Tensor]]:
        sampler, y, nodes = self.dataset.source, self.dataset.y, self.dataset.view.nodes
        assert isinstance(sampler, NeighbourSampler)
        order = np.arange(len(nodes))
        if self.training:
            self.epoch += 1
            order = np.random.default_rng([sampler.seed, self.epoch]).permutation(order)
        batches = np.array_split(order, self.n_batches)
        parts = [np.array_split(places, self.n_processes)[self.rank] for places in batches]
        self.dataset.order = np.concatenate(parts) if self.training else None
        for number, (places, mine) in enumerate(zip(batches, parts, strict=True)):
            step = self.epoch * self.n_batches + number if self.training else 0
            batch = sampler.batch(nodes[mine], step, places=mine, part=self.n_processes / len(places))
            yield batch, y[torch.from_numpy(mine)]
