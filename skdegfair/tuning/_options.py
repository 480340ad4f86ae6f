"""Validation of the options of a search."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from optuna.samplers import BaseSampler

from ..exceptions import NoEffectWarning
from ..metrics._inputs import is_number
from ._names import check_estimator
from ._storage import check_storage


def check_options(search: Any) -> None:
    """Raise an error if an option is invalid, and warn if one has no effect."""
    check_estimator(search.estimator)
    for name in ("n_trials", "batch_size"):
        value = getattr(search, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {value!r}.")
    if search.n_jobs is not None and (not isinstance(search.n_jobs, Integral) or search.n_jobs == 0):
        raise ValueError(f"n_jobs must be a number of processes, -1 for all cores or None, got {search.n_jobs!r}.")
    if search.timeout is not None and not (is_number(search.timeout) and search.timeout > 0):
        raise ValueError(f"timeout must be a positive number of seconds, got {search.timeout!r}.")
    check_floor(search.min_accuracy)
    if isinstance(search.refit, type):
        raise TypeError(f"refit must be an object, got a class. Pass {search.refit.__name__}().")
    if not (isinstance(search.refit, bool | str) or callable(search.refit)):
        raise ValueError(f"refit must be True, False, the name of a score or a callable, got {search.refit!r}.")
    if not (is_number(search.error_score) or (isinstance(search.error_score, str) and search.error_score == "raise")):
        raise ValueError(f"error_score must be 'raise' or a number, got {search.error_score!r}.")
    if search.objectives is not None:
        check_objectives(search.objectives)
    if search.sampler is not None and not isinstance(search.sampler, BaseSampler):
        raise TypeError(f"sampler must be an optuna sampler such as TPESampler(), got {search.sampler!r}.")
    _check_study(search.storage, search.study_name)
    if search.sampler is not None and search.random_state is not None:
        warnings.warn(
            "random_state has no effect with a sampler. Pass the seed to the sampler instead.",
            NoEffectWarning, stacklevel=4,
        )  # fmt: skip


def check_floor(floor: Any) -> None:
    """Raise ValueError if the smallest acceptable accuracy is invalid."""
    if floor is not None and not (is_number(floor) and 0 <= floor <= 1):
        raise ValueError(f"min_accuracy must be between 0 and 1, got {floor!r}.")


def check_objectives(objectives: Any, option: str = "objectives") -> None:
    """Raise an error if these are not names of scores to optimize."""
    if isinstance(objectives, str):
        return
    if not isinstance(objectives, list | tuple | np.ndarray):
        raise TypeError(f"{option} must be the name of a score or a list of names, got {objectives!r}.")
    if not len(objectives):
        raise ValueError(f"{option} must contain the name of at least one score.")
    if len(set(objectives)) < len(objectives):
        raise ValueError(f"{option} must be different scores, got {objectives!r}.")


def _check_study(storage: Any, name: Any) -> None:
    check_storage(storage)
    if name is not None and not (isinstance(name, str) and name):
        raise ValueError(f"study_name must be a non-empty string, got {name!r}.")
    if storage is not None and name is None:
        raise ValueError("A storage needs a study_name, by which the study is found again. Set study_name.")
    if storage is None and name is not None:
        warnings.warn(
            f"study_name={name!r} has no effect without a storage: the study is kept in memory and cannot be resumed. "
            "Pass a storage such as 'sqlite:///study.db'.",
            NoEffectWarning, stacklevel=5,
        )  # fmt: skip
