"""FairGNN (Dai and Wang, WSDM 2021), with the degree group as the sensitive attribute."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval
from torch import Tensor, from_numpy
from torch.nn.functional import one_hot

from ..graph import GROUP_CONSTRAINTS, THRESHOLD_UNUSED, DegreeGroups
from ..nn import GNN, Architecture, Batch, Linear, Output, SparseOperator, Term
from ..parameters import LARGEST, Unused
from .adversary import ADVERSARY_CONSTRAINTS, AdversaryLoss, GroupMitigation, adversary_phase
from .base import Phase


class GroupCovariance:
    """L_R: the sum over groups k and classes y of |Cov(1[g = k], p_y)|, over all nodes with an output and a group.

    Parameters
    ----------
    groups : DegreeGroups
    """

    is_mean = False

    def __init__(self, groups: DegreeGroups) -> None:
        self.groups = groups

    def __call__(self, output: Output, y: Tensor, batch: Batch) -> Tensor:
        logits = output.logits if output.everyone is None else output.everyone
        nodes = batch if output.everyone is None else batch.everyone
        centered = batch.derived((self, "centered"), lambda: self._centered(nodes, logits))
        probability = output.log_probability_of_everyone.exp()
        covariance = centered @ probability  # of centered indicators: the probabilities need not be centered
        return covariance.abs().sum()

    def _centered(self, nodes: Any, logits: Tensor) -> SparseOperator:
        """Indicator of each group minus its mean, divided by the number of nodes with a group: (n_groups, n)."""
        group = from_numpy(self.groups.of(nodes))
        inside = group >= 0
        member = one_hot(group.clamp(min=0), len(self.groups)).double() * inside[:, None]
        n = max(int(inside.sum()), 1)
        rows = (member - member.sum(0) / n).T * inside / n
        return SparseOperator(rows.numpy(), logits.dtype).to(logits.device)


class FairGNN(GroupMitigation):
    """FairGNN: an adversary on the hidden layer, and a penalty on the covariance of group and prediction.

    The adversary learns to predict the degree group of a node from its hidden representation, while the network
    learns to prevent that; the penalty makes predictions and group uncorrelated [1]_.

    Parameters
    ----------
    covariance_weight : float, default=4.0
        alpha: weight of the covariance penalty.
    adversary_weight : float, default=0.01
        beta: weight of the adversary's loss, which the network maximizes.
    adversary_rate : float, default=5.0
        Learning rate of the adversary, as a multiple of the network's. The paper uses 1. A faster adversary follows the
        changing representation more closely, so it is harder to hide the group from it.
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
    The network minimizes L_C + alpha L_R - beta L_A, then the adversary minimizes L_A. L_C is the classification loss.
    L_A is the mean cross-entropy of the adversary, a linear layer, and L_R the sum over groups k and classes y of
    ``|Cov(1[g = k], p_y)|``. Both are computed over all nodes when training on the whole graph, since all degrees are
    known, and over the nodes of the batch when training in batches.

    Adapted for degree: the paper's estimator of unknown sensitive attributes is not needed. For several classes and
    groups, L_R sums over all pairs; with two of each it is four times the paper's term. The hidden representation is
    the input of the last layer, after dropout. L_A has no upper bound, so the network stops maximizing it where the
    adversary is as bad as a constant guess (the entropy of the groups).

    Use it when the hidden representation itself should not reveal the degree, or when predictions should be
    uncorrelated with several degree groups at once. With few nodes in a group the adversary learns little.

    References
    ----------
    .. [1] E. Dai and S. Wang, "Say No to the Discrimination: Learning Fair Graph Neural Networks with Limited
       Sensitive Attribute Information", WSDM 2021.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import FairGNN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=FairGNN(fairness_groups=3), max_epochs=20, random_state=0).fit(X, A, y)
    >>> len(clf.mitigation_.groups_)
    3
    """

    min_layers = 2
    supports_distributed = False
    all_nodes = True
    unfairness = ("covariance",)
    unused = (
        Unused(
            ("fairness_groups", "fairness_hops", "degree_threshold", "adversary_rate"),
            "covariance_weight=0 and adversary_weight=0",
            lambda own: own.covariance_weight == 0 and own.adversary_weight == 0,
        ),
        Unused(("adversary_rate",), "adversary_weight=0", lambda own: own.adversary_weight == 0),
        THRESHOLD_UNUSED,
    )
    _parameter_constraints: dict[str, Any] = {
        "covariance_weight": [Interval(Real, 0, LARGEST, closed="both")],
        **ADVERSARY_CONSTRAINTS,
        **GROUP_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        covariance_weight: float = 4.0,
        adversary_weight: float = 0.01,
        adversary_rate: float = 5.0,
        fairness_groups: str | float = "threshold",
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
    ) -> None:
        self.covariance_weight = covariance_weight
        self.adversary_weight = adversary_weight
        self.adversary_rate = adversary_rate
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold

    @property
    def hides(self) -> bool:
        return bool(self.covariance_weight or self.adversary_weight)

    def build(self, architecture: Architecture) -> GNN:
        adversary = Linear(architecture.hidden_dim, len(self.groups_))
        return GNN(
            architecture.convs(), dropout=architecture.dropout, seed=architecture.seed, heads={"adversary": adversary}
        )

    def terms(self) -> dict[str, Term]:
        return {"covariance": GroupCovariance(self.groups_), "adversary": AdversaryLoss({"adversary": self.groups_})}

    def weights(self) -> dict[str, float]:
        return {"covariance": self.covariance_weight, "adversary": -self.adversary_weight}

    def phases(self) -> list[Phase]:
        return [
            Phase("network"),  # minimizes L_C + alpha L_R - beta L_A
            adversary_phase(("heads.adversary",), rate=self.adversary_rate),
        ]
