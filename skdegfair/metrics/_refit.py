"""The Pareto front of a search over accuracy and fairness, and rules that select one candidate."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._inputs import is_number


class _Rule:
    """A rule that equals the name of its accuracy score, because scikit-learn uses ``refit`` to look up a score.

    Without this, ``GridSearchCV.score`` raises KeyError. With it, the score is accuracy.
    """

    accuracy: str

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other == self.accuracy
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(self.accuracy)


class FairestWithin(_Rule):
    """Select the fairest candidate whose accuracy is at most ``tolerance`` below the best.

    Parameters
    ----------
    tolerance : float, default=0.02
    accuracy, fairness : str, default="accuracy", "neg_delta_dsp"
        Names of the scores in the search. Higher is better for both.

    Examples
    --------
    >>> from skdegfair.metrics import FairestWithin
    >>> results = {"mean_test_accuracy": [0.9, 0.89, 0.7], "mean_test_neg_delta_dsp": [-0.4, -0.2, 0.0]}
    >>> FairestWithin(0.02)(results)
    1
    """

    def __init__(self, tolerance: float = 0.02, *, accuracy: str = "accuracy", fairness: str = "neg_delta_dsp") -> None:
        if not is_number(tolerance) or not 0 <= tolerance < 1:
            raise ValueError(f"tolerance must be in [0, 1), such as 0.02 for two percentage points, got {tolerance!r}.")
        self.tolerance, self.accuracy, self.fairness = tolerance, accuracy, fairness

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        accuracy, fairness = _means(cv_results, self.accuracy), _means(cv_results, self.fairness)
        return _best(fairness, accuracy, allowed=accuracy >= np.nanmax(accuracy) - self.tolerance - 1e-12)

    def __repr__(self) -> str:
        return f"FairestWithin({self.tolerance}, accuracy={self.accuracy!r}, fairness={self.fairness!r})"


class MostAccurateWithin(_Rule):
    """Select the most accurate candidate whose gap is at most ``max_gap``, or the fairest if there is none.

    Parameters
    ----------
    max_gap : float, default=0.1
    accuracy, fairness : str, default="accuracy", "neg_delta_dsp"
        Names of the scores in the search. Higher is better for both.

    Examples
    --------
    >>> from skdegfair.metrics import MostAccurateWithin
    >>> results = {"mean_test_accuracy": [0.9, 0.89, 0.7], "mean_test_neg_delta_dsp": [-0.4, -0.2, 0.0]}
    >>> MostAccurateWithin(0.25)(results)
    1
    """

    def __init__(self, max_gap: float = 0.1, *, accuracy: str = "accuracy", fairness: str = "neg_delta_dsp") -> None:
        if not is_number(max_gap) or not 0 <= max_gap <= 1:
            raise ValueError(f"max_gap must be in [0, 1], such as 0.1 for ten percentage points, got {max_gap!r}.")
        self.max_gap, self.accuracy, self.fairness = max_gap, accuracy, fairness

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        accuracy, fairness = _means(cv_results, self.accuracy), _means(cv_results, self.fairness)
        allowed = fairness >= -self.max_gap - 1e-12
        if not allowed.any():
            warnings.warn(
                f"No candidate has a gap of at most {self.max_gap:g}: the fairest was selected.", stacklevel=2
            )
            return _best(fairness, accuracy, allowed=np.ones(len(fairness), dtype=bool))
        return _best(accuracy, fairness, allowed=allowed)

    def __repr__(self) -> str:
        return f"MostAccurateWithin({self.max_gap}, accuracy={self.accuracy!r}, fairness={self.fairness!r})"


def pareto_front(accuracy: ArrayLike, gap: ArrayLike) -> NDArray[np.bool_]:
    """Find the candidates on the Pareto front: no other is at least as accurate and as fair, and better in one.

    Parameters
    ----------
    accuracy, gap : array-like of shape (n_candidates,)
        Higher accuracy and lower gap are better. Candidates with NaN are never on the front.

    Returns
    -------
    ndarray of bool of shape (n_candidates,)

    Examples
    --------
    >>> from skdegfair.metrics import pareto_front
    >>> pareto_front([0.9, 0.8, 0.7], [0.3, 0.1, 0.2]).tolist()
    [True, True, False]
    """
    accuracies, gaps = np.asarray(accuracy, dtype=np.float64), np.asarray(gap, dtype=np.float64)
    if accuracies.ndim != 1 or accuracies.shape != gaps.shape:
        raise ValueError(
            f"accuracy and gap have the shapes {accuracies.shape} and {gaps.shape}. Pass one number per candidate."
        )
    return undominated(np.column_stack([accuracies, -gaps]))


def undominated(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Find the points, (n_points, n_scores), that no other dominates. Higher is better; NaN is excluded.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import undominated
    >>> undominated(np.array([[0.9, -0.3], [0.8, -0.1], [0.8, -0.2]]))
    array([ True,  True, False])
    """
    front = np.asarray(~np.isnan(points).any(1))
    for number in np.flatnonzero(front):
        beats = (points >= points[number]).all(1) & (points > points[number]).any(1)
        front[number] = not beats.any()
    return front


def mean_scores(cv_results: Mapping[str, Any], name: str) -> NDArray[np.float64]:
    """Return a score of each candidate of a search. Raises ValueError if the search does not have it."""
    key = f"mean_test_{name}"
    if key not in cv_results:
        known = sorted(k.removeprefix("mean_test_") for k in cv_results if k.startswith("mean_test_"))
        raise ValueError(
            f"The search has no score {name!r}, only {known}. Pass scoring=SCORERS or scoring=fairness_scoring. If you "
            "did, scoring failed, and the warnings above say why."
        )
    return np.asarray(cv_results[key], dtype=np.float64)


def _means(cv_results: Mapping[str, Any], name: str) -> Any:
    means = mean_scores(cv_results, name)
    if np.isnan(means).all():
        raise ValueError(f"No candidate has a defined score {name!r}.")
    return means


def _best(first: Any, second: Any, *, allowed: Any) -> int:
    """Return the allowed candidate with the highest first score. The second score breaks ties."""
    usable = allowed & ~np.isnan(first)
    if not usable.any():
        raise ValueError("No candidate has both scores defined.")
    ranked = np.lexsort((-np.nan_to_num(second, nan=-np.inf), -np.where(usable, first, -np.inf)))
    return int(ranked[0])
