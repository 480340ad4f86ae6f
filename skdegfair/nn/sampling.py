"""Neighbor sampling: batches of nodes with some of their neighbors, some of the neighbors' neighbors, and so on.

Each layer gets its own block, so that a network does not need to know whether neighbors were sampled. Means over
sampled neighbors equal, in expectation, means over all neighbors; in attention, each sampled neighbor weighs as much
as all the neighbors it represents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from ..graph import Drawn, draw_neighbors, draw_walks, hash_keys
from .block import Batch, Block
from .neighborhoods import Neighborhoods
from .sparse import to_tensor
from .topology import Topology

WALKS_NEEDED = (
    'context_pool="walk" with {hops} hops samples as many walks as neighbors: set n_neighbors as well as batch_size.'
)


class NeighborSampler:
    """Make batches of a graph's nodes.

    Parameters
    ----------
    topology : Topology
    n_neighbors : list of int or None, one for each layer
        Maximum number of neighbors of a node that a layer reads; None: all.
    seed : int
    """

    def __init__(self, topology: Topology, n_neighbors: list[int | None], seed: int) -> None:
        self.topology, self.n_neighbors, self.seed = topology, n_neighbors, seed
        self.far = topology.far
        self.reached: sp.csr_array | None = None
        if self.far is not None and not self.far.is_walk:
            self.reached = topology.reached_nodes(self.far.hops).rows(np.arange(topology.n_nodes))
        elif self.far is not None and None in n_neighbors:
            raise ValueError(WALKS_NEEDED.format(hops=self.far.hops))
        self.n_linked = np.diff(topology.A.indptr)

    def batch(
        self, nodes: NDArray[np.intp], step: int = 0, *, places: Any = None, part: float | None = None, **options: Any
    ) -> Batch:
        """The nodes with neighbors as sampled in the given step: the same step gives the same neighbors.

        ``part`` is the fraction of a mean over the batch that each node makes up. By default the nodes are the whole
        batch. ``options`` are further arguments of :class:`Batch`.
        """
        part = 1 / len(nodes) if part is None else part
        blocks: list[Block] = []
        after, seeds = nodes, np.arange(len(nodes))
        for layer in reversed(range(len(self.n_neighbors))):
            block, before = self._block(after, layer, step)
            share = to_tensor(np.bincount(seeds, minlength=len(after)) * part, self.topology.dtype)
            seeds = np.asarray(block.own)[seeds]
            blocks.insert(0, block.with_share(share).to(self.topology.device))
            after = before
        x = self.topology.features(after)
        places = np.arange(len(nodes)) if places is None else places
        return Batch(nodes, x, blocks, places=places, weight=part * len(nodes), **options)

    def _block(self, after: NDArray[np.intp], layer: int, step: int) -> tuple[Block, NDArray[np.intp]]:
        """The block to some nodes, and the nodes before it."""
        topology, most = self.topology, self.n_neighbors[layer]
        keys = hash_keys(self.seed, step, layer, after)
        drawn = draw_neighbors(topology.A, after, most, hash_keys(keys, 0))
        further = None if self.far is None else self._reached_from(after, most, keys)
        found = [drawn.neighbors] if further is None else [drawn.neighbors, further.neighbors]
        before, column = np.unique(np.concatenate([after, *found]), return_inverse=True)
        own, near, distant = np.split(column, [len(after), len(after) + len(drawn.neighbors)])

        def matrix(values: NDArray[np.float64], of: Drawn = drawn, columns: Any = near) -> sp.csr_array:
            indptr = np.concatenate([[0], np.cumsum(of.counts)])
            rows = sp.csr_array((values, columns, indptr), shape=(len(after), len(before)))
            rows.sum_duplicates()
            return rows

        reached = None
        if further is not None:
            totals = np.repeat(_represented(further), further.counts)
            reached = matrix(further.stands_for / totals, further, distant)
        around = Neighborhoods(
            matrix(drawn.weight * drawn.stands_for),
            matrix(drawn.stands_for),
            own,
            topology.degrees()[after],
            self.n_linked[after],
            reached,
            is_sampled=True,
        )
        keys_before = hash_keys(self.seed, step, layer, before, 2)  # 0 and 1 draw neighbors and contexts
        matrices = topology.matrices(around)
        block = Block(matrices, after, topology.degrees, own=torch.from_numpy(own), before=before, keys=keys_before)
        return block, before

    def _reached_from(self, nodes: NDArray[np.intp], most: int | None, keys: Any) -> Drawn:
        """Some of the nodes within several hops of each node."""
        assert self.far is not None
        if self.reached is not None:
            return draw_neighbors(self.reached, nodes, most, hash_keys(keys, 1))
        assert most is not None
        ends = draw_walks(self.topology.A, nodes, self.far.hops, most, hash_keys(keys, 1))
        ones = np.ones(ends.size)
        return Drawn(np.full(len(nodes), most), ends.ravel(), ones, ones)


def _represented(drawn: Drawn) -> NDArray[np.float64]:
    """Number of nodes that the nodes drawn for each node represent, in total."""
    rows = np.repeat(np.arange(len(drawn.counts)), drawn.counts)
    return np.maximum(np.bincount(rows, drawn.stands_for, minlength=len(drawn.counts)), 1)
