"""A model card: what a model is, how it was assessed, what was found, and what this does not say."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._version import __version__
from ..graph import Graph
from . import _render
from ._assessed import unwrap
from ._report import DegreeFairnessReport

MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|#"} | {"<": "&lt;", ">": "&gt;", "\n": " ", "\r": " "})
PASSWORD = re.compile(r"(?<=://)[^\s'\"]*@")
"""The user and the password of an address, such as the storage of a search inside of a pipeline."""

LIMITS = (
    "The numbers are about these nodes and this fitted model. Another split, seed or graph gives other numbers.",
    "Only differences by degree were assessed. Other groups of people or things may be treated differently, too.",
    "A small gap is not a proof of fairness: a model that predicts one class for all nodes has no gap.",
)
DETECTABLE = (
    "With this number of nodes, {name} has to be at least {size} to be found beyond chance in 80 % of samples. A "
    "smaller gap may exist."
)
UNDETECTABLE = "With this number of nodes, no {name} can be distinguished from chance."


def model_card(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    title: str | None = None,
    purpose: str | None = None,
    path: str | os.PathLike[str] | None = None,
    report: DegreeFairnessReport | None = None,
    **options: Any,
) -> str:
    """Describe a fitted classifier and its degree fairness on one page of Markdown.

    Parameters
    ----------
    estimator : fitted classifier, alone, in a pipeline or in a search
        For a search, the page shows the selected classifier, not the options of the search.
    X : Graph or array-like of shape (n_nodes, n_features)
        The nodes to assess, such as ``G[test]``. Use nodes that the model was not trained on.
    y : array-like of shape (n_nodes,)
        True classes.
    title : str, default=None
        By default the name of the classifier's class.
    purpose : str, default=None
        What the model is meant for, and what it is not meant for; a paragraph of Markdown.
    path : str or path-like, default=None
        Where to write the page. If None, it is only returned.
    report : DegreeFairnessReport, default=None
        A report on the same nodes to show, such as one on predictions of a cross-validation. By default, the
        predictions of the estimator are assessed.
    **options
        Further parameters of :meth:`.DegreeFairnessReport.from_estimator`, such as ``groups``, ``clusters`` or
        ``reference``.

    Returns
    -------
    str
        The page. Names of classes, groups and features are shown as they are; none of their characters is markup.

    See Also
    --------
    skdegfair.metrics.DegreeFairnessReport : The numbers, and how they are computed.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import model_card
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> clf = DummyClassifier(strategy="stratified", random_state=0).fit(data.X, data.y)
    >>> card = model_card(clf, data.X, data.y, degree=data.graph)
    >>> [line for line in card.splitlines() if line.startswith("#")][:4]
    ['# Model card: DummyClassifier', '## Model', '## Data', '## Findings']
    """
    check_is_fitted(estimator)
    if report is None:
        report = DegreeFairnessReport.from_estimator(estimator, X, y, **options)
    elif options:
        raise TypeError(f"{next(iter(options))} has no effect, because a report is given. Pass only one of them.")
    parts = [
        f"# Model card: {_plain(title or report.name)}",
        *([purpose] if purpose else []),
        "## Model",
        "\n".join(f"    {line}" for line in _model(estimator).splitlines()),
        _listed(_training(estimator)),
        "## Data",
        _listed(_data(X, report)),
        "## Findings",
        _listed(
            f"{each.code} ({each.severity}): {each.title}. {each.statement} {each.advice}" for each in report.findings
        )
        or "None.",
        _plain(_render.note(report)),
    ]
    for heading, text, frame in _render.sections(report):
        parts += [f"## {_plain(heading)}", _plain(text), _table(frame)]
    parts += ["## Limits", _listed([*LIMITS, _render.what_is_drawn(report), *_detectable(report)])]
    page = "\n\n".join(part for part in parts if part) + "\n"
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def _model(estimator: Any) -> str:
    """The model with all of its parameters, but without passwords. For a search, only the selected model."""
    while hasattr(estimator, "best_estimator_"):
        estimator = estimator.best_estimator_
    is_plain = type(estimator).__repr__ is BaseEstimator.__repr__  # shortened by default
    text = BaseEstimator.__repr__(estimator, N_CHAR_MAX=sys.maxsize) if is_plain else repr(estimator)
    return PASSWORD.sub("***@", text)


def _training(estimator: Any) -> list[str]:
    """How the classifier was trained, if it has these attributes."""
    classifier = unwrap(estimator)
    facts = [f"skdegfair {__version__}"]
    if hasattr(classifier, "stop_reason_"):
        epochs = f"{classifier.n_iter_} epochs, weights of epoch {classifier.best_epoch_}"
        facts.append(f"{epochs}, ended by {classifier.stop_reason_}")
    return facts


def _data(X: Any, report: DegreeFairnessReport) -> list[str]:
    """What the model was assessed on."""
    facts = [f"{report.table.n_nodes} nodes were assessed."]
    if isinstance(X, Graph):
        kind = "directed" if X.directed else "undirected"
        facts.append(f"The {kind} graph has {X.n_nodes} nodes, {X.n_edges} edges and {X.shape[1]} features.")
        quartiles = ", ".join(f"{each:g}" for each in np.percentile(X.degree(), [0, 25, 50, 75, 100]))
        facts.append(f"Degrees of the assessed nodes (minimum, quartiles, maximum): {quartiles}.")
    facts.append("Classes: " + ", ".join(map(str, report.classes)) + ".")
    return facts + _render.terms(report)


def _detectable(report: DegreeFairnessReport) -> list[str]:
    names = {name: _render.TITLES[name] for name in report.detectable_gaps.index}
    return [
        DETECTABLE.format(name=names[name], size=f"{_render.percent(size)} %")
        if np.isfinite(size)
        else UNDETECTABLE.format(name=names[name])
        for name, size in report.detectable_gaps.items()
    ]


def _table(frame: pd.DataFrame) -> str:
    """A table in Markdown; columns of several levels are joined."""
    names = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    rows = [["", *names], ["---"] * (len(names) + 1)]
    rows += [[str(label), *map(str, row)] for label, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)]
    return "\n".join("| " + " | ".join(map(_plain, row)) + " |" for row in rows)


def _listed(facts: Any) -> str:
    return "\n".join(f"- {_plain(fact)}" for fact in facts)


def _plain(text: Any) -> str:
    """Text in which no character is markup."""
    return str(text).translate(MARKS)
