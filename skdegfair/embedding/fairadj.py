"""FairAdj (Li et al., ICLR 2021): a graph autoencoder with edge weights that link degree groups fairly."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding, one_hot, softplus

from ..docstrings import documented
from ..fitting import draw_seed
from ..graph import GROUP_CONSTRAINTS, THRESHOLD_UNUSED, Graph, root_mean_square
from ..nn import SparseOperator, Topology
from ..nn.attention import AttentionPattern
from ..nn.dense import dense_product, times, total
from ..nn.features import transform
from ..nn.settings import own_settings
from ..nn.weights import glorot_, parameter
from ..parameters import LARGEST, Unused
from .base import GraphEmbedding, edges_of
from .edge_weights import aggregate, edge_products, mean_products, project_rows
from .walk_embedding import WalkEmbedding

EXACT_NODES = 10_000
"""Largest graph whose pairs of nodes are all reconstructed in each step."""
SAMPLED = 5
"""In larger graphs, this number of random pairs per edge represents all pairs."""
MOST_SAMPLED = 500_000
"""Largest number of random pairs in a step."""
MAX_LOG_DEVIATION = 10.0
"""The exponential of a larger value would overflow in the products."""
ROWS = 512
"""Number of nodes whose products with all others are computed at once."""

OVERSHOT = "edge_rate={rate:g} is too large: the last steps of the edge weights widened the gap between the groups."
DIVERGED = (
    "The vectors are infinite or NaN: training diverged. Scale the features, for example with "
    "GraphTransformer(StandardScaler()), or use a smaller learning_rate or edge_rate."
)


class Encoder:
    """The encoder of a variational graph autoencoder: two layers, to the mean and the log of the deviation.

    Parameters
    ----------
    widths : tuple of int
        Numbers of features, hidden units and components.
    generator : torch.Generator
    """

    def __init__(self, widths: tuple[int, int, int], generator: torch.Generator) -> None:
        n_features, hidden_dim, n_components = widths
        self.first, self.second = parameter(n_features, hidden_dim), parameter(hidden_dim, 2 * n_components)
        for weight in (self.first, self.second):
            glorot_(weight, generator)

    def __call__(self, x: Tensor | SparseOperator, values: Tensor, pattern: AttentionPattern) -> tuple[Tensor, Tensor]:
        """Mean and log of the deviation: ReLU(Ã X W_0) -> Ã H W_1, Ã H W_2, each (n, n_components)."""
        hidden = aggregate(values, transform(x, self.first), pattern).relu()
        mean, log_deviation = aggregate(values, dense_product(hidden, self.second), pattern).chunk(2, 1)
        return mean, log_deviation.clamp(max=MAX_LOG_DEVIATION)


class Reconstruction:
    """The autoencoder's loss: how well products of vectors tell edges from other pairs, with balanced weights.

    It is the mean binary cross-entropy over all pairs with logits z_i z_j. An edge, or a pair of a node with itself,
    counts (n^2 - m) / m times, where m is the number of these, and the sum is multiplied by n^2 / (2 (n^2 - m)).

    Parameters
    ----------
    pattern : AttentionPattern
        Edges and self loops.
    generator : torch.Generator
    """

    def __init__(self, pattern: AttentionPattern, generator: torch.Generator) -> None:
        self.pattern, self.generator = pattern, generator
        self.n_nodes, self.n_edges = pattern.shape[0], len(pattern.indices)

    def __call__(self, z: Tensor) -> Tensor:
        others = max(self.n_nodes**2 - self.n_edges, 1)
        s = edge_products(z, self.pattern)
        at_edges = (others / self.n_edges * softplus(-s) - softplus(s)).sum()  # instead of the term of a pair
        return (self._all_pairs(z) + at_edges) / (2 * others)

    def _all_pairs(self, z: Tensor) -> Tensor:
        """Sum of softplus(z_i z_j) over all pairs, or an estimate."""
        if self.n_nodes <= EXACT_NODES:
            result: Tensor = _SoftplusOfProducts.apply(z)
            return result
        n_pairs = min(SAMPLED * self.n_edges, MOST_SAMPLED)
        i, j = torch.randint(self.n_nodes, (2, n_pairs), generator=self.generator)
        return softplus((embedding(i, z) * embedding(j, z)).sum(1)).sum() * (self.n_nodes**2 / n_pairs)


class _SoftplusOfProducts(torch.autograd.Function):
    """The sum over all pairs of softplus(z_i z_j), in slices, with its gradient: 2 sigmoid(z z^T) z."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        gradient, value = torch.empty_like(z), z.new_zeros((), dtype=torch.float64)
        for start in range(0, len(z), ROWS):
            rows = slice(start, start + ROWS)
            s = times(z[rows], z.T.contiguous())
            value += total(softplus(s)).double()
            gradient[rows] = times(s.sigmoid_(), z)
        ctx.save_for_backward(gradient)
        return value.to(z.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (gradient,) = ctx.saved_tensors
        return 2 * grad * gradient


@documented(GraphEmbedding, WalkEmbedding)
class FairAdj(GraphEmbedding):
    """FairAdj: vectors from a graph autoencoder, with edge weights that make groups equally similar to each other.

    A variational graph autoencoder learns vectors whose products tell which nodes are linked. Alternating with it, the
    weights of the existing edges are changed so that pairs of the same degree group and pairs of different groups have
    the same mean product [1]_. No edge is added. Features are used, labels are not.

    Parameters
    ----------
    n_components : int, default=64
        Length of the vectors.
    hidden_dim : int, default=128
        Width of the hidden layer.
    n_rounds : int, default=4
        Number of times that both parts of the training are repeated.
    n_steps : int, default=50
        Steps of the autoencoder in a round.
    n_edge_steps : int, default=20
        Steps of the edge weights in a round. 0: the autoencoder alone.
    learning_rate : float, default=0.01
        Learning rate of the autoencoder, for Adam.
    edge_rate : float, default=0.2
        Step size of the edge weights. A larger step size narrows the gap between the groups faster, but one that is too
        large overshoots and widens it: compare the columns of ``gaps_``.
    random_state : int, RandomState instance or None, default=None
        Determines initial weights and the noise of the autoencoder. None draws a new seed without using numpy's global
        generator.

    Attributes
    ----------
    gaps_ : ndarray of shape (n_rounds, 2)
        Mean product of pairs of the same group minus that of pairs of different groups, before and after the steps of
        the edge weights in each round. NaN if all nodes are in the same group.
    weights_ : list of two ndarrays
        Weights of the encoder's layers, the second one for the mean alone.
    feature_scale_ : float
        Root mean square of all features, by which they are divided.
    {attributes}

    See Also
    --------
    FairWalk, Residual2Vec : Embeddings that do not use features.
    skdegfair.EmbeddingClassifier : A classifier on the vectors, for ``fit(X, A, y)``.

    Notes
    -----
    The autoencoder minimizes the balanced cross-entropy of all pairs of nodes, with the products z_i z_j as logits,
    plus the divergence of its distribution from a standard normal one. Each node receives the mean over itself and its
    neighbors with the weights Ã, whose rows sum to 1; at first all neighbors count in proportion to their edge weights,
    and the node itself as 1. A step of the edge weights is Ã <- Proj(Ã - edge_rate dL/dÃ) with L = (mean over pairs of
    the same group - mean over pairs of different groups)^2, at the mean of the distribution. Proj is the projection of
    the entries of each row at existing edges, so that they are at least 0 and sum to 1. The vectors are the means of
    the distribution with the last Ã.

    The gap is computed from sums over groups, in time that grows with the number of nodes. Pairs of a node with itself
    do not count. Up to 10,000 nodes each step compares all pairs of nodes; in larger graphs, five random pairs per
    edge, at most 500,000, represent them.

    In a directed graph, a node receives messages from the nodes in its row of A. A node without edges receives a
    message only from itself, so its vector depends on its own features. The released code differs in two ways: its
    projection also gives weight to pairs without an edge, and its steps of the edge weights are noisy.

    References
    ----------
    .. [1] P. Li, Y. Wang, H. Zhao, P. Hong and H. Liu, "On Dyadic Fairness: Exploring and Mitigating Bias in Graph
       Connections", ICLR 2021.

    Examples
    --------
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.embedding import FairAdj
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> embedding = FairAdj(n_components=16, n_rounds=2, random_state=0)
    >>> embedding.fit_transform(data.graph).shape
    (200, 16)
    >>> before, after = abs(embedding.gaps_[-1])
    >>> bool(after < before)
    True
    """

    reads_features = True
    unused = (
        Unused(
            ("edge_rate", "fairness_groups", "fairness_hops", "degree_threshold"),
            "n_edge_steps=0",
            lambda own: own.n_edge_steps == 0,
        ),
        THRESHOLD_UNUSED,
    )
    _parameter_constraints: dict[str, Any] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "n_edge_steps": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, LARGEST, closed="right")],
        "edge_rate": [Interval(Real, 0, LARGEST, closed="right")],
        **GROUP_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 64,
        hidden_dim: int = 128,
        n_rounds: int = 4,
        n_steps: int = 50,
        n_edge_steps: int = 20,
        learning_rate: float = 0.01,
        edge_rate: float = 0.2,
        fairness_groups: str | float = "threshold",
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.hidden_dim = hidden_dim
        self.n_rounds = n_rounds
        self.n_steps = n_steps
        self.n_edge_steps = n_edge_steps
        self.learning_rate = learning_rate
        self.edge_rate = edge_rate
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold
        self.random_state = random_state

    @property
    def _uses_groups(self) -> bool:
        return self.n_edge_steps > 0

    def _embed(self, graph: Graph) -> NDArray[np.float64]:
        with own_settings("cpu"):
            return self._train(graph)

    def _train(self, graph: Graph) -> NDArray[np.float64]:
        generator = torch.Generator().manual_seed(draw_seed(self.random_state))
        self.feature_scale_ = root_mean_square(graph)
        x = Topology(graph, (), feature_scale=self.feature_scale_).features()
        closed = sp.csr_array(edges_of(graph) + sp.eye_array(graph.n_nodes, format="csr"))
        closed.sort_indices()
        pattern = AttentionPattern(closed)
        values = closed.data / closed.sum(axis=1)[np.repeat(np.arange(graph.n_nodes), np.diff(closed.indptr))]
        group = self._group_numbers(graph)
        member = one_hot(torch.from_numpy(group)).float()
        encoder = Encoder((graph.shape[1], self.hidden_dim, self.n_components), generator)
        optimizer = torch.optim.Adam([encoder.first, encoder.second], lr=self.learning_rate, fused=True)
        reconstruction = Reconstruction(pattern, generator)
        gaps = []
        for _ in range(self.n_rounds):
            fixed = torch.from_numpy(values).float()
            for _ in range(self.n_steps):
                mean, log_deviation = encoder(x, fixed, pattern)
                noise = torch.empty_like(mean).normal_(generator=generator)
                loss = reconstruction(mean + noise * log_deviation.exp()) + _divergence(mean, log_deviation)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            gaps.append([_gap(encoder, x, values, pattern, member)[0]])
            for _ in range(self.n_edge_steps if member.shape[1] > 1 else 0):
                _, slope = _gap(encoder, x, values, pattern, member)
                values = project_rows(values - self.edge_rate * slope, closed.indptr)
            gaps[-1].append(_gap(encoder, x, values, pattern, member)[0])
        self.gaps_ = np.array(gaps) if member.shape[1] > 1 else np.full((self.n_rounds, 2), np.nan)
        if self.n_edge_steps and abs(self.gaps_[-1, 1]) > abs(self.gaps_[-1, 0]):
            warnings.warn(OVERSHOT.format(rate=self.edge_rate), stacklevel=5)
        second = encoder.second.detach()[:, : self.n_components]
        self.weights_ = [weight.double().numpy() for weight in (encoder.first.detach(), second.contiguous())]
        with torch.no_grad():
            mean, _ = encoder(x, torch.from_numpy(values).float(), pattern)
        if not mean.isfinite().all():
            raise ValueError(DIVERGED)
        return mean.double().numpy()

    def _embed_isolated(self, graph: Graph) -> NDArray[np.float64]:
        first, second = self.weights_
        hidden = np.maximum(graph.features @ (first / self.feature_scale_), 0)
        return np.asarray(hidden @ second)


def _divergence(mean: Tensor, log_deviation: Tensor) -> Tensor:
    """Divergence of the encoder's distribution from a standard normal one, divided by the number of nodes once more."""
    terms = 1 + 2 * log_deviation - mean.square() - (2 * log_deviation).exp()
    return -0.5 / len(mean) ** 2 * total(terms)


def _gap(
    encoder: Encoder, x: Tensor | SparseOperator, values: NDArray[np.float64], pattern: AttentionPattern, member: Tensor
) -> tuple[float, NDArray[np.float64]]:
    """The mean product of the same group minus that of different groups, and the gradient of its square."""
    weights = torch.from_numpy(values).float().requires_grad_()
    mean, _ = encoder(x, weights, pattern)
    same, other = mean_products(mean, member)
    (slope,) = torch.autograd.grad((same - other).square(), [weights])
    return float((same - other).detach()), slope.double().numpy()
