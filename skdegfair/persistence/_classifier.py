"""What a graph classifier learned: its attributes and its network, and how they are checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from ..estimators import BaseGNNClassifier
from ..exceptions import ModelFileError
from ..mitigation import Mitigation
from ..nn import Objective
from ..training import NodeNet
from ._values import Decoder, Encoder

MAX_PARTS = 4096
"""Maximum of layers times heads. Sizes are checked before weights are allocated, but after the parts are created."""


def is_classes(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and 0 < len(value) == len(np.unique(value))


def is_names(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object and all(type(name) is str for name in value)


def is_number(value: Any, least: int) -> bool:
    return type(value) is int and least <= value < 2**53


ATTRIBUTES: dict[str, Callable[[Any], bool]] = {
    "classes_": is_classes,
    "n_features_in_": lambda value: is_number(value, 1),
    "feature_names_in_": is_names,
    "n_iter_": lambda value: is_number(value, 1),
    "best_epoch_": lambda value: is_number(value, 1),
    "stop_reason_": lambda value: type(value) is str,
    "feature_scale_": lambda value: type(value) is float and math.isfinite(value) and value > 0,
    "mitigation_": lambda value: value is None or isinstance(value, Mitigation),
    "history_": lambda value: isinstance(value, dict),
    "_fitted_with_edges": lambda value: type(value) is bool,
    "_seed": lambda value: is_number(value, 0),
}
"""Attributes of a fitted classifier, as they are stored, and how they are checked."""
OPTIONAL = {"feature_names_in_"}


def learned_by_classifier(clf: BaseGNNClassifier, encode: Encoder, where: str) -> dict[str, Any]:
    """The attributes that ``fit`` sets. The weights of the network go to the arrays of the encoder."""
    if clf.n_layers * clf.n_heads > MAX_PARTS:
        raise ValueError(f"n_layers times n_heads is {clf.n_layers * clf.n_heads}. At most {MAX_PARTS} can be saved.")
    for name, weight in clf.module_.state_dict().items():
        encode.arrays[f"{where}.module_.{name}"] = weight.detach().cpu().numpy()
    learned = {name: value for name, value in vars(clf).items() if name in ATTRIBUTES}
    columns = clf.history_.reset_index()
    return {**learned, "history_": {str(name): columns[name].to_numpy() for name in columns}}


def restore_classifier(clf: BaseGNNClassifier, learned: dict[str, Any], decode: Decoder, where: str) -> None:
    """Restore what a classifier learned. Raises an error if that does not fit its parameters."""
    if clf.n_layers * clf.n_heads > MAX_PARTS:  # before anything is made for each layer
        raise ModelFileError(f"its network has more than {MAX_PARTS} layers times heads.")
    if clf.callbacks is not None:
        raise ModelFileError(f"{where}.callbacks must be None.")
    for name in sorted(ATTRIBUTES.keys() | learned.keys()):
        if name not in learned and name in OPTIONAL:
            continue
        if name not in learned or name not in ATTRIBUTES or not ATTRIBUTES[name](learned[name]):
            raise ModelFileError(f"{where}.{name} is missing, unknown, or of the wrong type.")
    if "feature_names_in_" in learned and len(learned["feature_names_in_"]) != learned["n_features_in_"]:
        raise ModelFileError(f"{where} does not have as many feature names as features.")
    history = pd.DataFrame(learned.pop("history_")).set_index("epoch")
    if not 1 <= learned["best_epoch_"] <= learned["n_iter_"] == len(history):
        raise ModelFileError(f"{where} does not have as many epochs as its history.")
    clf._check_options()
    mitigation: Mitigation = learned["mitigation_"] or Mitigation()
    if type(clf._make_mitigation() or Mitigation()) is not type(mitigation):
        raise ModelFileError(f"{where}.mitigation_ is not the method that its parameters name.")
    mitigation.check(
        backbone=clf.backbone,
        n_layers=clf.n_layers,
        batch_size=clf.batch_size,
        distributed=clf.distributed,
        directed=False,
    )
    for name, value in learned.items():
        setattr(clf, name, value)
    clf.history_ = history
    net = NodeNet(
        _module(clf, mitigation, decode, f"{where}.module_"),
        criterion=Objective(mitigation.weights(), mitigation.terms(), mitigation.unfairness, mitigation.ramps()),
        lr=clf.learning_rate,
        classes=list(range(len(clf.classes_))),
        device=clf.device,
    ).initialize()
    net.set_history(history)
    clf.net_ = net


def _module(clf: BaseGNNClassifier, mitigation: Mitigation, decode: Decoder, where: str) -> torch.nn.Module:
    """The network with the weights of the file. It is first created without memory, to compare the sizes."""
    with torch.device("meta"):
        module = clf._make_module(mitigation, clf._seed)
    weights = {}
    for name, expected in module.state_dict().items():
        weight = decode.take(f"{where}.{name}")
        _check_weight(weight, expected, f"{where}.{name}")
        weights[name] = torch.from_numpy(weight.copy())
    module.load_state_dict(weights, assign=True)
    return module.eval()


def _check_weight(weight: NDArray[Any], expected: torch.Tensor, where: str) -> None:
    if weight.dtype != np.float32 or weight.shape != tuple(expected.shape):
        raise ModelFileError(
            f"{where} has dtype {weight.dtype} and shape {weight.shape}, but the parameters of the model need float32 "
            f"and {tuple(expected.shape)}."
        )
    if not np.isfinite(weight).all():
        raise ModelFileError(f"{where} contains NaN or infinite weights.")
