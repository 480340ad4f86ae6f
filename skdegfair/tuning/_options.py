"""Options of a search that make no sense, and what they stand for where they are left out."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from ..metrics import DegreeScorer, FairnessScoring, Tradeoff


def check_options(search: Any) -> None:
    """Raise an error that says what to change."""
    for name in ("n_trials", "batch_size"):
        value = getattr(search, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")
    if search.timeout is not None and not (isinstance(search.timeout, int | float) and search.timeout > 0):
        raise ValueError(f"timeout must be a positive number of seconds, got {search.timeout!r}.")
    floor = search.min_accuracy
    if floor is not None and not (isinstance(floor, int | float) and 0 <= floor <= 1):
        raise ValueError(f"min_accuracy must be between 0 and 1, got {floor!r}.")
    if not (isinstance(search.refit, bool | str) or callable(search.refit)):
        raise ValueError(f"refit must be True, False, the name of a score or a rule, got {search.refit!r}.")
    if search.error_score != "raise" and not isinstance(search.error_score, Real):
        raise ValueError(f"error_score must be 'raise' or a number, got {search.error_score!r}.")
    if search.objectives is not None and not len(search.objectives):
        raise ValueError("objectives must name at least one score.")
    if isinstance(search.storage, str) and "://" not in search.storage:
        raise ValueError(
            f"storage must be the URL of a database, such as 'sqlite:///study.db', or an optuna storage, got "
            f"{search.storage!r}. For a journal: optuna.storages.JournalStorage(JournalFileBackend(path))."
        )
    if search.storage is not None and search.study_name is None:
        raise ValueError("With a storage, give study_name= too: it is by its name that a study is found again.")


def objectives_of(search: Any) -> tuple[str, ...]:
    """Names of the scores that are to be made as high as possible."""
    if search.objectives is not None:
        return (search.objectives,) if isinstance(search.objectives, str) else tuple(search.objectives)
    scoring = search.scoring
    if isinstance(scoring, FairnessScoring):
        several = not isinstance(scoring, DegreeScorer | Tradeoff)
    else:
        several = scoring is None or not (isinstance(scoring, str) or callable(scoring))
    return ("accuracy", "neg_delta_dsp") if several else ("score",)
