"""What all embeddings have in common, alone, in pipelines and as classifiers."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import skdegfair
from skdegfair import EmbeddingClassifier, Graph, GraphTransformer
from skdegfair.embedding import FairAdj, FairWalk, Residual2Vec
from skdegfair.exceptions import NoEdgesWarning, NoEffectWarning
from skdegfair.metrics import SCORERS, DegreeFairnessReport, FairestWithin, fairness_scoring

EMBEDDINGS = [
    FairWalk(n_components=8),
    FairWalk(n_components=8, fairness_groups=0.2),
    FairWalk(n_components=4, solver="skipgram", n_walks=1, walk_length=10, window=3, random_state=0),
    Residual2Vec(n_components=8),
    Residual2Vec(n_components=8, null="groups", fairness_groups=3),
    Residual2Vec(n_components=4, solver="skipgram", n_walks=1, walk_length=10, window=3, random_state=0),
    FairAdj(n_components=4, hidden_dim=8, n_rounds=2, n_steps=10, n_edge_steps=3, random_state=0),
]
every_embedding = pytest.mark.parametrize("embedding", EMBEDDINGS, ids=str)


def gram(vectors):
    """Products of vectors, which do not depend on the signs that a decomposition leaves open."""
    return vectors @ vectors.T


@every_embedding
def test_parts_of_a_graph(data, embedding):
    """The whole graph is embedded, whichever nodes are selected."""
    whole = clone(embedding).fit(data.graph)
    part = clone(embedding).fit(data.graph[20:50])
    np.testing.assert_array_equal(part.transform(data.graph), whole.transform(data.graph))
    np.testing.assert_array_equal(whole.transform(data.graph[[5, 3]]), whole.vectors_[[5, 3]])
    np.testing.assert_array_equal(clone(embedding).fit_transform(data.graph[:9]), whole.vectors_[:9])
    assert whole.vectors_.shape == (120, embedding.n_components)
    assert np.isfinite(whole.vectors_).all()


@every_embedding
def test_the_same_seed_gives_the_same_bits(data, embedding):
    before = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    first = clone(embedding).fit_transform(data.graph)
    n_threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        again = clone(embedding).fit_transform(data.graph)
    finally:
        torch.set_num_threads(n_threads)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before[1])


@pytest.mark.parametrize("embedding", [EMBEDDINGS[2], EMBEDDINGS[-1]], ids=str)
def test_alone_and_in_threads(data, embedding):
    expected = clone(embedding).fit_transform(data.graph)
    with ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(clone(embedding).fit_transform, data.graph) for _ in range(6)]:
            np.testing.assert_array_equal(job.result(), expected)


@pytest.mark.parametrize(
    "embedding", [each for each in EMBEDDINGS if getattr(each, "solver", "") == "skipgram"], ids=str
)
def test_another_seed_gives_other_vectors(data, embedding):
    other = clone(embedding).set_params(random_state=1).fit_transform(data.graph)
    assert not np.allclose(other, clone(embedding).fit_transform(data.graph))


@pytest.mark.parametrize("embedding", [FairWalk(n_components=8), Residual2Vec(n_components=8, null="groups")], ids=str)
def test_order_of_the_nodes_does_not_matter(data, embedding):
    order = np.random.RandomState(0).permutation(120)
    shuffled = Graph(data.X[order], data.A[order][:, order])
    expected = gram(clone(embedding).fit_transform(data.graph))[np.ix_(order, order)]
    np.testing.assert_allclose(gram(clone(embedding).fit_transform(shuffled)), expected, atol=1e-3 * expected.max())


@every_embedding
def test_isolated_nodes_components_weights_and_directions(embedding):
    """Half of the nodes isolated, two components, weights of very different size, one direction."""
    random = np.random.RandomState(0)
    A = sp.block_diag([random.rand(10, 10) < 0.4, random.rand(10, 10) < 0.4, np.zeros((20, 20))]).toarray()
    A = A * 10 ** random.uniform(-3, 3, A.shape)
    X = random.normal(size=(40, 3))
    for graph in (Graph(X, A, directed=True), Graph(X, np.maximum(A, A.T)), Graph(X[:, :1], A > 0, directed=True)):
        vectors = clone(embedding).fit_transform(graph)
        assert np.isfinite(vectors).all()
        assert vectors[:20].any()
        if not embedding.reads_features:
            assert (vectors[20:] == 0).all()
        else:
            assert len(np.unique(vectors[20:], axis=0)) > 1


@every_embedding
def test_adding_an_isolated_node_changes_little_else(data, embedding):
    """Walks and their vectors stay as they are if the groups do."""
    if embedding.reads_features or getattr(embedding, "solver", "") == "skipgram":
        pytest.skip("draws from all nodes, so that the numbers drawn for a node change")
    options = {} if getattr(embedding, "null", "groups") == "configuration" else {"fairness_groups": "threshold"}
    if options and embedding.fairness_groups == "threshold":
        options["degree_threshold"] = 5.0
    embedding = clone(embedding).set_params(**options)
    if options:
        embedding.set_params(degree_threshold=5.0)
    larger = Graph(np.vstack([data.X, data.X[:1]]), sp.block_diag([data.A, sp.csr_array((1, 1))]).tocsr())
    expected = gram(clone(embedding).fit_transform(data.graph))
    np.testing.assert_allclose(gram(clone(embedding).fit_transform(larger))[:120, :120], expected, atol=2e-3)


@every_embedding
def test_another_graph_is_refused(data, embedding):
    fitted = clone(embedding).fit(data.graph)
    other_edges = data.A.tolil()
    i, j = 0, int(data.A.indices[0])
    other_edges[i, j] = other_edges[j, i] = 0
    with pytest.raises(ValueError, match="other edges"):
        fitted.transform(Graph(data.X, other_edges.tocsr()))
    with pytest.raises(ValueError, match="50 nodes instead of 120"):
        fitted.transform(data.graph[:50].induced())
    for nodes in (data.X, Graph(data.X)):
        with pytest.raises(ValueError, match="this graph has no edges: pass a Graph"):
            fitted.transform(nodes)
    if embedding.reads_features:
        with pytest.raises(ValueError, match="other features"):
            fitted.transform(data.graph.with_features(data.X + 1))
    same = Graph(data.X.copy(), sp.coo_array(data.A))
    np.testing.assert_array_equal(fitted.transform(same), fitted.vectors_)


def test_features_that_are_not_used_may_be_anything(data):
    text = pd.DataFrame({"name": ["a"] * 120, "age": [np.nan] * 120})
    expected = FairWalk().fit_transform(data.graph)
    np.testing.assert_array_equal(FairWalk().fit_transform(Graph(text, data.A)), expected)
    np.testing.assert_array_equal(FairWalk().fit_transform(Graph(np.empty((120, 0)), data.A)), expected)
    with pytest.raises(ValueError, match="Column 'name' of X contains text"):
        FairAdj().fit(Graph(text, data.A))


@every_embedding
def test_names_and_containers_of_the_output(data, embedding):
    fitted = clone(embedding).set_output(transform="pandas").fit(Graph(data.X, data.A))
    names = fitted.get_feature_names_out()
    assert names[0] == f"{type(embedding).__name__.lower()}0"
    assert len(names) == embedding.n_components
    frame = fitted.transform(data.graph[10:15])
    assert list(frame.columns) == list(names)


@every_embedding
def test_copies(data, embedding):
    fitted = clone(embedding).fit(data.graph)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(other.transform(data.graph), fitted.vectors_)
    assert not hasattr(clone(fitted), "vectors_")


def test_solver_follows_the_size(data, monkeypatch):
    assert FairWalk().fit(data.graph).solver_ == "factorization"
    monkeypatch.setattr("skdegfair.embedding.walk_embedding.FACTORIZED_NODES", 100)
    large = FairWalk(n_walks=1, walk_length=5, random_state=0).fit(data.graph)
    assert large.solver_ == "skipgram"
    assert Residual2Vec(solver="factorization").fit(data.graph).solver_ == "factorization"
    monkeypatch.setattr("skdegfair.embedding.walk_embedding.available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match='Use solver="skipgram"'):
        Residual2Vec(solver="factorization").fit(data.graph)


@pytest.mark.parametrize(
    ("embedding", "words"),
    [
        (FairWalk(degree_threshold=3, fairness_groups=3), "degree_threshold=3 has no effect"),
        (FairWalk(solver="factorization", n_walks=3), "n_walks=3 has no effect"),
        (Residual2Vec(fairness_groups=3), 'fairness_groups=3 has no effect with null="configuration"'),
        (Residual2Vec(solver="factorization", walk_length=5), "walk_length=5 has no effect"),
        (FairAdj(n_edge_steps=0, edge_rate=3.0), "edge_rate=3.0 has no effect"),
        (FairWalk(degree_threshold=1000), "treats all nodes alike"),
    ],
    ids=str,
)
def test_what_has_no_effect_is_said(data, embedding, words):
    with pytest.warns(NoEffectWarning, match=words):
        embedding.fit(data.graph)


def test_a_failed_fit_leaves_no_trace(data):
    embedding = FairWalk().fit(data.graph)
    vectors = embedding.vectors_
    with pytest.raises(ValueError, match="n_components"):
        embedding.set_params(n_components=0).fit(data.graph)
    assert embedding.vectors_ is vectors


# -- in pipelines, and as a classifier -------------------------------------------------------------


def forms(embedding):
    return make_pipeline(clone(embedding), LogisticRegression(max_iter=1000)), EmbeddingClassifier(clone(embedding))


@every_embedding
def test_the_classifier_is_the_pipeline(data, embedding):
    train, test = data.graph[:80], data.graph[80:]
    pipeline, classifier = (model.fit(train, data.y[:80]) for model in forms(embedding))
    np.testing.assert_array_equal(pipeline.predict_proba(test), classifier.predict_proba(test))
    np.testing.assert_array_equal(pipeline.predict(test), classifier.predict(test))
    np.testing.assert_array_equal(pipeline.decision_function(test), classifier.decision_function(test))
    np.testing.assert_array_equal(classifier.predict_proba(data.graph)[80:], classifier.predict_proba(test))


@every_embedding
def test_call_forms(data, embedding):
    X, A, y = data.X, data.A, np.array(["a", "b", "c"])[data.y]
    expected = EmbeddingClassifier(clone(embedding)).fit(Graph(X, A), y)
    train = np.arange(120) < 70
    part = EmbeddingClassifier(clone(embedding)).fit(data.graph[train], y[train])
    new = EmbeddingClassifier(clone(embedding))
    for fitted, other in (
        (clone(new).fit(X, A, y), expected),
        (clone(new).fit(X, A, y=y), expected),
        (clone(new).fit(X, y, A=A), expected),
        (clone(new).fit(X, A, y, nodes=train), part),
        (clone(new).fit(X, A, y, nodes=np.flatnonzero(train)), part),
        (clone(new).set_params(unlabeled="?").fit(X, A, np.where(train, y, "?")), part),
    ):
        np.testing.assert_array_equal(fitted.predict_proba(X, A), other.predict_proba(data.graph))
    assert expected.classes_.tolist() == ["a", "b", "c"]
    assert part.score(X, A, y, nodes=~train) == np.mean(part.predict(data.graph[~train]) == y[~train])
    assert part.score(data.graph[~train], y[~train]) == part.score(X, y, A=A, nodes=~train)


def test_weights_of_nodes_and_other_classifiers(data):
    weight = np.where(data.y == 0, 10.0, 1.0)
    plain = EmbeddingClassifier(FairWalk()).fit(data.graph, data.y)
    weighted = EmbeddingClassifier(FairWalk()).fit(data.graph, data.y, sample_weight=weight)
    assert (weighted.predict(data.graph) == 0).sum() > (plain.predict(data.graph) == 0).sum()
    forest = EmbeddingClassifier(FairWalk(), RandomForestClassifier(10, random_state=0)).fit(data.graph, data.y)
    assert not hasattr(forest, "decision_function")
    assert forest.score(data.graph, data.y) > 0.9
    assert not hasattr(EmbeddingClassifier(FairWalk(), LinearSVC()).fit(data.graph, data.y), "predict_proba")
    scaled = EmbeddingClassifier(make_pipeline(GraphTransformer(StandardScaler()), clone(EMBEDDINGS[-1])))
    assert scaled.fit(data.graph, data.y).predict(data.graph).shape == (120,)


@pytest.mark.parametrize("embedding", [EMBEDDINGS[0], EMBEDDINGS[4], EMBEDDINGS[-1]], ids=str)
def test_cross_validation_searches_and_scorers(data, embedding):
    pipeline, classifier = forms(embedding)
    for model in (pipeline, classifier):
        found = cross_validate(model, data.graph, data.y, cv=3, scoring=fairness_scoring, n_jobs=2)
        alone = cross_validate(model, data.graph, data.y, cv=3, scoring=fairness_scoring)
        np.testing.assert_array_equal(found["test_neg_delta_dsp"], alone["test_neg_delta_dsp"])
        np.testing.assert_array_equal(found["test_accuracy"], alone["test_accuracy"])
        assert (found["test_accuracy"] > 0.3).all()
    grid = GridSearchCV(
        classifier,
        {"embedding__n_components": [2, 8], "classifier": [LogisticRegression(C=0.1), LogisticRegression(C=1)]},
        cv=2,
        scoring=SCORERS,
        refit=FairestWithin(0.1),
    ).fit(data.graph, data.y)
    assert grid.best_estimator_.predict(data.graph).shape == (120,)
    predicted = cross_val_predict(pipeline, data.graph, data.y, cv=3)
    assert predicted.shape == (120,)
    fitted = classifier.fit(data.graph, data.y)
    assert "EmbeddingClassifier" in str(DegreeFairnessReport.from_estimator(fitted, data.graph, data.y))


@every_embedding
def test_saved_and_loaded(data, embedding, tmp_path):
    for number, model in enumerate(forms(embedding)):
        model.fit(data.graph, data.y)
        skdegfair.save(model, tmp_path / str(number))
        loaded = skdegfair.load(tmp_path / str(number))
        np.testing.assert_array_equal(loaded.predict_proba(data.graph), model.predict_proba(data.graph))
        with pytest.raises(ValueError, match="50 nodes instead of 120"):
            loaded.predict(data.graph[:50].induced())


def test_edges_that_were_forgotten(data):
    with pytest.warns(NoEdgesWarning, match="fit\\(X, A, y\\)"):
        EmbeddingClassifier(FairWalk()).fit(data.X, data.y)
    with pytest.warns(NoEdgesWarning, match="Pass Graph\\(X, A\\)"):
        FairWalk().fit(data.X)
    without = EmbeddingClassifier(FairWalk()).fit(data.X, "none", data.y)
    assert len(np.unique(without.predict(data.X))) == 1
