"""Data of the decision page. Everything that the page shows is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from ..metrics import DegreeFairnessReport, FairestWithin, ModelComparison, pareto_front
from ._code import as_text, changed_params, code_of

MEASURES = ("accuracy", "delta_dsp", "delta_deo")
GAPS = {"dsp": ("delta_dsp",), "deo": ("delta_deo",), "both": ("delta_dsp", "delta_deo")}


@dataclass(frozen=True)
class Candidate:
    """One point of the plot.

    Parameters
    ----------
    name : str
        If the candidate has details, its name in the comparison.
    scores : dict
        Accuracy and gaps that are drawn and that the rules compare; NaN if they are not known.
    spread : dict
        Lower and upper end of each score.
    estimator : classifier or None, default=None
        For the code. None if there are only predictions.
    params : dict or None, default=None
        Parameters to show. By default those of the estimator that differ from their defaults.
    eligible : bool, default=True
        Whether it may be on the front and chosen by a rule.
    """

    name: str
    scores: Mapping[str, float]
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    estimator: Any = None
    params: Mapping[str, Any] | None = None
    eligible: bool = True


def page_data(
    candidates: Sequence[Candidate],
    comparison: ModelComparison,
    *,
    gaps: Sequence[str],
    chosen: int | None,
    texts: Mapping[str, Any],
    tolerance: float = 0.02,
    max_gap: float = 0.1,
) -> dict[str, Any]:
    """Return what the page shows, ready for JSON: numbers are fractions, and None where they are not defined.

    Parameters
    ----------
    candidates : sequence of Candidate
    comparison : ModelComparison
        Comparison of the candidates that have details.
    gaps : sequence of {"delta_dsp", "delta_deo"}
        The gaps that the plot can show. The first one is shown initially.
    chosen : int or None
        The candidate that is shown first. By default the fairest one within ``tolerance``.
    texts : dict
        Sentences that say what the numbers are.
    tolerance, max_gap : float, default=0.02, 0.1
        Initial thresholds of the rules.
    """
    report = comparison.reports[comparison.reference]
    baseline = comparison.table["value"].unstack("measure").loc["majority vote"]
    return cleaned(
        {
            "candidates": [_candidate(each, comparison) for each in candidates],
            "gaps": list(gaps),
            "fronts": {gap: front_order(candidates, gap) for gap in gaps},
            "chosen": first_choice(candidates, gaps[0], tolerance) if chosen is None else chosen,
            "own": chosen,
            "baseline": {measure: baseline[measure] for measure in MEASURES},
            "reference": comparison.reference,
            "level": f"{100 * report.confidence_level:g} %",
            "n_nodes": report.table.n_nodes,
            "rules": {"tolerance": tolerance, "max_gap": max_gap},
            "texts": dict(texts),
        }
    )


def front_order(candidates: Sequence[Candidate], gap: str) -> list[int]:
    """Return the positions of the candidates on the front, the fairest first."""
    accuracy, unfair = (
        np.array([each.scores[name] if each.eligible else np.nan for each in candidates]) for name in ("accuracy", gap)
    )
    front = np.flatnonzero(pareto_front(accuracy, unfair))
    return [int(number) for number in front[np.lexsort((accuracy[front], unfair[front]))]]


def first_choice(candidates: Sequence[Candidate], gap: str, tolerance: float) -> int:
    """Return the fairest candidate within a tolerance, or the first one if the gap is never defined."""
    places = [number for number, each in enumerate(candidates) if each.eligible]
    accuracy = np.array([candidates[place].scores["accuracy"] for place in places])
    fairness = np.array([-candidates[place].scores[gap] for place in places])
    if not (~np.isnan(accuracy) & ~np.isnan(fairness)).any():
        return 0
    try:
        best = FairestWithin(tolerance)({"mean_test_accuracy": accuracy, "mean_test_neg_delta_dsp": fairness})
    except ValueError:  # the gap is not defined for any of those that are accurate enough
        best = int(np.nanargmax(np.where(np.isnan(fairness), np.nan, accuracy)))
    return places[best]


def details_of(comparison: ModelComparison, name: str) -> dict[str, Any]:
    """Return the details of one candidate: its measures, and the results of each group."""
    report = comparison.reports[name]
    return {
        "measures": {measure: _measure(comparison, name, measure) for measure in MEASURES},
        "groups": _groups(report),
        "rates": _rates(report),
        "findings": [
            {**{key: getattr(same[0], key) for key in ("code", "severity", "title", "advice")},
             "statements": [each.statement for each in same]}
            for same in (list(each) for _, each in groupby(report.findings, key=lambda finding: finding.code))
        ],
    }  # fmt: skip


def cleaned(value: Any) -> Any:
    """Convert to values that JSON supports: plain numbers, and None for NaN and infinity."""
    if isinstance(value, Mapping):
        return {str(key): cleaned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value


def _candidate(candidate: Candidate, comparison: ModelComparison) -> dict[str, Any]:
    params, estimator = candidate.params, candidate.estimator
    if params is None:
        params = {} if estimator is None else changed_params(estimator)
    return {
        "name": candidate.name,
        "scores": {measure: candidate.scores[measure] for measure in MEASURES},
        "spread": candidate.spread,
        "eligible": candidate.eligible,
        "params": [[name, as_text(value)] for name, value in params.items()],
        "code": None if estimator is None else code_of(estimator),
        "details": details_of(comparison, candidate.name) if candidate.name in comparison.reports else None,
    }


def _measure(comparison: ModelComparison, name: str, measure: str) -> dict[str, Any]:
    row = comparison.table.loc[(measure, name)]
    found = {"value": row["value"], "corrected": row["corrected"], "low": row["ci_low"], "high": row["ci_high"]}
    if measure != "accuracy":
        gap = comparison.reports[name].gaps.loc[measure]
        found |= {"chance": gap["null_mean"], "p_value": gap["p_value"]}
    if name != comparison.reference:
        found["difference"] = {
            "value": row["corrected_difference"], "low": row["difference_low"], "high": row["difference_high"],
            "p_value": row["p_value"],
        }  # fmt: skip
    return found


def _groups(report: DegreeFairnessReport) -> list[dict[str, Any]]:
    scores = report.group_scores
    known = "degree_min" in scores and not scores["degree_min"].isna().all()
    return [
        {
            "name": str(group),
            "n": row["n"],
            "degrees": f"{row['degree_min']:g} to {row['degree_max']:g}" if known and row["n"] else None,
            "accuracy": row["accuracy"],
        }
        for group, row in ((group, scores.loc[group]) for group in report.groups)
    ]


def _rates(report: DegreeFairnessReport) -> list[dict[str, Any]]:
    """Return one entry per class: how often it is predicted in each group, and its recall."""
    return [
        {
            "class": str(label),
            "groups": [
                {
                    "predicted": _rate(report, "predicted", label, group, report.counts[number, :, place].sum()),
                    "recall": _rate(report, "recall", label, group, report.counts[number, place, place]),
                }
                for number, group in enumerate(report.groups)
            ],
        }
        for place, label in enumerate(report.classes)
    ]


def _rate(report: DegreeFairnessReport, rate: str, label: Any, group: Any, count: Any) -> dict[str, Any]:
    row = report.rates.loc[(rate, label, group)]
    return {"rate": row["rate"], "low": row["ci_low"], "high": row["ci_high"], "count": int(count), "n": int(row["n"])}
