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
from ._film import degree_encoding
from ._sparse import Operator, SparseOperator

Order = Callable[[Tensor, Tensor, Tensor], list[Tensor]]  # of low, degree_code and numbers of nodes


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
    degree_share : (n_distinct, 1), the part of the batch that has each of the distinct degrees
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
    _orders: dict[tuple[str, bool, int, int], Tensor]

    def degree_encoding(self, dim: int) -> Tensor:
        """delta^l of each distinct degree, (n_distinct, dim), computed once."""
        if dim not in self._encodings:
            self._encodings[dim] = degree_encoding(self.degrees, dim).to(self.low.device, self.dtype)
        return self._encodings[dim]

    def own_then_other(self, values: Tensor, rows: slice | None, d: int, joint: bool) -> Tensor:
        """The functions of some nodes, first those of their own groups, then those of the other ones.

        ``values`` has the one for low beside that for high, after the aggregation if it is joint.
        Shapes: (n, 2 d) or joint (n, 3 d) -> (2, n, d); without contrast (n, d) or (n, 2 d) -> (1, n, d).
        """
        n_others = int(joint)
        if values.shape[1] == (n_others + 1) * d:
            return values[None, :, n_others * d :]

        def order(low: Tensor, code: Tensor, node: Tensor) -> list[Tensor]:
            place = (n_others + 2) * node + n_others
            return [place + ~low, place + low]

        return self._fetch(values.reshape(-1, d), ("functions", joint), rows, order).view(2, -1, d)

    def node_by_node(self, parts: Tensor, rows: slice | None, joint: bool) -> Tensor:
        """The way back, for gradients; ``parts`` has that of the aggregation first if it is joint."""
        n, d = parts.shape[1:]
        if len(parts) == 1 + joint:
            return parts.transpose(0, 1).reshape(n, -1)

        def order(low: Tensor, code: Tensor, node: Tensor) -> list[Tensor]:
            kinds = [torch.zeros_like(node)] * joint + [int(joint) + ~low, int(joint) + low]
            return [torch.stack([kind * n + node for kind in kinds], 1).flatten()]

        return self._fetch(parts.view(-1, d), ("gradients", joint), rows, order).view(n, -1)

    def scale_then_shift(self, film: Tensor, rows: slice | None) -> Tensor:
        """What some nodes have by their degrees: (n_distinct, 2 d) -> (2, n, d)."""
        d = film.shape[1] // 2
        values = self._fetch(film.view(-1, d), ("film", False), rows, lambda low, code, node: [2 * code, 2 * code + 1])
        return values.view(2, -1, d)

    def _fetch(self, values: Tensor, what: tuple[str, bool], rows: slice | None, order: Order) -> Tensor:
        """Rows of the values, by indices that are made once: faster than by a mask."""
        rows = slice(0, len(self.low)) if rows is None else rows
        key = *what, rows.start, rows.stop
        if key not in self._orders:
            low = self.low[rows, 0]
            indices = order(low, self.degree_code[rows], torch.arange(len(low), device=low.device))
            self._orders[key] = torch.cat(indices).int()
        return values.index_select(0, self._orders[key])

    def of(self, values: Tensor) -> Tensor:
        """The rows of the nodes after the layer, of something that the nodes before it have."""
        return values if self.own is None else values.index_select(0, self.own)

    def for_batch(self, share: Tensor) -> Block:
        """The same block for a loss about other nodes."""
        block = copy.copy(self)
        block.share = share
        if hasattr(self, "degrees"):
            none = share.new_zeros(len(self.degrees), dtype=torch.float64)  # many small parts
            block.degree_share = none.index_add(0, self.degree_code, share.double()).to(share.dtype)[:, None]
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
