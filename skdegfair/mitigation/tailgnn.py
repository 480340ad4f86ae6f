"""Tail-GNN (Liu, Nguyen and Fang, KDD 2021): translations predict what low-degree neighborhoods lack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from numbers import Real
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..graph import GROUP_CONSTRAINTS, Graph, learn_threshold
from ..nn import GNN, SAGE, Architecture, Batch, Block, Conv, Operator, Output, SparseOperator, Term, Terms
from ..nn.conv import Propagate
from ..nn.dense import dense_product, row_by_row, total
from ..nn.features import Features, FixedFeatures, rounded, transform
from ..nn.gnn import add_terms
from ..nn.neighborhoods import Neighborhoods
from ..nn.weights import glorot_, parameter
from ..parameters import LARGEST, Unused
from .adversary import ADVERSARY_CONSTRAINTS, AdversaryLoss, Perceptron, adversary_phase
from .base import Mitigation, Phase
from .views import ViewsGNN

WIDE = 128
"""Inputs of a layer that are wider than this are translated after the layer's linear map."""


@dataclass(frozen=True)
class NeighborSum(Operator):
    """Weighted sum over the neighbors alone."""

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        return around.weighted


@dataclass(frozen=True)
class ForgedSum(Operator):
    """Weighted sum over the neighbors in a graph in which every high-degree node has lost most of its neighbors.

    Parameters
    ----------
    threshold : float
        K: a node of larger degree keeps 1 to K of its neighbors, at random. Others keep all.
    seed : int
    """

    threshold: float
    seed: int
    needs_whole_graph = True

    def of_graph(self, A: sp.csr_array) -> sp.csr_array:
        random = np.random.default_rng(self.seed)
        n_linked = np.diff(A.indptr)
        row = np.repeat(np.arange(A.shape[0]), n_linked)
        kept = 1 + np.floor(random.random(A.shape[0]) * max(int(self.threshold), 1)).astype(np.intp)
        is_tail = A @ np.ones(A.shape[1]) <= self.threshold
        order = np.lexsort([random.random(A.nnz), row])  # the neighbors of each node, shuffled
        rank = np.arange(A.nnz) - np.repeat(A.indptr[:-1], n_linked)
        chosen = np.sort(order[(rank < kept[row]) | is_tail[row]])
        indptr = np.append(0, np.cumsum(np.bincount(row[chosen], minlength=A.shape[0])))
        return sp.csr_array((A.data[chosen], A.indices[chosen], indptr), shape=A.shape)


class TailConv(nn.Module):
    """A convolution in which low-degree nodes have one more neighbor: what their neighborhood lacks.

    Parameters
    ----------
    conv : GCN or SAGE
    d_in : int
    threshold : float
        K: nodes of at most this degree are the tail.
    is_wide : bool
        Whether the translation acts on the transformed input, in place of the input itself.
    forged : ForgedSum

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    def __init__(self, conv: Conv, d_in: int, *, threshold: float, is_wide: bool, forged: ForgedSum) -> None:
        super().__init__()
        self.conv, self.threshold, self.is_wide, self.forged = conv, threshold, is_wide, forged
        self.d_out = conv.d_out
        self.width = conv.d_out if is_wide else d_in
        self.translation = parameter(self.width)  # r
        self.of_self, self.of_neighbors = parameter(self.width, 2 * self.width), parameter(self.width, 2 * self.width)

    @property
    def operators(self) -> tuple[Operator, ...]:
        return (NeighborSum(), self.forged) if self.training else (NeighborSum(),)

    def reset_parameters(self, generator: torch.Generator) -> None:
        for weight in (self.of_self, self.of_neighbors):
            for part in weight.split(self.width, dim=1):
                glorot_(part, generator)
        glorot_(self.translation[:, None], generator)

    def forward(self, h: Features, block: Block) -> tuple[Tensor, Terms]:
        return self.gather(self.project(h), block)

    def project(self, h: Features) -> Tensor:
        """[W_self of SAGE | input if narrow | input W], and the part of gamma and beta that is linear in nodes."""
        weight = self.conv.projection()
        if not self.is_wide:
            if isinstance(h, SparseOperator):
                h = h @ torch.eye(len(weight)).to(weight)
            weight = torch.cat([weight, self.of_self], dim=1)
            product = rounded(lambda wider: transform(h, wider), weight)
            x = h.x if isinstance(h, FixedFeatures) else h
            return torch.cat([product[:, : -2 * self.width], x, product[:, -2 * self.width :]], dim=1)
        transformed = rounded(lambda wider: transform(h, wider), weight)
        return torch.cat([transformed, dense_product(transformed[:, -self.d_out :], self.of_self)], dim=1)

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        return projected

    def gather(self, projected: Tensor, block: Block, *, forged: bool = False) -> tuple[Tensor, Terms]:
        operator = self.forged if forged else NeighborSum()
        is_sage = isinstance(self.conv, SAGE)
        width = self.width + (0 if self.is_wide else self.d_out)
        skipped, values, localized = projected.split([self.d_out * is_sage, width, 2 * self.width], dim=1)
        values = values.contiguous()
        degree = block.derived((operator, "degree"), lambda: block[operator] @ values.new_ones(len(values), 1))
        sums = block[operator] @ values
        means = sums / degree.clamp(min=torch.finfo(sums.dtype).tiny)
        own = block.of(values)
        product = row_by_row if block.share is None else dense_product
        x, u = own[:, -self.width :], means[:, -self.width :]  # what is translated, W x and W u if it is wide
        local = leaky_relu(block.of(localized) + product(u, self.of_neighbors), 0.2)
        gamma, beta = local.split(self.width, dim=1)
        r = torch.addcmul(beta, gamma + 1, self.translation)  # r_v = gamma_v r + beta_v
        missing = x + r - u  # m_v
        d = self.d_out
        transformed = missing if self.is_wide else own[:, :d] + product(r, self.conv.weight) - means[:, :d]  # m_v W
        if is_sage:
            pooled, n_pooled = means[:, :d], degree
        else:
            pooled, n_pooled = (own[:, :d] + sums[:, :d]) / (degree + 1), degree + 1
        completed = pooled + (transformed - pooled) / (n_pooled + 1)  # m_v as one more neighbor
        tail = block.derived(("tail", self.threshold), lambda: self._is_tail(block))
        output = (completed if forged else torch.where(tail, completed, pooled)) + self.conv.bias
        if is_sage:
            output = output + block.of(skipped)
        terms: Terms = {}
        if block.share is not None and not forged:
            share = block.derived(("head", self.threshold), lambda: self._head_share(block))
            terms["missing"] = total((missing.square().sum(1, keepdim=True) + 1e-12).sqrt() * share)
        return output, terms

    def _is_tail(self, block: Block) -> Tensor:
        return torch.from_numpy(block.degree() <= self.threshold)[:, None].to(self.translation.device)

    def _head_share(self, block: Block) -> Tensor:
        """Fraction of the batch's high-degree nodes that each node makes up."""
        assert block.share is not None
        share = torch.where(self._is_tail(block)[:, 0], 0, block.share)
        return (share / share.sum().clamp(min=torch.finfo(share.dtype).tiny))[:, None]


class TailNetwork(ViewsGNN):
    """A network that reads the graph as it is and, in training, also the forged one."""

    def forward(self, batch: Batch) -> Output:
        terms: Terms = {}
        projected = cast(TailConv, self.layers[0]).project(batch.x)
        logits = self._view(batch, projected, terms, forged=False)
        if not self.training:
            return self.outcome(batch, logits, None, terms)
        views = [logits, self._view(batch, projected, terms, forged=True)]
        return self.join(batch, views, views, logits, terms)

    def _view(self, batch: Batch, projected: Tensor, terms: Terms, *, forged: bool) -> Tensor:
        """Logits, given the first layer's result for single nodes, which is the same in both graphs."""
        layers = cast(list[TailConv], list(self.layers))
        for layer, following, block in zip_longest(layers, layers[1:], batch.blocks):
            h, added = layer.gather(projected, block, forged=forged)
            add_terms(terms, added)
            if following is not None:
                projected = following.project(self.dropout(h, slope=self.activation.negative_slope))
        return h

    def apply_heads(self, hidden: Tensor | None) -> Terms:
        return {} if hidden is None else super().apply_heads(hidden)


class Forged:
    """Whether a representation of a high-degree node is the forged one, as the adversary's property.

    Parameters
    ----------
    threshold : float
    """

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def of(self, nodes: Block) -> NDArray[np.intp]:
        head = nodes.degree() > self.threshold
        return np.concatenate([np.where(head, value, -1) for value in (0, 1)])


class TailGNN(Mitigation):
    """Tail-GNN: low-degree nodes get the part of their neighborhood that they lack, by a learned translation.

    A translation links a high-degree node and the mean of its neighbors. It is learned from high-degree nodes, and
    predicts what the few neighbors of a low-degree node leave out. In training, each high-degree node also appears as a
    forged low-degree node, with most of its edges dropped, and an adversary helps to make both representations similar
    [1]_.

    Parameters
    ----------
    degree_threshold : {"mean", "median"} or float, default=5.0
        K: nodes of at most this degree are the tail. Forged nodes keep 1 to K neighbors.
    missing_weight : float, default=1e-3
        mu: weight of the penalty on the missing information of high-degree nodes, which lack nothing.
    adversary_weight : float, default=0.1
        eta: weight of the adversary's loss, which the network maximizes.
    adversary_rate : float, default=1.0
        Learning rate of the adversary, as a multiple of the network's.
    translate : {"auto", "input", "output"}, default="auto"
        Where the translation acts: on the input of a layer, as in the paper, or after the layer's linear map, whose
        cost does not depend on the number of features. "auto" takes the input if it has at most 128 columns.

    Attributes
    ----------
    degree_threshold_ : float
        K as learned from the graph of ``fit``. It is also used on other graphs.

    Notes
    -----
    In each layer, with the input x_v of a node and the mean u_v of its neighbors,
    gamma_v = LReLU(G_1 x_v + G_2 u_v) + 1 and beta_v = LReLU(B_1 x_v + B_2 u_v) localize a shared vector r to
    r_v = gamma_v r + beta_v. The missing information is m_v = x_v + r_v - u_v. High-degree nodes are computed as in
    the plain network; for low-degree nodes, m_v is one more neighbor, which for "gcn" gives
    (sum of x_j W + m_v W) / (d_v + 2) over neighbors and the node itself. The loss is the mean of the cross-entropies
    with the given and with the forged edges, plus mu times the mean norm of m_v over high-degree training nodes, minus
    eta times the cross-entropy of the adversary, which tells both apart by their logits.

    Adapted: the paper trains on high-degree nodes and tests on low-degree ones. Here the training and the test nodes
    have all degrees, so the degree of each node decides how it is computed. All high-degree nodes are forged, once,
    before training, whether they are training nodes or not. The bias is added in full to both kinds of nodes. The
    low-rank form of the paper's code for wide features still computes a vector of the input's width for each node;
    ``translate="output"`` avoids that. The network maximizes the adversary's whole loss, not only the part of the
    forged nodes, up to the point where the adversary is as bad as a guess.

    Use it when low-degree nodes are classified worse and their neighbors are informative about their class. It has no
    term for parity. It needs the whole graph, and nodes on both sides of the threshold.

    References
    ----------
    .. [1] Z. Liu, T.-K. Nguyen and Y. Fang, "Tail-GNN: Tail-Node Graph Neural Networks", KDD 2021.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import TailGNN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=TailGNN(), max_epochs=20, random_state=0).fit(X, A, y)
    >>> clf.mitigation_.degree_threshold_
    5.0
    """

    backbones = ("gcn", "sage")
    min_layers = 2
    supports_batches = False
    supports_distributed = False
    memory_factor = 4.0
    unused = (Unused(("adversary_rate",), "adversary_weight=0", lambda own: own.adversary_weight == 0),)
    _parameter_constraints: dict[str, Any] = {
        "degree_threshold": GROUP_CONSTRAINTS["degree_threshold"],
        "missing_weight": [Interval(Real, 0, LARGEST, closed="both")],
        **ADVERSARY_CONSTRAINTS,
        "translate": [StrOptions({"auto", "input", "output"})],
    }

    def __init__(
        self,
        *,
        degree_threshold: str | float = 5.0,
        missing_weight: float = 1e-3,
        adversary_weight: float = 0.1,
        adversary_rate: float = 1.0,
        translate: str = "auto",
    ) -> None:
        self.degree_threshold = degree_threshold
        self.missing_weight = missing_weight
        self.adversary_weight = adversary_weight
        self.adversary_rate = adversary_rate
        self.translate = translate

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        self.degree_threshold_ = learn_threshold(graph, self.degree_threshold)

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        degree = graph.whole().degree()
        if not (degree[nodes] > self.degree_threshold_).any():
            yield (
                f"TailGNN learns no translation: no training node has a degree above the threshold of "
                f"{self.degree_threshold_:g}. Lower degree_threshold."
            )
        elif not (degree <= self.degree_threshold_).any():
            yield (
                f"TailGNN has no effect on the predictions of this graph: no node has a degree of at most "
                f"{self.degree_threshold_:g}. Raise degree_threshold."
            )

    def build(self, architecture: Architecture) -> GNN:
        forged = ForgedSum(self.degree_threshold_, architecture.seed)
        layers = []
        for conv, (d_in, _) in zip(architecture.convs(), architecture.widths, strict=True):
            is_wide = d_in > WIDE if self.translate == "auto" else self.translate == "output"
            layers.append(TailConv(conv, d_in, threshold=self.degree_threshold_, is_wide=is_wide, forged=forged))
        adversary = Perceptron(architecture.n_classes, architecture.hidden_dim, 2)
        return TailNetwork(layers, dropout=architecture.dropout, seed=architecture.seed, heads={"adversary": adversary})

    def terms(self) -> dict[str, Term]:
        return {"adversary": AdversaryLoss({"adversary": Forged(self.degree_threshold_)})}

    def weights(self) -> dict[str, float]:
        return {"missing": self.missing_weight, "adversary": -self.adversary_weight}

    def phases(self) -> list[Phase]:
        return [Phase("network"), adversary_phase(("heads",), rate=self.adversary_rate)]
