"""Weights of nodes and of classes in the classification loss."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import cross_validate
from sklearn.utils.class_weight import compute_sample_weight

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.metrics import fairness_scoring
from skdegfair.mitigation import FairGNN, RawlsGCN

OPTIONS = {"max_epochs": 20, "random_state": 0}
BATCHES = {"batch_size": 30, "n_neighbors": 4}


def proba(data, *, sample_weight=None, **options):
    clf = DegFairGNNClassifier(**OPTIONS | options)
    return clf.fit(data.graph, data.y, sample_weight=sample_weight).predict_proba(data.graph)


@pytest.mark.parametrize("options", [{}, BATCHES], ids=str)
def test_equal_weights_change_nothing(data, options):
    plain = proba(data, **options)
    for weight in (np.ones(120), np.full(120, 7.0), list(range(5, 6)) * 120):
        np.testing.assert_allclose(proba(data, sample_weight=weight, **options), plain, atol=1e-5)


@pytest.mark.parametrize("options", [{}, BATCHES], ids=str)
def test_class_weights_are_sample_weights(data, options):
    weights = {0: 3.0, 2: 0.5}
    by_class = proba(data, class_weight=weights, **options)
    by_node = proba(data, sample_weight=compute_sample_weight(weights, data.y), **options)
    np.testing.assert_allclose(by_class, by_node, atol=1e-6)
    assert np.abs(by_class - proba(data, **options)).max() > 0.01
    both = proba(data, class_weight=weights, sample_weight=np.where(data.y == 0, 1 / 3, 1), **options)
    np.testing.assert_allclose(both, proba(data, class_weight={2: 0.5}, **options), atol=1e-5)


def test_balanced_classes(data):
    some = np.r_[np.flatnonzero(data.y == 0)[:5], np.flatnonzero(data.y != 0)]
    shares = {}
    for weight in (None, "balanced"):
        clf = GNNClassifier(class_weight=weight, **OPTIONS).fit(data.X, data.A, data.y, nodes=some)
        shares[weight] = clf.predict_proba(data.graph)[:, 0].mean()
    assert shares["balanced"] > 1.5 * shares[None]
    counts = np.bincount(data.y[some])
    explicit = {k: len(some) / (3 * count) for k, count in enumerate(counts)}
    clf = GNNClassifier(class_weight=explicit, **OPTIONS).fit(data.X, data.A, data.y, nodes=some)
    assert clf.predict_proba(data.graph)[:, 0].mean() == pytest.approx(shares["balanced"], abs=1e-5)


def test_weights_act_on_the_classification_term_alone(data):
    """In the first epoch, before any step, all other terms are the same."""
    weight = np.where(data.y == 0, 5.0, 1.0)
    rows = []
    for each in (None, weight):
        clf = DegFairGNNClassifier(max_epochs=1, random_state=0).fit(data.graph, data.y, sample_weight=each)
        rows.append(clf.history_.iloc[0])
    for name in ("fairness", "context", "scale_shift"):
        assert rows[0][f"train_{name}_loss"] == rows[1][f"train_{name}_loss"]
    assert rows[0]["train_classification_loss"] != rows[1]["train_classification_loss"]


def test_a_weighted_loss_against_numpy(data):
    """With a vanishing learning rate the training loss is that of the fitted network."""
    weight = np.random.RandomState(0).uniform(0, 3, size=120)
    options = {"max_epochs": 1, "learning_rate": 1e-30, "dropout": 0.0, "random_state": 0}
    for mitigation in (None, FairGNN(), RawlsGCN()):
        clf = GNNClassifier(mitigation=mitigation, **options).fit(data.graph, data.y, sample_weight=weight)
        p = clf.predict_proba(data.graph)[np.arange(120), data.y]
        expected = np.average(-np.log(p), weights=weight)
        assert clf.history_["train_classification_loss"].iloc[0] == pytest.approx(expected, rel=1e-5)


def test_nodes_of_weight_zero_are_seen_but_not_trained_on(data):
    """As nodes that are not trained on, if dropout is off and no other loss reads the labels."""
    some = np.arange(0, 120, 2)
    weight = np.zeros(120)
    weight[some] = 1.0
    clf = GNNClassifier(dropout=0.0, **OPTIONS)
    one = clf.fit(data.graph, data.y, sample_weight=weight).predict_proba(data.graph)
    other = clf.fit(data.graph, data.y, nodes=some).predict_proba(data.graph)
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_validation_nodes_are_weighted_too(data):
    weight = np.where(data.y == 0, 5.0, 1.0)
    valid = np.arange(80, 120)
    clf = GNNClassifier(max_epochs=1, learning_rate=1e-30, random_state=0)
    clf.fit(data.X, data.A, data.y, validation_nodes=valid, sample_weight=weight)
    p = clf.predict_proba(data.graph)[valid, data.y[valid]]
    expected = np.average(-np.log(p), weights=weight[valid])
    assert clf.history_["valid_classification_loss"].iloc[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(119), r"sample_weight.shape == \(119,\), expected \(120,\)"),
        (np.full(120, np.nan), "Input sample_weight contains NaN"),
        (np.full(120, -1.0), "Negative values in data passed to `sample_weight`"),
        (np.zeros(120), "must contain at least one non-zero number|Give some a non-zero weight"),  # from sklearn 1.9 on
        (np.arange(120) >= 80, "All training nodes, or all validation nodes, have weight 0"),
    ],
)
def test_bad_sample_weights(data, weight, message):
    clf = GNNClassifier(**OPTIONS)
    with pytest.raises(ValueError, match=message):
        clf.fit(data.X, data.A, data.y, nodes=np.arange(80), sample_weight=weight)
    assert not hasattr(clf, "classes_")


def test_a_series_in_another_order_is_refused(data):
    names = [f"node {k}" for k in range(120)]
    X = pd.DataFrame(data.X, index=names)
    weight = pd.Series(np.arange(120.0) + 1, index=names)
    one = GNNClassifier(**OPTIONS).fit(X, data.A, data.y, sample_weight=weight).predict_proba(X, data.A)
    other = GNNClassifier(**OPTIONS).fit(X, data.A, data.y, sample_weight=weight.to_numpy()).predict_proba(X, data.A)
    np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="sample_weight and X have the same labels in a different order"):
        GNNClassifier(**OPTIONS).fit(X, data.A, data.y, sample_weight=weight[::-1])


def test_a_class_of_validation_nodes_alone(data):
    y = data.y.copy()
    y[-1] = 3
    clf = GNNClassifier(class_weight="balanced", **OPTIONS)
    clf.fit(data.X, data.A, y, nodes=np.arange(100), validation_nodes=np.arange(100, 120))
    assert list(clf.classes_) == [0, 1, 2, 3]


def test_negative_class_weights_are_refused(data):
    with pytest.raises(ValueError, match="class_weight must be finite and at least 0"):
        GNNClassifier(class_weight={0: -1, 1: 1, 2: 1}, **OPTIONS).fit(data.graph, data.y)


def test_unknown_classes_in_class_weight(data):
    with pytest.raises(ValueError, match="are not in class_weight"):
        GNNClassifier(class_weight={5: 2.0}, **OPTIONS).fit(data.graph, data.y)


def test_weights_are_routed_in_cross_validation(data):
    weight = np.where(data.y == 0, 30.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        results = {}
        for requested in (True, False):
            clf = GNNClassifier(**OPTIONS).set_fit_request(sample_weight=requested)
            given = {"sample_weight": weight} if requested else None
            results[requested] = cross_validate(
                clf, data.graph, data.y, cv=3, scoring=fairness_scoring, params=given, return_estimator=True
            )
    shares = {
        requested: np.mean([clf.predict_proba(data.graph)[:, 0].mean() for clf in found["estimator"]])
        for requested, found in results.items()
    }
    assert shares[True] > shares[False] + 0.1
