"""Batches of nodes with some of their neighbours, some of the neighbours' neighbours, and so on.

Each layer gets a block of its own, and all of them the same module: nothing else
knows that neighbours were drawn. Means over drawn neighbours are in expectation
means over all; attention is shared out among those drawn, each weighing as much as
all that it stands for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..graph import Drawn, draw_neighbors, draw_walks, hash_keys
from ._attention import AttentionPattern
from ._blocks import Block
from ._neighbourhoods import distinct
from ._sparse import SparseOperator, to_tensor
from ._tensors import GraphRows

WALKS_NEEDED = (
    'context_pool="walk" of {hops} hops draws as many walks as neighbours: with batch_size, set n_neighbors too.'
)


class NeighbourSampler:
    """Makes batches of a graph's nodes.

    Parameters
    ----------
    source : GraphRows
    n_neighbors : list of int or None, one for each layer
        How many neighbours of a node a layer reads at the most; None: all.
    seed : int
    device : torch device
    """

    def __init__(self, source: GraphRows, n_neighbors: list[int | None], seed: int, device: Any) -> None:
        self.source, self.n_neighbors, self.seed, self.device = source, n_neighbors, seed, device
        self.far = "context" in source.operators and source.hops > 1
        if self.far and source.pool == "walk" and None in n_neighbors:
            raise ValueError(WALKS_NEEDED.format(hops=source.hops))
        self.context: sp.csr_array | None = None
        if self.far and source.pool == "set":
            self.context = source.contexts.rows(np.arange(source.n_nodes))
        self.n_linked = np.diff(source.A.indptr)  # neighbours of each node, whatever their weights

    def batch(
        self,
        nodes: NDArray[np.intp],
        step: int = 0,
        *,
        places: NDArray[np.intp] | None = None,
        part: float | None = None,
    ) -> SampledBatch:
        """The nodes with neighbours as drawn in the given step: the same step gives the same neighbours.

        ``part`` is how much of a mean over the batch each node makes up; default: all are of one batch.
        """
        part = 1 / len(nodes) if part is None else part
        blocks: list[Block] = []
        after, seeds = nodes, np.arange(len(nodes))
        for layer in reversed(range(len(self.n_neighbors))):
            block, before = self._block(after, layer, step)
            share = np.bincount(seeds, minlength=len(after)) * part
            blocks.insert(0, block.for_batch(to_tensor(share, self.source.dtype)).to(self.device))
            seeds = np.asarray(block.own)[seeds]
            after = before
        x = self.source.features(after).to(self.device)
        return SampledBatch(nodes, x, blocks, np.arange(len(nodes)) if places is None else places, part * len(nodes))

    def _block(self, after: NDArray[np.intp], layer: int, step: int) -> tuple[Block, NDArray[np.intp]]:
        """The block to some nodes, and the nodes that it leads from."""
        source, most = self.source, self.n_neighbors[layer]
        keys = hash_keys(self.seed, step, layer, after)
        drawn = draw_neighbors(source.A, after, most, hash_keys(keys, 0))
        further = self._context_of(after, most, keys) if self.far else None
        reached = [drawn.neighbors] if further is None else [drawn.neighbors, further.neighbors]
        before, column = np.unique(np.concatenate([after, *reached]), return_inverse=True)
        own, column = column[: len(after)], column[len(after) :]
        weighted = drawn.weight * drawn.stands_for
        block = Block()
        block.dtype, block._encodings, block._orders = source.dtype, {}, {}
        block.own = torch.from_numpy(own)
        block.low = to_tensor(source.degree[after, None] <= source.threshold, torch.bool)
        block.keys = hash_keys(self.seed, step, layer, before, 2)  # 0 and 1 draw neighbours and contexts

        def matrix(values: NDArray[np.float64], with_self: float, of: Drawn = drawn, at: Any = column) -> sp.csr_array:
            return _rows(of.counts, at[: len(of.neighbors)], values, own, with_self, len(before))

        def operator(values: NDArray[np.float64], with_self: float, total: NDArray[np.float64]) -> SparseOperator:
            scale = 1 / np.where(total == 0, 1, total)
            return SparseOperator(sp.diags_array(scale) @ matrix(values, with_self), source.dtype)

        degree = source.degree[after]
        if "open_mean" in source.operators:
            block.open_mean = operator(weighted, 0.0, degree)
        if "attention" in source.operators:
            block.attention = AttentionPattern(matrix(weighted, 1.0), source.dtype)
        if "closed_mean" in source.operators:
            block.closed_mean = operator(weighted, 1.0, degree + 1)
        if "context" in source.operators:
            if further is not None:
                values = further.stands_for / np.repeat(_sums(further), further.counts)
                pooled = matrix(values, 0.0, further, column[len(drawn.neighbors) :])
                block.context = SparseOperator(pooled, source.dtype)
            elif source.one_mean:
                block.context = block.closed_mean
            else:
                block.context = operator(drawn.stands_for, 1.0, self.n_linked[after] + 1.0)
            degrees, code = distinct(degree)
            block.degrees, block.degree_code = to_tensor(degrees, torch.float64), to_tensor(code, torch.int64)
            one_hot = sp.csr_array((np.ones(len(code)), code, np.arange(len(code) + 1)), (len(code), len(degrees)))
            block.spread = SparseOperator(one_hot, source.dtype)
        return block, before

    def _context_of(self, nodes: NDArray[np.intp], most: int | None, keys: Any) -> Drawn:
        """Some nodes of each context of several hops."""
        if self.context is not None:
            return draw_neighbors(self.context, nodes, most, hash_keys(keys, 1))
        assert most is not None
        ends = draw_walks(self.source.A, nodes, self.source.hops, most, hash_keys(keys, 1))
        ones = np.ones(ends.size)
        return Drawn(np.full(len(nodes), most), ends.ravel(), ones, ones)


class SampledBatch:
    """Nodes that a loss is about, and blocks that lead to them; it stands where a NodeBatch does.

    Attributes
    ----------
    nodes : (n_batch,) int64
    x : features of the nodes that the first layer reads
    low : (n_batch,) bool, which of the batch are in S_0
    places : where the nodes are among those of the data set
    weight : of the batch beside those of other processes
    contrasts : dict, what the objective remembers of the batch
    """

    __slots__ = ("nodes", "x", "low", "places", "weight", "contrasts", "_blocks")

    def __init__(
        self,
        nodes: NDArray[np.intp],
        x: Tensor | SparseOperator,
        blocks: list[Block],
        places: NDArray[np.intp],
        weight: float,
    ) -> None:
        self.nodes, self.x, self._blocks = torch.from_numpy(nodes), x, blocks
        self.places, self.weight = places, weight
        self.low = blocks[-1].low[:, 0]
        self.contrasts: dict[Any, Tensor] = {}

    def blocks(self, n_layers: int) -> list[Block]:
        return self._blocks

    def __len__(self) -> int:
        return len(self.nodes)


def _sums(drawn: Drawn) -> NDArray[np.float64]:
    """What those drawn for each node stand for, all in all."""
    rows = np.repeat(np.arange(len(drawn.counts)), drawn.counts)
    return np.maximum(np.bincount(rows, drawn.stands_for, minlength=len(drawn.counts)), 1)


def _rows(
    counts: NDArray[np.intp], column: NDArray[np.intp], values: NDArray[np.float64], own: NDArray[np.intp],
    with_self: float, n_before: int,
) -> sp.csr_array:  # fmt: skip
    """A CSR matrix of drawn neighbours and, if ``with_self``, the node itself with that weight."""
    indptr = np.concatenate([[0], np.cumsum(counts)])
    matrix = sp.csr_array((values, column, indptr), shape=(len(counts), n_before))
    matrix.sum_duplicates()
    if not with_self:
        return matrix
    loops = sp.csr_array((np.full(len(own), with_self), own, np.arange(len(own) + 1)), shape=matrix.shape)
    return sp.csr_array(matrix + loops)
