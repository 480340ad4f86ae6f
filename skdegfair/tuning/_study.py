"""An Optuna study that remembers what it is about, and every fold of every trial."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
import optuna
from optuna.distributions import distribution_to_json
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

from ._folds import Fold, means_of, require
from ._names import name_of

FOLDS = "skdegfair:folds"
FAILED = "skdegfair:folds of a trial that failed"
TASK = "skdegfair:task"


def describe(*, estimator: Any, space: Any, data: Any, scoring: Any, objectives: Any, floor: Any) -> dict[str, Any]:
    """What two searches must share for their trials to be compared; ``data`` are names and what belongs to them."""
    values: Any
    if callable(space):
        values = name_of(getattr(space, "__qualname__", space))
    else:
        values = {name: distribution_to_json(getattr(each, "distribution", each)) for name, each in space.items()}
    return {
        "estimator": {
            name: name_of(value)
            for name, value in estimator.get_params(deep=True).items()
            if name.split("__")[-1] not in ("verbose", "n_jobs")
        },
        "param_distributions": values,
        **{name: joblib.hash(value) for name, value in data.items()},
        "scoring": name_of(scoring),
        "objectives": list(objectives),
        "min_accuracy": floor,
    }


def open_study(storage: Any, name: str | None, sampler: Any, task: Mapping[str, Any]) -> optuna.Study:
    """A new study, or the one of that name in the storage if it is about the same."""
    directions = [StudyDirection.MAXIMIZE] * len(task["objectives"])
    study = optuna.create_study(
        storage=_opened(storage) if isinstance(storage, str) else storage,
        study_name=name,
        sampler=sampler,
        directions=directions,
        load_if_exists=True,
    )
    trials = study.get_trials(deepcopy=False)  # before the task is read, which another worker may be writing
    before = study.user_attrs.get(TASK)
    if study.directions != directions or (before is None and trials):
        raise ValueError(f"Study {name!r} is not of such a ParetoSearchCV. Choose another study_name.")
    differing = [] if before is None else [key for key, value in task.items() if before.get(key) != value]
    if differing and judged(study):
        raise ValueError(
            f"Study {name!r} is of another search: {', '.join(differing)} differ. Choose another study_name, or set "
            "what it was before; folds that are shuffled need a fixed random_state."
        )
    study.set_user_attr(TASK, dict(task))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study.set_metric_names(task["objectives"])  # for plots and the dashboard
    if trials:
        sampler.reseed_rng()  # or it would draw again what it has drawn before; ours has a seed per trial
    return study


def judged(study: optuna.Study, *, failed: bool = True) -> list[FrozenTrial]:
    """Trials that went through all their folds, by whatever worker, in their order; those that failed, or not."""
    marks = {TrialState.COMPLETE: FOLDS} | ({TrialState.FAIL: FAILED} if failed else {})
    return [trial for trial in study.get_trials(deepcopy=False) if marks.get(trial.state) in trial.user_attrs]


def folds_of(trial: FrozenTrial) -> list[Fold]:
    """What came of each fold of a judged trial."""
    return list(trial.user_attrs[FOLDS if FOLDS in trial.user_attrs else FAILED])


def record(
    study: optuna.Study, trial: Trial, folds: Sequence[Fold], objectives: Sequence[str], floor: float | None
) -> None:
    """Write a trial's folds to the study and tell the sampler how good they are."""
    needed = [*objectives, *([] if floor is None else ["accuracy"])]
    for fold in folds:
        require(fold, needed)
    means = means_of(folds, needed)
    if not np.isfinite(list(means.values())).all():
        trial.set_user_attr(FAILED, list(folds))
        study.tell(trial, state=TrialState.FAIL)
        return
    if floor is not None:
        trial.set_constraint("accuracy", floor - means["accuracy"])
    trial.set_user_attr(FOLDS, list(folds))
    study.tell(trial, [means[name] for name in objectives])


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
        except (IntegrityError, OperationalError, ProgrammingError, StorageInternalError):
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0, 0.2 * (attempt + 1)))
