"""Cross-validation of one setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import check_cv, cross_validate

from ..graph import as_labels, is_unlabeled
from ..metrics import placeholder_of

Split = tuple[Any, Any]
MISSING = (
    "{n} of {n_nodes} labels are missing, so the nodes cannot be split into folds. Pass the labeled nodes only, as in "
    "known = pd.notna(y); fit(G[known], y[known]). The model still uses all nodes and edges of G."
)

Fold = dict[str, Any]
"""Outcome of one fold: ``scores`` by name, times in seconds, and ``error`` if it failed."""


def splits_of(cv: Any, X: Any, y: Any, estimator: BaseEstimator, **params: Any) -> list[Split]:
    """Return the training and the test nodes of each fold."""
    labels = np.zeros(0) if y is None else as_labels(y)
    missing = np.asarray(pd.isna(labels))
    remedy = MISSING.format(n=missing.sum(), n_nodes=len(missing))
    if missing.any() and (missing & ~is_unlabeled(labels, placeholder_of(estimator))).any():
        raise ValueError(remedy)
    try:
        splitter = check_cv(cv, y, classifier=is_classifier(estimator))
        splits = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, **params)]
    except ValueError as error:
        if missing.any():
            raise ValueError(remedy) from error
        raise
    if not splits:
        raise ValueError(f"cv={cv!r} gives no folds.")
    return splits


def configured(estimator: BaseEstimator, params: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator with these parameters; objects among them are cloned."""
    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in params.items()})


def judge_fold(
    estimator: BaseEstimator,
    params: Mapping[str, Any],
    X: Any,
    y: Any,
    split: Sequence[Any],
    scoring: Any,
    metadata: Mapping[str, Any] | None = None,
    catch: bool = False,
) -> Fold:
    """Fit to the training part of a split and score the test part.

    With ``catch``, an error becomes part of the outcome instead of being raised.
    """
    try:
        with parallel_config(backend="sequential"):  # a fold is one task, whatever backend is active
            result = cross_validate(
                configured(estimator, params), X, y, cv=[split], scoring=scoring, params=metadata, error_score="raise"
            )
    except Exception as error:
        if not catch:
            raise
        return {"scores": {}, "fit_time": 0.0, "score_time": 0.0, "error": f"{type(error).__name__}: {error}"}
    times = {name: float(result[name][0]) for name in ("fit_time", "score_time")}
    scores = {key.removeprefix("test_"): float(value[0]) for key, value in result.items() if key.startswith("test_")}
    return {"scores": scores, **times}


def check_available(needed: Mapping[str, str], known: Iterable[str]) -> None:
    """Raise ValueError if one of the needed scores, a dict from names to the options that need them, is unknown."""
    known = sorted(known)
    for name, option in needed.items():
        if name not in known:
            raise ValueError(
                f"There is no score {name!r}, only {known}. Change {option}, or pass a scoring that returns it."
            )


def require(fold: Fold, needed: Mapping[str, str]) -> None:
    """Raise ValueError if a fold that did not fail lacks one of the needed scores."""
    if "error" not in fold:
        check_available(needed, fold["scores"])


def means_of(folds: Sequence[Fold], names: Sequence[str]) -> dict[str, float]:
    """Return the mean of some scores over the folds; NaN if a fold failed."""
    return {name: float(np.mean([fold["scores"].get(name, np.nan) for fold in folds])) for name in names}
