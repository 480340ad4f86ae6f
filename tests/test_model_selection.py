"""scikit-learn's splitting, searching and composing, on a Graph."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer

CV = StratifiedKFold(3, shuffle=True, random_state=0)
GRID = {"fairness_weight": [0.0, 5.0]}


def model(**options):
    return DegFairGNNClassifier(**{"max_epochs": 5, "hidden_dim": 8, "random_state": 0} | options)


def by_hand(data, estimator, cv=CV):
    """Test scores of the folds, calculated without scikit-learn's help."""
    scores = []
    for train, test in cv.split(np.zeros(120), data.y):
        fitted = sklearn.clone(estimator).fit(data.X, data.A, data.y, nodes=train)
        scores.append((fitted.predict(data.X, data.A)[test] == data.y[test]).mean())
    return scores


def test_cross_validation_sees_the_whole_graph(data):
    result = cross_validate(
        model(), data.graph, data.y, cv=CV, scoring=["accuracy", "f1_macro"], return_estimator=True,
        return_train_score=True, return_indices=True,
    )  # fmt: skip
    np.testing.assert_allclose(result["test_accuracy"], by_hand(data, model()))
    assert all(e.degree_threshold_ == data.graph.degree().mean() for e in result["estimator"])
    train = result["indices"]["train"][0]
    predicted = result["estimator"][0].predict(data.graph[train])
    assert result["train_f1_macro"][0] == pytest.approx(f1_score(data.y[train], predicted, average="macro"))


def test_two_processes_give_the_same(data):
    one, two = (cross_val_score(model(), data.graph, data.y, cv=CV, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_cross_val_predict(data):
    predicted = cross_val_predict(model(), data.graph, data.y, cv=CV, method="predict_proba")
    assert predicted.shape == (120, 3)
    train, test = next(CV.split(np.zeros(120), data.y))
    np.testing.assert_array_equal(
        predicted[test], model().fit(data.graph[train], data.y[train]).predict_proba(data.graph[test])
    )


def test_grid_search(data):
    search = GridSearchCV(model(), GRID, cv=CV, n_jobs=2).fit(data.graph, data.y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"][1], np.mean(by_hand(data, model(fairness_weight=5.0)))
    )
    assert search.predict(data.graph[:9]).shape == (9,)
    assert search.score(data.graph, data.y) > 1 / 3


def test_randomized_search(data):
    search = RandomizedSearchCV(model(), GRID, n_iter=2, cv=CV, random_state=0).fit(data.graph, data.y)
    expected = [np.mean(by_hand(data, model(**params))) for params in search.cv_results_["params"]]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)


@pytest.mark.parametrize(
    ("resource", "amounts"),
    [({}, [60, 120]), ({"resource": "max_epochs", "min_resources": 2, "max_resources": 4}, [2, 4])],
    ids=["nodes", "epochs"],
)
def test_halving_search(data, resource, amounts):
    search = HalvingGridSearchCV(model(), GRID, cv=CV, factor=2, random_state=0, **resource).fit(data.graph, data.y)
    assert search.n_resources_ == amounts
    assert search.n_candidates_ == [2, 1]
    best = model(**search.best_params_)
    np.testing.assert_allclose(search.best_score_, np.mean(by_hand(data, best)))


def test_splits_of_all_kinds(data):
    for cv in (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), PredefinedSplit(np.arange(120) % 2)):
        np.testing.assert_allclose(cross_val_score(model(), data.graph, data.y, cv=cv), by_hand(data, model(), cv))
    train, test, y_train, y_test = train_test_split(data.graph, data.y, stratify=data.y, random_state=0)
    predicted = model().fit(data.X, data.A, data.y, nodes=train.nodes).predict(data.X, data.A)
    assert model().fit(train, y_train).score(test, y_test) == (predicted[test.nodes] == y_test).mean()


def test_curves(data):
    sizes, _, test = learning_curve(model(), data.graph, data.y, cv=CV, train_sizes=[0.5, 1.0])
    assert sizes.tolist() == [40, 80]
    np.testing.assert_allclose(test[1], by_hand(data, model()))
    _, test = validation_curve(model(), data.graph, data.y, param_name="hidden_dim", param_range=[4, 8], cv=CV)
    np.testing.assert_allclose(test, [by_hand(data, model(hidden_dim=width)) for width in (4, 8)])


def test_nested_cross_validation_of_a_pipeline(data):
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), model())
    search = GridSearchCV(pipeline, {"degfairgnnclassifier__fairness_weight": [0, 1],
                                     "graphtransformer__transformer__with_mean": [True, False]}, cv=2)  # fmt: skip
    scores = cross_val_score(search, data.graph, data.y, cv=CV)
    for score, (train, test) in zip(scores, CV.split(np.zeros(120), data.y), strict=True):
        best = search.fit(data.graph[train], data.y[train]).best_estimator_
        assert score == (best.predict(data.graph[test]) == data.y[test]).mean()


def test_pipeline_is_what_it_says(data):
    train, test = np.arange(80), np.arange(80, 120)
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), model()).fit(data.graph[train], data.y[train])
    scaled = StandardScaler().fit(data.X[train]).transform(data.X)
    expected = model().fit(scaled, data.A, data.y, nodes=train).predict_proba(scaled, data.A)[test]
    np.testing.assert_array_equal(pipeline.predict_proba(data.graph[test]), expected)


def test_voting(data):
    parts = [model(), GNNClassifier(max_epochs=5, random_state=0)]
    fitted = VotingClassifier([("fair", parts[0]), ("plain", parts[1])], voting="soft").fit(data.graph, data.y)
    expected = np.mean([part.fit(data.graph, data.y).predict_proba(data.graph) for part in parts], axis=0)
    np.testing.assert_allclose(fitted.predict_proba(data.graph), expected)


@pytest.mark.parametrize("wrapper", [lambda clf: CalibratedClassifierCV(clf, cv=2), OneVsRestClassifier])
def test_composition(data, wrapper):
    fitted = wrapper(model(max_epochs=60)).fit(data.graph, data.y)
    assert fitted.score(data.graph, data.y) > 0.6  # of three classes
    np.testing.assert_array_equal(fitted.predict(data.graph[:10]), fitted.predict(data.graph)[:10])


def test_with_metadata_routing_enabled(data):
    expected = by_hand(data, model())
    with sklearn.config_context(enable_metadata_routing=True):
        np.testing.assert_allclose(cross_val_score(model(), data.graph, data.y, cv=CV), expected)


def test_a_plain_adjacency_cannot_be_split_and_the_error_says_what_to_do(data):
    with sklearn.config_context(enable_metadata_routing=True), pytest.raises(ValueError, match=r"pass Graph\(X, A\)"):
        cross_val_score(
            model().set_fit_request(A=True), data.X, data.y, params={"A": data.A}, error_score="raise", cv=CV
        )
