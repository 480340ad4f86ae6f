"""From checked data to a trained net."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._version import __version__
from ..graph import Graph, Positions, Targets, degree_groups, fingerprint, root_mean_square
from ..mitigation import Mitigation
from ..nn import GNN, Architecture, Batch, NeighborSampler, Objective, Topology
from ..training import DIVERGED, Checkpoint, NodeDataset, NodeNet, SampledNodes, epoch_callbacks
from ._memory import check_memory
from ._params import takes_weight_decay


class GraphTrainer(BaseEstimator):
    """Training, for an estimator with the parameters of a graph classifier."""

    mitigation_: Mitigation | None
    classes_: NDArray[Any]

    def _fit(
        self,
        graph: Graph,
        targets: Targets,
        weights: NDArray[np.float64] | None,
        mitigation: Mitigation,
        before: NodeNet | None,
        saved: Any,
    ) -> None:
        if before is not None and not np.array_equal(self.classes_, targets.classes):
            raise ValueError(
                f"warm_start=True continues with the classes {self.classes_}, but y contains {targets.classes}."
            )
        self.mitigation_ = None if type(mitigation) is Mitigation else mitigation
        self.classes_ = targets.classes
        self._fitted_with_edges = graph.A is not None
        self.feature_scale_ = root_mean_square(graph) if mitigation.scales_features else 1.0
        seed = self._seed + (0 if before is None else len(before.history))
        if torch.device(self.device).type == "cpu":
            check_memory(graph if self.batch_size is None else None, self._architecture(seed), mitigation)
        last = []
        if self.checkpoint is not None:
            identity = self._identity(graph, targets, weights)
            last = [("checkpoint", Checkpoint(self.checkpoint, identity, saved))]
        net = self._make_net(mitigation, graph, targets, seed, last)
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

    def _identity(self, graph: Graph, targets: Targets, weights: NDArray[np.float64] | None) -> dict[str, str]:
        """Describe everything that the weights depend on, to recognize the checkpoint of the same fit."""
        parameters = self.get_params()
        for name in ("checkpoint", "random_state", "verbose"):  # the seed stands for random_state
            del parameters[name]
        callbacks = [each[1] if isinstance(each, tuple) else each for each in self.callbacks or []]
        parameters["callbacks"] = [(type(each).__qualname__, each.get_params()) for each in callbacks]
        return {
            **{name: re.sub(" at 0x[0-9a-f]+", "", repr(value)) for name, value in parameters.items()},
            "features": fingerprint(graph.X),
            "edges": fingerprint(graph.A),
            "labels or nodes": fingerprint([graph.nodes, targets]),
            "weights of nodes": fingerprint(weights),
            "random_state": repr(self.random_state) if isinstance(self.random_state, Integral) else "drawn",
            "seed": str(self._seed),
            "skdegfair": __version__,
            "torch": str(torch.__version__),
        }

    def _make_net(self, mitigation: Mitigation, graph: Graph, targets: Targets, seed: int, last: list[Any]) -> NodeNet:
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
            "callbacks": epoch_callbacks(groups, stopping, user=self.callbacks, verbose=self.verbose, last=last),
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
        if takes_weight_decay(given):
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
        net: NodeNet = make(self._make_module(mitigation, seed), criterion=objective, **options).initialize()
        return net

    def _architecture(self, seed: int) -> Architecture:
        """Architecture of the network for the features and classes of ``fit``."""
        return Architecture(
            self.n_features_in_,
            len(self.classes_),
            backbone=self.backbone,
            hidden_dim=int(self.hidden_dim),  # numpy's integers overflow, and torch refuses some of them
            n_layers=int(self.n_layers),
            n_heads=int(self.n_heads),
            dropout=self.dropout,
            seed=seed,
        )

    def _make_module(self, mitigation: Mitigation, seed: int) -> GNN:
        """The network, with the weights that it starts with."""
        with torch.random.fork_rng(devices=[]):  # torch's own modules draw weights when they are made
            return mitigation.build(self._architecture(seed))
