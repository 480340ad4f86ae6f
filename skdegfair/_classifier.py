"""The two classifiers: DegFairGNN and, to compare it with, its base GNNs."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._base import BaseGNNClassifier
from .graph import Graph
from .nn import FAIRNESS_LOSSES


class GNNClassifier(BaseGNNClassifier):
    """docs to come"""

    def __init__(
        self, *, backbone: str = "gcn", hidden_dim: int = 32, n_layers: int = 2, n_heads: int = 4,
        dropout: float = 0.5, learning_rate: float = 0.01, weight_decay: float = 5e-4, max_epochs: int = 500,
        early_stopping: bool = True, validation_fraction: float = 0.2, patience: int = 100,
        monitor: str = "valid_loss", unlabelled: Any = None, directed: bool = False, device: str = "cpu",
        random_state: Any = None, warm_start: bool = False, callbacks: list[Any] | None = None,
        net_params: dict[str, Any] | None = None, verbose: int = 0,
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


class DegFairGNNClassifier(BaseGNNClassifier):
    """docs to come"""

    _parameter_constraints: dict[str, Any] = {
        **BaseGNNClassifier._parameter_constraints,
        "degree_threshold": [StrOptions({"mean", "median"}), Interval(Real, 0, None, closed="left")],
        "context_hops": [Interval(Integral, 1, None, closed="left")],
        "context_weight": [Interval(Real, 0, None, closed="left")],
        "fairness_weight": [Interval(Real, 0, None, closed="left")],
        "constraint_weight": [Interval(Real, 0, None, closed="left")],
        "fairness_loss": [StrOptions(set(FAIRNESS_LOSSES))],
        "scale_shift": ["boolean"],
        "contrast": ["boolean"],
        "modulation": ["boolean"],
        "degree_encoding_dim": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self, *, backbone: str = "gcn", hidden_dim: int = 32, n_layers: int = 2, n_heads: int = 4,
        degree_threshold: str | float = "mean", context_hops: int = 1, context_weight: float = 1.0,
        fairness_weight: float = 1.0, constraint_weight: float = 1e-3, fairness_loss: str = "dsp",
        scale_shift: bool = True, contrast: bool = True, modulation: bool = True,
        degree_encoding_dim: int | None = 32, dropout: float = 0.5, learning_rate: float = 0.01,
        weight_decay: float = 5e-4, max_epochs: int = 500, early_stopping: bool = True,
        validation_fraction: float = 0.2, patience: int = 100, monitor: str = "valid_loss",
        unlabelled: Any = None, directed: bool = False, device: str = "cpu", random_state: Any = None,
        warm_start: bool = False, callbacks: list[Any] | None = None, net_params: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.backbone = backbone
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.n_heads = n_heads
        self.degree_threshold = degree_threshold
        self.context_hops = context_hops
        self.context_weight = context_weight
        self.fairness_weight = fairness_weight
        self.constraint_weight = constraint_weight
        self.fairness_loss = fairness_loss
        self.scale_shift = scale_shift
        self.contrast = contrast
        self.modulation = modulation
        self.degree_encoding_dim = degree_encoding_dim
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.monitor = monitor
        self.unlabelled = unlabelled
        self.directed = directed
        self.device = device
        self.random_state = random_state
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.net_params = net_params
        self.verbose = verbose

    def _prepare(self, graph: Graph) -> None:
        rules = {"mean": np.mean, "median": np.median}
        rule = rules.get(self.degree_threshold) if isinstance(self.degree_threshold, str) else None
        threshold = self.degree_threshold if rule is None else rule(graph.whole().degree())
        self.degree_threshold_ = float(threshold)

    def _module_options(self) -> dict[str, Any]:
        own = ("context_weight", "modulation", "contrast", "scale_shift", "degree_encoding_dim")
        return {**super()._module_options(), **{name: getattr(self, name) for name in own}}

    def _objective_options(self) -> dict[str, Any]:
        own = ("fairness_weight", "constraint_weight", "fairness_loss")
        return {name: getattr(self, name) for name in own}

    def _tensor_options(self) -> dict[str, Any]:
        return {"context_hops": self.context_hops, "degree_threshold": self.degree_threshold_}
