"""Validation of the options of a search, and the default objectives."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from ..metrics import DegreeScorer, FairnessScoring, Tradeoff


def check_options(search: Any) -> None:
    """Raise ValueError if an option is invalid."""
    for name in ("n_trials", "batch_size"):
        value = getattr(search, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {value!r}.")
    if search.timeout is not None and not (isinstance(search.timeout, int | float) and search.timeout > 0):
        raise ValueError(f"timeout must be a positive number of seconds, got {search.timeout!r}.")
    floor = search.min_accuracy
    if floor is not None and not (isinstance(floor, int | float) and 0 <= floor <= 1):
        raise ValueError(f"min_accuracy must be between 0 and 1, got {floor!r}.")
    if not (isinstance(search.refit, bool | str) or callable(search.refit)):
        raise ValueError(f"refit must be True, False, the name of a score or a callable, got {search.refit!r}.")
    if search.error_score != "raise" and not isinstance(search.error_score, Real):
        raise ValueError(f"error_score must be 'raise' or a number, got {search.error_score!r}.")
    if search.objectives is not None and not len(search.objectives):
        raise ValueError("objectives must contain the name of at least one score.")
    if isinstance(search.storage, str) and "://" not in search.storage:
        raise ValueError(
            f"storage must be the URL of a database, such as 'sqlite:///study.db', or an optuna storage, got "
            f"{search.storage!r}. For a journal file, pass optuna.storages.JournalStorage(JournalFileBackend(path))."
        )
    if search.storage is not None and search.study_name is None:
        raise ValueError("A storage needs a study_name, by which the study is found again. Set study_name.")


def objectives_of(search: Any) -> tuple[str, ...]:
    """Return the names of the scores to maximize."""
    if search.objectives is not None:
        return (search.objectives,) if isinstance(search.objectives, str) else tuple(search.objectives)
    scoring = search.scoring
    if isinstance(scoring, FairnessScoring):
        several = not isinstance(scoring, DegreeScorer | Tradeoff)
    else:
        several = scoring is None or not (isinstance(scoring, str) or callable(scoring))
    return ("accuracy", "neg_delta_dsp") if several else ("score",)
