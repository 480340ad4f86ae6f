"""FairVGNN (Wang et al., KDD 2022): masks on feature channels, with the degree group as the sensitive attribute."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval
from torch import Tensor, nn

from ..graph import GROUP_CONSTRAINTS, THRESHOLD_UNUSED, DegreeGroups
from ..nn import CLASSIFICATION, GNN, Architecture, Batch, Block, Conv, Linear, Output, Term, Topology
from ..nn.conv import Propagate
from ..nn.dropout import RandomStream
from ..nn.features import Features, rounded, transform
from ..nn.infer import infer
from ..nn.weights import parameter
from ..parameters import LARGEST, Unused
from .adversary import ADVERSARY_CONSTRAINTS, AdversaryLoss, GroupMitigation, adversary_phase
from .base import Phase
from .views import ViewsGNN

KEPT_AT_FIRST = 2.0
"""Logit of keeping a channel before training: 88 %."""


class Masks(RandomStream):
    """Random masks over feature channels, and the learned probability to keep each channel.

    Parameters
    ----------
    n_channels : int
    n_masks : int
    seed : int

    Attributes
    ----------
    logit : (n_channels,)
        theta: a hard mask keeps a channel with the probability sigmoid(theta).
    """

    def __init__(self, n_channels: int, n_masks: int, seed: int) -> None:
        super().__init__(seed)
        self.n_masks, self.seed = n_masks, seed
        self.logit = parameter(n_channels)

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.constant_(self.logit, KEPT_AT_FIRST)

    @property
    def kept(self) -> Tensor:
        """Probability that a channel is kept, (n_channels,)."""
        return self.logit.sigmoid()

    def soft(self) -> Tensor:
        """New masks with entries between 0 and 1, whose gradient reaches the probabilities: (n_masks, n_channels)."""
        return (self.logit + self._noise(self)).sigmoid()

    def hard(self) -> Tensor:
        """Masks of zeros and ones, the same at every call: (n_masks, n_channels)."""
        return (self.logit + self._noise(RandomStream(self.seed)) > 0).to(self.logit)

    def _noise(self, stream: RandomStream) -> Tensor:
        """Logistic noise: the difference of two Gumbel variables."""
        uniform = np.clip(stream.uniform(self.n_masks, len(self.logit)), 1e-12, None)
        return torch.from_numpy(np.log(uniform) - np.log1p(-uniform)).to(self.logit)


class MaskedConv(nn.Module):
    """A convolution with one mask over the channels of its input. (X * m) W = X (diag(m) W)."""

    def __init__(self, conv: Conv, mask: Tensor) -> None:
        super().__init__()
        self.conv, self.mask, self.operators = conv, mask, conv.operators

    def project(self, h: Features) -> Tensor:
        return rounded(lambda weight: transform(h, weight), self.mask[:, None] * self.conv.projection())

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        return self.conv.between(projected, propagate)

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        return self.conv.gather(projected, block)


class MaskedGNN(ViewsGNN):
    """A network that reads the features through several random masks.

    Parameters
    ----------
    n_masks : int
    clip : float
        epsilon: the weights of channel i in the first layer are at most epsilon times its probability to be kept.
    """

    def __init__(
        self, layers: list[Conv], n_channels: int, *, n_masks: int, clip: float, head: nn.Module, **options: Any
    ) -> None:
        super().__init__(layers, heads={"adversary": head}, **options)
        self.clip = clip
        self.masks = Masks(n_channels, n_masks, self.seed + 1)
        self.reset_parameters()

    def forward(self, batch: Batch) -> Output:
        masks = self.masks.soft() if self.training else self.masks.hard()
        first, *others = cast(list[Conv], list(self.layers))
        views, hidden = [], []
        for projected in self._projected(first, batch.x, masks):
            h = first.gather(projected, batch.blocks[0])
            for layer, block in zip(others, batch.blocks[1:], strict=True):
                h = self.dropout(h, block.keys, slope=self.activation.negative_slope)
                read = h
                h = layer(h, block)
            views.append(h)
            hidden.append(batch.everyone.of(read))
        terms = {"masks": (masks - 1).square().mean()}
        return self.join(batch, views, hidden, torch.stack(views).mean(0), terms)

    @staticmethod
    def _projected(first: Conv, x: Features, masks: Tensor) -> tuple[Tensor, ...]:
        """X times the weights of the first layer under each mask, in one product."""
        weight = first.projection()
        wide = torch.cat([mask[:, None] * weight for mask in masks], dim=1)
        return rounded(lambda padded: transform(x, padded), wide).split(weight.shape[1], dim=1)

    @torch.no_grad()
    def constrain(self) -> None:
        """Clamp the first layer's weights of channel i to epsilon times its probability to be kept."""
        bound = self.clip * self.masks.kept[:, None]
        for name, weight in self.layers[0].named_parameters():
            if name in ("weight", "weight_self"):  # those with a row for each channel
                weight.copy_(torch.maximum(torch.minimum(weight, bound), -bound))

    def infer(self, topology: Topology, nodes: NDArray[np.intp], n_layers: int | None = None) -> Tensor:
        """The mean over the hard masks."""
        first, total = cast(Conv, self.layers[0]), None
        for mask in self.masks.hard():
            layers: Any = [MaskedConv(first, mask), *self.layers[1:]][:n_layers]
            output = infer(layers, self.activation, topology, nodes, activate_last=n_layers is not None)
            total = output if total is None else total + output
        assert total is not None
        return total / self.masks.n_masks


class Confusion:
    """Mean square of the difference between the adversary's probabilities and the shares of the groups.

    The shares are what an adversary that knows nothing about a node predicts.

    Parameters
    ----------
    groups : DegreeGroups
    """

    def __init__(self, groups: DegreeGroups) -> None:
        self.groups = groups

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        logits = output.heads["adversary"]
        shares = batch.derived(self, lambda: self._shares(batch, logits))
        return (logits.softmax(1) - shares).square().mean()

    def _shares(self, batch: Batch, logits: Tensor) -> Tensor:
        group = torch.from_numpy(self.groups.of(batch.everyone))
        sizes = torch.bincount(group[group >= 0], minlength=len(self.groups)).to(logits)
        return sizes / sizes.sum().clamp(min=1)


class FairVGNN(GroupMitigation):
    """FairVGNN: learned masks hide the feature channels that reveal the degree group.

    A generator learns which feature channels to mask so that an adversary cannot read the degree group from the hidden
    representation, and the weights of channels that are often masked are kept small [1]_.

    Parameters
    ----------
    adversary_weight : float, default=3.0
        Weight of the loss that makes the adversary's output uninformative. The masks are trained on it.
    keep_weight : float, default=1.0
        alpha: weight of the penalty on masked channels. Without it, masking all channels would have no cost.
    clip : float, default=1.0
        epsilon: weights of channel i in the first layer are clamped to at most epsilon times the probability that the
        channel is kept.
    n_masks : int, default=4
        K: number of random masks in each step, and in predictions, which are the mean over the masks.
    adversary_rate : float, default=5.0
        Learning rate of the adversary, as a multiple of the network's.
    mask_rate : float, default=5.0
        Learning rate of the masks, as a multiple of the network's.
    fairness_groups : "threshold", float or int, default="threshold"
        The groups: nodes with a degree of at most ``degree_threshold`` and the others; a share such as 0.2, for the
        nodes of lowest and of highest degree, with boundaries from the training nodes; or this number of groups between
        quantiles of the training nodes' degrees.
    fairness_hops : int, default=1
        Number of hops of the generalized degree by which the groups are made.
    degree_threshold : {"mean", "median"} or float, default="mean"
        Threshold between the two groups.

    Attributes
    ----------
    groups_ : DegreeGroups
        Boundaries between the groups, as learned in ``fit``.

    Notes
    -----
    Each training step has three phases. The network minimizes the mean over the masks of the cross-entropy of its
    predictions. The adversary, a linear layer, minimizes the mean over the masks of its cross-entropy, for the same
    hidden representations. With new masks m, the probabilities to keep channels minimize ``adversary_weight`` times the
    mean of (D - s)^2, where s are the shares of the groups, plus ``keep_weight`` times the mean of (m - 1)^2. Then the
    weights are clamped.

    A soft mask is m = sigmoid(theta + e), with logistic noise e; a hard mask is 1 where theta + e > 0. This is the
    paper's Gumbel softmax over two options at temperature 1, written with one number per channel. Training uses soft
    masks, predictions use hard masks that are drawn from the model's own seed, so they are always the same.

    Adapted: the degree group is given separately and is never a column of X. The adversary is compared with the
    shares of the groups; the paper uses 1/2, for two groups of about equal size. The hidden representation is
    the input of the last layer, after dropout. All phases share one Adam optimizer, with one step each; the
    released code has five steps and separate optimizers. It also updates the layers in the phase of the adversary,
    which helps the adversary, and in the phase of the masks. Then the layers hide the group by themselves, and on
    graphs generated for this test the masks no longer found the channels that reveal the group. Both are left out.
    Channels start with a probability of 88 % to be kept, not 50 %, so that few masks suffice. The clamp uses this
    probability; the released code uses the mean of the masks that were drawn. Features should have similar scales.

    Use it when some feature channels are known or suspected to stand for the degree, and others are not. If the degree
    shows only through the edges, masks cannot hide it. It is the most expensive method here, about 2 K times as
    expensive as the plain network. With few channels, as in EMNLP, masks have little effect.

    References
    ----------
    .. [1] Y. Wang, Y. Zhao, Y. Dong, H. Chen, J. Li and T. Derr, "Improving Fairness in Graph Neural Networks via
       Mitigating Sensitive Attribute Leakage", KDD 2022.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import FairVGNN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=FairVGNN(n_masks=2), max_epochs=20, random_state=0).fit(X, A, y)
    >>> kept = clf.module_.masks.kept  # probability that each channel is kept
    >>> len(kept) == X.shape[1]
    True
    """

    min_layers = 2
    supports_distributed = False
    all_nodes = True
    unused = (
        Unused(
            ("fairness_groups", "fairness_hops", "degree_threshold", "adversary_rate"),
            "adversary_weight=0",
            lambda own: own.adversary_weight == 0,
        ),
        Unused(
            ("mask_rate",),
            "adversary_weight=0 and keep_weight=0",
            lambda own: own.adversary_weight == 0 and own.keep_weight == 0,
        ),
        THRESHOLD_UNUSED,
    )
    _parameter_constraints: dict[str, Any] = {
        **ADVERSARY_CONSTRAINTS,
        "keep_weight": [Interval(Real, 0, LARGEST, closed="both")],
        "clip": [Interval(Real, 0, LARGEST, closed="right")],
        "n_masks": [Interval(Integral, 1, None, closed="left")],
        "mask_rate": [Interval(Real, 0, None, closed="neither")],
        **GROUP_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        adversary_weight: float = 3.0,
        keep_weight: float = 1.0,
        clip: float = 1.0,
        n_masks: int = 4,
        adversary_rate: float = 5.0,
        mask_rate: float = 5.0,
        fairness_groups: str | float = "threshold",
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
    ) -> None:
        self.adversary_weight = adversary_weight
        self.keep_weight = keep_weight
        self.clip = clip
        self.n_masks = n_masks
        self.adversary_rate = adversary_rate
        self.mask_rate = mask_rate
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold

    @property
    def memory_factor(self) -> float:  # type: ignore[override]
        return float(self.n_masks)

    @property
    def hides(self) -> bool:
        return bool(self.adversary_weight)

    def build(self, architecture: Architecture) -> GNN:
        return MaskedGNN(
            architecture.convs(),
            architecture.n_features,
            n_masks=int(self.n_masks),
            clip=float(self.clip),
            head=Linear(architecture.hidden_dim, len(self.groups_)),
            dropout=architecture.dropout,
            seed=architecture.seed,
        )

    def terms(self) -> dict[str, Term]:
        return {"adversary": AdversaryLoss({"adversary": self.groups_}), "confusion": Confusion(self.groups_)}

    def weights(self) -> dict[str, float]:
        return {"adversary": 0.0, "confusion": self.adversary_weight, "masks": self.keep_weight}

    def phases(self) -> list[Phase]:
        phases = [
            Phase("network", parameters=("layers",), weights={CLASSIFICATION: 1.0}),
            adversary_phase(("heads",), rate=self.adversary_rate),
        ]
        if self.adversary_weight or self.keep_weight:
            weights = {"confusion": self.adversary_weight, "masks": self.keep_weight}
            phases.append(Phase("masks", parameters=("masks",), weights=weights, rate=self.mask_rate))
        return phases
