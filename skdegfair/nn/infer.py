"""Predictions layer by layer, in slices of nodes to save memory. Nothing is cached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .block import Block
from .conv import Conv
from .neighborhoods import slices_of
from .operators import Operator, Reach
from .topology import Topology

ENTRIES = 2**22  # maximum number of entries of the matrices of a slice


class _Slices:
    """The nodes after a layer, cut into slices, and the block of each slice."""

    def __init__(self, topology: Topology, nodes: NDArray[np.intp]) -> None:
        self.topology, self.nodes = topology, nodes
        sets = [each.hops for each in topology.operators if isinstance(each, Reach) and not each.is_walk]
        hops = max(sets, default=1)
        self.slices = slices_of(topology.reached_nodes(hops).bound[nodes], ENTRIES)
        self._only: Block | None = None

    def __iter__(self) -> Iterator[Block]:
        for rows in self.slices:
            block = self._only or self.topology.block(self.nodes[rows], gradient=False)
            if len(self.slices) == 1:
                self._only = block  # the next layer needs it again
            yield block


@torch.no_grad()
def infer(
    layers: list[Conv], activation: Any, topology: Topology, nodes: NDArray[np.intp], *, activate_last: bool
) -> Tensor:
    """Output of the layers for some nodes: (n_nodes, d_out)."""
    everywhere = _Slices(topology, np.arange(topology.n_nodes))
    wanted = _Slices(topology, nodes)

    def propagate(operator: Operator, values: Tensor) -> Tensor:
        return _collected((block[operator] @ values for block in everywhere), topology.n_nodes)

    h: Tensor | None = None
    for layer in layers:
        last = layer is layers[-1]
        projected = layer.between(_projected(layer, topology, h), propagate)
        target = wanted if last else everywhere
        h = _collected((_output(layer.gather(projected, block)) for block in target), len(target.nodes))
        if not last or activate_last:
            h = activation(h)
    assert h is not None
    return h


def _output(gathered: Tensor | tuple[Tensor, Any]) -> Tensor:
    return gathered[0] if isinstance(gathered, tuple) else gathered


def _projected(layer: Conv, topology: Topology, h: Tensor | None) -> Tensor:
    """Projection of each node by the layer, from its features or from ``h``."""
    width = topology.feature_width if h is None else h.shape[1]
    slices = slices_of(np.full(topology.n_nodes, width), ENTRIES)
    read = (topology.features(rows, gradient=False) if h is None else h[rows] for rows in slices)
    return _collected((layer.project(part) for part in read), topology.n_nodes)


def _collected(parts: Iterable[Tensor], n: int) -> Tensor:
    """The parts stacked, without a second copy of all of them."""
    whole: Tensor | None = None
    at = 0
    for part in parts:
        whole = part.new_empty(n, part.shape[1]) if whole is None else whole
        whole[at : at + len(part)] = part
        at += len(part)
    assert whole is not None
    return whole
