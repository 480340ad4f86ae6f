"""A sampler whose settings depend only on the seed, the place of the trial and the trials before it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial
from sklearn.utils import check_random_state

from ._names import has_params, name_of
from ._workers import origin_of, task_of

NOTHING = object()


class SeededSampler(BaseSampler):
    """Optuna's TPE with a separate generator for each trial, and with given values for the first trial.

    A sampler with one generator would draw the same values again when a study is resumed, or when two workers start
    with the same seed.

    Parameters
    ----------
    seed : int
    first : mapping
        Values for the first trial of a search, objects by their names. Values outside the space are ignored. A trial
        that repeats an interrupted one gets the same values.
    """

    def __init__(self, seed: int, first: Mapping[str, Any]) -> None:
        self.seed, self.first = seed, first
        self._places = dict[int, int]()  # by the number of the trial, because reading all trials takes time

    def _for(self, study: Study, trial: FrozenTrial, name: str = "") -> TPESampler:
        words = [self.seed, self._place_of(study, trial), crc32(name.encode())]
        return TPESampler(seed=int(np.random.SeedSequence(words).generate_state(1)[0]))

    def _place_of(self, study: Study, trial: FrozenTrial) -> int:
        """Return the place of a trial among those of its search. A repeated trial has the place of the first one."""
        if trial.number not in self._places:
            before, tasks = study.get_trials(deepcopy=False)[: origin_of(trial)], (None, task_of(trial))
            self._places[trial.number] = sum(
                task_of(each) in tasks and origin_of(each) == each.number for each in before
            )
        return self._places[trial.number]

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return self._for(study, trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self._for(study, trial).sample_relative(study, trial, search_space)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        is_first = self._place_of(study, trial) == 0
        if is_first and _allows(param_distribution, self.first.get(param_name, NOTHING)):
            return self.first[param_name]
        return self._for(study, trial, param_name).sample_independent(study, trial, param_name, param_distribution)


def sampler_of(search: Any) -> BaseSampler:
    """Return a copy of the sampler of a search, or the default one."""
    if search.sampler is not None:
        return copy.deepcopy(search.sampler)
    seed = int(check_random_state(search.random_state).randint(2**31 - 1))
    own = search.estimator.get_params(deep=True)
    return SeededSampler(seed, {name: name_of(each) if has_params(each) else each for name, each in own.items()})


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
