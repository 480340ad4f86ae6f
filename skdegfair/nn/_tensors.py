"""What a module reads: the matrices of a graph as tensors, and the nodes in play."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..graph import Graph
from ._attention import AttentionPattern
from ._context import degree_encoding
from ._sparse import Features, SparseOperator, to_tensor


class GraphTensors:
    """A whole graph in tensors, with those matrices that a model needs.

    Parameters
    ----------
    graph : Graph
        Its features must be numeric, dense or CSR. The selection of nodes plays no part.
    operators : set of {"closed_mean", "open_mean", "attention", "context", "degrees"}
        A context comes with the degrees.
    context_hops : int, default=1
        The paper's r: the context of a node is all nodes at most r hops away.
    degree_threshold : float, default=0.0
        The paper's K: nodes of at most this degree are the low group S_0.
    feature_scale : float, default=1.0
        The features are divided by it.
    dtype : torch dtype, default=torch.float32

    Attributes
    ----------
    x : features, (n_nodes, n_features)
    low : bool (n_nodes, 1), membership in S_0
    closed_mean : mean over a node and its neighbours
    open_mean : mean over the neighbours alone, 0 where there are none
    attention : a node and its neighbours, for attention
    context : mean over the r-hop context (Eq. 5), unweighted
    degrees : (n_distinct,) float64, the distinct degrees
    degree_code : (n_nodes,) int64, which of them a node has
    spread : operator (n_nodes, n_distinct) from distinct degrees to nodes
    """

    x: Features
    low: Tensor
    closed_mean: SparseOperator
    open_mean: SparseOperator
    attention: AttentionPattern
    context: SparseOperator
    degrees: Tensor
    degree_code: Tensor
    spread: SparseOperator

    def __init__(
        self,
        graph: Graph,
        operators: set[str],
        *,
        context_hops: int = 1,
        degree_threshold: float = 0.0,
        feature_scale: float = 1.0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        degree = graph.whole().degree()
        n_nodes = graph.n_nodes
        A = sp.csr_array((n_nodes, n_nodes)) if graph.A is None else graph.A
        if sp.issparse(graph.X):
            self.x = SparseOperator(graph.X / feature_scale, dtype)
        else:
            self.x = to_tensor(graph.X, torch.float64).div_(feature_scale).to(dtype)
        self.low = to_tensor(degree[:, None] <= degree_threshold, torch.bool)
        self._encodings: dict[int, Tensor] = {}
        if "open_mean" in operators:
            self.open_mean = SparseOperator(_row_mean(A), dtype)
        if "attention" in operators:
            self.attention = AttentionPattern(_closed(A), dtype)
        if "closed_mean" in operators:
            self.closed_mean = SparseOperator(_row_mean(_closed(A)), dtype)
        if "context" in operators:
            if "closed_mean" in operators and context_hops == 1 and (A.data == 1).all():
                self.context = self.closed_mean  # the same matrix: layers then need one product instead of two
            else:
                self.context = SparseOperator(_row_mean(reachable(A, context_hops)), dtype)
        if operators & {"context", "degrees"}:
            distinct, code = np.unique(degree, return_inverse=True)
            self.degrees = to_tensor(distinct, torch.float64)
            self.degree_code = to_tensor(code, torch.int64)
            one_hot = sp.csr_array((np.ones(n_nodes), code, np.arange(n_nodes + 1)), shape=(n_nodes, len(distinct)))
            self.spread = SparseOperator(one_hot, dtype)

    def degree_encoding(self, dim: int) -> Tensor:
        """delta^l of each distinct degree, (n_distinct, dim), computed once."""
        if dim not in self._encodings:
            self._encodings[dim] = degree_encoding(self.degrees, dim).to(self.low.device, self._dtype)
        return self._encodings[dim]

    @property
    def _dtype(self) -> torch.dtype:
        return self.x.dtype if isinstance(self.x, Tensor) else self.x.forward.dtype

    def to(self, device: Any) -> GraphTensors:
        moved = object.__new__(type(self))
        copies = {id(value): value.to(device) for value in vars(self).values() if hasattr(value, "to")}
        for name, value in vars(self).items():
            setattr(moved, name, copies.get(id(value), value))  # what was one object stays one
        moved._encodings = {}
        return moved


class NodeBatch:
    """Some nodes of a graph: those that a loss is about, or that a prediction is wanted for.

    Attributes
    ----------
    graph : GraphTensors
    nodes : (n_batch,) int64
    low : (n_batch,) bool, which of them are in S_0
    node_share : (n_nodes,), the part of the batch that each node of the graph makes up
    degree_share : (n_distinct,), the part of the batch that has each of the distinct degrees, with a context only
    """

    __slots__ = ("graph", "nodes", "low", "node_share", "degree_share")

    def __init__(self, graph: GraphTensors, nodes: Any) -> None:
        self.graph = graph
        self.nodes = torch.as_tensor(np.array(nodes), dtype=torch.int64, device=graph.low.device)
        self.low = graph.low[self.nodes, 0]
        counts = torch.bincount(self.nodes, minlength=len(graph.low))
        self.node_share = counts.to(graph._dtype) / len(self.nodes)
        if hasattr(graph, "degrees"):
            none = self.node_share.new_zeros(len(graph.degrees))
            self.degree_share = none.index_add(0, graph.degree_code, self.node_share)

    def __len__(self) -> int:
        return len(self.nodes)


def reachable(A: sp.csr_array, hops: int) -> sp.csr_array:
    """C_r: 1 where a node can be reached in at most ``hops`` steps, itself included."""
    step = _closed(A)
    step.data = np.ones_like(step.data)
    context = step
    for _ in range(hops - 1):
        context = context @ step
        context.data = np.ones_like(context.data)
    return context


def _closed(A: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(A + sp.eye_array(A.shape[0], format="csr", dtype=A.dtype))


def _row_mean(matrix: sp.csr_array) -> sp.csr_array:
    total = matrix @ np.ones(matrix.shape[1])
    total[total == 0] = 1  # an isolated node has an empty mean, which is 0
    return sp.csr_array(sp.diags_array(1 / total) @ matrix)
