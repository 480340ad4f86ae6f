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
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import validate_data

from ._dispatch import accepts_graph
from ._params import NET_CONSTRAINTS, NetParams
from ._predict import GraphPredictor
from ._targets import Positions, Targets, check_targets, hold_out
from .graph import Graph, check_row_labels, degree_groups, row_labels
from .nn import DegFairGNN, GraphRows, GraphTensors, NeighbourSampler, NodeBatch, Objective
from .training import DIVERGED, NodeDataset, NodeNet, SampledNodes, epoch_callbacks

EDGES_NEEDED = (
    "This {name} was fitted on a graph, so it needs the edges to predict: pass A as well, or a Graph (which is also "
    "what cross-validation needs). For nodes without edges pass an empty A of shape ({n}, {n})."
)

NOTHING_TO_HOLD_OUT = (
    "early_stopping=True found no training node to set aside for validation without losing a class: trained for "
    "max_epochs. Pass validation_nodes, or more labelled nodes."
)


class BaseGNNClassifier(GraphPredictor, ClassifierMixin, NetParams, BaseEstimator):
    """Base of the classifiers whose module reads a whole graph; subclasses have the parameters and choose the rest."""

    _parameter_constraints: dict[str, Any] = NET_CONSTRAINTS
    __metadata_request__fit = {"nodes": UNUSED, "validation_nodes": UNUSED}
    __metadata_request__score = {"nodes": UNUSED}

    _module: type[DegFairGNN] = DegFairGNN
    _objective: type[Objective] = Objective

    # -- fitting -----------------------------------------------------------------------------------

    @accepts_graph
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any = None, A: Any = None, *, nodes: Any = None, validation_nodes: Any = None
    ) -> BaseGNNClassifier:
        """Fit to the labelled nodes of a graph.

        All of these give the same model: ``fit(X, A, y)``, ``fit(X, A, y=y)``,
        ``fit(X, y, A=A)`` and ``fit(Graph(X, A), y)``; likewise
        ``fit(X, A, y, nodes=train)`` and ``fit(G[train], y[train])``.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            One class per node, or per selected node of a Graph.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency. Without it the nodes have no edges.
        nodes : mask or array of positions, default=None
            Nodes to train on: the others are seen, their labels are not. Positions count
            among the nodes that y has labels for: in ``fit(G[part], y[part])`` position 0
            is the first of the part. Default: all that are not validation nodes.
        validation_nodes : mask or array of positions, default=None
            Nodes on which each epoch is assessed, and early stopping decides. By
            default early stopping sets part of the training nodes aside.

        Returns
        -------
        self
        """
        with _all_or_nothing(self):
            self._check_options()
            graph = self._check_graph(X, A, reset=True)
            check_row_labels(row_labels(X), y=y, nodes=nodes, validation_nodes=validation_nodes)
            targets = check_targets(y, graph.nodes, nodes, validation_nodes, self.unlabelled)
            before = self.net_ if self.warm_start and hasattr(self, "net_") else None
            if before is None:
                self._seed = self._draw_seed()  # a warm start keeps it, and thereby the nodes it sets aside
            if self.early_stopping and targets.valid is None:
                targets = hold_out(targets, graph.nodes, self.validation_fraction, self._seed)
                if targets.valid is None:
                    warnings.warn(NOTHING_TO_HOLD_OUT, stacklevel=4)
            with torch.inference_mode(False), torch.enable_grad():
                self._fit(graph, targets, before)
        return self

    def _fit(self, graph: Graph, targets: Targets, before: NodeNet | None) -> None:
        if before is not None and not np.array_equal(self.classes_, targets.classes):
            raise ValueError(
                f"warm_start=True goes on with the classes {self.classes_}, but y holds {targets.classes}."
            )
        self.classes_ = targets.classes
        self._fitted_with_edges = graph.A is not None
        self._graph_options = self._learn_from_graph(graph)
        seed = self._seed + (0 if before is None else len(before.history))
        net = self._make_net(graph, targets, seed)
        if before is not None:
            net.continue_from(before)
        self.stop_reason_ = net.train(self._data(graph, targets, net.plain_module, seed))
        if not all(parameter.isfinite().all() for parameter in net.module_.parameters()):
            raise ValueError(DIVERGED.format(what="weights", value="infinite or NaN", epoch=len(net.history)))
        if not self.warm_start:
            net.optimizer_.state.clear()  # twice the size of the model, and of no use for predictions
        self.net_ = net
        self.n_iter_, self.best_epoch_ = len(net.history), net.best_epoch()
        self.history_ = net.history_frame()

    def _data(self, graph: Graph, targets: Targets, module: DegFairGNN, seed: int) -> NodeDataset:
        """The nodes to train on, with those to validate on."""
        device = next(module.parameters()).device
        source: GraphTensors | NeighbourSampler
        if self.batch_size is None:
            source = self._tensors(graph, module)
        else:
            source = NeighbourSampler(self._rows(graph, module), self._neighbours_per_layer(), seed, device)

        def dataset(part: Positions, valid: NodeDataset | None = None) -> NodeDataset:
            y = torch.as_tensor(targets.codes[part], dtype=torch.int64, device=device)
            batch = NodeBatch(source, graph.nodes[part]) if isinstance(source, GraphTensors) else source
            return NodeDataset(batch, y, graph[part], valid)

        return dataset(targets.train, None if targets.valid is None else dataset(targets.valid))

    def _neighbours_per_layer(self) -> list[int | None]:
        given: Any = self.n_neighbors
        return list(given) if isinstance(given, (list, tuple)) else [given] * self.n_layers

    def _make_net(self, graph: Graph, targets: Targets, seed: int) -> NodeNet:
        parts = {"train": targets.train, "valid": targets.valid}
        groups = {name: degree_groups(graph.degree()[part]) for name, part in parts.items() if part is not None}
        stopping = {"monitor": self.monitor, "patience": self.patience} if self.early_stopping else None
        callbacks = epoch_callbacks(groups, stopping, user=self.callbacks, verbose=self.verbose)
        options = {
            "module__n_features": graph.shape[1],
            "module__n_classes": len(targets.classes),
            "module__seed": seed,
            **{f"module__{name}": value for name, value in self._module_options().items()},
            **{f"criterion__{name}": value for name, value in self._objective_options().items()},
            "lr": self.learning_rate,
            "max_epochs": self.max_epochs,
            "classes": list(range(len(targets.classes))),
            "callbacks": callbacks,
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
            from .training._distributed import shared_net

            make, together = shared_net(self.device)
            options |= together
        given = self._given_net_params()
        optimizer = given.get("optimizer", torch.optim.Adam)
        if "weight_decay" in inspect.signature(optimizer).parameters:
            options["optimizer__weight_decay"] = self.weight_decay
        if optimizer is torch.optim.Adam and "optimizer__foreach" not in given:
            options["optimizer__fused"] = True  # three times faster on a CPU
        options |= {"optimizer": optimizer, **given}
        net: NodeNet = make(self._module, criterion=self._objective, **options).initialize()
        return net

    # -- what a subclass chooses -------------------------------------------------------------------

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
        per_layer = self._neighbours_per_layer()
        whole = all(n is None or (isinstance(n, Integral) and int(n) > 0) for n in per_layer)
        if len(per_layer) != self.n_layers or not whole:
            raise ValueError(
                f"n_neighbors must hold {self.n_layers} positive numbers, one per layer, got {self.n_neighbors}."
            )
        self._check_net_params()
        try:
            torch.empty(0, device=self.device)
        except (AssertionError, NotImplementedError, RuntimeError) as error:
            raise ValueError(f"device={self.device!r} is not to be had: {error}") from None

    def _learn_from_graph(self, graph: Graph) -> dict[str, Any]:
        """Learn what is no matter of training; return how this graph, and any other later, becomes tensors."""
        entries = graph.X.data if sp.issparse(graph.X) else graph.X
        rows = max(2**24 // graph.shape[1], 1)  # a large file is read in pieces
        squares = (np.square(entries[k : k + rows], dtype=np.float64).sum() for k in range(0, len(entries), rows))
        scale = np.sqrt(sum(squares) / np.prod(graph.X.shape))
        self.feature_scale_ = float(scale) if np.isfinite(scale) and scale > 0 else 1.0
        return {"feature_scale": self.feature_scale_}

    def _module_options(self) -> dict[str, Any]:
        return {
            "backbone": self.backbone,
            "hidden_dim": self.hidden_dim,
            "n_layers": self.n_layers,
            "n_heads": self.n_heads,
            "dropout": self.dropout,
        }

    def _objective_options(self) -> dict[str, Any]:
        return {}

    # -- input -------------------------------------------------------------------------------------

    def _check_graph(self, X: Any, A: Any, *, reset: bool) -> Graph:
        """The graph that the user means, with checked features."""
        given = isinstance(X, Graph)
        if given and A is not None:
            raise ValueError("Pass either a Graph or X and A: a Graph has its edges already.")
        features = validate_data(
            self, X.X if given else X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
        )
        if not given:  # a data frame brings the labels of its rows, which A must not contradict
            X = Graph(X if isinstance(X, pd.DataFrame) else features, A, directed=self.directed)
        graph = X.with_features(features)
        if len(graph) == 0:
            raise ValueError(
                "The graph has no selected node: found array with 0 sample(s), a minimum of 1 is required."
            )
        if not reset and self._fitted_with_edges and graph.A is None:
            raise ValueError(EDGES_NEEDED.format(name=type(self).__name__, n=graph.n_nodes))
        return graph

    def _rows(self, graph: Graph, module: DegFairGNN, dtype: torch.dtype = torch.float32) -> GraphRows:
        return GraphRows(graph, module.operators, **self._graph_options, dtype=dtype)

    def _tensors(self, graph: Graph, module: DegFairGNN) -> GraphTensors:
        return self._rows(graph, module).tensors().to(next(module.parameters()).device)

    def _draw_seed(self) -> int:
        if self.random_state is None:
            return int(np.random.default_rng().integers(2**31 - 1))  # not numpy's global generator
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = not str(self.device).startswith("cpu")
        return tags


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
