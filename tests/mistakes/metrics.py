"""Mistakes with metrics, reports, comparisons, scorers and displays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import DegFairGNNClassifier, GraphTransformer
from skdegfair.display import (
    DegreeCurveDisplay,
    DegreeGapDisplay,
    ParetoDisplay,
    TrainingDisplay,
    report_figures,
    report_page,
)
from skdegfair.exceptions import EmptyGroupWarning
from skdegfair.metrics import (
    SCORERS,
    DegreeFairnessReport,
    FairnessScoring,
    Tradeoff,
    compare_fairness,
    compare_models,
    degree_curve,
    degree_fairness_report,
    delta_deo,
    delta_dsp,
    fairness_scoring,
    gaps,
    get_scorer,
    group_counts,
    group_scores,
    make_degree_scorer,
)

from .cases import Mistake, World

OTHER_ORDER = "have the same labels in a different order"
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


METRICS: dict[str, Callable[..., Any]] = {
    "delta_dsp": delta_dsp,
    "delta_deo": delta_deo,
    "group_scores": group_scores,
    "report": degree_fairness_report,
    "gap display": DegreeGapDisplay.from_predictions,
    "curve display": DegreeCurveDisplay.from_predictions,
    "pareto display": lambda y, y_pred, **options: ParetoDisplay.from_predictions(y, {"a": y_pred}, **options),
    "compare_models": lambda y, y_pred, **options: compare_models({"a": y_pred}, None, y, **options),
    "compare_fairness": lambda y, y_pred, **options: compare_fairness(y, y_pred, y_pred, **options),
}
"""Everything that takes true classes, predictions and degrees."""

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
    if name not in ("curve display", "compare_fairness")
] + [
    Mistake(
        "the curve of equal degrees is a point",
        lambda w: DegreeCurveDisplay.from_predictions(w.y, w.y, degree=np.ones(40)).curve["n"],
        lambda _: [40],
    ),
    Mistake(
        "scorer: all degrees are equal",
        lambda w: fairness_scoring(linear(w), w.X, w.y, degree=np.ones(40)),
        EmptyGroupWarning,
        ("No node in group 'high'",),
    ),
    Mistake(
        "scorer: a gap between equal degrees is not 0",
        lambda w: _silently(lambda: get_scorer("neg_delta_dsp")(linear(w), w.X, w.y, degree=np.ones(40))),
        lambda _: np.nan,
    ),
]


def _silently(act: Callable[[], Any]) -> Any:
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
    Mistake("gap of one group", lambda _: gaps(np.array([0.5])), lambda _: np.nan),
]

DEGREES_AND_GROUPS = [
    Mistake("neither degree nor groups", lambda w: delta_dsp(w.y, w.y), ValueError, ("either degree", "or groups")),
    Mistake("a word as degree", lambda w: delta_dsp(w.y, w.y, degree="auto"), ValueError, ("degree", "got 'auto'")),
    Mistake(
        "NaN among the degrees",
        lambda w: report(w, degree=np.where(w.degree > 8, np.nan, w.degree)),
        ValueError,
        ("degree must contain one finite number per node", "got nan at position"),
    ),
    Mistake(
        "an infinite degree",
        lambda w: degree_curve(w.y, np.where(w.degree > 8, np.inf, w.degree)),
        ValueError,
        ("degree must contain one finite number per node", "got inf at position"),
    ),
    Mistake(
        "degrees as a column",
        lambda w: delta_dsp(w.y, w.y, degree=w.degree[:, None]),
        ValueError,
        ("degree", "an array of shape (40, 1)"),
    ),
    Mistake(
        "degrees as strings", lambda w: delta_dsp(w.y, w.y, degree=w.degree.astype(str)), ValueError, ("degree must",)
    ),
    Mistake(
        "an adjacency instead of degrees",
        lambda w: delta_dsp(w.y, w.y, degree=w.A),
        ValueError,
        ("or be a Graph of the nodes", "of shape (40, 40)"),
    ),
    Mistake(
        "a graph of other nodes",
        lambda w: delta_dsp(w.y[:20], w.y[:20], degree=w.G),
        ValueError,
        ("same length, got 20, 20 and 40",),
    ),
    Mistake(
        "groups in another order",
        lambda w: delta_dsp(w.series, w.y, groups=named(w, w.degree > 5, shuffled=True)),
        ValueError,
        ("groups and y_true", OTHER_ORDER),
    ),
    Mistake(
        "clusters in another order",
        lambda w: report(w, degree=w.named, clusters=named(w, w.y, shuffled=True)),
        ValueError,
        ("clusters and degree", OTHER_ORDER),
    ),
    Mistake(
        "reference in another order",
        lambda w: report(w, degree=w.named, reference=named(w, w.y, shuffled=True)),
        ValueError,
        ("reference and degree", OTHER_ORDER),
    ),
    Mistake(
        "scores of nodes in another order",
        lambda w: degree_curve(named(w, w.y, shuffled=True), w.named),
        ValueError,
        ("degree and score", OTHER_ORDER),
    ),
    Mistake(
        "groups of some other nodes",
        lambda w: delta_dsp(w.series, w.y, groups=pd.Series(w.y, index=["v99", *w.nodes[1:]])),
        ValueError,
        ("groups and y_true have only some labels in common", "'v99'"),
    ),
    Mistake(
        "no group as -1 in a categorical",
        lambda w: report(w, degree=None, groups=pd.Categorical(w.y - 1)).groups,
        lambda w: report(w, degree=None, groups=w.y - 1).groups,
    ),
    Mistake("a number of groups", lambda w: report(w, groups=4), ValueError, ("groups", "got 4", "n_groups=4")),
    Mistake("a word as groups", lambda w: report(w, groups="quartiles"), ValueError, ("groups", "got 'quartiles'")),
    Mistake("a number of groups for a model", lambda w: assessed(w, groups=4), ValueError, ("groups", "got 4")),
    Mistake("a word as groups of models", lambda w: compared(w, groups="low"), ValueError, ("groups", "got 'low'")),
    Mistake("one group", lambda w: report(w, groups=["a"] * 40), ValueError, ("at least two groups", "got only 'a'")),
    Mistake(
        "groups that are missing",
        lambda w: report(w, groups=[None] * 40),
        ValueError,
        ("at least two groups", "got 0 groups"),
    ),
    Mistake(
        "each node is a group",
        lambda _: delta_dsp([0, 1] * 500, [0, 1] * 500, groups=np.arange(1000)),
        ValueError,
        ("groups", "got 1000 groups", "degree_groups(degree, n_groups=4)"),
    ),
    Mistake(
        "degrees as groups", lambda w: delta_dsp(w.y, w.y, groups=w.degree + 0.5), ValueError, ("groups", "not whole")
    ),
    Mistake(
        "groups as a data frame",
        lambda w: delta_dsp(w.y, w.y, groups=w.series.to_frame()),
        ValueError,
        ("groups", "a DataFrame of shape (40, 1)"),
    ),
    Mistake(
        "groups of two types",
        lambda w: delta_dsp(w.y, w.y, groups=["a", 1] * 20),
        ValueError,
        ("groups mixes labels of the types int, str",),
    ),
    Mistake(
        "unknown clusters",
        lambda w: report(w, clusters="community"),
        ValueError,
        ("clusters", "got 'community'. Did you mean 'communities'?"),
    ),
    Mistake("clusters without a graph", lambda w: report(w, clusters="communities"), ValueError, ("as a Graph",)),
    Mistake("a number of clusters", lambda w: report(w, clusters=5), ValueError, ("clusters", "got 5")),
]

OPTIONS = [
    *(
        Mistake(f"hops={hops!r}", lambda w, hops=hops: report(w, hops=hops), ValueError, ("hops must be", repr(hops)))
        for hops in (0, 1.5, "2", None)
    ),
    *(
        Mistake(
            f"share={share!r}", lambda w, share=share: report(w, share=share), ValueError, ("share must", repr(share))
        )
        for share in ("0.2", 20, 0)
    ),
    *(
        Mistake(
            f"confidence_level={level!r}",
            lambda w, act=act, level=level: act(w, confidence_level=level),
            ValueError,
            ("confidence_level must be between 0 and 1, such as 0.95", repr(level)),
        )
        for level, act in ((95, report), ("0.95", report), (0, compared))
    ),
    *(
        Mistake(
            f"n_resamples={n!r}", lambda w, n=n: compared(w, n_resamples=n), ValueError, ("n_resamples must", repr(n))
        )
        for n in (0, 1.5, "99", None)
    ),
    Mistake("pairs", lambda w: report(w, pairs="maximum"), ValueError, ("pairs", "'maximum'")),
    Mistake("groups and share", lambda w: report(w, groups=w.y, share=0.1), ValueError, ("share", "groups is given")),
    Mistake("mute a number", lambda w: report(w, mute=8), TypeError, ("mute", "'DF08'", "got 8")),
    Mistake("mute an unknown code", lambda w: compared(w, mute="DF99"), ValueError, ("mute contains 'DF99'",)),
    Mistake("level of a curve", lambda w: degree_curve(w.y, w.G, confidence_level=95), ValueError, ("such as 0.95",)),
    Mistake("bins of a curve", lambda w: degree_curve(w.y, w.G, n_bins=1), ValueError, ("n_bins must be", "got 1")),
    Mistake("scores as words", lambda w: degree_curve(w.nodes, w.G), ValueError, ("score must contain one finite",)),
]

MODELS = [
    Mistake("an array as estimator", lambda w: assessed(w, w.y), TypeError, ("estimator must be a fitted classifier",)),
    Mistake(
        "a class as estimator",
        lambda w: assessed(w, LogisticRegression),
        TypeError,
        ("estimator must be a fitted classifier", "the class LogisticRegression"),
    ),
    Mistake(
        "a regressor", lambda w: assessed(w, Ridge().fit(w.X, w.y)), TypeError, ("a fitted classifier", "got a Ridge")
    ),
    Mistake(
        "a clusterer",
        lambda w: assessed(w, KMeans(2, n_init=1).fit(w.X)),
        TypeError,
        ("a fitted classifier", "got a KMeans"),
    ),
    Mistake("a classifier that is not fitted", lambda w: assessed(w, LogisticRegression()), NotFittedError, ("fit",)),
    Mistake(
        "a graph classifier that is not fitted",
        lambda w: DegreeFairnessReport.from_estimator(w.clf, w.G, w.y),
        NotFittedError,
        ("DegFairGNNClassifier",),
    ),
    Mistake("arrays without degrees", lambda w: assessed(w, degree=None), TypeError, ("pass degree= or groups=",)),
    Mistake(
        "another number of labels",
        lambda w: DegreeFairnessReport.from_estimator(linear(w), w.X, w.y[:-1], degree=w.degree),
        ValueError,
        ("y has 39 entries, but 40 nodes",),
    ),
    Mistake(
        "a name as reference",
        lambda w: assessed(w, reference="plain"),
        TypeError,
        ("reference must be a fitted classifier, or its predictions", "got 'plain'"),
    ),
    Mistake(
        "a model as reference of predictions",
        lambda w: report(w, reference=linear(w)),
        ValueError,
        ("reference", "got a LogisticRegression", "clf.predict(G)"),
    ),
    Mistake(
        "labels that are missing",
        lambda w: DegreeFairnessReport.from_estimator(linear(w), w.X, np.where(w.y > 0, w.y, np.nan), degree=w.degree),
        ValueError,
        ("y holds", "missing labels", "parameter unlabeled"),
    ),
    Mistake(
        "classes of another type than those of the model",
        lambda w: assessed(w, LogisticRegression().fit(w.X, w.y.astype(str))),
        ValueError,
        ("y holds int64 and estimator holds strings",),
    ),
    Mistake("models as a list", lambda w: compare_models([w.y], w.G, w.y), TypeError, ("models must be a dict",)),
    Mistake(
        "a model with classes of another type",
        lambda w: compare_models({"a": w.y, "b": LogisticRegression().fit(w.X, w.y.astype(str))}, w.X, w.y, degree=w.G),
        ValueError,
        ("y holds int64 and models['b'] holds strings",),
    ),
    Mistake(
        "probabilities as a model",
        lambda w: compare_models({"a": linear(w).predict_proba(w.X)}, w.G, w.y),
        TypeError,
        ("models['a']", "one class per node", "an array of shape (40, "),
    ),
    Mistake(
        "a classifier without nodes",
        lambda w: compare_models({"a": linear(w)}, None, w.y, degree=w.G),
        TypeError,
        ("models['a'] is a classifier", "Pass X, or pass its predictions"),
    ),
    Mistake("an unknown reference", lambda w: compared(w, reference="Fare"), ValueError, ("Did you mean 'Fair'?",)),
    Mistake(
        "the report of an unknown model",
        lambda w: compared(w).report("fair"),
        ValueError,
        ("name must be one of ['Plain', 'Fair'], got 'fair'. Did you mean 'Fair'?",),
    ),
]

SCORING = [
    Mistake("an unknown scorer", lambda _: get_scorer("delta_dsp"), ValueError, ("Did you mean 'neg_delta_dsp'?",)),
    Mistake("scorer: an unknown gap", lambda _: make_degree_scorer("dps"), ValueError, ("Did you mean 'dsp'?",)),
    Mistake("scorer: hops", lambda _: FairnessScoring(hops=1.5), ValueError, ("hops", "got 1.5")),
    Mistake("scorer: share", lambda _: Tradeoff(share="0.2"), ValueError, ("share", "got '0.2'")),
    Mistake("scorer: weight", lambda _: Tradeoff("1"), ValueError, ("weight", "got '1'")),
    Mistake("scorer: no degrees", lambda w: fairness_scoring(linear(w), w.X, w.y), TypeError, ("Score on a Graph",)),
    Mistake(
        "scorer: labels in another order",
        lambda w: SCORERS["accuracy"](w.plain, w.named, w.series.iloc[w.order]),
        ValueError,
        ("y and X", OTHER_ORDER),
    ),
    *(
        Mistake(
            f"scorer {name}: labels that are missing",
            lambda w, name=name: SCORERS[name](linear(w), w.X, np.where(w.y > 0, w.y, np.nan), degree=w.degree),
            ValueError,
            ("y holds", "missing labels", "parameter unlabeled"),
        )
        for name in ("accuracy", "neg_delta_dsp")
    ),
    Mistake(
        "scorer: no label is known",
        lambda w: fairness_scoring(_with_placeholder(w), w.G, np.full(40, -1)),
        ValueError,
        ("no label in it is known",),
    ),
]


def _with_placeholder(w: World) -> DegFairGNNClassifier:
    return DegFairGNNClassifier(max_epochs=2, unlabeled=-1, random_state=0).fit(w.G, w.y)


def _drawn(act: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Draw, and close the figure."""
    try:
        return act(*arguments, **options)
    finally:
        plt.close("all")


DISPLAYS = [
    Mistake(
        "training of a pipeline",
        lambda w: (
            _drawn(
                TrainingDisplay.from_estimator,
                make_pipeline(GraphTransformer(StandardScaler()), w.fitted()).fit(w.G, w.y),
            ).history.columns
        ),
        lambda w: w.fitted().history_.columns,
    ),
    Mistake(
        "training of a search",
        lambda w: len(
            _drawn(
                TrainingDisplay.from_estimator, GridSearchCV(w.plain, {"dropout": [0.1]}, cv=2).fit(w.G, w.y)
            ).history
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
        lambda w: TrainingDisplay.from_estimator(make_pipeline(GraphTransformer(StandardScaler()), w.clf)),
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
        lambda w: _drawn(DegreeCurveDisplay.from_scores, w.y, degree=w.G, ax=plt.figure()),
        TypeError,
        ("ax must contain matplotlib Axes", "got a Figure"),
    ),
    Mistake(
        "two axes for one plot",
        lambda w: _drawn(DegreeCurveDisplay.from_scores, w.y, degree=w.G, ax=plt.subplots(2)[1]),
        ValueError,
        ("needs 1 axes, got 2",),
    ),
    Mistake(
        "one panel as a string",
        lambda w: len(_drawn(DegreeGapDisplay.from_report, report(w), panels="recall").axes_),
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
        lambda w: _drawn(
            ParetoDisplay.from_estimator,
            {"a": _with_placeholder(w), "b": w.fitted()},
            w.G,
            np.where(w.degree > 9, -1, w.y),
        ).accuracy[0],
        lambda w: SCORERS["accuracy"](_with_placeholder(w), w.G[w.degree <= 9], w.y[w.degree <= 9]),
    ),
]


MISTAKES = [*LABELS, *EQUAL_DEGREES, *CLASSES, *DEGREES_AND_GROUPS, *OPTIONS, *MODELS, *SCORING, *DISPLAYS]
