"""Which process works on a trial, and what becomes of the trials of a process that is gone."""

from __future__ import annotations

import os
import socket
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial

FAILED = "skdegfair:folds of a trial that failed"
CLAIM = "skdegfair:worker"
MAX_ATTEMPTS = 30  # a setting that needs too much memory would stop every worker forever otherwise

Claim = dict[str, Any]
"""Task and process of a trial, and, for a trial that repeats another one, the number of the first: ``origin``."""


def claim_for(task: str) -> Claim:
    """Return the claim of this process."""
    return {"task": task, "host": _host(), "pid": os.getpid(), "start": _start_of(os.getpid())}


def ask(study: optuna.Study, claim: Claim) -> Trial:
    """Begin a trial that was left to be tried again, or else a new one.

    A new trial is created together with its claim, so that a worker that is killed at any moment leaves no trial
    without one.
    """
    if not study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
        study.add_trial(create_trial(state=TrialState.WAITING, user_attrs={CLAIM: claim}))
    trial = study.ask()
    before = trial.user_attrs.get(CLAIM, {})
    if before | claim != before:  # another worker has created it
        trial.set_user_attr(CLAIM, before | claim)
    return trial


def bury(study: optuna.Study) -> None:
    """Mark the trials of killed workers as failed.

    Whether the worker of another machine is alive is unknown, so its trials are left alone.
    """
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if not _is_dead(trial.user_attrs.get(CLAIM)):
            continue
        with suppress(RuntimeError):  # another worker has just done it, or the sampler is exhausted
            study.tell(trial.number, state=TrialState.FAIL, skip_if_finished=True)


def retry(study: optuna.Study, claim: Claim) -> None:
    """Let the trials of this search that were interrupted or killed be tried again, with the same settings."""
    trials = [each for each in study.get_trials(deepcopy=False) if task_of(each) == claim["task"]]
    attempts = Counter(map(origin_of, trials))
    last = {origin_of(each): each for each in trials}
    for origin, trial in last.items():
        if not is_abandoned(trial):
            continue
        if attempts[origin] < MAX_ATTEMPTS:
            study.enqueue_trial(trial.params, user_attrs={CLAIM: claim | {"origin": origin}})
        else:
            warnings.warn(
                f"Trial {trial.number} did not finish in {MAX_ATTEMPTS} attempts and is not tried again. Its setting "
                f"is {trial.params}.",
                UserWarning, stacklevel=5,
            )  # fmt: skip


def is_abandoned(trial: FrozenTrial) -> bool:
    """Whether a trial ended without an outcome."""
    return trial.state == TrialState.FAIL and FAILED not in trial.user_attrs


def origin_of(trial: FrozenTrial) -> int:
    """Return the number of the trial that this one repeats, or its own."""
    return int(trial.user_attrs.get(CLAIM, {}).get("origin", trial.number))


def place_of(trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> int:
    """Return the place of a trial among those that repeat no other one. Repeated trials have the same place."""
    return sum(origin_of(each) == each.number for each in trials[: origin_of(trial)])


def task_of(trial: FrozenTrial) -> str | None:
    """Return the hash of the task of a trial; None for trials of an earlier version or of another program."""
    claim: Mapping[str, Any] = trial.user_attrs.get(CLAIM, {})
    return claim.get("task")


def _is_dead(claim: Mapping[str, Any] | None) -> bool:
    return claim is not None and claim["host"] == _host() and _start_of(claim["pid"]) != claim["start"]


def _host() -> str:
    """Return a name of this machine, or of the container, which counts processes on its own."""
    try:
        return f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # not Linux
        return socket.gethostname()


def _start_of(pid: int) -> str | None:
    """Return when a process started, "" if the system does not tell, or None if it has ended."""
    if not Path("/proc/self/stat").exists():
        return "" if os.name == "nt" or _exists(pid) else None  # Windows has no harmless test
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else fields[18]  # processes that ended, but whose parent has not noticed


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True
