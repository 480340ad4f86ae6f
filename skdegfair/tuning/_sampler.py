"""Settings that hang on the seed, the number of the trial and the trials before it, and on nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from ._study import FAILED

NOTHING = object()
N_SWEPT = 6


class SeededSampler(BaseSampler):
    """Optuna's TPE with a generator of its own for each trial, which begins with given values.

    A sampler with one generator would draw the same values again when a study is resumed,
    or when two workers begin with the same seed.

    The first trial has the given values, as far as the space allows them; if the space has a
    fairness weight, the next ones have them, too, with weights from one end of its range to
    the other: the weight leads along the front as no other parameter does.

    Parameters
    ----------
    seed : int
    first : mapping
        Values to begin with.
    """

    def __init__(self, seed: int, first: Mapping[str, Any]) -> None:
        self.seed, self.first = seed, first

    def _for(self, trial: FrozenTrial, name: str = "") -> TPESampler:
        words = [self.seed, trial.number, crc32(name.encode())]
        return TPESampler(seed=int(np.random.SeedSequence(words).generate_state(1)[0]), n_startup_trials=1 + N_SWEPT)

    def _given(self, study: Study, trial: FrozenTrial) -> Mapping[str, Any]:
        """Values that are not left to TPE. What trials were to try that were given up, others try."""
        before = [each for each in study.get_trials(deepcopy=False)[: trial.number] if not _is_given_up(each)]
        if not before:
            return self.first
        swept = _swept(before[0])
        if len(before) > N_SWEPT or not swept:
            return {}
        name, values = swept
        tried = [each.params.get(name) for each in before]
        return {**self.first, name: next((value for value in values if value not in tried), NOTHING)}

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return self._for(trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self._for(trial).sample_relative(study, trial, search_space)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        value = self._given(study, trial).get(param_name, NOTHING)
        if _allows(param_distribution, value):
            return value
        return self._for(trial, param_name).sample_independent(study, trial, param_name, param_distribution)


def _is_given_up(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.FAIL and FAILED not in trial.user_attrs


def _swept(trial: FrozenTrial) -> tuple[str, list[float]] | None:
    """The fairness weight of the trial's space and values of its whole range, if it has one."""
    for name, values in trial.distributions.items():
        if name.split("__")[-1] == "fairness_weight" and isinstance(values, FloatDistribution) and values.step is None:
            spread = np.geomspace if values.log else np.linspace
            ends = values.low, values.high
            return name, [float(np.clip(float(f"{weight:.2g}"), *ends)) for weight in spread(*ends, N_SWEPT)]
    return None


def _allows(values: BaseDistribution, value: Any) -> bool:
    if isinstance(values, CategoricalDistribution):
        return any(type(choice) is type(value) and choice == value for choice in values.choices)
    if not isinstance(values, FloatDistribution | IntDistribution) or type(value) not in (int, float):
        return False
    if not values.low <= value <= values.high:
        return False
    steps = (value - values.low) / (values.step or 1)
    on_grid = abs(steps - round(steps)) < 1e-9 or (isinstance(values, FloatDistribution) and values.step is None)
    return bool(on_grid)
