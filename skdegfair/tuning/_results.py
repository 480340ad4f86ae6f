"""Tables of a search, with the columns of scikit-learn's searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ..metrics import undominated
from ._folds import Fold


def results_of(
    numbers: Sequence[int], settings: Sequence[Mapping[str, Any]], outcomes: Sequence[Sequence[Fold]]
) -> dict[str, Any]:
    """Make ``cv_results_``: the columns of scikit-learn's searches, and the number of each trial in the study."""
    results: dict[str, Any] = {"trial": np.array(numbers)}
    for name in ("fit_time", "score_time"):
        times = np.array([[fold[name] for fold in folds] for folds in outcomes])
        results[f"mean_{name}"], results[f"std_{name}"] = times.mean(1), times.std(1)
    for name in dict.fromkeys(name for setting in settings for name in setting):
        results[f"param_{name}"] = _masked(name, settings)
    results["params"] = [dict(setting) for setting in settings]
    for name in dict.fromkeys(name for folds in outcomes for fold in folds for name in fold["scores"]):
        scores = np.array([[fold["scores"].get(name, np.nan) for fold in folds] for folds in outcomes])
        for number, column in enumerate(scores.T):
            results[f"split{number}_test_{name}"] = column
        mean = results[f"mean_test_{name}"] = scores.mean(1)
        results[f"std_test_{name}"] = scores.std(1)
        results[f"rank_test_{name}"] = rankdata(np.nan_to_num(-mean, nan=np.inf), method="min").astype(np.int32)
    return results


def front_of(results: Mapping[str, Any], objectives: Sequence[str], allowed: Any) -> pd.DataFrame:
    """Make a table of the allowed trials that no other one dominates.

    It has their parameters, means and standard deviations, sorted by the first objective, best first.
    """
    points = np.column_stack([results[f"mean_test_{name}"] for name in objectives])
    places = np.flatnonzero(allowed)
    places = places[undominated(points[places])]
    index = pd.Index(results["trial"], name="trial")
    names = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
    scores = {f"{kind}_test_{name}": results[f"{kind}_test_{name}"] for name in names for kind in ("mean", "std")}
    frame = pd.concat([pd.DataFrame(results["params"], index=index), pd.DataFrame(scores, index=index)], axis=1)
    return frame.iloc[places].sort_values([f"mean_test_{name}" for name in objectives], ascending=False)


def entries(results: Mapping[str, Any], places: Any) -> dict[str, Any]:
    """Return the entries of ``cv_results_`` for some of the trials."""
    return {key: [each[p] for p in places] if key == "params" else each[places] for key, each in results.items()}


def _masked(name: str, settings: Sequence[Mapping[str, Any]]) -> Any:
    """Return the values of one parameter, masked for trials that do not have it."""
    kinds = {type(setting[name]) for setting in settings if name in setting}
    dtype = next(iter(kinds)) if kinds in ({int}, {bool}) else float if kinds <= {int, float} else object
    column = np.ma.masked_all(len(settings), dtype=dtype)
    for place, setting in enumerate(settings):
        if name in setting:
            column[place] = setting[name]
    return column
