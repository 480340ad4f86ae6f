"""A page on which a user compares candidates and chooses one."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..metrics import ModelComparison, compare_models
from ..metrics._inputs import check_choice
from ._candidates import GAPS, MEASURES, Candidate, page_data

TITLE = "Accuracy and degree fairness"
SCRIPTS = ("rules.js", "elements.js", "plot.js", "details.js", "page.js")
READING = (
    "Delta DSP (degree statistical parity) is the difference between the groups in how often each class is predicted, "
    "and delta DEO (degree equal opportunity) is their difference in recall; both are means over the classes. Lower is "
    "fairer. Noise makes gaps larger: intervals are around an estimate without this part. A majority vote has no gaps. "
    "Intervals and p-values treat nodes as independent unless clusters were given. Neighbors have similar errors, "
    "so the results are less certain than they say."
)
SEARCH = "models is a search. Use search.to_html(path, X, y), which assesses its candidates out of fold."


def decision_page(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    path: str | Path | None = None,
    *,
    gap: str = "both",
    chosen: str | None = None,
    title: str = TITLE,
    **options: Any,
) -> str:
    """Write a self-contained page on which models are compared and one of them is chosen.

    The page plots accuracy against a gap and marks the Pareto front. Move along the front with a slider, the
    arrow keys or by clicking a point, or try the rules :class:`~skdegfair.metrics.FairestWithin` and
    :class:`~skdegfair.metrics.MostAccurateWithin`. For the chosen model, the page shows accuracy and both gaps with
    their intervals, the results of each degree group, the findings of the report, the parameters, and Python code
    that makes the model. The page needs no network.

    Parameters
    ----------
    models : dict from names to fitted classifiers or array-like of shape (n_nodes,)
        Classifiers predict X; arrays are predictions for the nodes in X.
    X : Graph or array-like of shape (n_nodes, n_features)
        The nodes to assess, as in ``G[test]``. May be None if there are only predictions.
    y : array-like of shape (n_nodes,)
        True classes.
    path : str or Path, default=None
        Where to write the page. If None, it is only returned.
    gap : {"both", "dsp", "deo"}, default="both"
        The gap in the plot: degree statistical parity (DSP), degree equal opportunity (DEO), or a switch between them.
    chosen : str, default=None
        Name of the model to show first. By default the one that ``FairestWithin(0.02)`` chooses.
    title : str, default="Accuracy and degree fairness"
    **options
        As for :func:`~skdegfair.metrics.compare_models`, such as ``degree``, ``groups``, ``reference`` and
        ``n_resamples``.

    Returns
    -------
    str
        The page.

    See Also
    --------
    skdegfair.tuning.ParetoSearchCV.to_html : The same for the candidates of a search.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.display import decision_page
    >>> random = np.random.RandomState(0)
    >>> degree, y = random.poisson(5, size=500), random.randint(2, size=500)
    >>> models = {"biased": np.where(degree > 6, 1, y), "fair": np.where(random.rand(500) < 0.1, 1 - y, y)}
    >>> decision_page(models, None, y, degree=degree).startswith("<!DOCTYPE html>")
    True
    """
    check_choice("gap", gap, sorted(GAPS))
    if hasattr(models, "cv_results_"):
        raise TypeError(SEARCH)
    if chosen is not None and isinstance(models, Mapping):
        check_choice("chosen", chosen, models)
    comparison = compare_models(models, X, y, **options)
    data = page_data(
        [_candidate(name, model, comparison) for name, model in models.items()],
        comparison,
        gaps=GAPS[gap],
        chosen=None if chosen is None else list(models).index(chosen),
        texts=_texts(comparison),
    )
    return write_decision_page(data, path, title)


def write_decision_page(data: Mapping[str, Any], path: str | Path | None, title: str) -> str:
    """Render data of :func:`page_data` as a self-contained page, and write it to a file if there is a path."""
    folder = files(__package__) / "decision"
    style = (folder / "style.css").read_text(encoding="utf-8")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    parts = {
        "title": escape(title),
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}",
        "style": style,
        "data": as_json(data),
        "script": script,
    }
    page = (folder / "page.html").read_text(encoding="utf-8")
    before, *rest = page.split("{{")  # one pass: a title with braces stays as it is
    pieces = [before]
    for each in rest:
        name, _, text = each.partition("}}")
        pieces += [parts[name], text]
    result = "".join(pieces)
    if path is not None:
        Path(path).write_text(result, encoding="utf-8")
    return result


def as_json(data: Mapping[str, Any]) -> str:
    """Return JSON that can stand inside a script element: no text can end the element or begin a comment."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(text: str) -> str:
    """Name a script or a style in a content security policy, so that the browser runs no other one."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _candidate(name: str, model: Any, comparison: ModelComparison) -> Candidate:
    rows = {measure: comparison.table.loc[(measure, name)] for measure in MEASURES}
    estimator = unwrap_search(model)
    return Candidate(
        name=name,
        scores={measure: float(row["value"]) for measure, row in rows.items()},
        spread={measure: (float(row["ci_low"]), float(row["ci_high"])) for measure, row in rows.items()},
        estimator=estimator if hasattr(estimator, "get_params") else None,
    )


def unwrap_search(model: Any) -> Any:
    """Return the estimator that a fitted search has chosen; other models as they are."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model


def _texts(comparison: ModelComparison) -> dict[str, Any]:
    n = len(comparison.reports)
    report = comparison.reports[comparison.reference]
    nodes = f"{report.table.n_nodes:,} nodes"
    return {
        "lede": f"{n} model{'s' if n > 1 else ''}, assessed on the same {nodes}.",
        "candidate": "model",
        "plot": "Each point is a model. Outlined points are on the Pareto front: no other model beats them in both "
        f"accuracy and gap. The cross shows the {100 * report.confidence_level:g} % intervals of the chosen one.",
        "details": f"Measured on {nodes}.",
        "scores": f"Observed on {nodes}, in percent and points.",
        "notes": [
            READING,
            f"All numbers are for the same {nodes} and these fitted models. They vary more across splits and seeds.",
        ],
    }
