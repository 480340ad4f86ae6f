"""Predictions layer by layer, in slices of nodes: memory stays flat, and no epoch is there to gain from more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ._blocks import Block
from ._neighbourhoods import slices_of
from ._sparse import to_tensor
from ._tensors import GraphRows

if TYPE_CHECKING:
    from ._module import ModulatedLayer

ENTRIES = 2**22  # of the matrices of a slice


class _Slices:
    """The nodes after a layer, cut into slices, and the block of each slice."""

    def __init__(self, source: GraphRows, nodes: NDArray[np.intp], device: torch.device) -> None:
        self.source, self.nodes, self.device = source, nodes, device
        sizes = source.contexts.bound if "context" in source.operators else np.diff(source.A.indptr) + 1.0
        self.slices = slices_of(sizes[nodes], ENTRIES)
        self._only: Block | None = None

    def __iter__(self) -> Iterator[tuple[slice, Block]]:
        for rows in self.slices:
            block = self._only or self._block(self.nodes[rows])
            if len(self.slices) == 1:
                self._only = block  # the next layer asks for it again
            yield rows, block

    def _block(self, nodes: NDArray[np.intp]) -> Block:
        block = self.source.fill(Block(), nodes, gradient=False)
        block.own = to_tensor(nodes, torch.int64)
        moved: Block = block.to(self.device)
        return moved


@torch.no_grad()
def infer(
    layers: list[ModulatedLayer], activation: Any, source: GraphRows, nodes: NDArray[np.intp], *, activate_last: bool
) -> Tensor:
    """What the layers make of some nodes: (n_nodes, d_out)."""
    device = layers[0].aggregate.weight.device
    everywhere = _Slices(source, np.arange(source.n_nodes), device)
    wanted = _Slices(source, nodes, device)
    h: Tensor | None = None
    for layer in layers:
        last = layer is layers[-1]
        projected = _projected(layer, source, h, device)
        if layer.debias is not None and source.pool == "walk":
            context = projected[:, -layer.debias.weight.shape[1] :]
            for _ in range(source.hops - 1):  # all steps of a walk but the last
                context.copy_(_collected((block.context @ context for _, block in everywhere), source.n_nodes))
        h = _finished(layer, projected, wanted if last else everywhere)
        if not last or activate_last:
            h = activation(h)
    assert h is not None
    return h


def _projected(layer: ModulatedLayer, source: GraphRows, h: Tensor | None, device: torch.device) -> Tensor:
    """What the layer's aggregation reads of each node: of its features, or of ``h``."""
    weight = layer.context_functions()
    width = source.feature_width if h is None else h.shape[1]
    slices = slices_of(np.full(source.n_nodes, width), ENTRIES)
    read = (source.features(rows, gradient=False).to(device) if h is None else h[rows] for rows in slices)
    return _collected((layer.aggregate.project(part, weight) for part in read), source.n_nodes)


def _finished(layer: ModulatedLayer, projected: Tensor, target: _Slices) -> Tensor:
    """The output of a layer at the target's nodes."""
    outputs = (layer.finish(*layer.aggregate.gather(projected, block), block)[0] for _, block in target)
    return _collected(outputs, len(target.nodes))


def _collected(parts: Iterable[Tensor], n: int) -> Tensor:
    """The parts one below the other, without a second copy of all."""
    whole: Tensor | None = None
    at = 0
    for part in parts:
        whole = part.new_empty(n, part.shape[1]) if whole is None else whole
        whole[at : at + len(part)] = part
        at += len(part)
    assert whole is not None
    return whole
