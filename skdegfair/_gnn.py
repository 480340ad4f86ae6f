"""The base GNNs, to compare DegFairGNN with."""

from __future__ import annotations

from typing import Any

from ._base import BaseGNNClassifier


class GNNClassifier(BaseGNNClassifier):
    """Node classifier with a plain graph neural network: GCN, GAT or GraphSAGE.

    It is :class:`DegFairGNNClassifier` without debiasing contexts and without
    fairness loss: what to compare that one with.

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
    DegFairGNNClassifier : The same, with degree bias mitigated.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(backbone="sage", max_epochs=50, random_state=0).fit(X, A, y)
    >>> clf.predict(X, A).shape
    (200,)
    """

    def __init__(
        self,
        *,
        backbone: str = "gcn",
        hidden_dim: int = 32,
        n_layers: int = 2,
        n_heads: int = 4,
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

    def _module_options(self) -> dict[str, Any]:
        return {**super()._module_options(), "modulation": False}

    def _objective_options(self) -> dict[str, Any]:
        return {"fairness_loss": None}
