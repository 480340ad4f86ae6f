"""DegFairGNN as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

from ..docstrings import documented
from ..mitigation import DegFair, Mitigation
from ._params import NET_CONSTRAINTS
from .base import BaseGNNClassifier

FLAT = (
    "degree_threshold",
    "context_hops",
    "context_pool",
    "context_weight",
    "fairness_weight",
    "constraint_weight",
    "fairness_loss",
    "fairness_groups",
    "fairness_hops",
    "fairness_ramp",
)
"""Parameters of DegFair that the classifier has as its own."""


@documented(BaseGNNClassifier, DegFair)
class DegFairGNNClassifier(BaseGNNClassifier):
    """Node classifier that mitigates degree bias (DegFairGNN).

    In each layer of a graph neural network a learned debiasing context complements the neighborhood of low-degree
    nodes and distills that of high-degree nodes; a fairness loss brings the predictions of both groups together [1]_.

    It is the same model as ``GNNClassifier(mitigation=DegFair(...))``, with the paper's hyper-parameters as its own.
    The ablations and the length of the degree encoding are parameters of :class:`~skdegfair.mitigation.DegFair`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    degree_threshold_ : float
        K as learned from the graph of ``fit``. It is also used on other graphs.
    {attributes}

    See Also
    --------
    GNNClassifier : The plain network, to compare with, or with another mitigation.
    skdegfair.mitigation.DegFair : The objective, and what the paper leaves open.
    Graph : What to pass to scikit-learn's cross-validation and searches.

    Notes
    -----
    Self-loops are ignored. Isolated nodes and graphs without edges are supported. In a directed graph a node receives
    messages from the nodes in its row of A, and its degree is their number. Features of very different scales slow
    training down: use ``GraphTransformer(StandardScaler())`` in a pipeline.

    References
    ----------
    .. [1] Z. Liu, T.-K. Nguyen and Y. Fang, "On Generalized Degree Fairness in Graph Neural Networks", AAAI 2023,
       pp. 4525-4533.

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = DegFairGNNClassifier(max_epochs=50, random_state=0).fit(X, A, y)
    >>> clf.predict_proba(X, A).shape
    (200, 3)

    scikit-learn splits the nodes of a Graph:

    >>> from sklearn.model_selection import cross_val_score
    >>> from skdegfair import Graph
    >>> cross_val_score(clf, Graph(X, A), y, cv=3).shape
    (3,)
    """

    _parameter_constraints: dict[str, Any] = {
        **NET_CONSTRAINTS,
        **{name: DegFair._parameter_constraints[name] for name in FLAT},
    }

    def __init__(
        self,
        *,
        backbone: str = "gcn",
        hidden_dim: int = 32,
        n_layers: int = 2,
        n_heads: int = 4,
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
        dropout: float = 0.5,
        learning_rate: float = 0.01,
        weight_decay: float = 5e-4,
        class_weight: dict[Any, float] | str | None = None,
        max_epochs: int = 200,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        patience: int = 100,
        monitor: str = "valid_score",
        batch_size: int | None = None,
        n_neighbors: int | list[int] | None = None,
        distributed: bool = False,
        unlabeled: Any = None,
        directed: bool = False,
        device: str = "cpu",
        random_state: Any = None,
        warm_start: bool = False,
        checkpoint: Any = None,
        callbacks: list[Any] | None = None,
        net_params: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.backbone = backbone
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.n_heads = n_heads
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
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.class_weight = class_weight
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.monitor = monitor
        self.batch_size = batch_size
        self.n_neighbors = n_neighbors
        self.distributed = distributed
        self.unlabeled = unlabeled
        self.directed = directed
        self.device = device
        self.random_state = random_state
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.net_params = net_params
        self.verbose = verbose

    @property
    def degree_threshold_(self) -> float:
        mitigation: Any = self.mitigation_
        return float(mitigation.degree_threshold_)

    def _make_mitigation(self) -> Mitigation:
        return DegFair(**{name: getattr(self, name) for name in FLAT})
