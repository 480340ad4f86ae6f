"""Mistakes with models that are assessed, compared or scored."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge

from skdegfair import DegFairGNNClassifier
from skdegfair.metrics import (
    SCORERS,
    DegreeFairnessReport,
    FairnessScoring,
    Tradeoff,
    compare_models,
    fairness_scoring,
    get_scorer,
    make_degree_scorer,
)

from .cases import Mistake, World
from .metrics import OTHER_ORDER, assessed, compared, linear, report


def with_placeholder(w: World) -> DegFairGNNClassifier:
    return DegFairGNNClassifier(max_epochs=2, unlabeled=-1, random_state=0).fit(w.G, w.y)


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
        lambda w: fairness_scoring(with_placeholder(w), w.G, np.full(40, -1)),
        ValueError,
        ("no label in it is known",),
    ),
]

MISTAKES = [*MODELS, *SCORING]
