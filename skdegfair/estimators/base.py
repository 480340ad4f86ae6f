"""What all graph classifiers share: from user input to a trained net."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import validate_data

from ..graph import (
    Graph,
    Positions,
    Targets,
    accepts_graph,
    check_numeric,
    check_row_labels,
    check_targets,
    degree_groups,
    hold_out,
    node_weights,
)
from ..mitigation import Mitigation
from ..nn import GNN, Architecture, Batch, NeighborSampler, Objective, Topology
from ..training import DIVERGED, NodeDataset, NodeNet, SampledNodes, epoch_callbacks
from ._params import NET_CONSTRAINTS, NetParams
from ._predict import GraphPredictor

EDGES_NEEDED = (
    "This {name} was fitted on a graph, so it needs the edges to predict: pass A as well, or a Graph (which is also "
    "what cross-validation needs). For nodes without edges pass an empty A of shape ({n}, {n})."
)

NOTHING_TO_HOLD_OUT = (
    "early_stopping=True found no training node to set aside for validation without losing a class: trained for "
    "max_epochs. Pass validation_nodes, or more labeled nodes."
)


class BaseGNNClassifier(GraphPredictor, ClassifierMixin, NetParams, BaseEstimator):
    """Base of the classifiers with a graph neural network. Subclasses have the parameters and choose the mitigation.

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
        What early stopping watches. ``valid_score`` is the validation accuracy minus the weighted loss terms that
        measure unfairness, where there are any.
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
    callbacks : list of skorch callbacks, default=None
        They are copied before use. A callback that wants to end training raises
        :class:`skdegfair.training.StopTraining`.
    net_params : dict, default=None
        Further parameters of the skorch net, such as ``{"optimizer__amsgrad": True}``. Names with a prefix can also be
        given to ``set_params`` and in a parameter grid. What another parameter sets is refused.
    verbose : {0, 1, 2}, default=0
        Silent, a progress bar, or a table with a row per epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
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
        A row per epoch: every loss term before its weight, accuracy and both gaps between the 20 % of lowest and of
        highest degree, of the training nodes (as seen with dropout) and of the validation nodes if there are any, and
        the duration in seconds.
    mitigation_ : Mitigation or None
        The mitigation with what it learned from the graph.
    net_ : skorch net
    module_ : torch module
        The trained network.
    """

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
            Adjacency. Without it the nodes have no edges.
        nodes : mask or array of positions, default=None
            Nodes to train on. The model sees the other nodes, but not their labels. Positions refer to y: in
            ``fit(G[part], y[part])`` position 0 is the first node of the part. Default: all nodes that are not
            validation nodes.
        validation_nodes : mask or array of positions, default=None
            Nodes on which each epoch is assessed, and early stopping decides. By default early stopping sets a part of
            the training nodes aside.
        sample_weight : array-like of shape (n_nodes,), default=None
            Weight of each node in the classification loss. Weights are scaled to 1 on average over the training nodes.

        Returns
        -------
        self
        """
        with _all_or_nothing(self):
            self._check_options()
            graph = self._check_graph(X, A, reset=True)
            labels = {"y": y, "nodes": nodes, "validation_nodes": validation_nodes, "sample_weight": sample_weight}
            check_row_labels(X, **labels)
            targets = check_targets(y, graph.nodes, nodes, validation_nodes, self.unlabeled)
            before = self.net_ if self.warm_start and hasattr(self, "net_") else None
            if before is None:
                self._seed = self._draw_seed()  # a warm start keeps it, and so the nodes it sets aside
            if self.early_stopping and targets.valid is None:
                targets = hold_out(targets, graph.nodes, self.validation_fraction, self._seed)
                if targets.valid is None:
                    warnings.warn(NOTHING_TO_HOLD_OUT, stacklevel=4)
            weights = node_weights(targets, sample_weight, self.class_weight)
            with torch.inference_mode(False), torch.enable_grad():
                self._fit(graph, targets, weights, before)
        return self

    def _fit(self, graph: Graph, targets: Targets, weights: NDArray[np.float64] | None, before: NodeNet | None) -> None:
        if before is not None and not np.array_equal(self.classes_, targets.classes):
            raise ValueError(
                f"warm_start=True continues with the classes {self.classes_}, but y contains {targets.classes}."
            )
        mitigation = self._make_mitigation() or Mitigation()
        plain = type(mitigation) is Mitigation
        mitigation.check(
            backbone=self.backbone,
            n_layers=self.n_layers,
            batch_size=self.batch_size,
            distributed=self.distributed,
            directed=graph.directed,
        )
        if before is not None and type(self.mitigation_) is not type(None if plain else mitigation):
            raise ValueError(
                f"warm_start=True continues with mitigation={self.mitigation_!r}, but it was changed to {mitigation!r}."
            )
        mitigation.learn(graph.whole(), graph.nodes[targets.train])
        self.mitigation_ = None if plain else mitigation
        self.classes_ = targets.classes
        self._fitted_with_edges = graph.A is not None
        self.feature_scale_ = _root_mean_square(graph) if mitigation.scales_features else 1.0
        seed = self._seed + (0 if before is None else len(before.history))
        net = self._make_net(mitigation, graph, targets, seed)
        if before is not None:
            net.continue_from(before)
        self.stop_reason_ = net.train(self._data(mitigation, graph, targets, weights, net.plain_module, seed))
        if not all(parameter.isfinite().all() for parameter in net.module_.parameters()):
            raise ValueError(DIVERGED.format(what="weights", value="infinite or NaN", epoch=len(net.history)))
        if not self.warm_start:
            net.optimizer_.state.clear()  # twice the size of the model, and of no use for predictions
        self.net_ = net
        self.n_iter_, self.best_epoch_ = len(net.history), net.best_epoch()
        self.history_ = net.history_frame()

    def _data(
        self,
        mitigation: Mitigation,
        graph: Graph,
        targets: Targets,
        weights: NDArray[np.float64] | None,
        module: GNN,
        seed: int,
    ) -> NodeDataset:
        """The nodes to train on, with those to validate on."""
        device = next(module.parameters()).device
        topology = Topology(graph, module.operators, feature_scale=self.feature_scale_, device=device)
        sampler = None if self.batch_size is None else NeighborSampler(topology, self._neighbors_per_layer(), seed)

        def dataset(part: Positions, valid: NodeDataset | None = None, *, all_nodes: bool = False) -> NodeDataset:
            y = torch.as_tensor(targets.codes[part], dtype=torch.int64, device=device)
            weight = None if weights is None else torch.as_tensor(weights[part], dtype=topology.dtype, device=device)
            source: Batch | NeighborSampler
            if sampler is None:
                nodes = graph.nodes[part]
                every = all_nodes or module.needs_all_nodes
                source = topology.batch(nodes, self.n_layers, all_nodes=every, sample_weight=weight)
            else:
                source = sampler
            return NodeDataset(source, y, graph[part], sample_weight=weight, valid=valid)

        valid = None if targets.valid is None else dataset(targets.valid)
        return dataset(targets.train, valid, all_nodes=mitigation.all_nodes)

    def _neighbors_per_layer(self) -> list[int | None]:
        given: Any = self.n_neighbors
        return list(given) if isinstance(given, (list, tuple)) else [given] * self.n_layers

    def _make_net(self, mitigation: Mitigation, graph: Graph, targets: Targets, seed: int) -> NodeNet:
        architecture = Architecture(
            graph.shape[1],
            len(targets.classes),
            backbone=self.backbone,
            hidden_dim=self.hidden_dim,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            dropout=self.dropout,
            seed=seed,
        )
        phases = mitigation.phases()
        if phases and self.distributed:
            raise ValueError(f"{type(mitigation).__name__} trains in phases, which distributed=True does not support.")
        parts = {"train": targets.train, "valid": targets.valid}
        groups = {name: degree_groups(graph.degree()[part]) for name, part in parts.items() if part is not None}
        stopping = {"monitor": self.monitor, "patience": self.patience} if self.early_stopping else None
        options = {
            "phases": phases,
            "lr": self.learning_rate,
            "max_epochs": self.max_epochs,
            "classes": list(range(len(targets.classes))),
            "callbacks": epoch_callbacks(groups, stopping, user=self.callbacks, verbose=self.verbose),
            "device": self.device,
            "verbose": int(self.verbose == 2),
        }
        if self.batch_size is not None:
            options |= {
                "batch_size": self.batch_size,
                "iterator_train": SampledNodes,
                "iterator_train__training": True,
                "iterator_valid": SampledNodes,
            }
        make: Any = NodeNet
        if self.distributed:
            from ..training.distributed import shared_net

            make, together = shared_net(self.device)
            options |= together
        given = self._given_net_params()
        optimizer = given.get("optimizer", torch.optim.Adam)
        if "weight_decay" in inspect.signature(optimizer).parameters:
            options["optimizer__weight_decay"] = self.weight_decay
        rates = [
            (f"{prefix}.*", {"lr": phase.rate * self.learning_rate})
            for phase in phases
            for prefix in phase.parameters
            if phase.rate != 1
        ]
        if rates:
            given = {**given, "optimizer__param_groups": rates + list(given.get("optimizer__param_groups", []))}
        if optimizer is torch.optim.Adam and "optimizer__foreach" not in given:
            options["optimizer__fused"] = True  # three times faster on a CPU
        options |= {"optimizer": optimizer, **given}
        objective = Objective(mitigation.weights(), mitigation.terms(), mitigation.unfairness, mitigation.ramps())
        with torch.random.fork_rng(devices=[]):  # torch's own modules draw weights when they are made
            module = mitigation.build(architecture)
        net: NodeNet = make(module, criterion=objective, **options).initialize()
        return net

    # -- what a subclass chooses -------------------------------------------------------------------

    def _make_mitigation(self) -> Mitigation | None:
        """A mitigation that may be changed in ``fit``; None: the plain network."""
        raise NotImplementedError

    # -- input -------------------------------------------------------------------------------------

    def _check_options(self) -> None:
        """Check what concerns several parameters at once."""
        if self.backbone == "gat" and self.n_layers > 1 and self.hidden_dim % self.n_heads:
            raise ValueError(
                f"The heads of GAT share hidden_dim, so n_heads must divide it, got n_heads={self.n_heads} and "
                f"hidden_dim={self.hidden_dim}."
            )
        if self.batch_size is None and (self.n_neighbors is not None or self.distributed):
            raise ValueError("n_neighbors and distributed are for training in batches: set batch_size too.")
        if self.distributed and not isinstance(self.random_state, Integral):
            raise ValueError("distributed=True needs the same random_state in all processes: set it to a number.")
        per_layer = self._neighbors_per_layer()
        whole = all(n is None or (isinstance(n, Integral) and int(n) > 0) for n in per_layer)
        if len(per_layer) != self.n_layers or not whole:
            raise ValueError(
                f"n_neighbors must have {self.n_layers} positive numbers, one per layer, got {self.n_neighbors}."
            )
        self._check_net_params()
        try:
            torch.empty(0, device=self.device)
        except (AssertionError, NotImplementedError, RuntimeError) as error:
            raise ValueError(f"device={self.device!r} is not available: {error}") from None

    def _check_graph(self, X: Any, A: Any, *, reset: bool) -> Graph:
        """The graph that the user means, with checked features."""
        given = isinstance(X, Graph)
        if given and A is not None:
            raise ValueError("Pass either a Graph or X and A: a Graph has its edges already.")
        features = validate_data(
            self, check_numeric(X.X if given else X), accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
        )
        if not given:  # a data frame has row labels, which A must not contradict
            X = Graph(X if isinstance(X, pd.DataFrame) else features, A, directed=self.directed)
        graph = X.with_features(features)
        if len(graph) == 0:
            raise ValueError(
                "The graph has no selected node: found array with 0 sample(s), a minimum of 1 is required."
            )
        if not reset and self._fitted_with_edges and graph.A is None:
            raise ValueError(EDGES_NEEDED.format(name=type(self).__name__, n=graph.n_nodes))
        if not reset and self.mitigation_ is not None:
            self.mitigation_.check_directed(graph.directed)
        return graph

    def _draw_seed(self) -> int:
        if self.random_state is None:
            return int(np.random.default_rng().integers(2**31 - 1))  # not numpy's global generator
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = not str(self.device).startswith("cpu")
        return tags


def _root_mean_square(graph: Graph) -> float:
    """Of all features; 1 if that is 0 or overflows."""
    entries = graph.X.data if sp.issparse(graph.X) else graph.X
    rows = max(2**24 // graph.shape[1], 1)  # a large file is read in pieces
    squares = (np.square(entries[k : k + rows], dtype=np.float64).sum() for k in range(0, len(entries), rows))
    scale = np.sqrt(sum(squares) / np.prod(graph.X.shape))
    return float(scale) if np.isfinite(scale) and scale > 0 else 1.0


@contextmanager
def _all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was if fitting it fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
