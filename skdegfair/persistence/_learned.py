"""What embeddings, adjusted and linear classifiers learned, and how it is checked when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..embedding import EmbeddingClassifier, FairAdj, FairWalk, GraphEmbedding, Residual2Vec
from ..exceptions import ModelFileError
from ..graph import DegreeGroups
from ..postprocessing import DegreeParityClassifier
from ._classifier import is_classes, is_names, is_number

Check = Callable[[Any], bool]


def _is_table(value: Any, ndim: int, *, missing: bool = False) -> bool:
    """Whether a value is an array of finite numbers, or also of missing ones."""
    if not isinstance(value, np.ndarray) or value.dtype not in (np.float32, np.float64) or value.ndim != ndim:
        return False
    return bool(np.isfinite(value).all() or (missing and not np.isinf(value).any()))


def _is_identity(value: Any) -> bool:
    return isinstance(value, dict) and set(value) <= {"nodes", "edges", "features"} and "edges" in value


def _is_fitted(*kinds: type) -> Check:
    def check(value: Any) -> bool:
        last = value.steps[-1][1] if type(value) is Pipeline and value.steps else value
        if not isinstance(last, kinds):
            return False
        check_is_fitted(value)
        return True

    return check


FEATURES: dict[str, Check] = {"n_features_in_": lambda value: is_number(value, 0), "feature_names_in_": is_names}
EMBEDDING: dict[str, Check] = {
    **FEATURES,
    "vectors_": lambda value: _is_table(value, 2),
    "groups_": lambda value: type(value) is DegreeGroups,
    "_fitted_on": _is_identity,
}
WALKS: dict[str, Check] = {**EMBEDDING, "solver_": lambda value: value in ("factorization", "skipgram")}
LEARNED: dict[type, dict[str, Check]] = {
    FairWalk: WALKS,
    Residual2Vec: WALKS,
    FairAdj: {
        **EMBEDDING,
        "gaps_": lambda value: _is_table(value, 2, missing=True),
        "weights_": lambda value: type(value) is list and len(value) == 2 and all(_is_table(each, 2) for each in value),
        "feature_scale_": lambda value: type(value) is float and np.isfinite(value) and value > 0,
    },
    EmbeddingClassifier: {
        **FEATURES,
        "embedding_": _is_fitted(GraphEmbedding),
        "classifier_": _is_fitted(LogisticRegression),
        "classes_": is_classes,
        "_fitted_with_edges": lambda value: type(value) is bool,
    },
    DegreeParityClassifier: {
        **FEATURES,
        "estimator_": lambda value: hasattr(value, "predict_proba") and check_is_fitted(value) is None,
        "groups_": lambda value: type(value) is DegreeGroups,
        "classes_": is_classes,
        "slopes_": lambda value: _is_table(value, 1),
        "biases_": lambda value: _is_table(value, 2),
        "multipliers_": lambda value: _is_table(value, 3),
        "offsets_": lambda value: _is_table(value, 3),
        "chances_": lambda value: _is_table(value, 2),
        "expected_accuracy_": lambda value: _is_table(value, 1, missing=True) and len(value) == 2,
        "_effect": lambda value: _is_table(value, 3, missing=True),
        "_seed": lambda value: is_number(value, 0),
        "_fitted_with_edges": lambda value: type(value) is bool,
        "_fitted_with_degrees": lambda value: type(value) is bool,
    },
    LogisticRegression: {
        **FEATURES,
        "classes_": is_classes,
        "coef_": lambda value: _is_table(value, 2),
        "intercept_": lambda value: _is_table(value, 1),
        "n_iter_": lambda value: isinstance(value, np.ndarray) and value.dtype.kind == "i",
    },
}
"""Attributes by class, and how they are checked. Feature names are present only if the features had names."""


def check_learned(estimator: Any, learned: dict[str, Any], where: str) -> None:
    """Raise ModelFileError if what was learned is incomplete or does not fit together."""
    checks = LEARNED[type(estimator)]
    for name in sorted(checks.keys() | learned.keys()):
        if name == "feature_names_in_" and name not in learned:
            continue
        if name not in learned or name not in checks or not checks[name](learned[name]):
            raise ModelFileError(f"{where}.{name} is missing, unknown, or of the wrong type.")
    if not _fits_together(estimator):
        raise ModelFileError(f"{where} has learned arrays of sizes that do not fit together.")


def _fits_together(own: Any) -> bool:
    if hasattr(own, "feature_names_in_") and len(own.feature_names_in_) != own.n_features_in_:
        return False
    if isinstance(own, GraphEmbedding):
        fits = own.vectors_.shape == (own._fitted_on.get("nodes"), own.n_components)
        if isinstance(own, FairAdj):
            shapes = [(own.n_features_in_, own.hidden_dim), (own.hidden_dim, own.n_components)]
            fits = fits and "features" in own._fitted_on and [each.shape for each in own.weights_] == shapes
        return fits
    if isinstance(own, LogisticRegression):
        rows = 1 if len(own.classes_) == 2 else len(own.classes_)
        return own.coef_.shape == (rows, own.n_features_in_) and len(own.intercept_) == rows
    if isinstance(own, EmbeddingClassifier):
        return np.array_equal(own.classes_, own.classifier_.classes_)
    n_groups, n_classes = len(own.groups_), len(own.classes_)
    n_rules = own.chances_.shape[1]
    shapes = [each.shape for each in (own.slopes_, own.biases_, own.multipliers_, own.offsets_, own._effect)]
    every = (n_groups, n_rules, n_classes)
    return (
        shapes == [(n_groups,), (n_groups, n_classes), every, every, (2, n_groups, n_classes)]
        and own.chances_.shape == (n_groups, n_rules)
        and bool((own.chances_ >= 0).all() and np.allclose(own.chances_.sum(axis=1), 1))
        and bool(np.isin(own.estimator_.classes_, own.classes_).all())
    )
