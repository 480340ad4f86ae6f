"""Which scores a search needs, and whether they will be available: checked before anything is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object

from ..exceptions import EmptyGroupWarning
from ..metrics import (
    SCORERS,
    DegreeScorer,
    FairestWithin,
    FairnessScoring,
    MostAccurateWithin,
    Tradeoff,
    fairness_scoring,
    placeholder_of,
)
from ._folds import Split, check_available

GAPS = ("neg_delta_dsp", "neg_delta_deo")


def objectives_of(search: Any) -> tuple[str, ...]:
    """Return the names of the scores to maximize."""
    if search.objectives is not None:
        return (search.objectives,) if isinstance(search.objectives, str) else tuple(search.objectives)
    scoring = search.scoring
    if isinstance(scoring, str) and scoring in _named(search):
        return (scoring,)
    if isinstance(scoring, FairnessScoring):
        several = not isinstance(scoring, DegreeScorer | Tradeoff)
    else:
        several = scoring is None or not (isinstance(scoring, str) or callable(scoring))
    return ("accuracy", "neg_delta_dsp") if several else ("score",)


def needed_by(search: Any) -> dict[str, str]:
    """Return the names of the scores that a search needs, and the option that needs each of them."""
    return _named(search) | dict.fromkeys(objectives_of(search), "objectives")


def scoring_for(scoring: Any, needed: Container[str]) -> Any:
    """Return the default scorers for None. A needed name becomes a list, so that its score is not called "score"."""
    if scoring is None:
        return fairness_scoring
    return [scoring] if isinstance(scoring, str) and scoring in needed else scoring


def scorer_of(estimator: Any, scoring: Any) -> Any:
    """Return a scorer in scikit-learn's form. Raises ValueError for names that scikit-learn does not know."""
    names = [scoring] if isinstance(scoring, str) else scoring if isinstance(scoring, list | tuple | set) else []
    for name in sorted(set(SCORERS).difference(get_scorer_names()).intersection(names)):
        raise ValueError(
            f"scoring={scoring!r}: scikit-learn does not know the name {name!r}. Pass the scorer, "
            f"skdegfair.metrics.get_scorer({name!r}), or fairness_scoring for accuracy and both gaps."
        )
    return check_scoring(estimator, scoring)


def check_scores(
    scoring: Any,
    needed: Mapping[str, str],
    X: Any,
    y: Any,
    splits: Sequence[Split],
    estimator: Any,
    params: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Raise ValueError if ``scoring`` does not return a needed score, or returns a gap that is not defined in a fold.

    ``needed`` is a dict from the names of scores to the options that need them, ``params`` has arguments of scorers.
    The names of scores that a function returns are unknown; they are checked after the first trial.
    """
    known = _names(scoring)
    if known is not None:
        check_available(needed, known)
    for name, (scorer, gap) in _gaps(scoring).items():
        if name not in needed or y is None:
            continue
        degree = params.get(_alias(scorer))
        scores = FairnessScoring(hops=scorer.hops, share=scorer.share)
        for number, (_, test) in enumerate(splits):
            nodes, labels = _safe_indexing(X, test), _safe_indexing(y, test)
            degrees = None if degree is None else _safe_indexing(degree, test)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EmptyGroupWarning)  # it becomes an error below
                found = scores(_Truth(labels, placeholder_of(estimator)), nodes, labels, degree=degrees)[gap]
            if np.isnan(found):
                raise ValueError(
                    f"The score {name!r} is not defined in fold {number + 1} of {len(splits)}, whatever is predicted: "
                    f"{_reason(gap)}. Use fewer folds, a scorer with a larger share, or another score."
                )


class _Truth:
    """Predicts the true classes. Whether a gap is defined does not depend on the predictions."""

    def __init__(self, labels: Any, unlabeled: Any) -> None:
        self.labels, self.unlabeled = labels, unlabeled

    def predict(self, X: Any) -> Any:
        return self.labels


def _named(search: Any) -> dict[str, str]:
    needed = {} if search.min_accuracy is None else {"accuracy": "min_accuracy"}
    if isinstance(search.refit, str):
        needed[search.refit] = "refit"
    elif isinstance(search.refit, FairestWithin | MostAccurateWithin):
        needed |= dict.fromkeys((search.refit.accuracy, search.refit.fairness), "refit")
    return needed


def _names(scoring: Any) -> list[str] | None:
    """Return the names of the scores that are known before scoring."""
    if type(scoring) is FairnessScoring:
        return ["accuracy", *GAPS]
    if isinstance(scoring, str) or type(scoring) in (DegreeScorer, Tradeoff):
        return ["score"]
    return None if callable(scoring) else list(scoring)


def _gaps(scoring: Any) -> dict[str, tuple[FairnessScoring, str]]:
    """Return the scores that need a gap: by name, the scorer and the gap."""
    if type(scoring) is FairnessScoring:
        return {name: (scoring, name) for name in GAPS}
    scorers = scoring if isinstance(scoring, Mapping) else {"score": scoring}
    return {
        name: (each, f"neg_delta_{each.gap}")
        for name, each in scorers.items()
        if type(each) in (DegreeScorer, Tradeoff)
    }


def _alias(scorer: FairnessScoring) -> str:
    """Return the name under which a scorer requests degrees, as in ``set_score_request(degree="name")``."""
    request = get_routing_for_object(scorer).score.requests.get("degree")
    return request if isinstance(request, str) else "degree"


def _reason(gap: str) -> str:
    return "there are no nodes in both groups" if gap == "neg_delta_dsp" else "no class has nodes in both groups"
