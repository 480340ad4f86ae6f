"""Which trials are eligible, and which one is chosen."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning

from ..metrics import FairestWithin
from ._folds import Fold, check_available, configured
from ._results import entries


def completed(outcomes: Sequence[Sequence[Fold]], error_score: Any) -> list[list[Fold]]:
    """Give failed folds a score, with one warning for all of them.

    Raises ValueError if every fold failed.
    """
    errors = [fold["error"] for folds in outcomes for fold in folds if "error" in fold]
    if not errors:
        return [list(folds) for folds in outcomes]
    n_folds = sum(map(len, outcomes))
    text = f"{len(errors)} of {n_folds} fits failed, in training or in scoring. The first error is {errors[0]}"
    if len(errors) == n_folds:
        raise ValueError(f"{text}\nSet error_score='raise' to see the full traceback.")
    warnings.warn(f"{text}\nTrials with failed fits are not chosen.", FitFailedWarning, stacklevel=4)
    names = next(fold["scores"] for folds in outcomes for fold in folds if "error" not in fold)
    substitute = dict.fromkeys(names, float(error_score))
    return [[fold if "error" not in fold else {**fold, "scores": substitute} for fold in folds] for folds in outcomes]


def eligible(
    results: Mapping[str, Any], outcomes: Sequence[Sequence[Fold]], min_accuracy: float | None
) -> NDArray[np.bool_]:
    """Return a mask of the trials that may be chosen.

    These are the trials without failed fits that reach ``min_accuracy``; if there are none, all trials without failed
    fits, with a warning.
    """
    sound = np.array([not any("error" in fold for fold in folds) for folds in outcomes])
    if not sound.any():
        raise ValueError("Every trial has a failed fit. Set error_score='raise' to see the full traceback.")
    if min_accuracy is None:
        return sound
    allowed = sound & np.asarray(results["mean_test_accuracy"] >= min_accuracy)
    if allowed.any():
        return allowed
    best = np.nanmax(results["mean_test_accuracy"][sound])
    warnings.warn(
        f"No trial reaches min_accuracy={min_accuracy}: the most accurate one has {best:.3f}. min_accuracy is ignored.",
        UserWarning, stacklevel=4,
    )  # fmt: skip
    return sound


def chosen(results: Mapping[str, Any], refit: Any, objectives: Sequence[str], allowed: NDArray[np.bool_]) -> int:
    """Return the position of the trial that ``refit`` chooses among the allowed ones."""
    places = np.flatnonzero(allowed)
    if callable(refit):
        return int(places[_checked(refit(entries(results, places)), len(places))])
    if refit is True and len(objectives) > 1:
        rule = FairestWithin(accuracy=objectives[0], fairness=objectives[1])
        return int(places[rule(entries(results, places))])
    name = objectives[0] if refit is True else refit
    check_available({name: "refit"}, _scores(results))  # of a finished study, whose trials were made for another refit
    means = results[f"mean_test_{name}"][places]
    if np.isnan(means).all():
        raise ValueError(f"The score {name!r} is not defined (NaN) in any trial. Choose another refit.")
    return int(places[np.nanargmax(means)])


def refitted(
    search: Any, results: Mapping[str, Any], objectives: Sequence[str], allowed: Any, X: Any, y: Any, fit_params: Any
) -> dict[str, Any]:
    """Choose a setting and fit the estimator with it. Returns the attributes of the search."""
    index = chosen(results, search.refit, objectives, allowed)
    by = search.refit if isinstance(search.refit, str) else objectives[0] if len(objectives) == 1 else None
    start = time.perf_counter()
    estimator = configured(search.estimator, results["params"][index])
    best = {
        "best_index_": index,
        "best_params_": results["params"][index],
        "best_estimator_": estimator.fit(X, **fit_params) if y is None else estimator.fit(X, y, **fit_params),
        "refit_time_": time.perf_counter() - start,
    }
    if by is not None and not callable(search.refit):
        best["best_score_"] = float(results[f"mean_test_{by}"][index])
    return best


def _scores(results: Mapping[str, Any]) -> list[str]:
    return [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]


def _checked(index: Any, n_candidates: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise TypeError(f"refit must return the position of a candidate as an int, got {index!r}.")
    if not 0 <= index < n_candidates:
        raise IndexError(f"refit must return the position of one of {n_candidates} candidates, got {index}.")
    return int(index)
