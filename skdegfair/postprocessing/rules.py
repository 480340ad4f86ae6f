"""Rules of degree groups: learned from held-out nodes, and applied to any nodes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..graph import DegreeGroups
from .calibration import calibrated, fit_calibration
from .program import Mixture, fair_rules, largest_gap, members, rates


class GroupRules:
    """Learn and apply rules, for an estimator with the parameters ``constraint`` and ``tolerance``."""

    constraint: str
    tolerance: float
    groups_: DegreeGroups
    classes_: NDArray[np.generic]

    def _learn_rules(self, p: NDArray[np.float64], codes: NDArray[np.intp], group: NDArray[np.intp]) -> None:
        """The rule of each group, from the probabilities of held-out nodes."""
        n_groups, n_classes = len(self.groups_), p.shape[1]
        self.slopes_, self.biases_ = np.ones(n_groups), np.zeros((n_groups, n_classes))
        present = [g for g in range(n_groups) if (group == g).any()]
        if self.constraint == "deo":
            for g in present:
                self.slopes_[g], self.biases_[g] = fit_calibration(p[group == g], codes[group == g])
        counts = [np.bincount(codes[group == g], minlength=n_classes) for g in present]
        groups = [
            members(self._calibrated(p[group == g], g), self.constraint, count)
            for g, count in zip(present, counts, strict=True)
        ]
        plain = Mixture(np.ones((1, n_classes)), np.zeros((1, n_classes)), np.ones(1))
        before = [np.eye(n_classes)[p[group == g].argmax(axis=1)] for g in present]
        found = np.array([rates(each, assigned) for each, assigned in zip(groups, before, strict=True)])
        if len(present) > 1 and largest_gap(found) > self.tolerance:
            mixtures = fair_rules(groups, self.tolerance)
        else:
            mixtures = [plain] * len(present)
            self.slopes_[:], self.biases_[:] = 1, 0
        self._set_rules(mixtures, present, n_classes)
        after = [self._chances_of_classes(p[group == g], np.full((group == g).sum(), g)) for g in present]
        self._effect = np.full((2, n_groups, n_classes), np.nan)
        self.expected_accuracy_ = np.full(2, np.nan)
        for step, assignments in enumerate((before, after)):
            for g, each, assigned in zip(present, groups, assignments, strict=True):
                self._effect[step, g] = rates(each, assigned)
            if present:
                right = [(each.p * assigned).sum(axis=1) for each, assigned in zip(groups, assignments, strict=True)]
                self.expected_accuracy_[step] = np.concatenate(right).mean()

    def _set_rules(self, mixtures: list[Mixture], present: list[int], n_classes: int) -> None:
        n_groups, n_rules = len(self.groups_), max((len(each.chance) for each in mixtures), default=1)
        self.multipliers_ = np.ones((n_groups, n_rules, n_classes))
        self.offsets_ = np.zeros((n_groups, n_rules, n_classes))
        self.chances_ = np.zeros((n_groups, n_rules))
        self.chances_[:, 0] = 1  # a group without held-out nodes is left as it is
        for g, mixture in zip(present, mixtures, strict=True):
            used = len(mixture.chance)
            self.multipliers_[g, :used], self.offsets_[g, :used] = mixture.multiplier, mixture.offset
            self.chances_[g] = 0
            self.chances_[g, :used] = mixture.chance

    @property
    def effect_(self) -> pd.DataFrame:
        """Rates or recalls of the held-out nodes before and after, by group and class."""
        check_is_fitted(self)
        names = pd.MultiIndex.from_product([range(len(self.groups_)), self.classes_], names=["group", "class"])
        return pd.DataFrame({"before": self._effect[0].ravel(), "after": self._effect[1].ravel()}, index=names)

    @property
    def is_random_(self) -> bool:
        """Whether predictions are drawn at random for some nodes."""
        check_is_fitted(self)
        return self.chances_.shape[1] > 1

    def _choices(self, p: NDArray[np.float64], group: NDArray[np.intp], keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Code of the class that is predicted for each node; ``keys`` are random bits of each node."""
        choice = p.argmax(axis=1)
        draw = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53  # in [0, 1)
        for g in range(len(self.groups_)):
            inside = group == g
            choices = self._rules(g).choices(self._calibrated(p[inside], g))
            rule = np.minimum((draw[inside, None] >= np.cumsum(self.chances_[g])).sum(axis=1), choices.shape[1] - 1)
            choice[inside] = choices[np.arange(len(choices)), rule]
        return choice

    def _chances_of_classes(self, p: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
        chances = np.eye(p.shape[1])[p.argmax(axis=1)]
        for g in range(len(self.groups_)):
            inside = group == g
            chances[inside] = self._rules(g).probability(self._calibrated(p[inside], g))
        return chances

    def _rules(self, g: int) -> Mixture:
        return Mixture(self.multipliers_[g], self.offsets_[g], self.chances_[g])

    def _calibrated(self, p: NDArray[np.float64], g: int) -> NDArray[np.float64]:
        is_plain = self.slopes_[g] == 1 and not self.biases_[g].any()
        return p if is_plain else calibrated(p, self.slopes_[g], self.biases_[g])
