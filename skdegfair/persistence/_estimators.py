"""The classes that can be saved, and how an object of such a class is described and restored.

Nothing else is ever created by ``load``. An estimator is its parameters and what it learned; it is restored by its
constructor, its own validation of parameters, and plain values for the attributes that ``fit`` sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.validation import check_is_fitted

from ..embedding import EmbeddingClassifier
from ..estimators import BaseGNNClassifier, DegFairGNNClassifier, GNNClassifier
from ..exceptions import ModelFileError
from ..graph import DegreeGroups, GraphTransformer
from ..mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, ReleasedDegFair, TailGNN
from ..postprocessing import DegreeParityClassifier
from ._classifier import learned_by_classifier, restore_classifier
from ._learned import LEARNED, check_learned
from ._values import Decoder, Encoder, mapping

CLASSIFIERS = (GNNClassifier, DegFairGNNClassifier, EmbeddingClassifier, DegreeParityClassifier)
LAST_STEPS = (*CLASSIFIERS, LogisticRegression)
MITIGATIONS: dict[type[Mitigation], dict[str, Any]] = {  # with what they learn from a graph
    CFC: {"groups_": list[DegreeGroups]},
    DSGCN: {},
    DegFair: {"degree_threshold_": float, "groups_": DegreeGroups},
    FairGNN: {"groups_": DegreeGroups},
    FairVGNN: {"groups_": DegreeGroups},
    RawlsGCN: {},
    ReleasedDegFair: {"degree_threshold_": float},
    TailGNN: {"degree_threshold_": float},
}
TRANSFORMERS: dict[type, tuple[str, ...]] = {  # with attributes that have a column, or an entry, for each feature
    ColumnTransformer: (),
    FunctionTransformer: (),  # stands for "passthrough"; its functions are no plain values and thus refused
    MaxAbsScaler: ("scale_",),
    MinMaxScaler: ("min_", "scale_"),
    MissingIndicator: (),
    Normalizer: (),
    OneHotEncoder: ("categories_",),
    OrdinalEncoder: ("categories_",),
    PCA: ("mean_", "components_"),
    RobustScaler: ("center_", "scale_"),
    SimpleImputer: ("statistics_",),
    StandardScaler: ("mean_", "scale_"),
    TruncatedSVD: ("components_",),
}
CONTAINERS = (Pipeline, GraphTransformer)
CLASSES: dict[str, Any] = {
    cls.__name__: cls for cls in (*CLASSIFIERS, *MITIGATIONS, *TRANSFORMERS, *CONTAINERS, *LEARNED)
}


def describe(estimator: Any, encode: Encoder, where: str) -> dict[str, Any] | None:
    """The class of an estimator, its parameters and what it learned; None if its class cannot be saved."""
    name = type(estimator).__name__
    if CLASSES.get(name) is not type(estimator):
        return None
    parameters = estimator.get_params(deep=False)
    if isinstance(estimator, BaseGNNClassifier):
        parameters |= {"callbacks": None, "checkpoint": None}  # code, and a file of this machine
        learned = learned_by_classifier(estimator, encode, where) if hasattr(estimator, "net_") else {}
    else:
        learned = {name: value for name, value in vars(estimator).items() if name not in parameters}
    return {"class": name, "parameters": encode.named(parameters, where), "learned": encode.named(learned, where)}


def restore(description: Any, decode: Decoder, where: str, *, device: Any = None) -> Any:
    """The estimator of a description; raises an error if anything in it is not as ``describe`` writes it.

    ``device`` takes the place of the device that a classifier was trained on.
    """
    content = mapping(description, where)
    if set(content) != {"class", "parameters", "learned"}:
        raise ModelFileError(f"{where} must have a class, parameters and what was learned, and nothing else.")
    cls = CLASSES.get(content["class"]) if isinstance(content["class"], str) else None
    if cls is None:
        raise ModelFileError(f"{where} has the class {str(content['class'])[:60]!r}, which cannot be loaded.")
    parameters = decode.named(content["parameters"], where)
    if device is not None and issubclass(cls, BaseGNNClassifier):
        parameters["device"] = device
    estimator = cls(**parameters)
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()
    learned = decode.named(content["learned"], where)
    if isinstance(estimator, BaseGNNClassifier):
        if learned:  # not for the parameter of another estimator, which fits a copy of it
            restore_classifier(estimator, learned, decode, where)
        return estimator
    for name, value in learned.items():
        if name.startswith("__") or "_" not in (name[:1], name[-1:]) or hasattr(cls, name):
            raise ModelFileError(f"{where}.{name} is not the name of an attribute that fit sets.")
        setattr(estimator, name, value)
    if learned:
        _check_learned(estimator, learned, where)
    return estimator


def check_steps(pipeline: Pipeline) -> None:
    """Raise an error if a pipeline is not a list of named steps that ends with a classifier."""
    steps = pipeline.steps
    named = all(isinstance(step, tuple) and len(step) == 2 and isinstance(step[0], str) for step in steps)
    if not steps or not named or not isinstance(steps[-1][1], LAST_STEPS):
        raise ModelFileError("its pipeline is not a list of named steps that ends with a classifier.")
    for _, step in steps:
        if step not in (None, "passthrough"):
            check_is_fitted(step)


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is of a class itself, or a list of such values that is not empty."""
    if kind == list[DegreeGroups]:
        return type(value) is list and len(value) > 0 and all(type(each) is DegreeGroups for each in value)
    return type(value) is kind


def _check_learned(estimator: Any, learned: dict[str, Any], where: str) -> None:
    """Raise an error if what was learned does not fit the class."""
    if type(estimator) in LEARNED:
        check_learned(estimator, learned, where)
        return
    kinds = MITIGATIONS.get(type(estimator))
    if kinds is not None:
        if set(learned) != set(kinds) or not all(_is_a(learned[name], kind) for name, kind in kinds.items()):
            raise ModelFileError(f"{where} must have learned {', '.join(kinds) or 'nothing'}.")
        if not np.isfinite(learned.get("degree_threshold_", 0.0)):
            raise ModelFileError(f"{where}.degree_threshold_ is not finite.")
        return
    if isinstance(estimator, GraphTransformer):
        check_is_fitted(estimator.transformer_)
    for name in TRANSFORMERS.get(type(estimator), ()) if "n_features_in_" in learned else ():
        value = learned.get(name)
        width = value.shape[-1] if isinstance(value, np.ndarray) and value.ndim else len(value or ())
        if value is not None and width != learned["n_features_in_"]:
            raise ModelFileError(f"{where}.{name} does not fit the number of features.")
