"""Mistakes with displays."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import GraphTransformer
from skdegfair.display import (
    DegreeCurveDisplay,
    DegreeGapDisplay,
    ParetoDisplay,
    TrainingDisplay,
    report_figures,
    report_page,
)
from skdegfair.metrics import SCORERS

from .cases import Mistake
from .metrics import HAS_MATPLOTLIB, compared, drawn, linear, predicted, report
from .models import with_placeholder

if HAS_MATPLOTLIB:
    import matplotlib.pyplot as plt


def scaled(classifier: Any) -> Any:
    return make_pipeline(GraphTransformer(StandardScaler()), classifier)


DISPLAYS = [
    Mistake(
        "the curve of equal degrees is a point",
        lambda w: drawn(DegreeCurveDisplay.from_predictions, w.y, w.y, degree=np.ones(40)).curve["n"],
        lambda _: [40],
    ),
    Mistake(
        "training of a pipeline",
        lambda w: drawn(TrainingDisplay.from_estimator, scaled(w.fitted()).fit(w.G, w.y)).history.columns,
        lambda w: w.fitted().history_.columns,
    ),
    Mistake(
        "training of a search",
        lambda w: len(
            drawn(TrainingDisplay.from_estimator, GridSearchCV(w.plain, {"dropout": [0.1]}, cv=2).fit(w.G, w.y)).history
        ),
        lambda _: 2,
    ),
    Mistake(
        "training of a search that is not fitted",
        lambda w: TrainingDisplay.from_estimator(GridSearchCV(w.clf, {"dropout": [0.1]})),
        NotFittedError,
        ("GridSearchCV", "fit"),
    ),
    Mistake(
        "training of a pipeline that is not fitted",
        lambda w: TrainingDisplay.from_estimator(scaled(w.clf)),
        NotFittedError,
        ("Pipeline", "fit"),
    ),
    Mistake(
        "training of another classifier",
        lambda w: TrainingDisplay.from_estimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(w.X, w.y)),
        TypeError,
        ("LogisticRegression has no history_",),
    ),
    Mistake(
        "history as a list", lambda _: TrainingDisplay([0.1, 0.2]), TypeError, ("history must be a DataFrame", "clf.")
    ),
    Mistake("axes that are a number", lambda w: DegreeGapDisplay.from_report(report(w), ax=5), TypeError, ("ax", "5")),
    Mistake(
        "a figure as axes",
        lambda w: drawn(DegreeCurveDisplay.from_scores, w.y, degree=w.G, ax=plt.figure()),
        TypeError,
        ("ax must contain matplotlib Axes", "got a Figure"),
    ),
    Mistake(
        "two axes for one plot",
        lambda w: drawn(DegreeCurveDisplay.from_scores, w.y, degree=w.G, ax=plt.subplots(2)[1]),
        ValueError,
        ("needs 1 axes, got 2",),
    ),
    Mistake(
        "one panel as a string",
        lambda w: len(drawn(DegreeGapDisplay.from_report, report(w), panels="recall").axes_),
        lambda _: 1,
    ),
    Mistake(
        "an unknown panel",
        lambda w: DegreeGapDisplay.from_report(report(w), panels="precision"),
        ValueError,
        ("panels must be a subset of", "precision"),
    ),
    Mistake("no report", lambda w: DegreeGapDisplay.from_report(w.y), TypeError, ("report must be a DegreeFair",)),
    Mistake("a page of no report", lambda w: report_page(compared(w)), TypeError, ("got a ModelComparison",)),
    Mistake("figures of no report", lambda _: report_figures(None), TypeError, ("report must be", "got None")),
    Mistake("curve of an array", lambda w: DegreeCurveDisplay(w.y), TypeError, ("curve must be", "degree_curve")),
    Mistake("rates of a data frame", lambda w: DegreeGapDisplay(w.frame, w.frame), ValueError, ("rates", "missing")),
    Mistake(
        "an unknown model is chosen",
        lambda w: ParetoDisplay.from_comparison(compared(w), chosen="zz"),
        ValueError,
        ("chosen must be one of ['Plain', 'Fair'], got 'zz'",),
    ),
    Mistake(
        "an unknown prediction is chosen",
        lambda w: ParetoDisplay.from_predictions(w.y, {"a": w.y}, degree=w.G, chosen="b"),
        ValueError,
        ("chosen must be one of ['a'], got 'b'",),
    ),
    Mistake(
        "models with numbers as names",
        lambda w: drawn(ParetoDisplay.from_predictions, w.y, {1: w.y, 2: predicted(w)}, degree=w.G, chosen=2).chosen,
        lambda _: 1,
    ),
    Mistake(
        "estimators without names",
        lambda w: ParetoDisplay.from_estimator([w.clf], w.G, w.y),
        TypeError,
        ("estimators must be a dict",),
    ),
    Mistake(
        "the accuracy curve of a classifier that is not fitted",
        lambda w: DegreeCurveDisplay.from_estimator(w.clf, w.G, w.y),
        NotFittedError,
        ("DegFairGNNClassifier",),
    ),
    Mistake(
        "the curve of a pipeline is named like its classifier",
        lambda w: drawn(
            DegreeCurveDisplay.from_estimator, make_pipeline(LogisticRegression()).fit(w.X, w.y), w.X, w.y, degree=w.G
        ).line_.get_label(),
        lambda _: "LogisticRegression",
    ),
    Mistake("a position that is chosen", lambda _: ParetoDisplay([0.9], [0.1], chosen=3), ValueError, ("chosen",)),
    Mistake("more gaps than models", lambda _: ParetoDisplay([0.9], [0.1, 0.2]), ValueError, ("gap has 2 entries",)),
    Mistake("no comparison", lambda w: ParetoDisplay.from_comparison(w.y), TypeError, ("comparison must be a Model",)),
    Mistake(
        "predictions without names",
        lambda w: ParetoDisplay.from_predictions(w.y, w.y, degree=w.G),
        TypeError,
        ("predictions must be a dict",),
    ),
    Mistake("no models", lambda w: ParetoDisplay.from_estimator({}, w.G, w.y), TypeError, ("estimators must be",)),
    Mistake(
        "front of a search that is not fitted",
        lambda w: ParetoDisplay.from_search(GridSearchCV(w.clf, {"dropout": [0.1]})),
        NotFittedError,
        ("GridSearchCV",),
    ),
    Mistake(
        "front of a classifier",
        lambda w: ParetoDisplay.from_search(linear(w)),
        TypeError,
        ("search must be a fitted search", "LogisticRegression"),
    ),
    Mistake(
        "the placeholders of two models differ",
        lambda w: drawn(
            ParetoDisplay.from_estimator,
            {"a": with_placeholder(w), "b": w.fitted()},
            w.G,
            np.where(w.degree > 9, -1, w.y),
        ).accuracy[0],
        lambda w: SCORERS["accuracy"](with_placeholder(w), w.G[w.degree <= 9], w.y[w.degree <= 9]),
    ),
]

MISTAKES = DISPLAYS if HAS_MATPLOTLIB else []
