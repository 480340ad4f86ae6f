"""Scorers and refit rules, in the places where people use them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch.callbacks import EpochScoring

from skdegfair import DegFairGNNClassifier, Graph, GraphTransformer
from skdegfair.metrics import (
    SCORERS,
    FairestWithin,
    FairnessScoring,
    MostAccurateWithin,
    Tradeoff,
    delta_deo,
    delta_dsp,
    fairness_scoring,
    get_scorer,
    get_scorer_names,
    make_degree_scorer,
)

CV = StratifiedKFold(3, shuffle=True, random_state=0)
GRID = {"fairness_weight": [0.0, 5.0]}
pytestmark = pytest.mark.filterwarnings("ignore:No node")


def by_hand(data, metric=delta_dsp, nodes=slice(None), cv=CV):
    """The negated gap of each fold, calculated without a scorer."""
    graph, y, gaps = data.graph[nodes], data.y[nodes], []
    for train, test in cv.split(np.zeros(len(y)), y):
        predicted = model().fit(graph[train], y[train]).predict(graph[test])
        gaps.append(-metric(y[test], predicted, degree=graph[test], labels=[0, 1, 2]))
    return gaps


def model(**options):
    return DegFairGNNClassifier(**{"max_epochs": 5, "hidden_dim": 8, "random_state": 0} | options)


@pytest.mark.parametrize(("gap", "metric"), [("dsp", delta_dsp), ("deo", delta_deo)])
def test_a_scorer_is_its_metric_negated(data, gap, metric):
    fitted = model().fit(data.graph, data.y)
    test = data.graph[20:]
    for hops, share in ((1, 0.2), (2, 0.3)):
        expected = -metric(data.y[20:], fitted.predict(test), degree=test.degree(hops), share=share, labels=[0, 1, 2])
        assert make_degree_scorer(gap, hops=hops, share=share)(fitted, test, data.y[20:]) == expected
    assert get_scorer(f"neg_delta_{gap}")(fitted, test, data.y[20:]) == -metric(
        data.y[20:], fitted.predict(test), degree=test.degree(), labels=[0, 1, 2]
    )


def test_one_prediction_for_all_scores(data):
    fitted = model().fit(data.graph, data.y)
    calls = []

    class Counting:
        classes_ = fitted.classes_

        def predict(self, X):
            calls.append(X)
            return fitted.predict(X)

    scores = fairness_scoring(Counting(), data.graph, data.y)
    assert len(calls) == 1
    assert scores == {name: scorer(fitted, data.graph, data.y) for name, scorer in SCORERS.items()}
    traded = Tradeoff(2.0, gap="deo")(fitted, data.graph, data.y)
    assert traded == pytest.approx(scores["accuracy"] + 2 * scores["neg_delta_deo"])


@pytest.mark.parametrize("scoring", [SCORERS, fairness_scoring], ids=["dict", "function"])
def test_cross_validation_and_search_over_several_metrics(data, scoring):
    result = cross_validate(model(), data.graph, data.y, cv=CV, scoring=scoring)
    assert set(result) >= {"test_accuracy", "test_neg_delta_dsp", "test_neg_delta_deo"}
    np.testing.assert_allclose(result["test_neg_delta_dsp"], by_hand(data))
    for rule in (FairestWithin(0.05), MostAccurateWithin(0.9)):
        search = GridSearchCV(model(), GRID, cv=CV, scoring=scoring, refit=rule).fit(data.graph, data.y)
        assert search.best_index_ == rule(search.cv_results_)
        assert search.predict(data.graph[:5]).shape == (5,)


def test_two_processes(data):
    one, two = (cross_validate(model(), data.graph, data.y, cv=CV, scoring=SCORERS, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one["test_neg_delta_dsp"], two["test_neg_delta_dsp"])


def test_searches_for_one_number(data):
    for search in (
        HalvingGridSearchCV(model(), GRID, cv=CV, factor=2, scoring=Tradeoff(), random_state=0),
        RandomizedSearchCV(model(), GRID, n_iter=2, cv=CV, scoring=SCORERS["neg_delta_dsp"], random_state=0),
    ):
        best = search.fit(data.graph, data.y).best_params_
        scores = cross_val_score(model(**best), data.graph, data.y, cv=CV, scoring=search.scoring)
        assert search.best_score_ == pytest.approx(scores.mean())
    scores = learning_curve(
        model(), data.graph, data.y, cv=CV, train_sizes=[0.5, 1.0], scoring=SCORERS["neg_delta_dsp"]
    )
    np.testing.assert_allclose(scores[2][1], by_hand(data))


def test_small_folds_with_empty_cells(data):
    scores = cross_val_score(model(), data.graph[:60], data.y[:60], cv=3, scoring=SCORERS["neg_delta_deo"])
    np.testing.assert_allclose(scores, by_hand(data, delta_deo, slice(60), StratifiedKFold(3)))
    tiny = cross_val_score(model(), data.graph[:30], data.y[:30], cv=3, scoring=SCORERS["neg_delta_deo"])
    assert np.isnan(tiny).any()  # groups of two nodes that share no class: there is nothing to compare


def test_any_classifier_with_routed_degrees(data):
    degree = data.graph.degree()
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        make_degree_scorer().set_score_request(degree=True)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(TypeError, match="degrees"):
            make_degree_scorer().set_score_request(degrees=True)
        with pytest.raises(UnsetMetadataPassedError):
            cross_val_score(
                LogisticRegression(), data.X, data.y, scoring=make_degree_scorer(), params={"degree": degree}
            )
        scorer = make_degree_scorer().set_score_request(degree=True)
        routed = cross_val_score(LogisticRegression(), data.X, data.y, cv=CV, scoring=scorer, params={"degree": degree})
    expected = []
    for train, test in CV.split(data.X, data.y):
        predicted = LogisticRegression().fit(data.X[train], data.y[train]).predict(data.X[test])
        expected.append(-delta_dsp(data.y[test], predicted, degree=degree[test], labels=[0, 1, 2]))
    np.testing.assert_allclose(routed, expected)
    with pytest.raises(TypeError, match="Score on a Graph"):
        make_degree_scorer()(LogisticRegression().fit(data.X, data.y), data.X, data.y)
    with pytest.raises(TypeError, match="fairness_scoring needs the degrees"):
        fairness_scoring(LogisticRegression().fit(data.X, data.y), data.X, data.y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FairnessScoring().set_score_request(degree=True),
        lambda: {name: get_scorer(name).set_score_request(degree=True) for name in SCORERS},
    ],
    ids=["one", "dict"],
)
def test_routed_degrees_for_several_metrics(data, make):
    degree = data.graph.degree()
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            LogisticRegression(), {"C": [0.01, 1.0]}, cv=CV, scoring=make(), refit=FairestWithin(0.1)
        ).fit(data.X, data.y, degree=degree)
        traded = cross_val_score(
            LogisticRegression(C=1.0), data.X, data.y, cv=CV, params={"degree": degree},
            scoring=Tradeoff(2.0, gap="deo").set_score_request(degree=True),
        )  # fmt: skip
    results = {name: search.cv_results_[f"mean_test_{name}"][1] for name in SCORERS}
    assert traded.mean() == pytest.approx(results["accuracy"] + 2 * results["neg_delta_deo"])
    requests = [scorer.get_metadata_routing().score.requests for scorer in SCORERS.values()]
    assert requests == [{"degree": None}] * 3  # still as they were


def test_unlabeled_nodes_are_not_scored(data):
    y = data.y.copy()
    y[::4] = -1
    fitted = model(unlabeled=-1).fit(data.graph, y)
    known = y != -1
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), model(unlabeled=-1)).fit(data.graph, y)
    search = GridSearchCV(model(unlabeled=-1), {"dropout": [0.1]}, cv=2).fit(data.graph, y)
    for estimator in (fitted, pipeline, search):
        for scorer in (*SCORERS.values(), fairness_scoring, Tradeoff()):
            assert scorer(estimator, data.graph, y) == scorer(estimator, data.graph[known], y[known])


def test_labels_in_another_order_are_refused(data):
    names = [f"node {i}" for i in range(120)]
    G = Graph(pd.DataFrame(data.X, index=names), data.A)
    y = pd.Series(data.y, index=names)
    fitted = model().fit(G, y)
    assert fairness_scoring(fitted, G, y) == fairness_scoring(fitted, data.graph, data.y)
    with pytest.raises(ValueError, match="y and X have the same labels in a different order"):
        fairness_scoring(fitted, G, y[::-1])


def test_options_are_checked():
    for options in ({"hops": 0}, {"share": 7}, {"share": 0}):
        (name,) = options
        with pytest.raises(ValueError, match=f"{name} must be .*, got {options[name]}"):
            make_degree_scorer(**options)


@pytest.mark.parametrize("caching", [True, False])
def test_in_skorch_epoch_by_epoch(data, caching):
    names = np.array(["red", "green", "blue"])[data.y]
    callbacks = [
        ("parity", EpochScoring(make_degree_scorer("dsp"), lower_is_better=False, use_caching=caching)),
        ("traded", EpochScoring(Tradeoff(3.0, gap="deo"), lower_is_better=False, use_caching=caching, name="traded")),
        ("far", EpochScoring(make_degree_scorer("deo", hops=2, share=0.4), lower_is_better=False, name="far")),
    ]
    fitted = model(callbacks=callbacks).fit(data.graph, names, validation_nodes=np.arange(60, 120))
    history = fitted.history_
    np.testing.assert_allclose(history["neg_delta_dsp"], -history["valid_delta_dsp"])
    np.testing.assert_allclose(history["traded"], history["valid_accuracy"] - 3 * history["valid_delta_deo"])
    last = make_degree_scorer("deo", hops=2, share=0.4)(fitted, data.graph[60:], names[60:])
    assert history["far"].iloc[-1] == pytest.approx(last)


def test_pickle_clone_and_names():
    for scorer in (*SCORERS.values(), Tradeoff(3.0), make_degree_scorer("deo", hops=2), FairnessScoring(hops=2)):
        assert repr(pickle.loads(pickle.dumps(scorer))) == repr(scorer)
        assert isinstance(scorer.__name__, str)
        assert repr(clone(GridSearchCV(model(), GRID, scoring=scorer)).scoring) == repr(scorer)
    assert [get_scorer(name).__name__ for name in get_scorer_names()] == get_scorer_names()
    with pytest.raises(
        ValueError, match=r"must be one of \['accuracy', .*, got 'neg_delta'\. Did you mean 'neg_delta_d"
    ):
        get_scorer("neg_delta")
    with pytest.raises(ValueError, match="gap must be one of"):
        Tradeoff(gap="eo")


RESULTS = {
    "mean_test_accuracy": [0.9, 0.89, 0.89, 0.6, np.nan],
    "mean_test_neg_delta_dsp": [-0.4, -0.2, -0.2, 0, np.nan],
}


@pytest.mark.parametrize(
    ("rule", "chosen"),
    [
        (FairestWithin(0), 0),
        (FairestWithin(0.01), 1),
        (FairestWithin(0.5), 3),
        (MostAccurateWithin(0.5), 0),
        (MostAccurateWithin(0.2), 1),
        (MostAccurateWithin(0.1), 3),
    ],
    ids=repr,
)
def test_refit_rules(rule, chosen):
    assert rule(RESULTS) == chosen
    assert repr(pickle.loads(pickle.dumps(rule))) == repr(rule)


def test_fairest_if_none_is_fair_enough():
    results = {"mean_test_accuracy": [0.9, 0.8], "mean_test_neg_delta_dsp": [-0.4, -0.3]}
    with pytest.warns(UserWarning, match=r"No candidate has a gap of at most 0\.1: the fairest was selected"):
        assert MostAccurateWithin(0.1)(results) == 1


def test_refit_rules_complain():
    for rule, value in (
        (FairestWithin, 2),
        (FairestWithin, -0.1),
        (FairestWithin, "0.1"),
        (MostAccurateWithin, 10),
        (MostAccurateWithin, 1j),
    ):
        with pytest.raises(ValueError, match="must be in"):
            rule(value)
    with pytest.raises(ValueError, match=r"no score 'f1', only \['accuracy', 'neg_delta_dsp'\]"):
        FairestWithin(accuracy="f1")(RESULTS)
    with pytest.raises(ValueError, match="No candidate has a defined score"):
        FairestWithin()({"mean_test_accuracy": [np.nan], "mean_test_neg_delta_dsp": [0.0]})
