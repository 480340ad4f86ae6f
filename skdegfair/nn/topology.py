"""From a graph to blocks and batches: the one place where edges become matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..graph import Graph, cached_property
from .block import Batch, Block
from .features import Features, FixedFeatures
from .neighborhoods import Neighborhoods, ReachedNodes, is_unweighted, pattern
from .operators import ClosedMean, Matrix, Operator, Reach
from .sparse import Chain, SparseOperator, to_tensor

Rows = NDArray[np.intp]


class Topology:
    """A graph from which blocks are made, for some or all of its nodes.

    Parameters
    ----------
    graph : Graph
        Its features must be numeric, dense or CSR. The selection of nodes is ignored.
    operators : set of Operator
        Which matrices the layers of a network need.
    feature_scale : float, default=1.0
        The features are divided by it.
    dtype : torch dtype, default=torch.float32
    device : torch device, default="cpu"

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import ClosedMean, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> topology = Topology(graph, [ClosedMean()])
    >>> topology.degrees().tolist()
    [1.0, 2.0, 1.0]
    >>> (topology.whole[ClosedMean()] @ torch.ones(3, 1))[:, 0].tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        graph: Graph,
        operators: Iterable[Operator],
        *,
        feature_scale: float = 1.0,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        self.graph, self.operators = graph.whole(), frozenset(operators)
        distant = [each for each in self.operators if isinstance(each, Reach) and each.hops > 1]
        if len(distant) > 1:
            raise ValueError(f"Layers may share one reach of several hops, got {', '.join(map(str, distant))}.")
        self.far = distant[0] if distant else None
        self.A = sp.csr_array((graph.n_nodes, graph.n_nodes)) if graph.A is None else graph.A
        self.scale, self.dtype, self.device = feature_scale, dtype, device
        self._degrees: dict[int, NDArray[np.float64]] = {}
        self._matrices: dict[Operator, sp.csr_array] = {}
        self._reached: dict[int, ReachedNodes] = {}

    @property
    def n_nodes(self) -> int:
        return self.graph.n_nodes

    def degrees(self, hops: int = 1) -> NDArray[np.float64]:
        """Generalized degree of every node."""
        if hops not in self._degrees:
            self._degrees[hops] = self.graph.degree(hops)
        return self._degrees[hops]

    # -- features ----------------------------------------------------------------------------------

    @property
    def feature_width(self) -> float:
        """Average number of stored features per node."""
        X = self.graph.X
        return X.nnz / self.n_nodes if sp.issparse(X) else float(X.shape[1])

    def features(self, rows: Any = slice(None), *, gradient: bool = True) -> Tensor | SparseOperator:
        """Scaled features of some nodes."""
        part = self.graph.X[rows]
        if sp.issparse(part):
            return SparseOperator(part / self.scale, self.dtype, gradient=gradient).to(self.device)
        if part.dtype == np.float32 and self.dtype == torch.float32:
            return to_tensor(part, torch.float32).div_(self.scale).to(self.device)
        return to_tensor(part, torch.float64).div_(self.scale).to(self.device, self.dtype)

    @cached_property
    def inputs(self) -> Features:
        """The features of all nodes, as the first layer reads them in every epoch."""
        x = self.features()
        return x if isinstance(x, SparseOperator) else FixedFeatures(x)

    # -- blocks ------------------------------------------------------------------------------------

    @cached_property
    def whole(self) -> Block:
        """The block from all nodes to all nodes."""
        return self.block(None)

    def block(self, nodes: Rows | None, *, gradient: bool = True) -> Block:
        """The block from all nodes to some, or to all (None).

        With ``gradient``, walks of several steps are complete; without, the block has only their last step.
        """
        own = np.arange(self.n_nodes) if nodes is None else nodes
        A = self.A if nodes is None else self.A[nodes]
        far = self.far
        reached = None if far is None or far.is_walk else self.reached_nodes(far.hops).mean(own)
        counted = A if self.is_unweighted else pattern(A)
        degree = self.degrees()[own]
        around = Neighborhoods(A, counted, own, degree, np.diff(A.indptr), reached)
        matrices = self.matrices(around, gradient=gradient)
        if far is not None and far.is_walk and gradient:
            step = matrices[far] if nodes is None else self.whole[far].operators[0]
            matrices[far] = Chain([matrices[far], *[step] * (far.hops - 1)])
        position = None if nodes is None else to_tensor(nodes, torch.int64)
        return Block(matrices, own, self.degrees, own=position).to(self.device)

    def matrices(self, around: Neighborhoods, *, gradient: bool = True) -> dict[Operator, Matrix]:
        """The matrix of each operator; two that are the same matrix are one object."""
        made: dict[Operator, Matrix] = {}
        for operator in sorted(self.operators, key=lambda each: each != ClosedMean()):  # which others may be equal to
            if self._is_closed_mean(operator, around) and ClosedMean() in made:
                made[operator] = made[ClosedMean()]
                continue
            rows = self._of_graph(operator)[around.own] if operator.needs_whole_graph else operator.matrix(around)
            made[operator] = operator.wrap(rows, self.dtype, gradient=gradient)
        return made

    def _is_closed_mean(self, operator: Operator, around: Neighborhoods) -> bool:
        """Whether an operator, or the last step of its walks, is the closed mean of this graph."""
        if not isinstance(operator, Reach) or not self.is_unweighted:
            return False
        return operator.hops == 1 or (operator.is_walk and not around.is_sampled)

    def _of_graph(self, operator: Operator) -> sp.csr_array:
        if operator not in self._matrices:
            self._matrices[operator] = operator.of_graph(self.A)
        return self._matrices[operator]

    @cached_property
    def is_unweighted(self) -> bool:
        return is_unweighted(self.A)

    def reached_nodes(self, hops: int) -> ReachedNodes:
        """The nodes within some hops of each."""
        if hops not in self._reached:
            self._reached[hops] = ReachedNodes(self.A, hops)
        return self._reached[hops]

    # -- batches -----------------------------------------------------------------------------------

    def batch(
        self, nodes: Rows, n_layers: int, *, all_nodes: bool = False, sample_weight: Tensor | None = None
    ) -> Batch:
        """A batch for training on the whole graph.

        Every layer computes all nodes, except the last one, which computes only ``nodes``, unless ``all_nodes``.
        """
        whole = self.whole.with_share(self._tensor(np.bincount(nodes, minlength=self.n_nodes) / len(nodes)))
        if np.array_equal(nodes, np.arange(self.n_nodes)):
            return Batch(nodes, self.inputs, [whole] * n_layers, sample_weight=sample_weight)
        if all_nodes:
            labeled = to_tensor(nodes, torch.int64).to(self.device)
            return Batch(nodes, self.inputs, [whole] * n_layers, labeled=labeled, sample_weight=sample_weight)
        last = self.block(nodes).with_share(self._tensor(np.full(len(nodes), 1 / len(nodes))))
        return Batch(nodes, self.inputs, [whole] * (n_layers - 1) + [last], sample_weight=sample_weight)

    def _tensor(self, values: NDArray[np.float64]) -> Tensor:
        return to_tensor(values, self.dtype).to(self.device)
