"""Mitigations as objects: the seam, and how they behave as parameters of a classifier."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from methods import METHODS, WITH_BACKBONES
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.metrics import FairestWithin, fairness_scoring
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, ReleasedDegFair, TailGNN

RECORDED = json.loads((Path(__file__).parent / "recorded_probabilities.json").read_text())
BATCHES = {"batch_size": 40, "n_neighbors": 4}
PAPER_LOSS = {"fairness_groups": "threshold", "fairness_weight": 1.0}
SETTINGS = {
    "gcn": ({}, {}),
    "gat": ({}, {"backbone": "gat"}),
    "sage": ({}, {"backbone": "sage"}),
    "no scale and shift": ({"scale_shift": False}, {}),
    "no contrast, gat": ({"contrast": False}, {"backbone": "gat"}),
    "no modulation": ({"modulation": False}, {}),
    "two hops": ({"context_hops": 2}, {}),
    "walks of two hops, sage": ({"context_hops": 2, "context_pool": "walk"}, {"backbone": "sage"}),
    "equal opportunity": (
        {
            "fairness_loss": "deo",
            "fairness_weight": 5.0,
            "context_weight": 0.3,
            "constraint_weight": 0.01,
            "degree_threshold": "median",
        },
        {},
    ),
    "batches": ({}, BATCHES),
    "batches, gat, two hops": ({"context_hops": 2}, {"batch_size": 50, "n_neighbors": 3, "backbone": "gat"}),
    "early stopping": ({}, {"early_stopping": True, "patience": 3}),
    "three layers, sparse features": ({"degree_encoding_dim": None}, {"n_layers": 3}),
}


def model(**options):
    return GNNClassifier(**{"max_epochs": 8, "hidden_dim": 8, "random_state": 0} | options)


# -- the models stay what they were ----------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
def test_degfair_gives_the_recorded_probabilities(data, name):
    """Recorded from an independent implementation of the same equations, with hand-written gradients."""
    parameters, options = SETTINGS[name]
    sparse = Graph(sp.csr_array(data.X * (np.abs(data.X) > 0.7)), data.A)
    graph = sparse if "sparse" in name else data.graph
    clf = GNNClassifier(mitigation=DegFair(**PAPER_LOSS | parameters), max_epochs=20, random_state=0, **options)
    found = clf.fit(graph[:90], data.y[:90]).predict_proba(graph[60:])
    np.testing.assert_allclose(found, RECORDED[name], atol=1e-3)


@pytest.mark.parametrize("backbone", ["gcn", "gat", "sage"])
def test_released_and_plain_give_the_recorded_probabilities(data, backbone):
    released = ReleasedDegFair(context_weight=0.01, fairness_weight=1e-3)
    names = {released: "released" + f", {backbone}" * (backbone != "gcn"), None: f"plain {backbone}"}
    for mitigation, name in names.items():
        clf = GNNClassifier(mitigation=mitigation, backbone=backbone, max_epochs=20, random_state=0)
        found = clf.fit(data.graph[:90], data.y[:90]).predict_proba(data.graph[60:])
        np.testing.assert_allclose(found, RECORDED[name], atol=1e-3)


@pytest.mark.parametrize("options", [{}, {"backbone": "gat", "early_stopping": True}, BATCHES], ids=str)
def test_the_flagship_is_the_same_model_bit_for_bit(data, options):
    parameters = {"fairness_weight": 3.0, "context_weight": 0.5, "degree_threshold": "median", "context_hops": 2}
    options = {"max_epochs": 8, "random_state": 0} | options
    flat = DegFairGNNClassifier(**parameters, **options).fit(data.graph, data.y)
    nested = GNNClassifier(mitigation=DegFair(**parameters), **options).fit(data.graph, data.y)
    np.testing.assert_array_equal(flat.predict_proba(data.graph), nested.predict_proba(data.graph))
    assert flat.degree_threshold_ == nested.mitigation_.degree_threshold_ == np.median(data.graph.degree())


# -- as parameters of a classifier -----------------------------------------------------------------


@pytest.mark.parametrize(("method", "backbone"), WITH_BACKBONES, ids=str)
def test_every_method_in_every_call_form(data, method, backbone):
    X, A, y, G = data.X, data.A, data.y, data.graph
    clf = model(mitigation=method, backbone=backbone)
    expected = clf.fit(X, A, y).predict_proba(X, A)
    for args, kwargs in [((X, A), {"y": y}), ((X, y), {"A": A}), ((G, y), {}), ((X, A, y), {"nodes": np.arange(120)})]:
        np.testing.assert_array_equal(clone(clf).fit(*args, **kwargs).predict_proba(G), expected)
    some = np.arange(0, 120, 2)
    one, other = clone(clf).fit(X, A, y, nodes=some), clone(clf).fit(G[some], y[some])
    np.testing.assert_array_equal(one.predict_proba(G), other.predict_proba(G))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(other)).predict_proba(G), other.predict_proba(G))
    assert clf.score(G, y) == np.mean(clf.predict(X, A) == y)


@pytest.mark.parametrize(
    ("method", "backbone"),
    [
        (method, backbone)
        for method, backbone in WITH_BACKBONES
        if (type(method), backbone) != (ReleasedDegFair, "gat") and not isinstance(method, TailGNN)
    ],
    ids=str,
)  # the released attention and Tail-GNN drop edges at random, in their order
def test_permuted_nodes_give_permuted_predictions(data, method, backbone):
    clf = model(mitigation=method, backbone=backbone, dropout=0.0)
    if method.__class__ is ReleasedDegFair:
        clf.set_params(mitigation__fairness_weight=0.01)  # its loss is steep, and would magnify rounding errors
    order = np.random.RandomState(0).permutation(120)
    permuted = Graph(data.X[order], sp.csr_array(data.A)[order][:, order])
    expected = clf.fit(data.graph, data.y).predict_proba(data.graph)
    found = clf.fit(permuted, data.y[order]).predict_proba(permuted)
    np.testing.assert_allclose(found, expected[order], atol=2e-3)


@pytest.mark.parametrize(("method", "backbone"), WITH_BACKBONES, ids=str)
def test_predictions_for_permuted_and_for_some_nodes(data, method, backbone):
    """A fitted model reads a graph whatever the order of its nodes, and a node whatever others are requested."""
    clf = model(mitigation=method, backbone=backbone, max_epochs=3).fit(data.graph[:90], data.y[:90])
    expected = clf.predict_proba(data.graph)
    order = np.random.RandomState(0).permutation(120)
    permuted = Graph(data.X[order], sp.csr_array(data.A)[order][:, order])
    np.testing.assert_allclose(clf.predict_proba(permuted), expected[order], rtol=1e-9, atol=1e-12)
    for some in (np.arange(7), np.array([119, 3]), np.arange(0, 120, 3)):
        np.testing.assert_array_equal(clf.predict_proba(data.graph[some]), expected[some])


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_seeds_decide_alone(data, method):
    first, again, other = (
        model(mitigation=method, random_state=seed).fit(data.graph, data.y).predict_proba(data.graph)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_a_grid_over_methods(data):
    methods = [None, DegFair(), FairGNN(), RawlsGCN()]
    grid = [{"mitigation": methods}, {"mitigation": [FairGNN()], "mitigation__covariance_weight": [1, 10]}]
    results = {}
    for n_jobs in (1, 2):
        search = GridSearchCV(
            model(), grid, scoring=fairness_scoring, refit=FairestWithin(0.1), cv=2, n_jobs=n_jobs
        ).fit(data.graph, data.y)
        results[n_jobs] = search.cv_results_["mean_test_neg_delta_dsp"]
    np.testing.assert_array_equal(results[1], results[2])
    assert len(set(results[1])) >= 5  # every method, and each of the weights, gives another model
    assert [type(each["mitigation"]) for each in search.cv_results_["params"][:4]] == [type(each) for each in methods]
    assert "FairGNN" in search._repr_html_()


def test_nested_parameters(data):
    clf = model(mitigation=FairGNN()).set_params(mitigation__covariance_weight=7)
    assert clf.get_params()["mitigation__covariance_weight"] == 7
    assert clone(clf).mitigation.covariance_weight == 7
    assert repr(clf.mitigation) == "FairGNN(covariance_weight=7)"
    with pytest.raises(ValueError, match="Invalid parameter 'fairness_weight' for estimator FairGNN"):
        clf.set_params(mitigation__fairness_weight=1)
    fitted = clf.fit(data.graph, data.y)
    assert fitted.mitigation_ is not clf.mitigation
    assert not hasattr(clf.mitigation, "groups_")  # a clone is fitted
    with pytest.raises(ValueError, match="mitigation is None, so it has no parameter for"):
        model().set_params(mitigation__covariance_weight=1)
    assert model().set_params(mitigation=FairGNN(), mitigation__covariance_weight=1).mitigation.covariance_weight == 1
    assert model().fit(data.graph, data.y).mitigation_ is None


@pytest.mark.parametrize(
    ("mitigation", "options", "message"),
    [
        (RawlsGCN(), {"backbone": "gat"}, 'does not support backbone=.gat.* Use backbone="gcn"'),
        (RawlsGCN(), {"batch_size": 9}, "trains on the whole graph only"),
        (FairGNN(), {"n_layers": 1}, "needs n_layers of at least 2, got 1"),
        (FairGNN(), {"batch_size": 9, "distributed": True}, "does not support distributed=True"),
        (FairGNN(covariance_weight=-1), {}, "'covariance_weight' parameter of FairGNN"),
        (FairGNN(fairness_groups=1), {}, "'fairness_groups' parameter of FairGNN"),
        (DegFair(contrast="no"), {}, "'contrast' parameter of DegFair"),
        (DegFair(scale_shift=None), {}, "'scale_shift' parameter of DegFair"),
        (DegFair(degree_encoding_dim=0), {}, "'degree_encoding_dim' parameter of DegFair"),
        (RawlsGCN(form="node"), {}, "'form' parameter of RawlsGCN"),
        (CFC(), {"n_layers": 1}, "CFC needs n_layers of at least 2, got 1"),
        (CFC(fairness_hops=[1, 2], fairness_groups=[2, 3, 4]), {}, "the same number of attributes"),
        (CFC(fairness_hops=[]), {}, "the same number of attributes"),
        (CFC(fairness_hops=[1, 0]), {}, "'fairness_hops' parameter of an attribute of CFC"),
        (CFC(fairness_groups=["threshold", 0.9]), {}, "'fairness_groups' parameter of an attribute of CFC"),
        (CFC(fairness_hops=[1, True]), {}, "must not be a boolean"),
        (FairVGNN(n_masks=0), {}, "'n_masks' parameter of FairVGNN"),
        (FairVGNN(clip=0), {}, "'clip' parameter of FairVGNN"),
        (TailGNN(), {"backbone": "gat"}, 'TailGNN does not support .* Use backbone="gcn" or backbone="sage"'),
        (TailGNN(), {"batch_size": 9}, "TailGNN trains on the whole graph only"),
        (TailGNN(translate="both"), {}, "'translate' parameter of TailGNN"),
        (DSGCN(), {"backbone": "gat"}, 'DSGCN does not support .* Use backbone="gcn" or backbone="sage"'),
        (DSGCN(n_buckets=1), {}, "'n_buckets' parameter of DSGCN"),
        ("degfair", {}, r"mitigation must be None or an object .* such as DegFair\(\)"),
        (DegFair, {}, r"mitigation must be None or an object .* such as DegFair\(\)"),
    ],
)
def test_refused_in_words(data, mitigation, options, message):
    clf = model(mitigation=mitigation, **options)
    with pytest.raises(ValueError, match=message):
        clf.fit(data.graph, data.y)
    assert not hasattr(clf, "classes_")


def test_directed_graphs_are_refused_where_they_have_no_meaning(data):
    directed = Graph(data.X, sp.csr_array(sp.triu(data.A)), directed=True)
    with pytest.raises(ValueError, match="RawlsGCN is defined for undirected graphs"):
        model(mitigation=RawlsGCN()).fit(directed, data.y)
    fitted = model(mitigation=RawlsGCN()).fit(data.graph, data.y)
    with pytest.raises(ValueError, match="RawlsGCN is defined for undirected graphs"):
        fitted.predict(directed)
    assert model(mitigation=FairGNN()).fit(directed, data.y).n_iter_ == 8


@pytest.mark.parametrize("parameter", ["degree_encoding_dim", "scale_shift", "contrast", "modulation"])
def test_every_switch_of_degfair_does_something(data, parameter):
    value = None if parameter == "degree_encoding_dim" else False
    base = model(mitigation=DegFair()).fit(data.graph, data.y).predict_proba(data.graph)
    other = model(mitigation=DegFair(**{parameter: value})).fit(data.graph, data.y).predict_proba(data.graph)
    assert np.abs(base - other).max() > 1e-4


def test_a_mitigation_that_changes_nothing_is_the_plain_network(data):
    class Nothing(Mitigation):
        pass

    plain = model().fit(data.graph, data.y).predict_proba(data.graph)
    np.testing.assert_array_equal(model(mitigation=Nothing()).fit(data.graph, data.y).predict_proba(data.graph), plain)


def test_a_term_without_a_weight_is_an_error(data):
    class Forgetful(Mitigation):
        def terms(self):
            return {"spread": lambda output, y, batch: output.logits.var()}

    with pytest.raises(ValueError, match=r"The loss term 'spread' has no weight. Known terms: classification"):
        model(mitigation=Forgetful()).fit(data.graph, data.y)


def test_methods_train_in_batches_and_stop_early(data):
    for method in (FairGNN(), FairGNN(fairness_groups=4), DegFair(), CFC(), FairVGNN(n_masks=2), DSGCN()):
        clf = model(mitigation=method, max_epochs=30, early_stopping=True, patience=4, **BATCHES)
        clf.fit(data.graph, data.y)
        if not method.unfairness:
            assert clf.best_epoch_ == clf.history_["valid_accuracy"].idxmax()
            continue
        first = 15 if isinstance(method, DegFair) else 1  # its weight grows over half of the epochs
        assert clf.best_epoch_ == clf.history_["valid_score"].loc[first:].idxmax()
        term = method.unfairness[0]
        weight = method.covariance_weight if term == "covariance" else method.fairness_weight
        expected = clf.history_["valid_accuracy"] - weight * clf.history_[f"valid_{term}_loss"]
        np.testing.assert_allclose(clf.history_["valid_score"], expected)


def test_unfairness_of_validation_nodes_is_theirs_alone(data):
    """Training reads all nodes, validation the validation nodes, in batches and on the whole graph."""
    degree = data.graph.degree()
    for valid in (np.arange(40), np.arange(60, 120)):
        clf = model(mitigation=FairGNN(), max_epochs=1, learning_rate=1e-30)
        for options in ({}, {"batch_size": 7}):
            clf.set_params(**options).fit(data.X, data.A, data.y, validation_nodes=valid)
            p, high = clf.predict_proba(data.graph)[valid], degree[valid] > degree.mean()
            expected = 2 * np.abs(((high - high.mean())[:, None] * p).mean(0)).sum()  # two groups, the same covariance
            assert clf.history_["valid_covariance_loss"].iloc[0] == pytest.approx(expected, rel=1e-4)


def test_warm_start_with_another_method_is_refused(data):
    clf = model(warm_start=True).fit(data.graph, data.y)
    with pytest.raises(ValueError, match=r"continues with mitigation=None, but it was changed to RawlsGCN\(\)"):
        clf.set_params(mitigation=RawlsGCN()).fit(data.graph, data.y)


def test_a_fitted_classifier_pickles_its_network_once(data):
    clf = model(mitigation=FairGNN(), hidden_dim=256).fit(data.graph, data.y)
    size = sum(parameter.numel() * 4 for parameter in clf.module_.parameters())
    assert len(pickle.dumps(clf)) < 1.5 * size + 50_000
