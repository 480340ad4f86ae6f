"""The input of a layer: the edges from the nodes before it to the nodes after it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .operators import Matrix, Operator

Degrees = Callable[[int], NDArray[np.float64]]


class Block:
    """Edges between the nodes before a layer and those after it.

    In training on a whole graph both are all nodes, except in the last layer, after which only the batch is left.
    It contains only the topology: no weights, no features, no method.

    Parameters
    ----------
    matrices : dict from Operator to matrix (n_after, n_before)
    nodes : (n_after,), the nodes after the layer
    degrees : function from a number of hops to the generalized degree of every node of the graph
    own : (n_after,) int or None
        Position of the nodes after the layer among those before it; None: they are the same.
    before : (n_before,) or None
        The nodes before the layer; None: all nodes of the graph.
    keys : (n_before,) uint64 or None
        Randomness of each node before the layer; None: the module's own.

    Attributes
    ----------
    share : (n_after,) or None
        Fraction of the batch that each node makes up, for penalties on hidden layers; None: no loss is computed.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import ClosedMean, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> block = Topology(graph, [ClosedMean()]).block(np.array([0, 1]))  # from all nodes to two of them
    >>> len(block), block.degree().tolist(), block.degree_before().tolist()
    (2, [1.0, 2.0], [1.0, 2.0, 1.0])
    """

    def __init__(
        self,
        matrices: Mapping[Operator, Matrix],
        nodes: NDArray[np.intp],
        degrees: Degrees,
        *,
        own: Tensor | None = None,
        before: NDArray[np.intp] | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> None:
        self.matrices, self.nodes, self.degrees = matrices, nodes, degrees
        self.own, self.before, self.keys = own, before, keys
        self.share: Tensor | None = None
        self._derived: dict[Hashable, Any] = {}

    def __getitem__(self, operator: Operator) -> Matrix:
        return self.matrices[operator]

    def __len__(self) -> int:
        return len(self.nodes)

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the nodes after the layer."""
        return self.degrees(hops)[self.nodes]

    def degree_before(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the nodes before the layer."""
        return self.degrees(hops) if self.before is None else self.degrees(hops)[self.before]

    def of(self, values: Tensor) -> Tensor:
        """Select the rows of the nodes after the layer, from an array with a row for each node before it."""
        return values if self.own is None else values.index_select(0, self.own)

    def derived(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Something that a layer derives from the block; computed once and reused in every epoch."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def with_share(self, share: Tensor) -> Block:
        """The same block for a loss on other nodes."""
        block = copy.copy(self)
        block.share, block._derived = share, {}
        return block

    def to(self, device: torch.device | str) -> Block:
        """The same block on another device."""
        block = copy.copy(self)
        moved = {id(matrix): matrix.to(device) for matrix in self.matrices.values()}
        block.matrices = {operator: moved[id(matrix)] for operator, matrix in self.matrices.items()}
        block.own = None if self.own is None else self.own.to(device)
        block.share = None if self.share is None else self.share.to(device)
        block._derived = {}
        return block


class Batch:
    """Nodes that a loss or a prediction is about, and what the layers read to compute them.

    Parameters
    ----------
    nodes : (n_batch,), the nodes of a loss or a prediction
    x : features of the nodes that the first layer reads
    blocks : list of Block, one for each layer
    labeled : (n_batch,) int or None
        Position of ``nodes`` among those after the last layer; None: they are the same.
    places : positions of ``nodes`` in the data set
    weight : float, default=1.0
        Weight of the batch relative to those of other processes.
    sample_weight : (n_batch,) or None
        Weight of each node in the classification loss, 1 on average.
    reduce : callable
        Sums a tensor over the processes that share a batch.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import ClosedMean, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> batch = Topology(graph, [ClosedMean()]).batch(np.array([0, 1]), n_layers=2)
    >>> len(batch), batch.degree().tolist(), len(batch.blocks)
    (2, [1.0, 2.0], 2)
    """

    def __init__(
        self,
        nodes: NDArray[np.intp],
        x: Any,
        blocks: list[Block],
        *,
        labeled: Tensor | None = None,
        places: Any = slice(None),
        weight: float = 1.0,
        sample_weight: Tensor | None = None,
        reduce: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self.nodes, self.x, self.blocks, self.labeled = nodes, x, blocks, labeled
        self.places, self.weight, self.sample_weight = places, weight, sample_weight
        self.reduce = reduce or one_process
        self._derived: dict[Hashable, Any] = {}

    def degree(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of the batch's nodes."""
        return self.blocks[-1].degrees(hops)[self.nodes]

    @property
    def everyone(self) -> Block:
        """The last block: its nodes are all that the network has an output for."""
        return self.blocks[-1]

    def derived(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Something that a loss derives from the batch; computed once."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def __len__(self) -> int:
        return len(self.nodes)


def one_process(value: Tensor) -> Tensor:
    """The sum over all processes, in the single-process case."""
    return value
