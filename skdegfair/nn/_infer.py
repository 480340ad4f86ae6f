"""Predictions layer by layer, in slices of nodes: memory stays flat, and no epoch is there to gain from more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ._blocks import Block
from ._neighbourhoods import slices_of
from ._tensors import GraphRows

if TYPE_CHECKING:
    from ._module import ModulatedLayer

ENTRIES = 2**22  # of the matrices of a slice


class _Slices:
    """The nodes after a layer, cut into slices, and the block of each slice."""

    def __init__(self, source: GraphRows, nodes: NDArray[np.intp], device: torch.device) -> None:
        self.source, self.nodes, self.device = source, nodes, device
        sizes = np.diff(source.A.indptr) + 1.0
        for _ in range(source.hops - 1 if source.pool == "set" and "context" in source.operators else 0):
            sizes = np.minimum(source.A @ sizes + sizes, source.n_nodes)
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
        block.own = torch.from_numpy(nodes)
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
        projected = _projected(layer, source, h, everywhere.slices, device)
        if layer.debias is not None and source.pool == "walk" and source.hops > 1:
            width = projected.shape[1] - layer.debias.weight.shape[1]
            for _ in range(source.hops - 1):
                steps = [block.context @ projected[:, width:] for _, block in everywhere]
                projected = torch.cat([projected[:, :width], torch.cat(steps)], dim=1)
        parts, film = [], None
        for _, block in wanted if last else everywhere:
            film = layer.film(block) if film is None else film
            out = layer.finish(*layer.aggregate.gather(projected, block), film, block)[0]
            parts.append(out if last and not activate_last else activation(out))
        h = torch.cat(parts)
    assert h is not None
    return h


def _projected(
    layer: ModulatedLayer, source: GraphRows, h: Tensor | None, slices: list[slice], device: torch.device
) -> Tensor:
    """What the layer's aggregation reads of each node: of its features, or of ``h``."""
    parts = []
    for rows in slices:
        part = source.features(rows, gradient=False).to(device) if h is None else h[rows]
        parts.append(layer.aggregate.project(part, layer.context_functions()))
    return torch.cat(parts)
