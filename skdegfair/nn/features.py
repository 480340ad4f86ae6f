"""Inputs of a layer: hidden representations, sparse features, or dense features that no epoch changes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import pad

from .dense import dense_product
from .sparse import Chain, SparseOperator


class FixedFeatures:
    """Dense features of a graph, whose means over neighborhoods are cached across epochs."""

    __slots__ = ("x", "_pooled")

    def __init__(self, x: Tensor) -> None:
        self.x = x
        self._pooled: dict[SparseOperator | Chain, Tensor] = {}

    def pooled(self, operator: SparseOperator | Chain) -> Tensor:
        """``operator @ x``."""
        if operator not in self._pooled:
            with torch.no_grad():
                self._pooled[operator] = operator @ self.x
        return self._pooled[operator]


Features = Tensor | SparseOperator | FixedFeatures
WIDEST = 8  # features that are wider than this many times the output are not pooled in advance


def propagate(operator: SparseOperator | Chain, h: Features, weight: Tensor) -> Tensor:
    """``operator @ h @ weight``: the cheaper order of the two products, or a cached one where h is fixed.

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


def rounded(product: Callable[[Tensor], Tensor], weight: Tensor) -> Tensor:
    """The product with a weight, padded to 16, 24, 32 or more columns: other widths are up to three times slower."""
    missing = max(16 - weight.shape[1], -weight.shape[1] % 8)
    return product(pad(weight, (0, missing)))[:, : weight.shape[1]] if missing else product(weight)
