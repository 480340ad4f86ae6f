"""The decision page for the candidates of a search."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_is_fitted

from ..display._candidates import GAPS, MEASURES, Candidate, front_order, page_data
from ..display._code import as_text
from ..display._decision import READING, write_decision_page
from ..graph import Graph
from ..metrics import FairestWithin, MostAccurateWithin, compare_models
from ..metrics._assessed import NO_DEGREES
from ..metrics._inputs import check_choice
from ..metrics._refit import mean_scores
from ._delegate import Metadata
from ._folds import configured
from ._pooled import Pooled, out_of_fold

PER_NODE = ("degree", "groups", "clusters")
NOT_REPRODUCED = (
    "The candidates were fitted again, and their scores are not those of the search. Pass the nodes and the arguments "
    "that the search was fitted with, and set random_state in the estimator and in cv."
)


def search_page(
    search: Any,
    X: Any,
    y: Any,
    metadata: Metadata,
    *,
    path: str | Path | None,
    gap: str | None,
    title: str,
    options: Mapping[str, Any],
) -> str:
    """Write the page of a fitted search. The parameters are those of ``ParetoSearchCV.to_html``."""
    check_is_fitted(search)
    gaps = gaps_of(search, gap)
    if not isinstance(X, Graph) and all(options.get(name) is None for name in ("degree", "groups")):
        raise TypeError(NO_DEGREES)
    X, y = indexable(X, y)
    first = first_of_each(search, gaps)
    places = sorted(set(first))
    candidates = [candidate_of(search, place) for place in places]
    own = places.index(first[search.best_index_]) if hasattr(search, "best_index_") else None
    fronts = [front_order(candidates, each) for each in gaps]
    detailed = sorted(set().union(*fronts, [] if own is None else [own]))
    if not detailed:
        raise ValueError("No candidate of the search has an accuracy and a gap, so there is nothing to choose from.")
    pooled = out_of_fold(search, [places[each] for each in detailed], X, y, metadata)
    if not pooled.is_reproduced:
        warnings.warn(NOT_REPRODUCED, UserWarning, stacklevel=3)
    names = [candidates[each].name for each in detailed]
    most_accurate = next((candidates[front[-1]].name for front in fronts if front), names[0])
    comparison = compare_models(
        dict(zip(names, pooled.predictions, strict=True)),
        _safe_indexing(X, pooled.nodes) if isinstance(X, Graph) else None,
        _safe_indexing(y, pooled.nodes),
        **{"reference": most_accurate, **_of_nodes(options, pooled.nodes)},
    )
    texts = _texts(search, len(candidates), len(detailed), pooled)
    data = page_data(candidates, comparison, gaps=gaps, chosen=own, texts=texts, **_thresholds(search.refit))
    return write_decision_page(data, path, title)


def gaps_of(search: Any, gap: str | None) -> list[str]:
    """Return the gaps to show: those requested, by default those that are objectives of the search."""
    if gap is not None:
        check_choice("gap", gap, sorted(GAPS))
        return list(GAPS[gap])
    return [each for each in GAPS["both"] if f"neg_{each}" in search.objectives_] or list(GAPS["dsp"])


def first_of_each(search: Any, gaps: Sequence[str]) -> list[int]:
    """Return, for each trial, the position of the first trial with the same setting and the same scores.

    A sampler may repeat a setting. The page shows it once.
    """
    results = search.cv_results_
    for name in ("accuracy", *(f"neg_{gap}" for gap in gaps)):
        mean_scores(results, name)  # raises ValueError if the search does not have it
    first: dict[Any, int] = {}
    return [
        first.setdefault((str(_texts_of(params)), str(_scores(results, place)), bool(search.eligible_[place])), place)
        for place, params in enumerate(results["params"])
    ]


def candidate_of(search: Any, place: int) -> Candidate:
    """Return a candidate with its means and standard deviations over the folds."""
    results, params = search.cv_results_, search.cv_results_["params"][place]
    scores = _scores(results, place)
    return Candidate(
        name=f"Trial {results['trial'][place]}",
        scores={measure: mean for measure, (mean, _) in scores.items()},
        spread={measure: (mean - sd, mean + sd) for measure, (mean, sd) in scores.items()},
        estimator=configured(search.estimator, params),
        params=params,
        eligible=bool(search.eligible_[place]),
    )


def _scores(results: Mapping[str, Any], place: int) -> dict[str, tuple[float, float]]:
    """Return the mean and the standard deviation of each measure; NaN if the search does not have it."""
    found = {}
    for measure in MEASURES:
        key, sign = (measure, 1) if measure == "accuracy" else (f"neg_{measure}", -1)
        columns = (results.get(f"{kind}_test_{key}") for kind in ("mean", "std"))
        mean, sd = (np.nan if column is None else float(column[place]) for column in columns)
        found[measure] = sign * mean + 0.0, sd  # no negative zero
    return found


def _texts_of(params: Mapping[str, Any]) -> dict[str, str]:
    return {name: as_text(value) for name, value in params.items()}


def _of_nodes(options: Mapping[str, Any], nodes: Any) -> dict[str, Any]:
    """Select the nodes that were tested in the options that have one entry per node."""
    per_node = {name for name in PER_NODE if options.get(name) is not None and not isinstance(options[name], str)}
    return {name: _safe_indexing(value, nodes) if name in per_node else value for name, value in options.items()}


def _thresholds(rule: Any) -> dict[str, float]:
    if isinstance(rule, FairestWithin):
        return {"tolerance": rule.tolerance}
    return {"max_gap": rule.max_gap} if isinstance(rule, MostAccurateWithin) else {}


def _texts(search: Any, n: int, n_detailed: int, pooled: Pooled) -> dict[str, Any]:
    folds, n_nodes, n_trials = search.n_splits_, f"{len(pooled.nodes):,}", len(search.eligible_)
    repeated = f" {n_trials - n} of {n_trials} trials repeat an earlier one and are not shown." if n_trials > n else ""
    notes = [
        READING,
        f"Points in the plot and the rules use means over {folds} folds, as in the search: each fold is scored on its "
        "own test nodes. Small folds have larger gaps, because noise adds to a gap.",
        f"The large numbers of a candidate with details come from pooled out-of-fold predictions. {n_detailed} of {n} "
        "candidates, those on the front and the search's own choice, were fitted again on the same folds. Each of the "
        f"{n_nodes} nodes was predicted by a model that had not seen its label, and all predictions are assessed "
        "together. Therefore these numbers differ from the means over folds.",
        "The scores of a chosen candidate are optimistic, because it was chosen by them. Assess the final model on "
        "nodes that were not used in the search.",
    ]
    if not pooled.is_reproduced:
        notes.insert(0, f"Note: {NOT_REPRODUCED}")
    return {
        "lede": f"{n} candidate{'s' if n > 1 else ''} of a search, cross-validated on {folds} folds.{repeated}",
        "candidate": "candidate",
        "own": "chosen by the search",
        "folds": f"mean of {folds} folds",
        "plot": f"Each point is a candidate: means over {folds} folds. Outlined points are on the Pareto front: no "
        "other candidate beats them in both accuracy and gap. The cross shows ± one standard deviation over folds.",
        "details": f"Large numbers: pooled out-of-fold predictions for {n_nodes} nodes.",
        "undetailed": f"Means over {folds} folds. Candidates that are not on the front have no further details.",
        "scores": f"Means over {folds} folds, in percent and points.",
        "notes": notes,
    }
