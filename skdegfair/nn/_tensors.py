"""What a module reads: the matrices of a graph as tensors, and the nodes in play."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..graph import Graph
from ._attention import AttentionPattern
from ._blocks import Block
from ._features import Features, FixedFeatures
from ._neighbourhoods import Contexts, closed, distinct, is_unweighted, row_mean
from ._sparse import Chain, SparseOperator, to_tensor


class GraphRows:
    """A graph of which blocks are made: for some nodes, or for all.

    Parameters
    ----------
    graph : Graph
        Its features must be numeric, dense or CSR. The selection of nodes plays no part.
    operators : set of {"closed_mean", "open_mean", "attention", "context", "degrees"}
        Which matrices a model needs. A context comes with the degrees.
    context_hops : int, default=1
        The paper's r: the context of a node is all nodes at most r hops away.
    context_pool : {"set", "walk"}, default="set"
        Mean over that set (Eq. 5), or over the ends of walks of r steps, each to a
        neighbour or to the node itself.
    degree_threshold : float, default=0.0
        The paper's K: nodes of at most this degree are the low group S_0.
    feature_scale : float, default=1.0
        The features are divided by it.
    dtype : torch dtype, default=torch.float32
    """

    def __init__(
        self,
        graph: Graph,
        operators: set[str],
        *,
        context_hops: int = 1,
        context_pool: str = "set",
        degree_threshold: float = 0.0,
        feature_scale: float = 1.0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.X, self.n_nodes = graph.X, graph.n_nodes
        self.A = sp.csr_array((self.n_nodes, self.n_nodes)) if graph.A is None else graph.A
        self.operators, self.dtype = operators, dtype
        self.hops, self.pool = context_hops, context_pool
        self.threshold, self.scale = degree_threshold, feature_scale
        self.degree = graph.whole().degree()

    @property
    def feature_width(self) -> float:
        """Stored features of a node, on average."""
        return self.X.nnz / self.n_nodes if sp.issparse(self.X) else float(self.X.shape[1])

    @cached_property
    def one_mean(self) -> bool:
        """Whether the context is the same mean as the aggregation's."""
        one_step = self.hops == 1 or self.pool == "walk"
        return "closed_mean" in self.operators and one_step and is_unweighted(self.A)

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts; of walks, those of one step."""
        return Contexts(self.A, 1 if self.pool == "walk" else self.hops)

    def features(self, rows: Any = slice(None), *, gradient: bool = True) -> Tensor | SparseOperator:
        """Scaled features of some nodes."""
        part = self.X[rows]
        if sp.issparse(part):
            return SparseOperator(part / self.scale, self.dtype, gradient=gradient)
        if part.dtype == np.float32 and self.dtype == torch.float32:
            return to_tensor(part, torch.float32).div_(self.scale)
        return to_tensor(part, torch.float64).div_(self.scale).to(self.dtype)

    def tensors(self) -> GraphTensors:
        """The whole graph in tensors."""
        tensors = GraphTensors.__new__(GraphTensors)
        tensors.x, tensors._fixed = self.features(), None
        self.fill(tensors, slice(None))
        if "context" in self.operators and self.pool == "walk" and self.hops > 1:
            tensors.context = Chain([cast(SparseOperator, tensors.context)] * self.hops)
        return tensors

    def fill(self, block: Block, rows: slice | NDArray[np.intp], *, gradient: bool = True) -> Block:
        """Give a block the edges that lead from all nodes to some, or to all (a slice); of a walk, its last step."""
        block.dtype, block._encodings, block._orders = self.dtype, {}, {}
        block.low = to_tensor(self.degree[rows, None] <= self.threshold, torch.bool)
        A = self.A if isinstance(rows, slice) else self.A[rows]
        own = np.arange(self.n_nodes)[rows]

        def operator(matrix: sp.csr_array) -> SparseOperator:
            return SparseOperator(matrix, self.dtype, gradient=gradient)

        if "open_mean" in self.operators:
            block.open_mean = operator(row_mean(A))
        if "attention" in self.operators:
            block.attention = AttentionPattern(closed(A, own), self.dtype, gradient=gradient)
        if "closed_mean" in self.operators:
            block.closed_mean = operator(row_mean(closed(A, own)))
        if "context" in self.operators:
            block.context = block.closed_mean if self.one_mean else operator(row_mean(self.contexts.rows(own)))
        if self.operators & {"context", "degrees"}:
            degrees, code = distinct(self.degree[rows])
            block.degrees = to_tensor(degrees, torch.float64)
            block.degree_code = to_tensor(code, torch.int64)
            if gradient:
                ones, starts = np.ones(len(own)), np.arange(len(own) + 1)
                block.spread = operator(sp.csr_array((ones, code, starts), shape=(len(own), len(degrees))))
        return block


class GraphTensors(Block):
    """A whole graph in tensors: a block from all nodes to all nodes, and the features.

    Parameters
    ----------
    graph, operators, **options : as for GraphRows

    Attributes
    ----------
    x : features, (n_nodes, n_features)
    """

    x: Tensor | SparseOperator
    _fixed: FixedFeatures | None

    def __init__(self, graph: Graph, operators: set[str], **options: Any) -> None:
        vars(self).update(vars(GraphRows(graph, operators, **options).tensors()))

    @property
    def inputs(self) -> Features:
        """The features as the first layer reads them in every epoch."""
        if isinstance(self.x, SparseOperator):
            return self.x
        if self._fixed is None:
            self._fixed = FixedFeatures(self.x)
        return self._fixed

    def to(self, device: Any) -> GraphTensors:
        moved: GraphTensors = super().to(device)
        moved._fixed = None
        return moved


class NodeBatch:
    """Some nodes of a graph: those that a loss is about, or that a prediction is wanted for.

    Attributes
    ----------
    graph : GraphTensors
    nodes : (n_batch,) int64
    x : features of all nodes
    low : (n_batch,) bool, which of the batch are in S_0
    whole : Block, from all nodes to all nodes, with the part of the batch that each is
    places : where the nodes are among those of the data set: all of them, in order
    contrasts : dict, what the objective remembers of the batch
    """

    __slots__ = ("graph", "nodes", "x", "low", "whole", "contrasts", "_last")
    places = slice(None)

    def __init__(self, graph: GraphTensors, nodes: Any) -> None:
        self.graph, self.x = graph, graph.inputs
        self.nodes = torch.as_tensor(np.array(nodes), dtype=torch.int64, device=graph.low.device)
        self.low = graph.low[self.nodes, 0]
        counts = torch.bincount(self.nodes, minlength=len(graph.low))
        self.whole = graph.for_batch(counts.to(graph.dtype) / len(self.nodes))
        self.contrasts: dict[Any, Tensor] = {}
        self._last: Block | None = None

    def blocks(self, n_layers: int) -> list[Block]:
        """A block for each layer: all nodes, but for the last layer, of which only the batch is asked."""
        return [self.whole] * (n_layers - 1) + [self.last]

    @property
    def last(self) -> Block:
        """The block that leads to the batch alone."""
        if self._last is None:
            if torch.equal(self.nodes, torch.arange(len(self.graph.low), device=self.nodes.device)):
                self._last = self.whole
            else:
                share = torch.full(
                    self.nodes.shape, 1 / len(self.nodes), dtype=self.graph.dtype, device=self.nodes.device
                )
                self._last = self.graph.rows(self.nodes).for_batch(share)
        return self._last

    def __len__(self) -> int:
        return len(self.nodes)
