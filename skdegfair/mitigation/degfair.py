"""DegFairGNN (Liu, Nguyen and Fang, AAAI 2023): the paper's equations, in the order of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from torch import Tensor, nn

from ..graph import GROUP_CONSTRAINTS, DegreeGroups, Graph, learn_threshold
from ..nn import GCN, GNN, Architecture, Block, Conv, Reach, SparseOperator, Term, Terms
from ..nn.conv import Propagate
from ..nn.dense import dense_product, row_by_row, total
from ..nn.features import Features, propagate, rounded, transform
from ..nn.weights import glorot_, parameter
from ..parameters import LARGEST, Unused
from .base import Mitigation
from .fairness import FairnessLoss

CONTEXT = (
    "context_weight",
    "context_hops",
    "context_pool",
    "constraint_weight",
    "scale_shift",
    "contrast",
    "degree_encoding_dim",
)
"""Parameters of the debiasing context."""
NOTHING_TO_COMPARE = (
    "fairness_weight={weight:g} has no effect: the fairness loss compares degree groups of training nodes, and {why}."
)


class DebiasedConv(nn.Module):
    """A convolution plus the debiasing context of each node (Eq. 5 to 9), with its penalties (Eq. 12 and 13).

    ``f`` is a fully connected layer for each group. gamma and beta come from fully connected layers that both groups
    share; they depend on the degree alone and are computed once for each distinct degree.

    Parameters
    ----------
    conv : Conv
    d_in : int
    context : Reach
        The context of a node.
    threshold : float
        K: nodes of at most this degree are the low group S_0.
    context_weight : float
        epsilon.
    encoding_dim : int or None
        Length of the degree encoding; None: the width of the layer.
    scale_shift, contrast : bool
        False is the paper's ablation without gamma and beta, or with one function for all nodes.

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    def __init__(
        self,
        conv: Conv,
        d_in: int,
        *,
        context: Reach,
        threshold: float,
        context_weight: float,
        encoding_dim: int | None,
        scale_shift: bool,
        contrast: bool,
    ) -> None:
        super().__init__()
        self.conv, self.context, self.threshold, self.context_weight = conv, context, threshold, context_weight
        self.operators = (*conv.operators, context)
        self.d_out, n_functions = conv.d_out, 2 if contrast else 1
        self.weight = parameter(d_in, n_functions * self.d_out)  # [theta_c,0 | theta_c,1]
        self.bias = parameter(n_functions * self.d_out)
        self.film_weight = parameter(encoding_dim or self.d_out, 2 * self.d_out) if scale_shift else None
        self.film_bias = parameter(2 * self.d_out) if scale_shift else None

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Draw the weights of the debiasing function; gamma and beta start at 0."""
        for function in self.weight.split(self.d_out, dim=1):
            glorot_(function, generator)
        nn.init.zeros_(self.bias)
        if self.film_weight is not None and self.film_bias is not None:
            nn.init.zeros_(self.film_weight)
            nn.init.zeros_(self.film_bias)

    def forward(self, h: Features, block: Block) -> tuple[Tensor, Terms]:
        mean = block[self.context]
        if isinstance(self.conv, GCN) and mean is block[self.conv.operator]:  # one product serves both
            weight = torch.cat([self.conv.weight, self.weight], dim=1)
            both = rounded(lambda wider: propagate(mean, h, wider), weight)
            aggregated, context = both.split([self.d_out, self.weight.shape[1]], dim=1)
            return self.modulate(aggregated + self.conv.bias, context, block)
        context = rounded(lambda weight: propagate(mean, h, weight), self.weight)  # Eq. 5, times theta_c of Eq. 6
        return self.modulate(self.conv(h, block), context, block)

    def project(self, h: Features) -> Tensor:
        context = rounded(lambda weight: transform(h, weight), self.weight)
        return torch.cat([self.conv.project(h), context], dim=1)

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        """All steps of a walk except the last."""
        if self.context.is_walk:
            context = projected[:, -self.weight.shape[1] :]
            for _ in range(self.context.hops - 1):
                context.copy_(propagate(self.context, context))
        return projected

    def gather(self, projected: Tensor, block: Block) -> tuple[Tensor, Terms]:
        width = self.weight.shape[1]
        aggregated = self.conv.gather(projected[:, :-width], block)
        return self.modulate(aggregated, block[self.context] @ projected[:, -width:], block)

    def modulate(self, aggregated: Tensor, context: Tensor, block: Block) -> tuple[Tensor, Terms]:
        """Add the debiasing context to the aggregation.

        ``context`` is the context embedding times theta_c, (n_after, n_functions * d_out).
        """
        functions = (context + self.bias).split(self.d_out, dim=1)  # Eq. 6
        low = block.derived(("low", self.threshold), lambda: self._is_low(block))
        own: Tensor = functions[0]
        other: Tensor | None = None
        if len(functions) == 2:
            of_low, of_high = functions
            own, other = torch.where(low, of_low, of_high), torch.where(low, of_high, of_low)
            del functions, of_low, of_high  # on large graphs every array counts
        terms: Terms = {}
        if self.film_weight is not None and self.film_bias is not None:
            degrees = block.derived(("degrees", len(self.film_weight)), lambda: self._distinct(block))
            product = row_by_row if block.share is None else dense_product
            film = product(degrees.encoding, self.film_weight) + self.film_bias  # Eq. 8
            if block.share is not None:
                terms["scale_shift"] = total(film.square() * degrees.share)  # Eq. 13
            gamma, beta = film.split(self.d_out, dim=1)
            scale, shift = (degrees.spread @ torch.cat([gamma + 1, beta], dim=1)).split(self.d_out, dim=1)
            own = torch.addcmul(shift, scale, own)  # Eq. 7
            other = None if other is None else torch.addcmul(shift, scale, other)
        if other is not None and block.share is not None:
            terms["context"] = total(other.square() * block.share[:, None])  # Eq. 12
        return torch.add(aggregated, own, alpha=float(self.context_weight)), terms  # Eq. 9

    def _is_low(self, block: Block) -> Tensor:
        return torch.from_numpy(block.degree() <= self.threshold)[:, None].to(self.weight.device)

    def _distinct(self, block: Block) -> DistinctDegrees:
        assert self.film_weight is not None
        return DistinctDegrees(block, len(self.film_weight), self.film_weight)


class DistinctDegrees:
    """The distinct degrees of a block's nodes.

    Attributes
    ----------
    encoding : (n_distinct, dim), delta of each degree
    spread : operator (n_after, n_distinct) from distinct degrees to nodes
    share : (n_distinct, 1), fraction of the batch that has each degree
    """

    def __init__(self, block: Block, dim: int, like: Tensor) -> None:
        values, code = np.unique(block.degree(), return_inverse=True)
        values = np.pad(values, (0, -len(values) % 8), mode="edge")  # products are faster with multiples of 8
        self.encoding = degree_encoding(torch.from_numpy(values), dim).to(like)
        one_hot = sp.csr_array((np.ones(len(code)), code, np.arange(len(code) + 1)), shape=(len(code), len(values)))
        self.spread = SparseOperator(one_hot, like.dtype).to(like.device)
        self.share: Any = None
        if block.share is not None:
            sums = np.bincount(code, block.share.cpu().double().numpy(), minlength=len(values))
            self.share = torch.from_numpy(sums)[:, None].to(like)


def degree_encoding(degree: Tensor, dim: int) -> Tensor:
    """Encode degrees by sines and cosines, so that similar degrees get similar codes.

    [delta(v)]_2i = sin(deg(v) / 10000^(2i / dim)), [delta(v)]_2i+1 = cos(the same).

    Shapes: (n,) -> (n, dim), float64.
    """
    column = torch.arange(dim, device=degree.device)
    even = column - column % 2
    angle = degree[:, None].double() / 10000 ** (even.double() / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


class DegFair(Mitigation):
    """DegFairGNN: a learned debiasing context in each layer, and a fairness loss.

    The debiasing context complements the neighborhood of low-degree nodes and distills that of high-degree nodes. The
    fairness loss brings the mean predictions of both groups together [1]_.

    Parameters
    ----------
    degree_threshold : {"mean", "median"} or float, default="mean"
        K: nodes of at most this degree are the low group S_0, the others are S_1.
    context_hops : int, default=1
        r: the context of a node is all nodes at most r hops away, including itself.
    context_pool : {"set", "walk"}, default="set"
        The mean over that set of nodes (Eq. 5), or over the ends of walks of r steps, each to a neighbor or to the
        node itself. With one hop both are the same. With more hops, a set may hold most of the graph; the cost of
        walks grows linearly with r.
    context_weight : float, default=1.0
        epsilon: how much the debiasing context modulates the aggregation.
    fairness_weight : float, default=2.5
        mu: weight of the fairness loss. A larger weight trades accuracy for fairness.
    constraint_weight : float, default=1e-4
        lambda: weight of two penalties, L3 on the context that the function of the other group would produce, and L4 on
        the scale and shift.
    fairness_loss : {"dsp", "deo", "both"}, default="dsp"
        Whether both groups should receive each class equally often (degree statistical parity, DSP), nodes of each
        class should be recognized equally often in both groups (degree equal opportunity, DEO), or both.
    fairness_groups : "threshold", float or int, default=0.2
        The groups that the fairness loss compares: a share such as 0.2, for the training nodes of lowest and of highest
        degree, as in the metrics; "threshold", for S_0 and S_1 (the paper's loss, Eq. 11); or a number of groups
        between quantiles of the training nodes' degrees; all pairs of them are compared. With a share, the loss ignores
        the nodes in between; with a number of groups, such as 5, all nodes count.
    fairness_hops : int, default=1
        Number of hops of the generalized degree by which these groups are made.
    fairness_ramp : float or None, default=None
        Fraction of the epochs over which the weight of the fairness loss grows linearly from 0 to mu, so that the
        network learns to classify first. None: 0.5, or 0 for the paper's loss (``fairness_groups="threshold"``).
    scale_shift : bool, default=True
        False is the ablation without the scale and shift of debiasing contexts by degree.
    contrast : bool, default=True
        False is the ablation with one debiasing function for all nodes, and thus without L3.
    modulation : bool, default=True
        False is the ablation without debiasing contexts: the base network with a fairness loss.
    degree_encoding_dim : int or None, default=32
        Length of the degree encoding. None takes the width of each layer, as in the paper.

    Attributes
    ----------
    degree_threshold_ : float
        K as learned from the graph of ``fit``. It is also used on other graphs.
    groups_ : DegreeGroups
        The groups of the fairness loss.

    Notes
    -----
    The objective is L1 + mu L2 + lambda (L3 + L4) (Eq. 14). Where the paper sums L1, L3 and L4 over the training
    nodes, they are means here, so that mu and lambda have the same meaning on graphs of any size. L2 for equal
    opportunity is the sum over the classes of the squared difference between the groups' mean probability of the true
    class. A group without training nodes, or without one of the class, adds nothing to L2. Weight decay acts on all
    weights, in addition to L3 and L4.

    The paper leaves some details open. Here the activation is a leaky ReLU of slope 0.01. The mean of "gcn" and the
    attention of "gat" include the node itself with weight 1; the mean is not Kipf and Welling's symmetric one. Scale
    and shift start at 0. Contexts are pooled from the representations after dropout. Edge weights act in the
    aggregation and in the degrees; the context (Eq. 5) is a mean over a set of nodes and ignores them.

    References
    ----------
    .. [1] Z. Liu, T.-K. Nguyen and Y. Fang, "On Generalized Degree Fairness in Graph Neural Networks", AAAI 2023,
       pp. 4525-4533.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import DegFair
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(backbone="gat", mitigation=DegFair(contrast=False), max_epochs=20, random_state=0)
    >>> bool(clf.fit(X, A, y).mitigation_.degree_threshold_ == A.sum(axis=1).mean())
    True
    """

    unfairness = ("fairness",)
    memory_factor = 3.0  # both groups' debiasing functions, in addition to the aggregation
    unused = (
        Unused(
            ("fairness_loss", "fairness_groups", "fairness_hops", "fairness_ramp"),
            "fairness_weight=0",
            lambda own: own.fairness_weight == 0,
        ),
        Unused(CONTEXT, "modulation=False", lambda own: not own.modulation),
        Unused(CONTEXT[1:], "context_weight=0", lambda own: own.context_weight == 0),
        Unused(("context_pool",), "context_hops=1", lambda own: own.context_hops == 1),
        Unused(("degree_encoding_dim",), "scale_shift=False", lambda own: not own.scale_shift),
        Unused(
            ("constraint_weight",),
            "scale_shift=False and contrast=False",
            lambda own: not own.scale_shift and not own.contrast,
        ),
        Unused(
            ("degree_threshold",),
            'modulation=False, unless fairness_groups="threshold"',
            lambda own: not own.modulation and own.fairness_groups != "threshold",
        ),
    )
    _parameter_constraints: dict[str, Any] = {
        **GROUP_CONSTRAINTS,
        "context_hops": [Interval(Integral, 1, None, closed="left")],
        "context_pool": [StrOptions({"set", "walk"})],
        "context_weight": [Interval(Real, 0, LARGEST, closed="both")],
        "fairness_weight": [Interval(Real, 0, LARGEST, closed="both")],
        "fairness_ramp": [Interval(Real, 0, 1, closed="both"), None],
        "constraint_weight": [Interval(Real, 0, LARGEST, closed="both")],
        "fairness_loss": [StrOptions({"dsp", "deo", "both"})],
        "scale_shift": ["boolean"],
        "contrast": ["boolean"],
        "modulation": ["boolean"],
        "degree_encoding_dim": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        degree_threshold: str | float = "mean",
        context_hops: int = 1,
        context_pool: str = "set",
        context_weight: float = 1.0,
        fairness_weight: float = 2.5,
        constraint_weight: float = 1e-4,
        fairness_loss: str = "dsp",
        fairness_groups: str | float = 0.2,
        fairness_hops: int = 1,
        fairness_ramp: float | None = None,
        scale_shift: bool = True,
        contrast: bool = True,
        modulation: bool = True,
        degree_encoding_dim: int | None = 32,
    ) -> None:
        self.degree_threshold = degree_threshold
        self.context_hops = context_hops
        self.context_pool = context_pool
        self.context_weight = context_weight
        self.fairness_weight = fairness_weight
        self.constraint_weight = constraint_weight
        self.fairness_loss = fairness_loss
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.fairness_ramp = fairness_ramp
        self.scale_shift = scale_shift
        self.contrast = contrast
        self.modulation = modulation
        self.degree_encoding_dim = degree_encoding_dim

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        self.degree_threshold_ = learn_threshold(graph, self.degree_threshold)
        self.groups_ = DegreeGroups.learn(
            graph, nodes, self.fairness_groups, threshold=self.degree_threshold, hops=self.fairness_hops
        )

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        why = self.groups_.idle(graph, nodes)
        if why and self.fairness_weight:
            yield NOTHING_TO_COMPARE.format(weight=self.fairness_weight, why=why)

    def build(self, architecture: Architecture) -> GNN:
        layers: list[nn.Module] = list(architecture.convs())
        if self.modulation:
            layers = [
                DebiasedConv(
                    cast(Conv, conv),
                    d_in,
                    context=Reach(int(self.context_hops), self.context_pool if self.context_hops > 1 else "set"),
                    threshold=self.degree_threshold_,
                    context_weight=self.context_weight,
                    encoding_dim=self.degree_encoding_dim,
                    scale_shift=self.scale_shift,
                    contrast=self.contrast,
                )
                for conv, (d_in, _) in zip(layers, architecture.widths, strict=True)
            ]
        return GNN(layers, dropout=architecture.dropout, seed=architecture.seed)

    def terms(self) -> dict[str, Term]:
        return {"fairness": FairnessLoss(self.groups_, self.fairness_loss)}

    def weights(self) -> dict[str, float]:
        return {
            "fairness": self.fairness_weight,
            "context": self.constraint_weight,
            "scale_shift": self.constraint_weight,
        }

    def ramps(self) -> dict[str, float]:
        if self.fairness_ramp is not None:
            return {"fairness": self.fairness_ramp}
        return {} if self.fairness_groups == "threshold" else {"fairness": 0.5}
