"""What a layer reads: hidden representations, sparse features, or dense features that no epoch changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ._by_degree import ContextByDegree
from ._dense import dense_product
from ._sparse import Operator, SparseOperator

if TYPE_CHECKING:
    from ._blocks import Block


class FixedFeatures:
    """Dense features of a graph, of which means over neighbourhoods are taken once and not in every epoch."""

    __slots__ = ("x", "_pooled", "_by_degree")

    def __init__(self, x: Tensor) -> None:
        self.x = x
        self._pooled: dict[Operator, Tensor] = {}
        self._by_degree: dict[Operator, ContextByDegree] = {}

    def pooled(self, operator: Operator) -> Tensor:
        """``operator @ x``."""
        if operator not in self._pooled:
            with torch.no_grad():
                self._pooled[operator] = operator @ self.x
        return self._pooled[operator]

    def by_degree(self, block: Block) -> ContextByDegree:
        """The context embedding of a block's nodes, laid out by degree; these nodes belong to its context operator."""
        if block.context not in self._by_degree:
            self._by_degree[block.context] = ContextByDegree(self.pooled(block.context), block)
        return self._by_degree[block.context]


Features = Tensor | SparseOperator | FixedFeatures
WIDEST = 8  # features wider than so many outputs are not pooled beforehand


def propagate(operator: Operator, h: Features, weight: Tensor) -> Tensor:
    """``operator @ h @ weight``, the narrower of the two products with ``operator``, or none where h is fixed.

    Shapes: (n, m), (m, d_in), (d_in, d_out) -> (n, d_out). Sparse features stay sparse.
    """
    if isinstance(h, FixedFeatures) and h.x.shape[1] <= WIDEST * weight.shape[1]:
        return dense_product(h.pooled(operator), weight)
    if isinstance(h, Tensor) and h.shape[1] < weight.shape[1]:
        return dense_product(operator @ h, weight)
    return operator @ transform(h, weight)


def transform(h: Features, weight: Tensor) -> Tensor:
    """``h @ weight`` for features of any kind."""
    if isinstance(h, SparseOperator):
        return h @ weight
    return dense_product(h if isinstance(h, Tensor) else h.x, weight)
