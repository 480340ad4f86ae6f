"""Base class of the graph classifiers: their parameters, and checks of the input."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import torch
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from skorch.callbacks import Callback

from .._version import __version__
from ..exceptions import VersionWarning
from ..fitting import all_or_nothing, draw_seed
from ..graph import (
    Graph,
    Targets,
    accepts_graph,
    check_graph,
    check_row_labels,
    check_selection,
    check_targets,
    hold_out,
    node_weights,
)
from ..mitigation import Mitigation
from ..nn.settings import own_settings
from ..parameters import refuse_booleans
from ..training import NodeNet, read_checkpoint
from ._params import NET_CONSTRAINTS, NetParams
from ._predict import GraphPredictor
from ._remarks import after_training, before_training
from ._training import GraphTrainer

OTHER_VERSION = (
    "This {name} was pickled by skdegfair {found}, and this is skdegfair {here}: its predictions may be wrong. Fit it "
    "again, or use skdegfair.save and skdegfair.load, whose files later versions can read."
)

NOTHING_TO_HOLD_OUT = (
    "early_stopping=True found no training node to set aside for validation without losing a class: trained for "
    "max_epochs. Pass validation_nodes, or more labeled nodes."
)


class BaseGNNClassifier(GraphTrainer, GraphPredictor, ClassifierMixin, NetParams, BaseEstimator):
    """Base of the classifiers with a graph neural network. Subclasses define the parameters and choose the mitigation.

    Parameters
    ----------
    backbone : {"gcn", "gat", "sage"}, default="gcn"
        Base network: the mean over a node and its neighbors (GCN), attention over them (GAT), or the mean over the
        neighbors in addition to the node itself (GraphSAGE).
    hidden_dim : int, default=32
        Width of the hidden representations.
    n_layers : int, default=2
        Number of layers, at least 1. The last layer has one output per class.
    n_heads : int, default=4
        Number of attention heads of "gat", which share ``hidden_dim``; those of the last layer are averaged.
    dropout : float, default=0.5
        Fraction of the hidden representation dropped in training, rounded to a multiple of 1/256.
    learning_rate : float, default=0.01
        Learning rate of the Adam optimizer.
    weight_decay : float, default=5e-4
        L2 penalty on all weights.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class in the classification loss. "balanced" weights classes inversely to their frequency among
        the training nodes. Weights are scaled to 1 on average, so that other loss terms keep their relative weight.
    max_epochs : int, default=200
        Number of epochs, each one step on the whole graph, or one pass through all batches.
    early_stopping : bool, default=False
        Stop when ``monitor`` has not improved on the validation nodes for ``patience`` epochs, and restore the best
        weights. The validation nodes are those given to ``fit``, or else a part of the training nodes. Epochs in which
        the weight of a loss still grows do not count.
    validation_fraction : float, default=0.2
        Fraction of the training nodes set aside if ``early_stopping`` is True and ``fit`` gets no validation nodes.
    patience : int, default=100
        Number of epochs without improvement before training stops.
    monitor : {"valid_score", "valid_accuracy", "valid_loss", "valid_delta_dsp", "valid_delta_deo"}, \
default="valid_score"
        Value that early stopping monitors. ``valid_score`` is the validation accuracy minus the weighted loss terms
        that measure unfairness, where there are any.
    batch_size : int, default=None
        Maximum number of nodes in a batch. Train on batches of nodes with some of their neighbors instead of the whole
        graph at once, for graphs that do not fit into memory. Batches have about equal size.
    n_neighbors : int or list of int, default=None
        With ``batch_size``: maximum number of neighbors of a node that a layer reads. They are sampled again in each
        step (those of validation nodes once). A list has one number per layer, starting with the first layer, with
        None for all neighbors. None: all neighbors.
    distributed : bool, default=False
        With ``batch_size``: train together with the other processes that ``torchrun`` or ``accelerate launch``
        started, each on its own batch. All of them get the model that one process would get with all the batches
        joined. Needs the extra ``cluster``.
    unlabeled : scalar, default=None
        Value of y that stands for an unknown label, such as -1; NaN also stands for None and pandas' NA. The model
        sees these nodes, but they are neither trained on nor scored by ``score``. scikit-learn's scorers do not know
        about them: cross-validate on ``G[known], y[known]``. None: every label is a class.
    directed : bool, default=False
        Whether A may differ from its transpose. A Graph has its own setting.
    device : str or torch.device, default="cpu"
        Device to train and predict on.
    random_state : int, RandomState instance or None, default=None
        Determines initial weights, dropout, the validation nodes, batches and sampled neighbors. None draws a new seed
        without using numpy's global generator.
    warm_start : bool, default=False
        Continue with the weights of the last fit, for ``max_epochs`` more epochs. Early stopping considers these
        epochs only. A loss weight that grows during training has its full value from the start.
    checkpoint : str or path-like, default=None
        File to which the training state is written regularly; writing takes at most 5 % of the time. If the
        process is killed, the same ``fit`` continues at the last state and ends with the same weights, bit for bit on
        the same machine. After training the file is kept, and a further ``fit`` on the same data returns the same
        model at once. A file from other data, parameters or versions raises an error. Needs the extra ``save``.
    callbacks : list of skorch callbacks, default=None
        They are copied before use. A callback that wants to end training raises
        :class:`skdegfair.training.StopTraining`.
    net_params : dict, default=None
        Further parameters of the skorch net, such as ``{"optimizer__amsgrad": True}``. Names with a prefix can also be
        given to ``set_params`` and in a parameter grid. An entry that another parameter sets raises ValueError.
    verbose : {0, 1, 2}, default=0
        Silent, a progress bar, or a table with a row per epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X is a DataFrame with string column names.
    n_iter_ : int
        Number of epochs trained.
    best_epoch_ : int
        Epoch whose weights are kept: the best one under early stopping, else the last.
    stop_reason_ : {"max_epochs", "early_stopping", "callback"}
    feature_scale_ : float
        Root mean square of all features. The network reads them divided by it, so that their unit does not matter;
        their scales relative to each other do.
    history_ : DataFrame
        One row per epoch: every loss term before weighting, the accuracy and both gaps between the 20 % of nodes with
        the lowest and the 20 % with the highest degree, for the training nodes (with dropout) and for the validation
        nodes if there are any, and the duration in seconds.
    mitigation_ : Mitigation or None
        The mitigation with what it learned from the graph.
    net_ : skorch net
    module_ : torch module
        The trained network.
    """

    reads_graphs = True
    _parameter_constraints: dict[str, Any] = NET_CONSTRAINTS
    __metadata_request__fit = {"nodes": UNUSED, "validation_nodes": UNUSED}
    __metadata_request__score = {"nodes": UNUSED}

    mitigation_: Mitigation | None

    # -- fitting -----------------------------------------------------------------------------------

    @accepts_graph
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        A: Any = None,
        *,
        nodes: Any = None,
        validation_nodes: Any = None,
        sample_weight: Any = None,
    ) -> BaseGNNClassifier:
        """Fit to the labeled nodes of a graph.

        All of these give the same model: ``fit(X, A, y)``, ``fit(X, A, y=y)``, ``fit(X, y, A=A)`` and
        ``fit(Graph(X, A), y)``; so do ``fit(X, A, y, nodes=train)`` and ``fit(G[train], y[train])``.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            One class per node, or per selected node of a Graph.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency. Without it the nodes have no edges; pass ``A="none"`` if this is intended.
        nodes : mask or array of positions, default=None
            Nodes to train on. The model sees the other nodes, but not their labels. Default: all nodes that are not
            validation nodes. With a part of a graph, as in ``fit(G[part], y[part])``, only a mask is accepted:
            positions could refer to the part or to the whole graph.
        validation_nodes : mask or array of positions, default=None
            Nodes on which each epoch is assessed, also for early stopping. By default early stopping sets a part of
            the training nodes aside.
        sample_weight : array-like of shape (n_nodes,), default=None
            Weight of each node in the classification loss. Weights are scaled to 1 on average over the training nodes.

        Returns
        -------
        self
        """
        self._check_options()
        with all_or_nothing(self), own_settings(self.device):
            graph = self._check_graph(X, A, reset=True)
            check_row_labels(graph, y=y, nodes=nodes, validation_nodes=validation_nodes, sample_weight=sample_weight)
            check_selection(graph, nodes=nodes, validation_nodes=validation_nodes)
            targets = check_targets(y, graph.nodes, nodes, validation_nodes, self.unlabeled)
            before = self.net_ if self.warm_start and hasattr(self, "net_") else None
            saved = None if self.checkpoint is None else read_checkpoint(self.checkpoint)
            if before is None:
                self._seed = self._draw_seed(saved)  # a warm start keeps it, and so the nodes it sets aside
            if self.early_stopping and targets.valid is None:
                targets = hold_out(targets, graph.nodes, self.validation_fraction, self._seed)
                if targets.valid is None:
                    warnings.warn(NOTHING_TO_HOLD_OUT, stacklevel=4)
            weights = node_weights(targets, sample_weight, self.class_weight)
            mitigation = self._learned_mitigation(graph, targets, before)
            given = isinstance(X, Graph)
            meant = {"edges_meant": given or A is not None, "given_directed": given}
            remarks = list(before_training(self, graph, targets, mitigation, **meant))
            for remark in remarks:
                warnings.warn(remark, stacklevel=4)
            self._fit(graph, targets, weights, mitigation, before, saved)
            for remark in after_training(self, self.history_, remarks):
                warnings.warn(remark, stacklevel=4)
        return self

    def _learned_mitigation(self, graph: Graph, targets: Targets, before: NodeNet | None) -> Mitigation:
        """The checked mitigation, after it has learned from the graph; the base class for the plain network."""
        mitigation = self._make_mitigation() or Mitigation()
        mitigation.check(
            backbone=self.backbone,
            n_layers=self.n_layers,
            batch_size=self.batch_size,
            distributed=self.distributed,
            directed=graph.directed,
        )
        if before is not None and type(self.mitigation_ or Mitigation()) is not type(mitigation):
            raise ValueError(
                f"warm_start=True continues with mitigation={self.mitigation_!r}, but it was changed to {mitigation!r}."
            )
        mitigation.learn(graph.whole(), graph.nodes[targets.train])
        return mitigation

    # -- what a subclass chooses -------------------------------------------------------------------

    def _make_mitigation(self) -> Mitigation | None:
        """A mitigation that may be changed in ``fit``; None: the plain network."""
        raise NotImplementedError

    # -- input -------------------------------------------------------------------------------------

    def _check_options(self) -> None:
        """Check conditions that scikit-learn's constraints cannot express."""
        refuse_booleans(self)
        if self.backbone == "gat" and self.n_layers > 1 and self.hidden_dim % self.n_heads:
            raise ValueError(
                f"The heads of GAT share hidden_dim, so n_heads must divide it, got n_heads={self.n_heads} and "
                f"hidden_dim={self.hidden_dim}."
            )
        if self.batch_size is None and (self.n_neighbors is not None or self.distributed):
            raise ValueError("n_neighbors and distributed are for training in batches: set batch_size too.")
        if self.checkpoint is not None and (self.warm_start or self.distributed):
            other = "warm_start" if self.warm_start else "distributed"
            raise ValueError(f"checkpoint cannot be combined with {other}=True. Use one of them.")
        if self.distributed and not isinstance(self.random_state, Integral):
            raise ValueError("distributed=True needs the same random_state in all processes: set it to a number.")
        per_layer = self._neighbors_per_layer()
        whole = all(n is None or (isinstance(n, Integral) and int(n) > 0) for n in per_layer)
        if len(per_layer) != self.n_layers or not whole:
            raise ValueError(
                f"n_neighbors must have {self.n_layers} positive numbers, one per layer, got {self.n_neighbors}."
            )
        self._check_net_params()
        for each in self.callbacks or []:
            callback = each[1] if isinstance(each, tuple) and len(each) == 2 else each
            if not isinstance(callback, Callback):
                raise ValueError(f"callbacks must contain skorch callbacks, or (name, callback) pairs, got {each!r}.")
        try:
            torch.ones(1, device=self.device).item()  # the device "meta" makes tensors, but they have no values
        except (AssertionError, NotImplementedError, RuntimeError) as error:
            raise ValueError(f"device={self.device!r} is not available: {error}") from None

    def _check_graph(self, X: Any, A: Any, *, reset: bool) -> Graph:
        """The graph that the user means, with checked features."""
        graph = check_graph(self, X, A, reset=reset)
        if not reset and self.mitigation_ is not None:
            self.mitigation_.check_directed(graph.directed)
        return graph

    def _draw_seed(self, saved: Any = None) -> int:
        if self.random_state is None and saved is not None:
            return int(saved.document["identity"]["seed"])  # any seed is right, so take that of the checkpoint
        return draw_seed(self.random_state)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_skdegfair_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled estimator; warns with a VersionWarning if another version of skdegfair pickled it."""
        found = state.get("_skdegfair_version", "of unknown version")
        if found != __version__:
            name = type(self).__name__
            warnings.warn(OTHER_VERSION.format(name=name, found=found, here=__version__), VersionWarning, stacklevel=2)
        super().__setstate__({name: value for name, value in state.items() if name != "_skdegfair_version"})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = not str(self.device).startswith("cpu")
        return tags
