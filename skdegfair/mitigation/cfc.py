"""CFC, compositional fairness constraints (Bose and Hamilton, ICML 2019), for degree groups."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, validate_parameter_constraints
from torch import Tensor, nn

from ..graph import GROUP_CONSTRAINTS, DegreeGroups, Graph
from ..nn import GNN, Architecture, Batch, Block, Conv, Output, Term, Terms
from ..nn.conv import Propagate
from ..nn.dropout import RandomStream
from ..nn.features import Features
from ..parameters import Unused
from .adversary import ADVERSARY_CONSTRAINTS, AdversaryLoss, Perceptron, adversary_phase
from .base import Mitigation, Phase

OTHER_LENGTHS = "fairness_groups and fairness_hops must have the same number of attributes, got {groups} and {hops}."


class Filters(RandomStream):
    """The mean of filters f_k over a set S of attributes; a random set in training, all of them otherwise.

    Each filter is a perceptron with one hidden layer.

    Shapes: (n, d) -> (n, d).
    """

    def __init__(self, d: int, n_attributes: int, *, is_random: bool, seed: int) -> None:
        super().__init__(seed)
        self.each = nn.ModuleList(Perceptron(d, d, d) for _ in range(n_attributes))
        self.is_random = is_random
        self.drawn: tuple[int, ...] = self.all

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(range(len(self.each)))

    @property
    def chosen(self) -> tuple[int, ...]:
        """S: the attributes that are currently filtered."""
        return self.drawn if self.training else self.all

    def draw(self) -> None:
        """Draw a new S: every non-empty set has the same probability."""
        if self.is_random and len(self.each) > 1:
            code = 1 + int(self.uniform(1)[0] * (2 ** len(self.each) - 1))  # its bits say which are chosen
            self.drawn = tuple(k for k in self.all if code >> k & 1)

    def forward(self, z: Tensor) -> Tensor:
        filtered = [self.each[k](z) for k in self.chosen]
        return sum(filtered[1:], start=filtered[0]) / len(filtered)


class FilteredConv(nn.Module):
    """A convolution whose activated output passes through filters.

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    def __init__(self, conv: Conv, filters: Filters) -> None:
        super().__init__()
        self.conv, self.filters, self.activation = conv, filters, nn.LeakyReLU()
        self.operators, self.d_out = conv.operators, conv.d_out

    def forward(self, h: Features, block: Block) -> Tensor:
        return self._filtered(self.conv(h, block))

    def project(self, h: Features) -> Tensor:
        return self.conv.project(h)

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        return self.conv.between(projected, propagate)

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        return self._filtered(self.conv.gather(projected, block))

    def _filtered(self, aggregated: Tensor) -> Tensor:
        filtered: Tensor = self.filters(self.activation(aggregated))
        return filtered


class FilteredGNN(GNN):
    """A network with filters after the layer before the last, and an adversary for each attribute."""

    @property
    def filters(self) -> Filters:
        layer: Any = self.layers[-2]
        filters: Filters = layer.filters
        return filters

    def forward(self, batch: Batch) -> Output:
        if self.training:
            self.filters.draw()
        return super().forward(batch)

    def apply_heads(self, hidden: Tensor | None) -> Terms:
        """The adversaries of the attributes that the representation was filtered for."""
        return {name_of(k): self.heads[name_of(k)](hidden) for k in self.filters.chosen}


def name_of(attribute: int) -> str:
    """Name of the adversary of an attribute."""
    return f"adversary_{attribute}"


class CFC(Mitigation):
    """CFC: filters that remove degree attributes from the hidden representation, one or several of them.

    Each attribute of a node, such as its degree group by one hop and by two hops, has a filter and an adversary. The
    adversary learns to read the attribute from the filtered representation, while filter and network learn to prevent
    that. The filters are trained in random combinations, so that each of them works alone and together with others
    [1]_.

    Parameters
    ----------
    adversary_weight : float, default=1.0
        lambda: weight of the adversaries' loss, which the network and the filters maximize.
    adversary_rate : float, default=5.0
        Learning rate of the adversaries, as a multiple of the network's.
    adversary_steps : int, default=1
        Steps of the adversaries after each step of the network.
    random_subsets : bool, default=True
        With several attributes: whether a training step filters a random set of them. False: always all.
    fairness_groups : "threshold", float, int or list of them, default="threshold"
        The groups: nodes with a degree of at most ``degree_threshold`` and the others; a share such as 0.2, for the
        nodes of lowest and of highest degree, with boundaries from the training nodes; or this number of groups between
        quantiles of the training nodes' degrees. A list has an entry for each attribute.
    fairness_hops : int or list of int, default=1
        Number of hops of the generalized degree by which the groups are made. A list such as ``[1, 2]`` has an entry
        for each attribute; a single value of the other parameter then applies to all.
    degree_threshold : {"mean", "median"} or float, default="mean"
        Threshold between the two groups.

    Attributes
    ----------
    groups_ : list of DegreeGroups
        Boundaries between the groups of each attribute, as learned in ``fit``.

    Notes
    -----
    The filtered representation is the mean of f_k(z) over the attributes k in S, where z is the activated output of
    the layer before the last. The network and the filters minimize L_C - lambda sum_k CE(D_k, a_k) over k in S, then
    each adversary D_k of S minimizes its own cross-entropy, over all nodes. A new S is drawn in each step; every
    non-empty set has the same probability. Predictions use all filters.

    Adapted for node classification: the paper predicts links, with embedding tables as the encoder; here the
    encoder is the network without its last layer, which classifies the filtered representations. Uncertain: the
    paper's text averages the filters, its code adds them up; this is the mean. Filters have a narrower hidden layer,
    and no batch normalization, so that a prediction does not depend on other nodes; the activation and dropout of the
    network follow them. Adversaries have one hidden layer, not eight. The loss of an adversary has no upper bound, so
    the network stops maximizing it where the adversary is as bad as a constant guess.

    Use it when a representation should reveal none of several degree attributes, for example degrees within one and
    within two hops. For one attribute, :class:`FairGNN` is cheaper and also acts on the predictions themselves; an
    adversary that reads nothing does not imply equal predictions.

    References
    ----------
    .. [1] A. J. Bose and W. L. Hamilton, "Compositional Fairness Constraints for Graph Embeddings", ICML 2019.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import CFC
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=CFC(fairness_hops=[1, 2]), max_epochs=20, random_state=0).fit(X, A, y)
    >>> [groups.hops for groups in clf.mitigation_.groups_]
    [1, 2]
    """

    min_layers = 2
    supports_distributed = False
    all_nodes = True
    memory_factor = 2.0
    unused = (
        Unused(
            (
                "adversary_rate",
                "adversary_steps",
                "random_subsets",
                "fairness_groups",
                "fairness_hops",
                "degree_threshold",
            ),
            "adversary_weight=0",
            lambda own: own.adversary_weight == 0,
        ),
        Unused(
            ("degree_threshold",),
            'fairness_groups other than "threshold"',
            lambda own: "threshold" not in own.attribute_groups,
        ),
    )
    _parameter_constraints: dict[str, Any] = {
        **ADVERSARY_CONSTRAINTS,
        "adversary_steps": [Interval(Integral, 1, None, closed="left")],
        "random_subsets": ["boolean"],
        **{name: [*allowed, list, tuple] for name, allowed in GROUP_CONSTRAINTS.items() if name != "degree_threshold"},
        "degree_threshold": GROUP_CONSTRAINTS["degree_threshold"],
    }

    def __init__(
        self,
        *,
        adversary_weight: float = 1.0,
        adversary_rate: float = 5.0,
        adversary_steps: int = 1,
        random_subsets: bool = True,
        fairness_groups: Any = "threshold",
        fairness_hops: Any = 1,
        degree_threshold: str | float = "mean",
    ) -> None:
        self.adversary_weight = adversary_weight
        self.adversary_rate = adversary_rate
        self.adversary_steps = adversary_steps
        self.random_subsets = random_subsets
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold

    @property
    def attribute_groups(self) -> list[Any]:
        """The groups of each attribute, or the one value for all."""
        given = self.fairness_groups
        return list(given) if isinstance(given, list | tuple) else [given]

    def check(self, **options: Any) -> None:
        super().check(**options)
        for groups, hops in self._attributes():
            each = {"fairness_groups": groups, "fairness_hops": hops}
            constraints = {name: GROUP_CONSTRAINTS[name] for name in each}
            validate_parameter_constraints(constraints, each, caller_name="an attribute of CFC")
            if isinstance(groups, bool) or isinstance(hops, bool):
                raise ValueError(f"An attribute of CFC must not be a boolean, got {each}.")

    def _attributes(self) -> list[tuple[Any, Any]]:
        """Groups and hops of each attribute."""
        given = self.fairness_hops
        groups, hops = self.attribute_groups, list(given) if isinstance(given, list | tuple) else [given]
        n = max(len(groups), len(hops))
        if not {len(groups), len(hops)} <= {1, n} or not groups or not hops:
            raise ValueError(OTHER_LENGTHS.format(groups=self.fairness_groups, hops=self.fairness_hops))
        return list(zip(groups * (n // len(groups)), hops * (n // len(hops)), strict=True))

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        self.groups_ = [
            DegreeGroups.learn(graph, nodes, groups, threshold=self.degree_threshold, hops=int(hops))
            for groups, hops in self._attributes()
        ]

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        for number, groups in enumerate(self.groups_, start=1):
            why = groups.idle(graph, graph.whole().nodes)
            if why and self.adversary_weight:
                which = "" if len(self.groups_) == 1 else f" for attribute {number}"
                yield f"CFC has no effect{which}: it compares degree groups of nodes, and {why}."

    def build(self, architecture: Architecture) -> GNN:
        convs, width, n = architecture.convs(), architecture.hidden_dim, len(self.groups_)
        filters = Filters(width, n, is_random=self.random_subsets, seed=architecture.seed + 1)
        layers = [*convs[:-2], FilteredConv(convs[-2], filters), convs[-1]]
        heads = {name_of(k): Perceptron(width, width, len(groups)) for k, groups in enumerate(self.groups_)}
        return FilteredGNN(layers, dropout=architecture.dropout, seed=architecture.seed, heads=heads)

    def terms(self) -> dict[str, Term]:
        return {"adversary": AdversaryLoss({name_of(k): groups for k, groups in enumerate(self.groups_)})}

    def weights(self) -> dict[str, float]:
        return {"adversary": -self.adversary_weight}

    def phases(self) -> list[Phase]:
        return [
            Phase("network"),  # minimizes L_C - lambda L_A
            adversary_phase(("heads",), rate=self.adversary_rate, steps=int(self.adversary_steps)),
        ]
