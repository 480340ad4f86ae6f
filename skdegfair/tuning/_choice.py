"""Which trials count, and which one is taken."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning

from ..metrics import FairestWithin
from ._folds import Fold
from ._results import entries


def completed(outcomes: Sequence[Sequence[Fold]], error_score: Any) -> list[list[Fold]]:
    """Outcomes with scores for the folds that failed, with one warning for all; an error if there is no other fold."""
    errors = [fold["error"] for folds in outcomes for fold in folds if "error" in fold]
    if not errors:
        return [list(folds) for folds in outcomes]
    n_folds = sum(map(len, outcomes))
    text = f"{len(errors)} of {n_folds} fits failed, or their scoring, the first one with {errors[0]}"
    if len(errors) == n_folds:
        raise ValueError(f"{text}\nWith error_score='raise' it is raised where it happens.")
    warnings.warn(f"{text}\nTrials with such fits are not chosen.", FitFailedWarning, stacklevel=4)
    names = next(fold["scores"] for folds in outcomes for fold in folds if "error" not in fold)
    substitute = dict.fromkeys(names, float(error_score))
    return [[fold if "error" not in fold else {**fold, "scores": substitute} for fold in folds] for folds in outcomes]


def eligible(
    results: Mapping[str, Any], outcomes: Sequence[Sequence[Fold]], min_accuracy: float | None
) -> NDArray[np.bool_]:
    """Which trials may be chosen: those without failed fits that are accurate enough, if there are any."""
    sound = np.array([not any("error" in fold for fold in folds) for folds in outcomes])
    if not sound.any():
        raise ValueError("Every trial has a fit that failed. With error_score='raise' it is raised where it happens.")
    if min_accuracy is None:
        return sound
    allowed = sound & np.asarray(results["mean_test_accuracy"] >= min_accuracy)
    if allowed.any():
        return allowed
    best = np.nanmax(results["mean_test_accuracy"][sound])
    warnings.warn(
        f"No trial reaches min_accuracy={min_accuracy}: the most accurate one has {best:.3f}. All of them are taken.",
        UserWarning, stacklevel=3,
    )  # fmt: skip
    return sound


def chosen(results: Mapping[str, Any], refit: Any, objectives: Sequence[str], allowed: NDArray[np.bool_]) -> int:
    """Position of the trial that ``refit`` picks of the allowed ones."""
    places = np.flatnonzero(allowed)
    if callable(refit):
        return int(places[_checked(refit(entries(results, places)), len(places))])
    if refit is True and len(objectives) > 1:
        rule = FairestWithin(accuracy=objectives[0], fairness=objectives[1])
        return int(places[rule(entries(results, places))])
    name = objectives[0] if refit is True else refit
    if f"mean_test_{name}" not in results:
        raise ValueError(f"refit={refit!r} is not the name of a score.")
    means = results[f"mean_test_{name}"][places]
    if np.isnan(means).all():
        raise ValueError(f"No trial has a defined score {name!r}.")
    return int(places[np.nanargmax(means)])


def _checked(index: Any, n_candidates: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise TypeError(f"refit must return the position of a candidate, got {index!r}.")
    if not 0 <= index < n_candidates:
        raise IndexError(f"refit must return the position of one of {n_candidates} candidates, got {index}.")
    return int(index)
