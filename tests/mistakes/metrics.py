"""Mistakes with classes, predictions and degrees: what metrics, reports, comparisons and displays have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression

from skdegfair.display import DegreeCurveDisplay, DegreeGapDisplay, ParetoDisplay
from skdegfair.exceptions import EmptyGroupWarning
from skdegfair.metrics import (
    DegreeFairnessReport,
    compare_fairness,
    compare_models,
    degree_fairness_report,
    delta_deo,
    delta_dsp,
    fairness_scoring,
    gaps,
    get_scorer,
    group_counts,
    group_scores,
    recalls,
)

from .cases import Mistake, World

OTHER_ORDER = "have the same labels in a different order"
HAS_MATPLOTLIB = find_spec("matplotlib") is not None
FEW = {"n_resamples": 9}


def predicted(w: World) -> Any:
    return np.roll(w.y, 1)


def named(w: World, values: Any, *, shuffled: bool = False) -> pd.Series:
    series = pd.Series(values, index=w.nodes)
    return series.iloc[w.order] if shuffled else series


def report(w: World, **options: Any) -> DegreeFairnessReport:
    return degree_fairness_report(w.y, predicted(w), **{"degree": w.degree, **FEW, **options})


def compared(w: World, **options: Any) -> Any:
    return compare_models({"Plain": w.y, "Fair": predicted(w)}, w.G, w.y, **{**FEW, **options})


def linear(w: World) -> LogisticRegression:
    return LogisticRegression().fit(w.X, w.y)


def assessed(w: World, estimator: Any = None, **options: Any) -> DegreeFairnessReport:
    estimator = linear(w) if estimator is None else estimator
    return DegreeFairnessReport.from_estimator(estimator, w.X, w.y, **{"degree": w.degree, **FEW, **options})


def drawn(act: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Draw, and close the figure."""
    try:
        return act(*arguments, **options)
    finally:
        plt.close("all")


METRICS: dict[str, Callable[..., Any]] = {
    "delta_dsp": delta_dsp,
    "delta_deo": delta_deo,
    "group_scores": group_scores,
    "report": degree_fairness_report,
    "compare_models": lambda y, y_pred, **options: compare_models({"a": y_pred}, None, y, **options),
    "compare_fairness": lambda y, y_pred, **options: compare_fairness(y, y_pred, y_pred, **options),
}
"""Everything that takes true classes, predictions and degrees."""

if HAS_MATPLOTLIB:
    import matplotlib.pyplot as plt

    METRICS |= {
        "gap display": partial(drawn, DegreeGapDisplay.from_predictions),
        "curve display": partial(drawn, DegreeCurveDisplay.from_predictions),
        "pareto display": lambda y, y_pred, **options: drawn(
            ParetoDisplay.from_predictions, y, {"a": y_pred}, **options
        ),
    }

LABELS = [
    mistake
    for name, metric in METRICS.items()
    for mistake in (
        Mistake(
            f"{name}: predictions in another order",
            lambda w, metric=metric: metric(w.series, named(w, predicted(w), shuffled=True), degree=w.degree),
            ValueError,
            (OTHER_ORDER,),
        ),
        Mistake(
            f"{name}: degrees in another order",
            lambda w, metric=metric: metric(w.y, named(w, predicted(w)), degree=named(w, w.degree, shuffled=True)),
            ValueError,
            ("degree", OTHER_ORDER),
        ),
        Mistake(
            f"{name}: true classes as a data frame in another order than the graph",
            lambda w, metric=metric: metric(w.series.to_frame().iloc[w.order], w.y, degree=w.named),
            ValueError,
            ("degree and y", OTHER_ORDER),
        ),
        Mistake(
            f"{name}: probabilities of a class",
            lambda w, metric=metric: metric(w.y, linear(w).predict_proba(w.X)[:, 1], degree=w.degree),
            ValueError,
            ("one class per node, got the number 0.", "clf.predict(G)"),
        ),
        Mistake(
            f"{name}: regression targets",
            lambda w, metric=metric: metric(w.X[:, 0], w.y, degree=w.degree),
            ValueError,
            ("one class per node, got the number", "regression targets"),
        ),
        Mistake(
            f"{name}: strings and numbers",
            lambda w, metric=metric: metric(w.y, w.y.astype(str), degree=w.degree),
            ValueError,
            ("holds int64 and", "holds strings. Convert both"),
        ),
        Mistake(
            f"{name}: another number of degrees",
            lambda w, metric=metric: metric(w.y, w.y, degree=w.degree[:-1]),
            ValueError,
            ("39", "40"),
        ),
        Mistake(
            f"{name}: a negative degree",
            lambda w, metric=metric: metric(w.y, w.y, degree=np.where(w.degree > 8, -1, w.degree)),
            ValueError,
            ("degree must contain one finite number per node", "got -1"),
        ),
    )
]

EQUAL_DEGREES = [
    Mistake(
        f"{name}: all degrees are equal",
        lambda w, metric=metric: metric(w.y, w.y, degree=np.ones(40)),
        EmptyGroupWarning,
        ("No node in", "group 'high'"),
    )
    for name, metric in METRICS.items()
    if name != "curve display"
] + [
    Mistake(
        "scorer: all degrees are equal",
        lambda w: fairness_scoring(linear(w), w.X, w.y, degree=np.ones(40)),
        EmptyGroupWarning,
        ("No node in group 'high'",),
    ),
    Mistake(
        "scorer: a gap between equal degrees is not 0",
        lambda w: silently(lambda: get_scorer("neg_delta_dsp")(linear(w), w.X, w.y, degree=np.ones(40))),
        lambda _: np.nan,
    ),
]


def silently(act: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyGroupWarning)
        return act()


CLASSES = [
    Mistake(
        "two columns of probabilities",
        lambda w: delta_dsp(w.y, linear(w).predict_proba(w.X), degree=w.degree),
        ValueError,
        ("y_pred", "an array of shape (40, ", "clf.predict(G)"),
    ),
    Mistake(
        "a classifier instead of its predictions",
        lambda w: delta_dsp(w.y, w.clf, degree=w.G),
        ValueError,
        ("y_pred", "got a DegFairGNNClassifier", "clf.predict(G)"),
    ),
    Mistake(
        "whole numbers as floats",
        lambda w: delta_dsp(w.y.astype(float), predicted(w), degree=w.degree),
        lambda w: delta_dsp(w.y, predicted(w), degree=w.degree),
    ),
    Mistake(
        "nullable integers stay integers",
        lambda w: (
            report(w, labels=pd.array(np.unique(w.y), dtype="Int64")).classes
            + degree_fairness_report(
                pd.array(w.y, dtype="Int64"), pd.Series(w.y, dtype="Int64"), groups=pd.array(w.y % 2, dtype="Int64")
            ).groups
        ),
        lambda w: [*np.unique(w.y), 0, 1],
    ),
    Mistake(
        "booleans and integers",
        lambda w: delta_dsp(w.y > 0, (predicted(w) > 0).astype(int), degree=w.degree),
        lambda w: delta_dsp((w.y > 0).astype(int), (predicted(w) > 0).astype(int), degree=w.degree),
    ),
    Mistake(
        "classes as a data frame",
        lambda w: delta_dsp(w.series.to_frame(), w.y, degree=w.degree),
        DataConversionWarning,
        ("column-vector y",),
    ),
    Mistake(
        "strings and bytes",
        lambda w: delta_dsp(w.y.astype(str), w.y.astype("S"), degree=w.degree),
        ValueError,
        ("y_true holds strings and y_pred holds bytes",),
    ),
    Mistake(
        "predictions that are None",
        lambda w: delta_dsp(w.y, [None] * 40, degree=w.degree),
        ValueError,
        ("y_pred holds 40 missing labels",),
    ),
    Mistake(
        "a generator of predictions",
        lambda w: delta_dsp(w.y, (label for label in w.y), degree=w.degree),
        ValueError,
        ("y_pred", "got a generator"),
    ),
    Mistake(
        "dates as classes",
        lambda w: delta_dsp(pd.date_range("2020", periods=40), w.y, degree=w.degree),
        ValueError,
        ("y_true", "labels of the type"),
    ),
    Mistake(
        "tuples as classes",
        lambda w: delta_dsp([(1, 2)] * 40, w.y, degree=w.degree),
        ValueError,
        ("y_true", "an array of shape (40, 2)"),
    ),
    Mistake("a graph as classes", lambda w: delta_dsp(w.G, w.y, degree=w.G), ValueError, ("y_true", "got a Graph")),
    Mistake("no nodes", lambda _: delta_dsp([], [], degree=[]), ValueError, ("no nodes to assess: y_true is empty",)),
    Mistake(
        "one node", lambda _: delta_dsp([1], [1], degree=[3]), EmptyGroupWarning, ("No node in degree group 'high'",)
    ),
    Mistake("one class", lambda w: delta_dsp(np.zeros(40), np.zeros(40), degree=w.degree), lambda _: 0.0),
    Mistake(
        "one class that is missing from a group",
        lambda _: delta_deo([0, 0, 1], [0, 0, 1], groups=[0, 1, 1]),
        EmptyGroupWarning,
        ("No node of class 1 in degree group 0",),
    ),
    Mistake(
        "thousands of classes",
        lambda _: delta_dsp(np.arange(5000), np.arange(5000), degree=np.arange(5000)),
        ValueError,
        ("5000 classes", "too large", "merge rare classes"),
    ),
    Mistake(
        "labels of another type",
        lambda w: delta_dsp(w.y, w.y, degree=w.degree, labels=["0", "1", "2"]),
        ValueError,
        ("labels holds strings",),
    ),
    Mistake(
        "labels that are a number",
        lambda w: delta_dsp(w.y, w.y, degree=w.degree, labels=3),
        ValueError,
        ("labels", "got 3"),
    ),
    Mistake(
        "counts of a class that does not exist",
        lambda w: group_counts(w.y + 9, w.y, w.y % 2, 3),
        ValueError,
        ("y_true must contain positions below 3, got 11",),
    ),
    Mistake(
        "infinite classes",
        lambda _: delta_dsp([0, np.inf], [0, 1], degree=[1, 2]),
        ValueError,
        ("y_true", "number inf"),
    ),
    Mistake(
        "counts of lists",
        lambda _: recalls(group_counts([0, 1], [0, 1], [0, 1], 2).tolist()),
        lambda _: [[1, np.nan], [np.nan, 1]],
    ),
    Mistake(
        "compare_fairness: missing true classes",
        lambda w: compare_fairness(np.where(w.y == 0, np.nan, w.y), w.y, w.y, degree=w.degree),
        ValueError,
        ("y_true holds", "as in y_true[known]"),
    ),
    Mistake(
        "compare_fairness: predictions of fewer nodes",
        lambda w: compare_fairness(w.y, w.y, w.y[1:], degree=w.degree),
        ValueError,
        ("y_other has 39 entries",),
    ),
    Mistake(
        "an unused category as a group",
        lambda w: compare_models(
            {"a": w.y, "b": w.y, "c": w.y}, w.G, w.y, groups=pd.Categorical(w.y % 2, [0, 1, 2]), **FEW
        ),
        EmptyGroupWarning,
        ("No node in group 2", "remove_unused_categories()"),
    ),
    Mistake("gap of one group", lambda _: gaps(np.array([0.5])), lambda _: np.nan),
]

MISTAKES = [*LABELS, *EQUAL_DEGREES, *CLASSES]
