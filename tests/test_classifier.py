"""The estimators: ways to call them, what they learn, what they refuse."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.exceptions import NoEdgesWarning
from skdegfair.mitigation import DegFair

BACKBONES = ["gcn", "gat", "sage"]
MODELS = [(DegFairGNNClassifier, "gat"), (DegFairGNNClassifier, "sage"), (GNNClassifier, "gcn")]
TRAIN = np.arange(0, 120, 2)
TEST = np.arange(1, 120, 2)


def model(cls=DegFairGNNClassifier, **options):
    return cls(**{"max_epochs": 8, "hidden_dim": 8, "random_state": 0} | options)


def proba(fitted, data):
    return fitted.predict_proba(data.X, data.A)


# -- call forms ------------------------------------------------------------------------------------


def test_all_call_forms_give_the_same_model(data):
    X, A, y, G = data.X, data.A, data.y, data.graph
    expected = proba(model().fit(X, A, y), data)
    for fitted in (
        model().fit(X, A, y=y),
        model().fit(X, y, A=A),
        model().fit(X, y, A),
        model().fit(X=X, y=y, A=A),
        model().fit(G, y),
        model().fit(G, y=y),
        model().fit(X, A, list(y)),
        model().fit(sp.csr_array(X).toarray(), A.tocoo(), y),
        model().fit(X, A, pd.Series(y)),
    ):
        np.testing.assert_array_equal(proba(fitted, data), expected)


def test_training_nodes_by_mask_positions_or_view(data):
    X, A, y, G = data.X, data.A, data.y, data.graph
    mask = np.isin(np.arange(120), TRAIN)
    expected = proba(model().fit(G[TRAIN], y[TRAIN]), data)
    for fitted in (
        model().fit(X, A, y, nodes=TRAIN),
        model().fit(X, A, y, nodes=mask),
        model().fit(X, A, y, nodes=list(TRAIN)),
        model().fit(G, y, nodes=pd.Series(mask)),
        model(unlabeled=-1).fit(X, A, np.where(mask, y, -1)),
        model(unlabeled=np.nan).fit(X, A, np.where(mask, y, np.nan)),
        model().fit(X, A, np.where(mask, y, np.nan), nodes=mask),
    ):
        np.testing.assert_array_equal(proba(fitted, data), expected)


def test_the_order_in_which_nodes_are_named_does_not_matter(data):
    shuffled = np.random.RandomState(0).permutation(TRAIN)
    expected = proba(model().fit(data.graph, data.y, nodes=TRAIN), data)
    np.testing.assert_array_equal(proba(model().fit(data.graph, data.y, nodes=shuffled), data), expected)
    np.testing.assert_array_equal(proba(model().fit(data.graph[shuffled], data.y[shuffled]), data), expected)


@pytest.mark.parametrize("make", [list, lambda y: np.array(y, dtype=object), pd.Series])
@pytest.mark.parametrize(
    ("missing", "unlabeled"), [(np.nan, np.nan), (None, np.nan), ("?", "?"), (-1, -1), (pd.NA, pd.NA)]
)
def test_missing_labels_among_strings(data, make, missing, unlabeled):
    names = [["poor", "middle", "rich"][k] for k in data.y]
    y = [name if k % 2 == 0 else missing for k, name in enumerate(names)]
    fitted = model(unlabeled=unlabeled).fit(data.X, data.A, make(y))
    assert fitted.classes_.tolist() == ["middle", "poor", "rich"]
    np.testing.assert_array_equal(proba(fitted, data), proba(model().fit(data.graph, names, nodes=TRAIN), data))


def test_integer_labels_with_none(data):
    y = [int(k) if i % 2 == 0 else None for i, k in enumerate(data.y)]
    fitted = model().fit(data.graph, y, nodes=TRAIN)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.score(data.graph, y, nodes=TRAIN) == fitted.score(data.graph[TRAIN], data.y[TRAIN])
    with pytest.raises(ValueError, match="mixes labels of the types int, str"):
        model().fit(data.graph, ["a", 1] * 60)


def test_labels_of_other_nodes_are_not_looked_at(data):
    mask = np.isin(np.arange(120), TRAIN)
    other = np.where(mask, data.y, 2 - data.y)
    np.testing.assert_array_equal(
        proba(model().fit(data.X, data.A, data.y, nodes=mask), data),
        proba(model().fit(data.X, data.A, other, nodes=mask), data),
    )


@pytest.mark.filterwarnings("ignore::skdegfair.exceptions.NoEffectWarning")
def test_no_adjacency_means_no_edges(data):
    expected = model().fit(data.X, sp.csr_array((120, 120)), data.y)
    with pytest.warns(NoEdgesWarning, match=r"fit\(X, A, y\)"):
        fitted = model().fit(data.X, data.y)
    np.testing.assert_array_equal(fitted.predict_proba(data.X), proba_without_edges(expected, data))
    np.testing.assert_array_equal(
        model().fit(Graph(data.X), data.y).predict_proba(data.X), fitted.predict_proba(data.X)
    )
    np.testing.assert_array_equal(
        model().fit(data.X, "none", data.y).predict_proba(data.X, "none"), fitted.predict_proba(data.X)
    )


def proba_without_edges(fitted, data):
    return fitted.predict_proba(data.X, sp.csr_array((120, 120)))


def test_score_takes_the_same_forms(data):
    fitted = model().fit(data.X, data.A, data.y)
    expected = (fitted.predict(data.graph) == data.y).mean()
    for score in (
        fitted.score(data.X, data.A, data.y),
        fitted.score(data.X, data.y, A=data.A),
        fitted.score(data.X, data.A, y=data.y),
        fitted.score(data.graph, data.y),
        fitted.score(data.graph, data.y.tolist()),
        fitted.score(data.graph, pd.Series(data.y, dtype="Int64")),
    ):
        assert score == pytest.approx(expected)
    part = (fitted.predict(data.graph)[TEST] == data.y[TEST]).mean()
    assert fitted.score(data.X, data.A, data.y, nodes=TEST) == pytest.approx(part)
    assert fitted.score(data.graph[TEST], data.y[TEST]) == pytest.approx(part)
    weight = np.isin(np.arange(120), TEST)
    assert fitted.score(data.graph, data.y, sample_weight=weight) == pytest.approx(part)
    with pytest.raises(ValueError, match="inconsistent"):
        fitted.score(data.graph, data.y, sample_weight=np.ones(200))
    alone = Graph(data.X[:1], np.zeros((1, 1)))
    expected = fitted.score(alone, fitted.predict(alone))
    assert fitted.score(data.X[:1], np.zeros((1, 1)), fitted.predict(alone)) == expected == 1
    hidden = np.where(weight, data.y, -1)
    semi = model(unlabeled=-1).fit(data.X, data.A, hidden)
    assert semi.score(data.X, data.A, hidden) == semi.score(data.X, data.A, data.y, nodes=TEST)


@pytest.mark.parametrize(("cls", "backbone"), MODELS)
def test_representation_of_the_input_does_not_matter(data, cls, backbone):
    options = {"backbone": backbone}
    fitted = model(cls, **options).fit(data.X, data.A, data.y)
    expected = proba(fitted, data)
    for A in (data.A.tocsc(), data.A.tocoo(), data.A.toarray(), pd.DataFrame(data.A.toarray()), sp.csr_matrix(data.A)):
        np.testing.assert_array_equal(fitted.predict_proba(data.X, A), expected)
        np.testing.assert_array_equal(proba(model(cls, **options).fit(data.X, A, data.y), data), expected)
    for X in (data.X.astype(np.float32), data.X.tolist(), sp.csr_array(data.X), sp.csc_matrix(data.X)):
        again = model(cls, **options).fit(X, data.A, data.y)
        np.testing.assert_allclose(again.predict_proba(X, data.A), expected, atol=1e-4)


def test_feature_names(data):
    frame = pd.DataFrame(data.X, columns=list("abcdef"))
    for fitted in (model().fit(frame, data.A, data.y), model().fit(Graph(frame, data.A), data.y)):
        assert fitted.feature_names_in_.tolist() == list("abcdef")
        np.testing.assert_array_equal(
            fitted.predict_proba(Graph(frame, data.A)), proba(model().fit(data.graph, data.y), data)
        )
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(frame.iloc[:, ::-1], data.A)


# -- what a fitted model is ------------------------------------------------------------------------


def test_fitted_attributes(data):
    labels = np.array(["poor", "middle", "rich"])[data.y]
    fitted = model().fit(data.X, data.A, labels, nodes=TRAIN, validation_nodes=TEST)
    assert fitted.classes_.tolist() == ["middle", "poor", "rich"]
    assert fitted.n_features_in_ == 6
    assert (fitted.n_iter_, fitted.best_epoch_, fitted.stop_reason_) == (8, 8, "max_epochs")
    assert fitted.degree_threshold_ == pytest.approx(data.graph.degree().mean())
    assert set(fitted.predict(data.graph)) <= set(labels)
    assert fitted.net_.module_ is fitted.module_
    history = fitted.history_
    assert history.index.tolist() == list(range(1, 9))
    assert history.index.name == "epoch"
    for name in ("classification_loss", "fairness_loss", "context_loss", "scale_shift_loss", "loss", "accuracy",
                 "delta_dsp", "delta_deo"):  # fmt: skip
        assert history[f"train_{name}"].notna().all(), name
        assert history[f"valid_{name}"].notna().all(), name
    assert (history["seconds"] > 0).all()
    for part, ramp in {"train": np.minimum(history.index / 4, 1), "valid": 1}.items():  # over half of the 8 epochs
        total = history[f"{part}_classification_loss"] + 2.5 * ramp * history[f"{part}_fairness_loss"]
        total += 1e-4 * (history[f"{part}_context_loss"] + history[f"{part}_scale_shift_loss"])
        np.testing.assert_allclose(history[f"{part}_loss"], total, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:No node of class")
def test_history_ends_with_what_the_metrics_say(data):
    from skdegfair.metrics import delta_deo, delta_dsp

    fitted = model().fit(data.X, data.A, data.y, nodes=TRAIN, validation_nodes=TEST)
    last, degree = fitted.history_.iloc[-1], data.graph[TEST].degree()
    predicted = fitted.predict(data.graph[TEST])
    assert last["valid_accuracy"] == pytest.approx(fitted.score(data.graph[TEST], data.y[TEST]))
    assert last["valid_delta_dsp"] == pytest.approx(delta_dsp(data.y[TEST], predicted, degree=degree))
    assert last["valid_delta_deo"] == pytest.approx(delta_deo(data.y[TEST], predicted, degree=degree))


def test_plain_gnn_has_no_fairness_terms(data):
    fitted = model(GNNClassifier).fit(data.graph, data.y)
    assert not [name for name in fitted.history_ if "fairness" in name or "context" in name]
    np.testing.assert_array_equal(fitted.history_["train_loss"], fitted.history_["train_classification_loss"])


@pytest.mark.parametrize("rule", ["mean", "median", 3])
def test_degree_threshold(data, rule):
    degree = data.graph.degree()
    expected = {"mean": degree.mean(), "median": np.median(degree), 3: 3.0}[rule]
    assert model(degree_threshold=rule).fit(data.graph[:60], data.y[:60]).degree_threshold_ == expected


@pytest.mark.parametrize("backbone", BACKBONES)
def test_without_context_and_penalties_it_is_the_base_gnn(data, backbone):
    options = {"backbone": backbone}
    plain = proba(model(GNNClassifier, **options).fit(data.graph, data.y), data)
    for switches in ({"context_weight": 0}, {"modulation": False}):
        mitigation = DegFair(fairness_weight=0, constraint_weight=0, **switches)
        fair = model(GNNClassifier, mitigation=mitigation, **options).fit(data.graph, data.y)
        np.testing.assert_allclose(proba(fair, data), plain, atol=1e-5)
    debiased = model(fairness_weight=0, constraint_weight=0, **options).fit(data.graph, data.y)
    assert np.abs(proba(debiased, data) - plain).max() > 0.01


@pytest.mark.filterwarnings("ignore:hidden_dim=8 has no effect")
@pytest.mark.parametrize(
    "option",
    [
        {"fairness_loss": "deo"}, {"context_hops": 2}, {"context_weight": 0.1}, {"fairness_weight": 10},
        {"constraint_weight": 1}, {"degree_threshold": 2}, {"class_weight": {0: 3.0}}, {"backbone": "sage"},
        {"backbone": "gat"}, {"n_layers": 1}, {"n_layers": 3}, {"hidden_dim": 16}, {"dropout": 0.0},
        {"learning_rate": 0.1}, {"weight_decay": 0.1}, {"random_state": 1}, {"max_epochs": 9},
        {"early_stopping": True}, {"net_params": {"optimizer__betas": (0.5, 0.9)}},
    ],
    ids=str,
)  # fmt: skip
def test_every_option_does_something(data, option):
    base = proba(model().fit(data.graph, data.y), data)
    other = proba(model(**option).fit(data.graph, data.y), data)
    assert np.isfinite(other).all()
    assert not np.allclose(base, other, atol=1e-7)


def test_probabilities_and_logits(data):
    fitted = model().fit(data.graph, data.y)
    p, z = fitted.predict_proba(data.graph), fitted.decision_function(data.graph)
    np.testing.assert_allclose(p.sum(1), 1)
    np.testing.assert_allclose(p, np.exp(z) / np.exp(z).sum(1, keepdims=True))
    two = model().fit(data.graph, data.y > 0)
    p, z = two.predict_proba(data.graph), two.decision_function(data.graph)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-z)))


@pytest.mark.filterwarnings("ignore:hidden_dim=8 has no effect")
@pytest.mark.parametrize("backbone", BACKBONES)
def test_embedding(data, backbone):
    fitted = model(backbone=backbone).fit(data.graph, data.y)
    assert fitted.embed(data.X, data.A).shape == (120, 8)
    np.testing.assert_array_equal(fitted.embed(data.graph[[5, 3]]), fitted.embed(data.graph)[[5, 3]])
    flat = model(backbone=backbone, n_layers=1).fit(data.graph, data.y)
    np.testing.assert_array_equal(flat.embed(data.graph[:4]), data.X[:4])
    assert not np.shares_memory(flat.embed(data.graph), data.X)


# -- properties of predictions ---------------------------------------------------------------------


@pytest.mark.parametrize(("cls", "backbone"), MODELS)
def test_permuting_nodes_permutes_predictions(data, cls, backbone):
    fitted = model(cls, backbone=backbone).fit(data.graph, data.y)
    order = np.random.RandomState(0).permutation(120)
    moved = fitted.predict_proba(data.X[order], data.A[order][:, order])
    np.testing.assert_allclose(moved, proba(fitted, data)[order], rtol=1e-7)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_an_isolated_node_changes_nobody_elses_prediction(data, backbone):
    fitted = model(backbone=backbone).fit(data.graph, data.y)
    X = np.vstack([data.X, 9 * np.ones((1, 6))])
    A = sp.block_diag([data.A, sp.csr_array((1, 1))])
    extended = fitted.predict_proba(X, A)
    np.testing.assert_allclose(extended[:-1], proba(fitted, data), rtol=1e-7)
    alone = fitted.predict_proba(X[-1:], np.zeros((1, 1)))
    np.testing.assert_allclose(extended[-1:], alone, rtol=1e-7)


def test_a_view_predicts_as_the_whole_and_an_induced_graph_does_not(data):
    fitted = model().fit(data.graph, data.y)
    np.testing.assert_allclose(fitted.predict_proba(data.graph[30:50]), proba(fitted, data)[30:50], rtol=1e-7)
    cut = fitted.predict_proba(data.graph[30:50].induced())
    assert np.abs(cut - proba(fitted, data)[30:50]).max() > 0.01


def test_a_graph_never_seen(data):
    fitted = model().fit(data.graph[TRAIN].induced(), data.y[TRAIN])
    assert fitted.degree_threshold_ == data.graph[TRAIN].induced().degree().mean()
    unseen = data.graph[TEST].induced()
    assert fitted.score(unseen, data.y[TEST]) > 0.45  # of three classes
    assert fitted.predict(np.ones((1, 6)), np.zeros((1, 1))).shape == (1,)


def test_fit_does_not_change_its_input(data):
    X, A, y = data.X.copy(), data.A.copy(), data.y.copy()
    graph = Graph(X, A)
    for array in (X, y, A.data, A.indices, A.indptr):
        array.flags.writeable = False
    model().fit(graph[TRAIN], y[TRAIN]).predict(graph)
    model().fit(X, A, y).predict(X, A)
    np.testing.assert_array_equal(graph.X, data.X)


def test_pickle_and_clone(data):
    fitted = model(net_params={"optimizer__amsgrad": True}).fit(data.graph, data.y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(proba(again, data), proba(fitted, data))
    pd.testing.assert_frame_equal(again.history_, fitted.history_)
    assert clone(fitted).get_params() == fitted.get_params()
    np.testing.assert_array_equal(proba(clone(fitted).fit(data.graph, data.y), data), proba(fitted, data))
    A = sp.block_diag([data.A] * 20, format="csr")
    big = model().fit(Graph(np.tile(data.X, (20, 1)), A), np.tile(data.y, 20))
    assert len(pickle.dumps(big)) < 1.05 * len(pickle.dumps(model().fit(data.graph, data.y)))  # no data inside
    assert again.module_ is again.net_.module_


def test_the_unit_of_the_features_does_not_matter(data):
    expected = proba(model().fit(data.graph, data.y), data)
    for factor in (1024.0, 2.0**-20):  # powers of two, so that nothing is rounded
        for X in (factor * data.X, sp.csr_array(factor * data.X)):
            fitted = model().fit(X, data.A, data.y)
            assert fitted.feature_scale_ == pytest.approx(factor * np.sqrt(np.square(data.X).mean()))
            np.testing.assert_allclose(fitted.predict_proba(X, data.A), expected, atol=1e-4)
    nothing = model().fit(0 * data.X, data.A, data.y)
    assert nothing.feature_scale_ == 1
    assert np.isfinite(nothing.predict_proba(0 * data.X, data.A)).all()


def test_parameters_set_after_a_fit_wait_for_the_next_one(data):
    fitted = model().fit(data.graph, data.y)
    before = proba(fitted, data)
    fitted.set_params(context_hops=3, degree_threshold=0, context_weight=9, backbone="sage", n_layers=1)
    np.testing.assert_array_equal(proba(fitted, data), before)


def test_html_representation(data):
    fitted = model(fairness_weight=7.0, net_params={"optimizer__amsgrad": True}).fit(data.graph, data.y)
    for text in ("DegFairGNNClassifier", "fairness_weight", "optimizer__amsgrad"):
        assert text in fitted._repr_html_()


# -- graphs at the edge ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::skdegfair.exceptions.NoEffectWarning")  # most of them have one degree group
@pytest.mark.parametrize(("cls", "backbone"), MODELS)
@pytest.mark.parametrize("case", ["no edges", "all isolated but two", "complete", "no high-degree node", "two nodes",
                                  "class missing from a group", "no low-degree node"])  # fmt: skip
def test_unusual_graphs(cls, backbone, case):
    random = np.random.RandomState(0)
    n = 2 if case == "two nodes" else 12
    X, y, A = random.normal(size=(n, 3)), np.arange(n) % 2, np.zeros((n, n))
    options = {"backbone": backbone}
    if case == "all isolated but two":
        A[0, 1] = A[1, 0] = 1
    elif case == "complete":
        A = 1 - np.eye(n)
    elif case == "no high-degree node":
        A[:2, 2:4] = A[2:4, :2] = 1
        options |= {"degree_threshold": 100} if cls is DegFairGNNClassifier else {}
    elif case == "no low-degree node":
        A = 1 - np.eye(n)
        options |= {"degree_threshold": 0} if cls is DegFairGNNClassifier else {}
    elif case == "class missing from a group":
        A[0, 2:] = A[2:, 0] = 1
        options |= {"fairness_loss": "deo"} if cls is DegFairGNNClassifier else {}
    for early_stopping in (False, True):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="early_stopping=True found no training node")
            fitted = model(cls, early_stopping=early_stopping, **options).fit(X, A, y)
        assert np.isfinite(fitted.predict_proba(X, A)).all()
        assert np.isfinite(fitted.history_["train_loss"]).all()


# -- bad input -------------------------------------------------------------------------------------

EYE = np.eye(120)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: {"A": np.ones((120, 7))}, "square"),
        (lambda d: {"A": sp.csr_array((119, 119))}, "119 nodes but X has 120 rows"),
        (lambda d: {"A": sp.triu(d.A)}, r"A\.maximum\(A\.T\)"),
        (lambda d: {"A": -d.A}, "negative"),
        (lambda d: {"A": d.A * np.nan}, "NaN or infinite weight"),
        (lambda d: {"A": d.A * np.inf}, "NaN or infinite weight"),
        (lambda d: {"X": np.where(EYE[:, :6] == 1, np.nan, d.X)}, "X contains NaN"),
        (lambda d: {"X": np.where(EYE[:, :6] == 1, np.inf, d.X)}, "X contains infinity"),
        (lambda d: {"X": d.X[:, :0]}, "0 feature"),
        (lambda d: {"X": np.array([["a"] * 6] * 120)}, "Column 0 of X contains text, such as 'a'.*OneHotEncoder"),
        (lambda d: {"y": d.y[:-1]}, "119 labels for 120 nodes"),
        (lambda d: {"y": None}, "y to be passed"),
        (lambda d: {"y": np.where(np.arange(120) == 5, np.nan, d.y)}, "y contains NaN, at node 5"),
        (lambda d: {"y": np.where(np.arange(120) == 5, None, d.y)}, "y contains NaN, at node 5"),
        (lambda d: {"y": np.zeros(120)}, "one class"),
        (lambda d: {"y": np.zeros((120, 2))}, r"1d array.*\(120, 2\)"),
        (lambda d: {"y": d.X[:, 0]}, "continuous"),
        (lambda d: {"nodes": []}, "nodes is empty"),
        (lambda d: {"nodes": np.zeros(120, dtype=bool)}, "nodes is empty"),
        (lambda d: {"nodes": [0, 120]}, "position 120, out of range"),
        (lambda d: {"nodes": [0, -1]}, "position -1, out of range"),
        (lambda d: {"nodes": np.ones(119, dtype=bool)}, "mask of length 119"),
        (lambda d: {"nodes": [3, 4, 3]}, "node 3 more than once"),
        (lambda d: {"nodes": np.arange(120) % 2}, r"nodes\.astype\(bool\)"),
        (lambda d: {"nodes": [0.5, 1.5]}, "booleans or integers"),
        (lambda d: {"nodes": [[0, 1]]}, "a mask or a list of positions"),
        (lambda d: {"nodes": TRAIN, "validation_nodes": [2, 3]}, "overlap: both hold node 2"),
        (lambda d: {"validation_nodes": [500]}, "validation_nodes holds position 500"),
        (lambda d: {"X": Graph(d.X, d.A)[[0, 1, 2, 0]], "A": None, "y": [0, 1, 2, 0],
                    "nodes": [True, True, True, False], "validation_nodes": [False, False, False, True]},
         "overlap: both hold node 0"),
        (lambda d: {"validation_nodes": np.arange(120)}, "no labeled training node"),
    ],
)  # fmt: skip
def test_bad_data(data, change, message):
    arguments = {"X": data.X, "A": data.A, "y": data.y} | change(data)
    classifier = model()
    with pytest.raises(ValueError, match=message):
        classifier.fit(**arguments)
    assert not [name for name in vars(classifier) if name.endswith("_") or name.startswith("_fitted")]


def test_series_in_another_order_are_refused(data):
    frame = pd.DataFrame(data.X, index=[f"n{k}" for k in range(120)])
    y, mask = pd.Series(data.y, index=frame.index), pd.Series(np.arange(120) % 2 == 0, index=frame.index)
    graph = Graph(frame, data.A)
    expected = proba(model().fit(data.graph, data.y, nodes=TRAIN), data)
    same = model().fit(graph, y, nodes=mask)
    np.testing.assert_array_equal(same.predict_proba(graph), expected)
    np.testing.assert_array_equal(model().fit(graph[TRAIN], y.iloc[TRAIN]).predict_proba(graph), expected)
    for change in ({"y": y[::-1]}, {"nodes": mask[::-1]}, {"validation_nodes": mask[::-1]}):
        with pytest.raises(ValueError, match=f"{next(iter(change))} and X have the same labels"):
            model().fit(**{"X": graph, "y": y} | change)
    with pytest.raises(ValueError, match="y and X have the same labels"):
        same.score(graph, y[::-1])


@pytest.mark.parametrize("dtype", ["Int64", "category", "boolean"])
def test_pandas_labels(data, dtype):
    y = pd.Series(data.y > 0 if dtype == "boolean" else data.y).astype(dtype)
    fitted = model().fit(data.graph, y)
    assert fitted.classes_.dtype.kind == ("b" if dtype == "boolean" else "i")


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (nx.path_graph(120), "got a Graph. .*from_networkx"),
        (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\)"),
        (np.zeros((500, 2), dtype=int), "from_edges"),
        (pd.DataFrame({"source": ["a"], "target": ["b"]}), "from_edges"),
    ],
)
def test_other_things_in_place_of_A(data, A, message):
    with pytest.raises(ValueError, match=message):
        model().fit(data.X, A, data.y)
    with pytest.raises(TypeError, match="a DataFrame with one row per edge"):
        Graph.from_edges([(0, 1)], data.X)


@pytest.mark.parametrize("A", [np.ones((120, 7)), np.zeros((119, 119)), sp.csr_array((5, 120))])
def test_a_misshapen_second_argument_is_called_A(data, A):
    with pytest.raises(ValueError, match=r"^A (must be square|has 119 nodes)"):
        model().fit(data.X, A, data.y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("backbone", "gin"), ("hidden_dim", 0), ("n_layers", 0), ("n_heads", 0), ("degree_threshold", "max"),
        ("degree_threshold", -1), ("context_hops", 0), ("context_weight", -1), ("fairness_weight", -0.1),
        ("constraint_weight", -1), ("fairness_loss", "eo"), ("class_weight", "equal"),
        ("context_pool", "mean"), ("dropout", 1.0), ("learning_rate", 0), ("weight_decay", -1),
        ("max_epochs", 0), ("early_stopping", "yes"), ("validation_fraction", 1.0), ("patience", 0),
        ("monitor", "loss"), ("device", "abacus"), ("random_state", "x"), ("warm_start", "x"), ("callbacks", 3),
        ("net_params", 3), ("net_params", {"lr": 0.1}), ("net_params", {"batch_size": 8}),
        ("device", "cuda:99"), ("verbose", 3), ("directed", "x"),
    ],
)  # fmt: skip
def test_bad_options(data, name, value):
    with pytest.raises(ValueError, match=name):
        model(**{name: value}).fit(data.graph, data.y)


@pytest.mark.filterwarnings("ignore:hidden_dim=8 has no effect")
def test_heads_must_divide_the_width(data):
    with pytest.raises(ValueError, match="n_heads must divide"):
        model(backbone="gat", n_heads=3).fit(data.graph, data.y)
    assert model(backbone="gat", n_heads=3, n_layers=1).fit(data.graph, data.y).n_iter_ == 8


def test_a_failed_fit_leaves_the_model_as_it_was(data):
    fitted = model().fit(data.graph, data.y)
    before, attributes = proba(fitted, data), set(vars(fitted))
    with pytest.raises(ValueError, match="y contains NaN"):
        fitted.fit(data.X[:, :2], data.A, np.full(120, np.nan))
    with pytest.raises(ValueError, match="became"):
        fitted.set_params(learning_rate=1e30).fit(data.graph, data.y)
    with pytest.raises(ValueError, match="weights became"):
        fitted.set_params(learning_rate=1e38, max_epochs=1).fit(data.graph, data.y)
    assert set(vars(fitted)) == attributes
    np.testing.assert_array_equal(proba(fitted, data), before)


def test_diverging_training_is_an_error(data):
    with pytest.raises(ValueError, match=r"loss became .* in epoch \d+\. Lower learning_rate"):
        model(learning_rate=1e30).fit(data.graph, data.y)


def test_prediction_needs_edges_after_a_fit_with_edges(data):
    fitted = model().fit(data.X, data.A, data.y)
    for call in (fitted.predict, fitted.predict_proba, fitted.decision_function, fitted.embed):
        with pytest.raises(ValueError, match="was fitted on a graph"):
            call(data.X)
        with pytest.raises(ValueError, match="was fitted on a graph"):
            call(Graph(data.X))
    with pytest.raises(ValueError, match="was fitted on a graph"):
        fitted.score(data.X, data.y)


def test_prediction_input_is_checked(data):
    with pytest.raises(NotFittedError):
        model().predict(data.X, data.A)
    fitted = model().fit(data.graph, data.y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict(data.X[:, :3], data.A)
    with pytest.raises(ValueError, match="A has 120 nodes but X has 60 rows"):
        fitted.predict(data.X[:60], data.A)
    with pytest.raises(ValueError, match="either a Graph or X and A"):
        fitted.predict(data.graph, data.A)
    with pytest.raises(ValueError, match="no selected node"):
        fitted.predict(data.graph[[]])


def test_under_other_defaults_of_torch(data):
    expected = proba(model().fit(data.graph, data.y), data)
    torch.set_default_dtype(torch.float64)
    try:
        double = proba(model().fit(data.graph, data.y), data)
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.inference_mode():
        inferred = proba(model().fit(data.graph, data.y), data)
    np.testing.assert_array_equal(double, expected)
    np.testing.assert_array_equal(inferred, expected)


def test_read_only_memory_maps(data, tmp_path):
    parts = {"X": data.X, "y": data.y, "data": data.A.data, "indices": data.A.indices, "indptr": data.A.indptr}
    for name, array in parts.items():
        np.save(tmp_path / f"{name}.npy", array)
    m = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in parts}
    A = sp.csr_array((m["data"], m["indices"], m["indptr"]), shape=data.A.shape)
    np.testing.assert_array_equal(
        model().fit(m["X"], A, m["y"]).predict_proba(m["X"], A), proba(model().fit(data.graph, data.y), data)
    )


def test_directed_graphs(data):
    A = sp.triu(data.A, format="csr")
    by_option = model(directed=True).fit(data.X, A, data.y)
    by_graph = model().fit(Graph(data.X, A, directed=True), data.y)
    np.testing.assert_array_equal(
        by_option.predict_proba(data.X, A), by_graph.predict_proba(Graph(data.X, A, directed=True))
    )


def test_column_of_labels_is_accepted_with_a_warning(data):
    with pytest.warns(DataConversionWarning):
        fitted = model().fit(data.X, data.A, data.y[:, None])
    np.testing.assert_array_equal(proba(fitted, data), proba(model().fit(data.graph, data.y), data))
