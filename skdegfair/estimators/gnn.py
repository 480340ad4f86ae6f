"""A graph neural network as a scikit-learn classifier, with any mitigation."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from sklearn.base import clone

from .. import mitigation as methods
from ..docstrings import documented
from ..mitigation import Mitigation
from ._params import NET_CONSTRAINTS
from .base import BaseGNNClassifier

NO_MITIGATION = (
    "mitigation must be None or an object from skdegfair.mitigation, such as {suggestion}, got {given!r}. Import the "
    "class and call it, as in mitigation={suggestion}."
)


@documented(BaseGNNClassifier)
class GNNClassifier(BaseGNNClassifier):
    """Node classifier with a graph neural network (GCN, GAT or GraphSAGE), plain or with a mitigation of degree bias.

    Parameters
    ----------
    mitigation : Mitigation, default=None
        How to mitigate degree bias: an object from :mod:`skdegfair.mitigation`, such as ``DegFair()``, ``FairGNN()``
        or ``RawlsGCN()``. Its parameters can be searched as ``mitigation__<name>``, and a grid can search over
        methods: ``{"mitigation": [None, DegFair(), FairGNN()]}``. None: the plain network, to compare with.

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DegFairGNNClassifier : The same with ``mitigation=DegFair(...)`` and the paper's hyper-parameters as its own.
    Graph : What to pass to scikit-learn's cross-validation and searches.

    Notes
    -----
    Self-loops are ignored. Isolated nodes and graphs without edges are supported. Edge weights act in the aggregation.
    In a directed graph a node receives messages from the nodes in its row of A. Features of very different scales
    slow training down: use ``GraphTransformer(StandardScaler())`` in a pipeline.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import FairGNN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(backbone="gat", max_epochs=50, random_state=0).fit(X, A, y)
    >>> clf.score(X, A, y) > 0.8
    True
    >>> clf.set_params(mitigation=FairGNN(), mitigation__covariance_weight=10).fit(X, A, y).predict(X, A).shape
    (200,)
    """

    _parameter_constraints: dict[str, Any] = {**NET_CONSTRAINTS, "mitigation": "no_validation"}

    def __init__(
        self,
        *,
        backbone: str = "gcn",
        mitigation: Mitigation | None = None,
        hidden_dim: int = 32,
        n_layers: int = 2,
        n_heads: int = 4,
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
        self.mitigation = mitigation
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.n_heads = n_heads
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

    def set_params(self, **params: Any) -> GNNClassifier:
        """Set parameters; those of the mitigation as ``mitigation__<name>``."""
        nested = [name for name in params if name.startswith("mitigation__")]
        if nested and params.get("mitigation", self.mitigation) is None:
            raise ValueError(f"mitigation is None, so it has no parameter for {nested[0]!r}. Set mitigation= first.")
        super().set_params(**params)
        return self

    def _make_mitigation(self) -> Mitigation | None:
        if self.mitigation is not None and not isinstance(self.mitigation, Mitigation):
            raise ValueError(NO_MITIGATION.format(given=self.mitigation, suggestion=_suggestion(self.mitigation)))
        mitigation: Mitigation | None = clone(self.mitigation, safe=False)
        return mitigation


def _suggestion(given: Any) -> str:
    """The mitigation whose name is closest to what was given instead of one."""
    names = {name.lower(): name for name in methods.__all__ if name not in ("Mitigation", "Phase")}
    given = given.__name__ if isinstance(given, type) else given
    (closest, *_) = get_close_matches(str(given).lower(), names, n=1, cutoff=0.5) or ["degfair"]
    return f"{names[closest]}()"
