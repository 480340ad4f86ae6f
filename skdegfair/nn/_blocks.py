"""What a layer reads: the edges from the nodes before it to the nodes after it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ._attention import AttentionPattern
from ._context import degree_encoding
from ._sparse import Operator, SparseOperator


class Block:
    """Edges between the nodes before a layer and those after it, and what the layer asks of the latter.

    In training on a whole graph these are the same nodes, but for the last layer, after
    which only the batch is left.

    Attributes
    ----------
    closed_mean : operator (n_after, n_before), mean over a node and its neighbours
    open_mean : operator, mean over the neighbours alone, 0 where there are none
    attention : pattern (n_after, n_before), a node and its neighbours, for attention
    context : operator, mean over the r-hop context (Eq. 5), unweighted
    own : (n_after,) int, where the nodes after the layer are among those before; None: the same
    low : bool (n_after, 1), membership in S_0
    degrees : (n_distinct,) float64, the distinct degrees
    degree_code : (n_after,) int, which of them a node has
    spread : operator (n_after, n_distinct) from distinct degrees to nodes
    keys : (n_before,) uint64, the randomness of each node before the layer; None: the module's own
    share : (n_after,), the part of the batch that each node makes up; None: no loss is asked for
    degree_share : (n_distinct,), the part of the batch that has each of the distinct degrees
    """

    closed_mean: Operator
    open_mean: Operator
    attention: AttentionPattern
    context: Operator
    own: Tensor | None = None
    low: Tensor
    degrees: Tensor
    degree_code: Tensor
    spread: SparseOperator
    keys: NDArray[np.uint64] | None = None
    share: Tensor | None = None
    degree_share: Tensor
    dtype: torch.dtype
    _encodings: dict[int, Tensor]
    _orders: dict[tuple[str, int, int], Tensor]

    def degree_encoding(self, dim: int) -> Tensor:
        """delta^l of each distinct degree, (n_distinct, dim), computed once."""
        if dim not in self._encodings:
            self._encodings[dim] = degree_encoding(self.degrees, dim).to(self.low.device, self.dtype)
        return self._encodings[dim]

    def own_then_other(self, rows: slice | None) -> Tensor:
        """Order of rows that are in turn a node's functions for low and high: first its own group's of all nodes."""
        return self._order("own", rows, lambda low, first: torch.cat([2 * first + ~low, 2 * first + low]))

    def low_then_high(self, rows: slice | None) -> Tensor:
        """The way back."""
        return self._order(
            "low", rows, lambda low, first: torch.stack([first + len(low) * ~low, first + len(low) * low], 1).flatten()
        )

    def _order(self, kind: str, rows: slice | None, make: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        rows = slice(0, len(self.low)) if rows is None else rows
        key = kind, rows.start, rows.stop
        if key not in self._orders:
            low = self.low[rows, 0]
            self._orders[key] = make(low, torch.arange(len(low), device=low.device))
        return self._orders[key]

    def of(self, values: Tensor) -> Tensor:
        """The rows of the nodes after the layer, of something that the nodes before it have."""
        return values if self.own is None else values.index_select(0, self.own)

    def for_batch(self, share: Tensor) -> Block:
        """The same block for a loss about other nodes."""
        block = copy.copy(self)
        block.share = share
        if hasattr(self, "degrees"):
            none = share.new_zeros(len(self.degrees))
            block.degree_share = none.index_add(0, self.degree_code, share)
        return block

    def rows(self, nodes: Tensor) -> Block:
        """The block that leads to some of the nodes only."""
        block = Block()
        own = {name: value for name, value in vars(self).items() if name in Block.__annotations__}
        parts = {id(value): value.rows(nodes) for value in own.values() if hasattr(value, "rows")}
        for name, value in own.items():
            setattr(block, name, parts.get(id(value), value))  # what was one object stays one
        block.own, block.low = nodes, self.low[nodes]
        block._orders = {}
        if hasattr(self, "degrees"):
            block.degree_code = self.degree_code[nodes]
        return block

    def to(self, device: Any) -> Any:
        """The same on another device."""
        moved = object.__new__(type(self))
        copies = {id(value): value.to(device) for value in vars(self).values() if hasattr(value, "to")}
        for name, value in vars(self).items():
            setattr(moved, name, copies.get(id(value), value))
        moved._encodings, moved._orders = {}, {}
        return moved
