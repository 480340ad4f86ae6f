"""Pooled out-of-fold predictions of some candidates of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed, parallel_config
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_validate
from sklearn.utils import _safe_indexing

from ..graph import as_labels, as_typed_array, is_unlabeled
from ..metrics import placeholder_of
from ._delegate import Metadata
from ._engine import engine
from ._folds import Split, configured, splits_of
from ._scores import needed_by, scoring_for


class Pooled(NamedTuple):
    """The nodes that were tested, the predictions of each candidate for them, and whether the scores are the same."""

    nodes: NDArray[np.intp]
    predictions: list[NDArray[Any]]
    is_reproduced: bool


def out_of_fold(search: Any, places: Sequence[int], X: Any, y: Any, metadata: Metadata) -> Pooled:
    """Fit candidates again on the search's folds, and pool the predictions for the nodes that the folds test.

    A node that several folds test counts once, with the prediction of the first of them. Nodes that no fold tests, and
    nodes without a known label, are left out.

    Parameters
    ----------
    search : fitted ParetoSearchCV
    places : sequence of int
        Positions of the candidates in ``cv_results_``.
    X, y : the nodes that the search was fitted to
    metadata : Metadata
        Further arguments of ``fit``.
    """
    splits = splits_of(search.cv, X, y, search.estimator, **metadata.split)
    scoring = scoring_for(search.scoring, needed_by(search))
    settings = [search.cv_results_["params"][place] for place in places]
    with engine(search.n_jobs, (X, y)) as parallel:
        tasks = (
            delayed(predict_fold)(search.estimator, setting, X, y, split, scoring, metadata.judge)
            for setting in settings
            for split in splits
        )
        outcomes = list(parallel(tasks))
    folds = [outcomes[start : start + len(splits)] for start in range(0, len(outcomes), len(splits))]
    nodes, first = np.unique(np.concatenate([_positions(test) for _, test in splits]), return_index=True)
    known = ~is_unlabeled(as_labels(_safe_indexing(y, nodes)), placeholder_of(search.estimator))
    predictions = [np.concatenate([as_typed_array(each) for _, each in of_one])[first][known] for of_one in folds]
    same = all(
        _same_scores(search.cv_results_, place, [scores for scores, _ in of_one])
        for place, of_one in zip(places, folds, strict=True)
    )
    return Pooled(nodes[known], predictions, same and len(splits) == search.n_splits_)


def predict_fold(
    estimator: BaseEstimator, params: Mapping[str, Any], X: Any, y: Any, split: Split, scoring: Any, metadata: Any
) -> tuple[dict[str, float], Any]:
    """Fit to the training part of a split as the search did. Returns scores and predictions of the test part."""
    with parallel_config(backend="sequential"):  # a fold is one task, whatever backend is active
        result = cross_validate(
            configured(estimator, params), X, y, cv=[split], scoring=scoring, params=metadata, error_score="raise",
            return_estimator=True,
        )  # fmt: skip
    scores = {key.removeprefix("test_"): float(value[0]) for key, value in result.items() if key.startswith("test_")}
    return scores, np.asarray(result["estimator"][0].predict(_safe_indexing(X, split[1])))


def _positions(test: NDArray[Any]) -> NDArray[np.intp]:
    return np.flatnonzero(test) if test.dtype == bool else test.astype(np.intp)


def _same_scores(results: Mapping[str, Any], place: int, folds: Sequence[Mapping[str, float]]) -> bool:
    """Whether the scores of the new fits are those of the search, except for rounding."""
    return all(
        f"split{number}_test_{name}" in results
        and np.isclose(score, results[f"split{number}_test_{name}"][place], rtol=0, atol=1e-6, equal_nan=True)
        for number, scores in enumerate(folds)
        for name, score in scores.items()
    )
