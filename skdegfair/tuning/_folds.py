"""Cross-validation of one setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import cross_validate

Fold = dict[str, Any]
"""Outcome of one fold: ``scores`` by name, times in seconds, and ``error`` if it failed."""


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


def require(fold: Fold, names: Sequence[str]) -> None:
    """Raise an error if a fold that did not fail lacks one of these scores."""
    missing = [name for name in names if name not in fold["scores"] and "error" not in fold]
    if missing:
        raise ValueError(
            f"There is no score {missing[0]!r}, only {sorted(fold['scores'])}. Choose objectives, metrics and "
            "min_accuracy to match, or pass another scoring."
        )


def means_of(folds: Sequence[Fold], names: Sequence[str]) -> dict[str, float]:
    """Return the mean of some scores over the folds; NaN if a fold failed."""
    return {name: float(np.mean([fold["scores"].get(name, np.nan) for fold in folds])) for name in names}
