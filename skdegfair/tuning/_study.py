"""An Optuna study that stores a description of its task, and every fold of every trial."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import joblib
import numpy as np
import optuna
from optuna.exceptions import ExperimentalWarning, UpdateFinishedTrialError
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from ._folds import Fold, means_of, require
from ._storage import opened
from ._task import Task, differences
from ._workers import FAILED, Claim, bury, is_abandoned, origin_of, task_of, to_repeat

FOLDS = "skdegfair:folds"
TASK = "skdegfair:task"
WANTED = "skdegfair:n_trials"


class TaskStudy:
    """A study, and the task that it belongs to.

    Parameters
    ----------
    storage : str, optuna storage or None
    name : str or None
        A study of this name is loaded from the storage, if there is one.
    sampler : optuna sampler
    task : dict
        The description of the search. Raises ValueError if the study has another task.

    Attributes
    ----------
    study : optuna Study
    is_exhausted : bool
        Whether the sampler has tried all its settings, as a GridSampler does.
    """

    def __init__(self, storage: Any, name: str | None, sampler: Any, task: Task) -> None:
        self.is_exhausted = False
        self.task, self.claim = task, Claim.mine(str(joblib.hash(task)))
        directions = [StudyDirection.MAXIMIZE] * len(task["objectives"])
        self.storage = opened(storage)
        self.study = optuna.create_study(
            storage=self.storage, study_name=name, sampler=sampler, directions=directions, load_if_exists=True
        )
        bury(self.study)
        self._check_owner()
        if self.study.directions != directions:
            raise ValueError(NOT_OURS.format(name=name))
        self.study.set_user_attr(_key_of(self.claim.task), task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            self.study.set_metric_names(task["objectives"])  # for plots and the dashboard
        if self.study.get_trials(deepcopy=False):
            sampler.reseed_rng()  # or it would draw the same values again; our own sampler has a seed per trial

    def wanted(self, n_trials: int) -> int:
        """Store how many trials are wanted, and return the largest number that was ever wanted."""
        before = int(self.study.user_attrs.get(WANTED, 0))
        if n_trials > before:
            self.study.set_user_attr(WANTED, n_trials)
        return max(n_trials, before)

    def ask(self, n_trials: int) -> list[Trial]:
        """Begin trials, those that were interrupted or killed first.

        The latter are begun one at a time, so that a setting that stops its worker does not stop the others too.
        Raises ValueError if another search has begun a trial before; it may have started at the same time.
        """
        bury(self.study)
        stopped = to_repeat(self.study.get_trials(deepcopy=False), self.claim.task)
        trials = list[Trial]()
        try:
            for _ in range(1 if stopped else n_trials):
                trials.append(self._begin(stopped[0] if stopped else None))
            self._check_owner()
        except BaseException:
            self.give_up(trials)
            raise
        return trials

    def _begin(self, repeated: FrozenTrial | None) -> Trial:
        study_id = self.storage.get_study_id_from_name(self.study.study_name)
        number = self.storage.create_new_trial(study_id, template_trial=self.claim.new_trial(repeated))
        return Trial(copy.copy(self.study), number)  # a study remembers its trials until ask; a copy reads them again

    def judged(self, *, failed: bool = True) -> list[FrozenTrial]:
        """Return the trials of all workers that are complete, in order; also those with failed folds, if ``failed``.

        Trials of other searches are left out, and all but one if several workers have repeated the same trial.
        """
        marks = {TrialState.COMPLETE: FOLDS} | ({TrialState.FAIL: FAILED} if failed else {})
        found = dict[int, FrozenTrial]()
        for trial in self.study.get_trials(deepcopy=False):
            if marks.get(trial.state) in trial.user_attrs and task_of(trial) in (None, self.claim.task):
                found.setdefault(origin_of(trial), trial)
        return list(found.values())

    def record(self, trial: Trial, folds: Sequence[Fold], needed: Mapping[str, str]) -> None:
        """Store the folds of a trial in the study and tell the sampler their mean scores.

        Raises ValueError if a fold that did not fail lacks one of the needed scores. The folds are dropped if another
        worker has marked this one as killed; the trial is repeated then.
        """
        with suppress(UpdateFinishedTrialError):
            self._record(trial, folds, needed)

    def _record(self, trial: Trial, folds: Sequence[Fold], needed: Mapping[str, str]) -> None:
        objectives, floor = self.task["objectives"], self.task["min_accuracy"]
        for fold in folds:
            require(fold, needed)
        means = means_of(folds, [*objectives, *([] if floor is None else ["accuracy"])])
        if not np.isfinite(list(means.values())).all():
            trial.set_user_attr(FAILED, list(folds))
            self._tell(trial, state=TrialState.FAIL)
            return
        if floor is not None:
            trial.set_constraint("accuracy", floor - means["accuracy"])
        trial.set_user_attr(FOLDS, list(folds))
        self._tell(trial, values=[means[name] for name in objectives])

    def give_up(self, trials: Sequence[Trial]) -> None:
        """Mark unfinished trials as failed. They are tried again when the search is resumed."""
        for trial in trials:
            self._tell(trial, state=TrialState.FAIL)

    def _tell(self, trial: Trial, **outcome: Any) -> None:
        try:
            self.study.tell(trial, skip_if_finished=True, **outcome)
        except RuntimeError as error:
            if "Study.stop" not in str(error):  # called by a sampler that is exhausted; the outcome is stored then
                raise
            self.is_exhausted = True

    def _check_owner(self) -> None:
        """Raise ValueError if the first trial belongs to another search.

        A trial is created together with its number and its claim, which never changes. Therefore exactly one of two
        searches that start at the same time has the first trial, and the other one notices before it has computed
        anything.
        """
        trials = self.study.get_trials(deepcopy=False)
        first = next((trial for trial in trials if not is_abandoned(trial)), None)
        if first is None:
            return
        name, before = self.study.study_name, self.study.user_attrs.get(_key_of(task_of(first)))
        if before is None:
            raise ValueError(NOT_OURS.format(name=name))
        if differing := differences(self.task, before):
            raise ValueError(
                f"Study {name!r} belongs to another search: {', '.join(differing)} differ. Choose another study_name, "
                "or use the same settings as before; shuffled folds need a fixed random_state, and functions are "
                "compared by their bytecode, which depends on the version of Python."
            )


NOT_OURS = "Study {name!r} was not made by a ParetoSearchCV with these objectives. Choose another study_name."


def folds_of(trial: FrozenTrial) -> list[Fold]:
    """Return the outcome of each fold of a complete trial."""
    return list(trial.user_attrs[FOLDS if FOLDS in trial.user_attrs else FAILED])


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Optuna's messages except warnings."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(level, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)


def _key_of(task: str | None) -> str:
    """Return the key of a task's description, by its hash. Earlier versions stored one description without a hash."""
    return TASK if task is None else f"{TASK} {task}"
