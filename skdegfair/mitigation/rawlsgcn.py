"""RawlsGCN (Kang et al., WWW 2022): every node has the same influence on the gradient of the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.utils._param_validation import StrOptions
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..graph import Graph
from ..nn import GCN, GNN, Architecture, Block, Operator, SparseOperator
from ..nn.dense import transpose_times
from ..nn.features import Features, FixedFeatures, propagate, rounded
from ..nn.neighborhoods import closed
from .base import Mitigation

TOLERANCE = 1e-6
NOT_BALANCED = (
    "The doubly stochastic scaling of this graph did not converge: the row sums differ from 1 by up to {error:.1e}. "
    "Edge weights of very different magnitude cause this; rescale or clip them."
)


def balance(matrix: sp.csr_array, *, max_iter: int = 100) -> NDArray[np.float64]:
    """Find x such that diag(x) M diag(x) is doubly stochastic, for a symmetric M with a positive diagonal.

    A few fixed-point steps, then Newton's method for the convex function x' M x / 2 - sum(log x), in log x.

    Parameters
    ----------
    matrix : CSR, symmetric, entries of at least 0, positive diagonal
    max_iter : int, default=100
        Maximum number of Newton steps.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from skdegfair.mitigation.rawlsgcn import balance
    >>> M = np.array([[1.0, 1, 1], [1, 1, 0], [1, 0, 1]])
    >>> x = balance(csr_array(M))
    >>> np.allclose((x[:, None] * M * x).sum(axis=0), 1)
    True
    """
    x = 1 / np.sqrt(matrix @ np.ones(matrix.shape[1]))
    for _ in range(20):
        x = np.sqrt(x / (matrix @ x))
    for _ in range(max_iter):
        sums = x * (matrix @ x)
        if np.abs(sums - 1).max() < TOLERANCE:
            return x
        step = _newton_step(matrix, x, sums)
        value, slope, length = _barrier(matrix, x), float((sums - 1) @ step), 1.0
        while _barrier(matrix, x * np.exp(length * step)) > value + 1e-4 * length * slope and length > 1e-8:
            length /= 2
        x = x * np.exp(length * step)
    raise ValueError(NOT_BALANCED.format(error=np.abs(x * (matrix @ x) - 1).max()))


def _barrier(matrix: sp.csr_array, x: NDArray[np.float64]) -> float:
    return float(x @ (matrix @ x) / 2 - np.log(x).sum())


def _newton_step(matrix: sp.csr_array, x: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve (diag(sums) + diag(x) M diag(x)) step = 1 - sums by conjugate gradients."""
    n = len(x)
    diagonal = sums + x * x * matrix.diagonal()
    hessian = LinearOperator((n, n), matvec=lambda u: sums * u + x * (matrix @ (x * u)), dtype=np.float64)
    scaling = LinearOperator((n, n), matvec=lambda u: u / diagonal, dtype=np.float64)
    step: NDArray[np.float64] = cg(hessian, 1 - sums, rtol=1e-3, maxiter=200, M=scaling)[0]
    return step


class Scaled(Operator):
    """A + I with row i and column i multiplied by some x_i."""

    needs_whole_graph = True

    def of_graph(self, A: sp.csr_array) -> sp.csr_array:
        matrix = closed(sp.csr_array(A, dtype=np.float64), np.arange(A.shape[0]))
        x = self.scale(matrix)
        data = matrix.data * np.repeat(x, np.diff(matrix.indptr)) * x[matrix.indices]
        return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)

    def scale(self, matrix: sp.csr_array) -> NDArray[np.float64]:
        raise NotImplementedError


@dataclass(frozen=True)
class DoublyStochastic(Scaled):
    """A + I, scaled so that all rows and all columns sum to 1."""

    def scale(self, matrix: sp.csr_array) -> NDArray[np.float64]:
        return balance(matrix)


@dataclass(frozen=True)
class SymmetricallyNormalized(Scaled):
    """The matrix of Kipf and Welling's GCN: A + I, divided by the square roots of both degrees."""

    def scale(self, matrix: sp.csr_array) -> NDArray[np.float64]:
        return 1 / np.sqrt(matrix @ np.ones(matrix.shape[1]))


class BalancedGradientGCN(GCN):
    """GCN whose weights get the gradient H' S G, with S doubly stochastic, in place of H' M G.

    M is the symmetrically normalized matrix of the forward pass, H the input and G the gradient of the output. All
    other gradients are the usual ones.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__(d_in, d_out, operator=SymmetricallyNormalized())

    @property
    def operators(self) -> tuple[Operator, ...]:
        return (self.operator, DoublyStochastic()) if self.training else (self.operator,)

    def forward(self, h: Features, block: Block) -> Tensor:
        aggregated = rounded(lambda weight: propagate(block[self.operator], h, weight), self.weight.detach())
        if not torch.is_grad_enabled():
            return aggregated + self.bias
        balanced: SparseOperator = block[DoublyStochastic()]

        def gradient(grad: Tensor) -> Tensor:
            if isinstance(h, FixedFeatures):
                return transpose_times(h.pooled(balanced), grad)  # (S H)' G
            nodes = balanced.transpose_times(grad)  # S' G, and S is symmetric
            return transpose_times(h.detach(), nodes) if isinstance(h, Tensor) else h.transpose_times(nodes)

        nothing: Tensor = _GradientOnly.apply(self.weight, gradient, len(aggregated))
        return aggregated + nothing + self.bias


class _GradientOnly(torch.autograd.Function):
    """Zeros whose gradient with respect to the weight is given by a function of the output's gradient."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, gradient: Callable[[Tensor], Tensor], n: int) -> Tensor:
        ctx.gradient = gradient
        return weight.new_zeros(1, weight.shape[1]).expand(n, -1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return ctx.gradient(grad), None, None


class RawlsGCN(Mitigation):
    """RawlsGCN: every node has the same influence on the gradient of the weights.

    In a GCN the gradient of a weight matrix sums over the nodes, each with the total weight of its column in the
    normalized adjacency matrix, which is larger for high-degree nodes. With a doubly stochastic matrix, all nodes
    have the same influence [1]_.

    Parameters
    ----------
    form : {"graph", "gradient"}, default="graph"
        "graph" replaces the mean over neighborhoods by the doubly stochastic scaling of A + I, in training and in
        predictions. "gradient" predicts with Kipf and Welling's symmetrically normalized A + I, as the paper does, and
        uses the doubly stochastic scaling for the gradient of the weights alone.

    Notes
    -----
    It aims at equal losses over degrees, not at equal predictions: it has no term for parity, and no weight. Use it
    when low-degree nodes are classified worse than others; it costs little more than a plain GCN. On graphs in which
    most neighbors have other classes it may widen the differences: the plain "gcn" here is a mean over neighbors, in
    which all nodes already have the same influence as receivers. Training needs the whole graph, and the graph must be
    undirected.

    The scaling is unique and does not depend on how the adjacency matrix was normalized before. The paper scales
    alternately until sums differ from 1 by 1e-2; here a Newton method reaches 1e-6.

    References
    ----------
    .. [1] J. Kang, Y. Zhu, Y. Xia, J. Luo and H. Tong, "RawlsGCN: Towards Rawlsian Difference Principle on Graph
       Convolutional Network", WWW 2022.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import RawlsGCN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=RawlsGCN(form="gradient"), max_epochs=20, random_state=0)
    >>> clf.fit(X, A, y).predict(X, A).shape
    (200,)
    """

    backbones = ("gcn",)
    supports_batches = False
    supports_distributed = False
    supports_directed = False
    _parameter_constraints: dict[str, Any] = {"form": [StrOptions({"graph", "gradient"})]}

    def __init__(self, *, form: str = "graph") -> None:
        self.form = form

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        degree = graph.whole().degree()
        if degree.min() == degree.max():
            yield f"RawlsGCN has no effect: all nodes have the degree {degree[0]:g}, and thus the same influence."

    def build(self, architecture: Architecture) -> GNN:
        if self.form == "graph":
            layers = [GCN(*width, operator=DoublyStochastic()) for width in architecture.widths]
        else:
            layers = [BalancedGradientGCN(*width) for width in architecture.widths]
        return GNN(layers, dropout=architecture.dropout, seed=architecture.seed)
