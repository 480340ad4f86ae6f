"""Which process works on a trial, and what happens to the trials of a process that was killed."""

from __future__ import annotations

import os
import socket
import warnings
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import optuna
from optuna.trial import FrozenTrial, TrialState, create_trial

FAILED = "skdegfair:folds of a trial that failed"
CLAIM = "skdegfair:worker"
MAX_ATTEMPTS = 3  # a setting that needs too much memory would stop every worker forever otherwise


@dataclass(frozen=True)
class Claim:
    """The task and the process of a trial, and the number of the first trial of its setting if it repeats one."""

    task: str
    host: str
    pid: int
    start: str | None
    origin: int | None = None

    @classmethod
    def mine(cls, task: str) -> Claim:
        """Return the claim of this process."""
        return cls(task, _host(), os.getpid(), _start_of(os.getpid()))

    @classmethod
    def of(cls, trial: FrozenTrial) -> Claim | None:
        """Return the claim of a trial; None for trials of an earlier version or of another program."""
        return cls(**trial.user_attrs[CLAIM]) if CLAIM in trial.user_attrs else None

    def new_trial(self, repeated: FrozenTrial | None = None) -> FrozenTrial:
        """Return a trial to be added to a study, with the setting of another one if it repeats that one.

        It has its claim from the beginning and no other worker can begin it. Therefore a worker that is killed at any
        moment leaves no trial without a claim.
        """
        if repeated is None:
            return create_trial(state=TrialState.RUNNING, user_attrs={CLAIM: asdict(self)})
        claim, fixed = replace(self, origin=origin_of(repeated)), {"fixed_params": repeated.params}
        return create_trial(state=TrialState.RUNNING, user_attrs={CLAIM: asdict(claim)}, system_attrs=fixed)

    @property
    def is_dead(self) -> bool:
        """Whether the process was killed. For a process on another machine, this is not known."""
        return self.host == _host() and _start_of(self.pid) != self.start


def bury(study: optuna.Study) -> None:
    """Mark the trials of killed workers as failed."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        claim = Claim.of(trial)
        if claim is not None and claim.is_dead:
            with suppress(RuntimeError):  # another worker has just done it, or the sampler is exhausted
                study.tell(trial.number, state=TrialState.FAIL, skip_if_finished=True)


def to_repeat(trials: Iterable[FrozenTrial], task: str) -> list[FrozenTrial]:
    """Return trials of a task that were interrupted or killed, one for each setting. Warn about those given up."""
    attempts = defaultdict[int, list[FrozenTrial]](list)
    for trial in trials:
        if task_of(trial) == task:
            attempts[origin_of(trial)].append(trial)
    stopped = [each for each in attempts.values() if all(map(is_abandoned, each))]
    for *before, last in stopped:
        if len(before) + 1 == MAX_ATTEMPTS:
            warnings.warn(
                f"Trial {last.number} did not finish in {MAX_ATTEMPTS} attempts and is not tried again. Its setting "
                f"is {last.params}.",
                UserWarning, stacklevel=6,
            )  # fmt: skip
    return [each[-1] for each in stopped if len(each) < MAX_ATTEMPTS]


def is_abandoned(trial: FrozenTrial) -> bool:
    """Whether a trial ended without an outcome."""
    return trial.state == TrialState.FAIL and FAILED not in trial.user_attrs


def origin_of(trial: FrozenTrial) -> int:
    """Return the number of the trial that this one repeats, or its own."""
    claim = Claim.of(trial)
    return trial.number if claim is None or claim.origin is None else claim.origin


def task_of(trial: FrozenTrial) -> str | None:
    """Return the hash of the task of a trial; None for trials of an earlier version or of another program."""
    claim = Claim.of(trial)
    return None if claim is None else claim.task


def _host() -> str:
    """Return a name of this machine, or of the container, which counts processes on its own."""
    names = [socket.gethostname()]
    with suppress(OSError):  # not Linux, or no machine-id in a container
        names.append(os.readlink("/proc/self/ns/pid"))
        names.append(Path("/etc/machine-id").read_text(encoding="utf-8").strip())  # many machines are "localhost"
    return " ".join(names)


def _start_of(pid: int) -> str | None:
    """Return when a process started, "" if the system does not report it, or None if it has ended."""
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
