"""Properties of fit and predict for any graph, any labels and any parameters that go together."""

import pickle
import tempfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import skdegfair
from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, ReleasedDegFair, TailGNN

pytestmark = [  # what drawn parameters and graphs deserve; test_mistakes is about these
    pytest.mark.filterwarnings("ignore::skdegfair.exceptions.NoEffectWarning"),
    pytest.mark.filterwarnings("ignore::skdegfair.exceptions.FeatureScaleWarning"),
    pytest.mark.filterwarnings("ignore:early_stopping=True found no training node"),
]
CLASSES = [[0, 1], [-1, 1, 7], ["no", "yes"], ["a", "b", "c", "d"], [False, True], [0.0, 1.0, 4.0]]
METHODS = [None, DegFair(), DegFair(fairness_groups=3, fairness_loss="both", context_hops=2), FairGNN(), RawlsGCN(),
           RawlsGCN(form="gradient"), ReleasedDegFair(), CFC(fairness_hops=[1, 2]), FairVGNN(n_masks=2),
           TailGNN(degree_threshold="mean"), DSGCN(), DSGCN(index="target")]  # fmt: skip


@st.composite
def graphs(draw, scales=(0.0, 1e-6, 1.0, 1e6)):
    """A graph of 4 to 20 nodes in one of the forms that users have, some of its nodes isolated."""
    n = draw(st.integers(4, 20))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    A = np.triu(random.random((n, n)) < draw(st.sampled_from([0.0, 0.05, 0.2, 0.6, 1.0])), 1).astype(float)
    if draw(st.booleans()):
        A *= 10.0 ** random.uniform(-3, 3, size=A.shape)
    A = A + A.T
    X = random.normal(size=(n, draw(st.integers(1, 4)))) * draw(st.sampled_from(scales))
    X = draw(st.sampled_from([np.asarray, sp.csr_array, pd.DataFrame, lambda X: X.astype(np.float32)]))(X)
    if isinstance(X, pd.DataFrame):
        X.columns = [f"x{k}" for k in range(X.shape[1])]
    return Graph(X, draw(st.sampled_from([np.asarray, sp.csr_array, sp.coo_array]))(A))


@st.composite
def labels(draw, n):
    """Classes of all nodes; two of them occur."""
    classes = draw(st.sampled_from(CLASSES))
    chosen = draw(st.lists(st.integers(0, len(classes) - 1), min_size=n, max_size=n))
    chosen[:2] = [0, 1]
    y = np.array([classes[k] for k in chosen])
    return draw(st.sampled_from([y, pd.Series(y), list(y)]))


@st.composite
def classifiers(draw):
    """A classifier whose parameters go together."""
    method = draw(st.sampled_from(METHODS))
    needs = method or Mitigation()
    backbone = draw(st.sampled_from(needs.backbones))
    params = {
        "backbone": backbone,
        "hidden_dim": draw(st.sampled_from([4, 8])),
        "n_layers": draw(st.integers(2 if isinstance(method, ReleasedDegFair) else needs.min_layers, 3)),
        "n_heads": draw(st.sampled_from([1, 2])),
        "dropout": draw(st.sampled_from([0.0, 0.5])),
        "early_stopping": draw(st.booleans()),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
        "batch_size": draw(st.sampled_from([None, 3, 100] if needs.supports_batches else [None])),
        "max_epochs": draw(st.integers(1, 3)),
        "random_state": draw(st.integers(0, 100)),
    }
    if draw(st.booleans()):
        return GNNClassifier(mitigation=method, **params)
    if method is not None and not isinstance(method, DegFair):
        return GNNClassifier(mitigation=method, **params)
    return DegFairGNNClassifier(**params)


def digest(graph, y):
    return joblib.hash([graph.X, graph.A, y])


def check(graph, y, clf, random):
    before = digest(graph, y)
    clf.fit(graph, y)
    proba = clf.predict_proba(graph)
    assert proba.shape == (len(graph), len(clf.classes_))
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(1), 1)
    np.testing.assert_array_equal(clf.classes_, np.unique(np.asarray(y)))
    np.testing.assert_array_equal(clf.predict(graph), clf.classes_[proba.argmax(1)])
    assert clf.n_iter_ == len(clf.history_) <= clf.max_epochs

    some = random.permutation(len(graph))[: len(graph) // 2]
    np.testing.assert_array_equal(clf.predict_proba(graph[some]), proba[some])  # a view

    order = random.permutation(len(graph))
    reordered = graph[order].induced()
    np.testing.assert_allclose(clf.predict_proba(reordered), proba[order], rtol=1e-7, atol=1e-10)

    np.testing.assert_array_equal(clone(clf).fit(graph, y).predict_proba(graph), proba)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict_proba(graph), proba)
    with tempfile.TemporaryDirectory() as folder:
        skdegfair.save(clf, Path(folder) / "model")
        np.testing.assert_array_equal(skdegfair.load(Path(folder) / "model").predict_proba(graph), proba)
    assert digest(graph, y) == before


@st.composite
def cases(draw):
    clf = draw(classifiers())
    released = isinstance(getattr(clf, "mitigation", None), ReleasedDegFair)
    graph = draw(graphs(scales=(0.0, 1.0)) if released else graphs())  # the released code does not scale features
    return graph, draw(labels(len(graph))), clf, np.random.default_rng(draw(st.integers(0, 1000)))


def options(n):
    """Of a run with n cases: the same ones each time, and no limit of time, since a machine may be busy."""
    return settings(max_examples=n, deadline=None, derandomize=True, database=None,
                    suppress_health_check=list(HealthCheck))  # fmt: skip


@options(150)
@given(cases())
def test_fit_and_predict(case):
    check(*case)


@pytest.mark.slow
@options(1500)
@given(cases())
def test_fit_and_predict_at_length(case):
    check(*case)


@options(60)
@given(cases(), st.data())
def test_unlabeled_nodes_do_not_matter(case, data):
    """Whatever is in y for nodes that are not trained on, the model is the same."""
    graph, y, clf, random = case
    y = np.asarray(y)
    train = np.ones(len(graph), dtype=bool)
    hidden = data.draw(st.integers(0, len(graph) - 3))
    train[random.permutation(np.arange(2, len(graph)))[:hidden]] = False
    other = np.where(train, y, random.permutation(y))
    expected = clone(clf).fit(graph, y, nodes=train).predict_proba(graph)
    np.testing.assert_array_equal(clone(clf).fit(graph, other, nodes=train).predict_proba(graph), expected)
    part = clone(clf).fit(graph[train], y[train])
    np.testing.assert_array_equal(part.predict_proba(graph), expected)
