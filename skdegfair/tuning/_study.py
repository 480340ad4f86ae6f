"""An Optuna study that remembers what it is about, and every fold of every trial."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import numpy as np
import optuna
from optuna.distributions import distribution_to_json
from optuna.exceptions import StorageInternalError
from optuna.trial import FrozenTrial, Trial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from ._folds import Fold, means_of

FOLDS = "skdegfair:folds"
TASK = "skdegfair:task"


def describe(
    *, estimator: Any, space: Any, splits: Sequence[Any], y: Any, scoring: Any, objectives: Sequence[str], floor: Any
) -> dict[str, Any]:
    """What two searches must share for their trials to be compared."""
    if callable(space):
        values = getattr(space, "__qualname__", repr(space))
    else:
        values = {name: distribution_to_json(each) for name, each in space.items()}
    return {
        "estimator": {
            name: _without_addresses(value)
            for name, value in estimator.get_params(deep=True).items()
            if name.split("__")[-1] not in ("verbose", "n_jobs")
        },
        "param_distributions": values,
        "cv": _digest(part for split in splits for part in split),
        "y": _digest([y]),
        "scoring": _without_addresses(scoring),
        "objectives": list(objectives),
        "min_accuracy": floor,
    }


def open_study(storage: Any, name: str | None, sampler: Any, task: Mapping[str, Any]) -> optuna.Study:
    """A new study, or the one of that name in the storage if it is about the same."""
    if storage is not None and name is None:
        raise ValueError("With a storage, give study_name= too: it is by its name that a study is found again.")
    study = optuna.create_study(
        storage=_opened(storage) if isinstance(storage, str) else storage,
        study_name=name,
        sampler=sampler,
        directions=["maximize"] * len(task["objectives"]),
        load_if_exists=True,
    )
    before = study.user_attrs.get(TASK)
    if before is None and study.get_trials(deepcopy=False):
        raise ValueError(f"Study {name!r} has trials that are not of a ParetoSearchCV. Choose another study_name.")
    differing = [] if before is None else [key for key, value in task.items() if before.get(key) != value]
    if differing:
        raise ValueError(
            f"Study {name!r} is of another search: {', '.join(differing)} differ. Choose another study_name, or set "
            "what it was before; folds that are shuffled need a fixed random_state."
        )
    study.set_user_attr(TASK, dict(task))
    return study


def judged(study: optuna.Study) -> list[FrozenTrial]:
    """Trials that went through all their folds, by whatever worker, in their order."""
    trials = study.get_trials(deepcopy=False)
    return [trial for trial in trials if trial.state.is_finished() and FOLDS in trial.user_attrs]


def record(
    study: optuna.Study, trial: Trial, folds: Sequence[Fold], objectives: Sequence[str], floor: float | None
) -> None:
    """Write a trial's folds to the study and tell the sampler how good they are."""
    means = means_of(folds)
    missing = {*objectives, *(() if floor is None else ("accuracy",))} - set(means)
    if means and missing:
        raise ValueError(
            f"There is no score {sorted(missing)[0]!r}, only {sorted(means)}. Objectives are names of scores: pass "
            "objectives= or another scoring=."
        )
    trial.set_user_attr(FOLDS, list(folds))
    values = [means.get(name, np.nan) for name in objectives]
    if not np.isfinite(values).all():
        study.tell(trial, state=TrialState.FAIL)
        return
    if floor is not None:
        trial.set_constraint("accuracy", floor - means["accuracy"])
    study.tell(trial, values)


def give_up(study: optuna.Study, trials: Sequence[Trial]) -> None:
    """Close trials that will not be finished."""
    for trial in trials:
        study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Optuna without its messages, other than warnings."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(level, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)


def _opened(url: str, attempts: int = 10) -> Any:
    """A database with Optuna's tables; workers that begin together may all try to make them, and one of them does."""
    for attempt in range(attempts):
        try:
            return optuna.storages.get_storage(url)
        except (SQLAlchemyError, StorageInternalError):
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0, 0.2 * (attempt + 1)))


def _digest(arrays: Any) -> str:
    total = sha256()
    for array in arrays:
        array = np.asarray(array)
        total.update(repr((array.shape, array.dtype.kind)).encode())
        total.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
    return total.hexdigest()


def _without_addresses(thing: Any) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", repr(thing))
