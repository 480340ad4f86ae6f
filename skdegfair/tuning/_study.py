"""An Optuna study that stores a description of its task, and every fold of every trial."""

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
    """Describe what two searches must have in common for their trials to be comparable.

    The description is the same in every process: objects are described by name, and ``data``, a dict, by hashes.
    """
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
    """Create a study, or load the one of that name from the storage.

    Raises ValueError if that study has another task.
    """
    directions = [StudyDirection.MAXIMIZE] * len(task["objectives"])
    study = optuna.create_study(
        storage=_opened(storage) if isinstance(storage, str) else storage,
        study_name=name,
        sampler=sampler,
        directions=directions,
        load_if_exists=True,
    )
    trials = study.get_trials(deepcopy=False)  # read before the task, because another worker may be writing that
    before = study.user_attrs.get(TASK)
    if study.directions != directions or (before is None and trials):
        raise ValueError(
            f"Study {name!r} was not made by a ParetoSearchCV with these objectives. Choose another study_name."
        )
    differing = [] if before is None else [key for key, value in task.items() if before.get(key) != value]
    if differing and judged(study):
        raise ValueError(
            f"Study {name!r} belongs to another search: {', '.join(differing)} differ. Choose another study_name, or "
            "use the same settings as before; shuffled folds need a fixed random_state."
        )
    study.set_user_attr(TASK, dict(task))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study.set_metric_names(task["objectives"])  # for plots and the dashboard
    if trials:
        sampler.reseed_rng()  # or it would draw the same values again; our own sampler has a seed per trial
    return study


def judged(study: optuna.Study, *, failed: bool = True) -> list[FrozenTrial]:
    """Return the trials of all workers that are complete, in order; also those with failed folds, if ``failed``."""
    marks = {TrialState.COMPLETE: FOLDS} | ({TrialState.FAIL: FAILED} if failed else {})
    return [trial for trial in study.get_trials(deepcopy=False) if marks.get(trial.state) in trial.user_attrs]


def folds_of(trial: FrozenTrial) -> list[Fold]:
    """Return the outcome of each fold of a complete trial."""
    return list(trial.user_attrs[FOLDS if FOLDS in trial.user_attrs else FAILED])


def record(
    study: optuna.Study, trial: Trial, folds: Sequence[Fold], objectives: Sequence[str], floor: float | None
) -> None:
    """Store the folds of a trial in the study and tell the sampler their mean scores."""
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
    """Mark unfinished trials as failed."""
    for trial in trials:
        study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Optuna's messages except warnings."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(level, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)


def _opened(url: str, attempts: int = 10) -> Any:
    """Open a database and create Optuna's tables if they are missing.

    Workers that start at the same time may all try to create the tables. All but one fail and try again.
    """
    for attempt in range(attempts):
        try:
            return optuna.storages.get_storage(url)
        except (IntegrityError, OperationalError, ProgrammingError, StorageInternalError):
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0, 0.2 * (attempt + 1)))
