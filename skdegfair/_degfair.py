"""DegFairGNN as a scikit-learn classifier."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._base import BaseGNNClassifier
from ._params import NET_CONSTRAINTS
from .graph import Graph
from .nn import FAIRNESS_LOSSES, DegFairGNN, Objective, ReleasedGNN, ReleasedObjective

ARITHMETICS: dict[str, tuple[type[Any], type[Objective]]] = {
    "paper": (DegFairGNN, Objective),
    "released": (ReleasedGNN, ReleasedObjective),
}
RELEASED_LACKS = (
    'arithmetic="released" has contexts of one hop, the fairness loss "dsp" and training on whole graphs only (no '
    "batch_size): the authors' code does."
)


class DegFairGNNClassifier(BaseGNNClassifier):
    """Node classifier that mitigates degree bias (DegFairGNN).

    In each layer of a graph neural network a learned debiasing context complements
    the neighbourhood of nodes of low degree and distills that of nodes of high
    degree; a fairness loss drives both groups towards equal predictions [1]_.

    Parameters
    ----------
    backbone : {"gcn", "gat", "sage"}, default="gcn"
        Base GNN: the mean over a node and its neighbours, attention over them, or
        GraphSAGE's mean over the neighbours beside the node itself.
    hidden_dim : int, default=32
        Width of the hidden representations.
    n_layers : int, default=2
        Layers, at least 1. The last one gives the classes.
    n_heads : int, default=4
        Attention heads of "gat", which share ``hidden_dim``; those of the last layer
        are averaged.
    degree_threshold : {"mean", "median"} or float, default="mean"
        K: nodes of at most this degree are the low group S_0, the others S_1.
    context_hops : int, default=1
        r: the context of a node is all nodes at most r hops away, itself included.
    context_pool : {"set", "walk"}, default="set"
        The mean over that set of nodes (Eq. 5), or over the ends of walks of r steps, each
        to a neighbour or to the node itself. One hop is the same for both. With more, a
        set may hold most of the graph; walks stay as cheap as r means over neighbours.
    context_weight : float, default=1.0
        epsilon: how much the debiasing context modulates the aggregation.
    fairness_weight : float, default=1.0
        mu: weight of the fairness loss. More of it trades accuracy for parity.
    constraint_weight : float, default=1e-4
        lambda: weight of the two penalties, L3 on the context that would be the other
        group's and L4 on scale and shift.
    fairness_loss : {"dsp", "deo"}, default="dsp"
        Whether both groups shall get each class equally often (statistical parity), or
        be recognised equally often in each class (equal opportunity).
    scale_shift : bool, default=True
        False leaves out the degree-wise scale and shift of the debiasing contexts.
    contrast : bool, default=True
        False uses one debiasing function for all nodes, and thus no L3.
    modulation : bool, default=True
        False leaves out the debiasing contexts: the base GNN with a fairness loss.
    degree_encoding_dim : int or None, default=32
        Length of the degree encoding. None takes each layer's width, as in the paper.
    arithmetic : {"paper", "released"}, default="paper"
        The paper's equations, or what the authors' released code does in their place: see
        Notes. Use "paper" for new work, and "released" to trace the paper's numbers.
    dropout : float, default=0.5
        Part of the hidden representation that is dropped while training, to 1/256.
    learning_rate : float, default=0.01
        Of the Adam optimizer.
    weight_decay : float, default=5e-4
        L2 penalty on all weights.
    max_epochs : int, default=300
        Epochs, each one step on the whole graph, or one through all batches.
    early_stopping : bool, default=False
        Stop when ``monitor`` has not improved on the validation nodes for ``patience``
        epochs, and restore the best weights. The validation nodes are those given to
        ``fit``, or else part of the training nodes.
    validation_fraction : float, default=0.2
        Part of the training nodes set aside if ``early_stopping`` is on and ``fit`` is
        given no validation nodes.
    patience : int, default=100
        Epochs without improvement that early stopping waits for.
    monitor : {"valid_score", "valid_accuracy", "valid_loss", "valid_delta_dsp", "valid_delta_deo"}, \
            default="valid_score"
        What early stopping watches. ``valid_score`` is the validation accuracy, less
        the weighted fairness loss where there is one.
    batch_size : int, default=None
        Train on at most so many nodes at a time, with some of their neighbours, instead of
        on the whole graph at once: for graphs whose whole-graph step does not fit into
        memory. Batches are of about equal size.
    n_neighbors : int or list of int, default=None
        With ``batch_size``: how many neighbours of a node a layer reads at the most, drawn
        anew in each step (those of validation nodes once); a list has one number per layer,
        the first one first, None standing for all. None: all.
    distributed : bool, default=False
        With ``batch_size``: train together with the other processes that ``torchrun`` or
        ``accelerate launch`` started, each on a batch of its own. All of them get the
        model that one process would get with a batch as large as all. Needs the extra
        ``cluster``.
    unlabelled : scalar, default=None
        Value of y that stands for an unknown label, such as -1; NaN stands for None and
        pandas' NA too. Such nodes are seen, but neither trained on nor scored by
        ``score``. scikit-learn's scorers do not know of them: cross-validate on
        ``G[known], y[known]``. None: every label is a class.
    directed : bool, default=False
        Whether A may differ from its transpose. A Graph says so itself.
    device : str or torch.device, default="cpu"
        Where to train and predict.
    random_state : int, RandomState instance or None, default=None
        Decides initial weights, dropout, the validation nodes, batches and drawn neighbours.
        None draws a new seed and leaves numpy's global generator alone.
    warm_start : bool, default=False
        Go on from the last fit, for ``max_epochs`` more epochs. Early stopping judges
        these alone.
    callbacks : list of skorch callbacks, default=None
        Copied before use. A callback that wants to end training raises
        :class:`skdegfair.training.StopTraining`.
    net_params : dict, default=None
        Further parameters of the skorch net, such as ``{"optimizer__amsgrad": True}``.
        Names with a prefix can also be given to ``set_params`` and in a parameter grid.
    verbose : {0, 1, 2}, default=0
        Silent, a progress bar, or a table with a row per epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X is a DataFrame with string column names.
    n_iter_ : int
        Epochs trained.
    best_epoch_ : int
        Epoch whose weights are kept: the best one under early stopping, else the last.
    stop_reason_ : {"max_epochs", "early_stopping", "callback"}
    degree_threshold_ : float
        K as learned from the graph of ``fit``, and used on any other.
    feature_scale_ : float
        Root mean square of all features. The network reads them divided by it, so that
        their unit does not matter; their scales among each other do.
    history_ : DataFrame
        A row per epoch: every loss term before its weight, accuracy and both gaps
        between the 20 % of lowest and of highest degree, of the training nodes (as seen
        with dropout) and of the validation nodes where there are any, and the seconds
        it took.
    net_ : skorch net
        What was trained.
    module_ : torch module
        The network in it.

    See Also
    --------
    GNNClassifier : The base GNN, to compare with.
    Graph : What to pass to scikit-learn's cross-validation and searches.

    Notes
    -----
    The objective is L1 + mu L2 + lambda (L3 + L4) (Eq. 14). Where the paper sums L1, L3
    and L4 over the training nodes, they are means here, so that mu and lambda keep
    their meaning from graphs of a hundred nodes to graphs of a million. L2 for equal
    opportunity is the sum over the classes of the squared difference between the
    groups' mean probability of the true class. A group without training nodes, or
    without one of the class, adds nothing to L2. Weight decay acts on all weights,
    beside L3 and L4.

    What the paper leaves open: the activation is a leaky ReLU of slope 0.01; the mean
    of "gcn" and the attention of "gat" include the node itself, with weight 1, and the
    mean is not Kipf and Welling's symmetric one; scale and shift start at 0; contexts
    are pooled from the representations after dropout.

    ``arithmetic="released"`` follows the code that the authors published, which departs
    from the equations in eleven places, listed at :class:`skdegfair.nn.ReleasedGNN`; the
    fairness loss compares mean log probabilities, and features are read as they are
    (normalise their rows first, as the authors do for Chameleon and Squirrel, with
    ``GraphTransformer(Normalizer("l1"))``). Ablations and all other parameters work
    there too. With "gat" the code's dropout of the input features is left out.

    Self loops are ignored. Nodes without edges, and graphs without any, are fine. Edge
    weights act in the aggregation and in the degrees; the context (Eq. 5) is a mean
    over a set of nodes and does not weigh them. In a directed graph the degree is the
    number of nodes that a node hears from. Features of very different scales slow
    training down: use ``GraphTransformer(StandardScaler())`` in a pipeline.

    References
    ----------
    .. [1] Z. Liu, T.-K. Nguyen and Y. Fang, "On Generalized Degree Fairness in Graph
       Neural Networks", AAAI 2023, pp. 4525-4533.

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
        "degree_threshold": [StrOptions({"mean", "median"}), Interval(Real, 0, None, closed="left")],
        "context_hops": [Interval(Integral, 1, None, closed="left")],
        "context_pool": [StrOptions({"set", "walk"})],
        "context_weight": [Interval(Real, 0, None, closed="left")],
        "fairness_weight": [Interval(Real, 0, None, closed="left")],
        "constraint_weight": [Interval(Real, 0, None, closed="left")],
        "fairness_loss": [StrOptions(set(FAIRNESS_LOSSES))],
        "scale_shift": ["boolean"],
        "contrast": ["boolean"],
        "modulation": ["boolean"],
        "degree_encoding_dim": [Interval(Integral, 1, None, closed="left"), None],
        "arithmetic": [StrOptions(set(ARITHMETICS))],
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
        fairness_weight: float = 1.0,
        constraint_weight: float = 1e-4,
        fairness_loss: str = "dsp",
        scale_shift: bool = True,
        contrast: bool = True,
        modulation: bool = True,
        degree_encoding_dim: int | None = 32,
        arithmetic: str = "paper",
        dropout: float = 0.5,
        learning_rate: float = 0.01,
        weight_decay: float = 5e-4,
        max_epochs: int = 300,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        patience: int = 100,
        monitor: str = "valid_score",
        batch_size: int | None = None,
        n_neighbors: int | list[int] | None = None,
        distributed: bool = False,
        unlabelled: Any = None,
        directed: bool = False,
        device: str = "cpu",
        random_state: Any = None,
        warm_start: bool = False,
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
        self.scale_shift = scale_shift
        self.contrast = contrast
        self.modulation = modulation
        self.degree_encoding_dim = degree_encoding_dim
        self.arithmetic = arithmetic
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.monitor = monitor
        self.batch_size = batch_size
        self.n_neighbors = n_neighbors
        self.distributed = distributed
        self.unlabelled = unlabelled
        self.directed = directed
        self.device = device
        self.random_state = random_state
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.net_params = net_params
        self.verbose = verbose

    @property
    def _module(self) -> type[Any]:  # type: ignore[override]
        return ARITHMETICS[self.arithmetic][0]

    @property
    def _objective(self) -> type[Objective]:  # type: ignore[override]
        return ARITHMETICS[self.arithmetic][1]

    def _check_options(self) -> None:
        super()._check_options()
        lacking = self.context_hops != 1 or self.fairness_loss != "dsp" or self.batch_size is not None
        if self.arithmetic == "released" and lacking:
            raise ValueError(RELEASED_LACKS)

    def _learn_from_graph(self, graph: Graph) -> dict[str, Any]:
        if isinstance(self.degree_threshold, str):
            degree = graph.whole().degree()
            self.degree_threshold_ = float(np.mean(degree) if self.degree_threshold == "mean" else np.median(degree))
        else:
            self.degree_threshold_ = float(self.degree_threshold)
        options = super()._learn_from_graph(graph)
        threshold = self.degree_threshold_
        if self.arithmetic == "released":  # it compares with <, and reads features as they are
            self.feature_scale_ = options["feature_scale"] = 1.0
            threshold = float(np.nextafter(threshold, -np.inf))
        own = {"context_hops": self.context_hops, "context_pool": self.context_pool}
        return {**options, **own, "degree_threshold": threshold}

    def _module_options(self) -> dict[str, Any]:
        own = ("context_weight", "modulation", "contrast", "scale_shift", "degree_encoding_dim")
        return {**super()._module_options(), **{name: getattr(self, name) for name in own}}

    def _objective_options(self) -> dict[str, Any]:
        own = ("fairness_weight", "constraint_weight", "fairness_loss")
        return {name: getattr(self, name) for name in own}
