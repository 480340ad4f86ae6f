"""GraphTransformer: fitted on the selected nodes, applied to all, edges kept."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler, TargetEncoder

from skdegfair import DegFairGNNClassifier, Graph, GraphTransformer


def test_fits_on_the_selected_nodes_only(data):
    graph = data.graph
    out = GraphTransformer(StandardScaler()).fit(graph[:50]).transform(graph[20:])
    expected = StandardScaler().fit(data.X[:50]).transform(data.X)
    np.testing.assert_allclose(out.X, expected)
    assert out.A is graph.A
    assert out.nodes.tolist() == list(range(20, 120))
    assert graph.X is data.X


def test_passes_labels_on(data):
    out = GraphTransformer(SelectKBest(k=2)).fit_transform(data.graph[:60], data.y[:60])
    np.testing.assert_array_equal(out.X, SelectKBest(k=2).fit(data.X[:60], data.y[:60]).transform(data.X))


def test_transformers_that_guard_against_overfitting_do_so(data):
    random = np.random.RandomState(0)
    X, y = random.randint(30, size=(120, 1)).astype(float), random.randint(2, size=120)
    encoder = TargetEncoder(target_type="binary", smooth=0.0, random_state=0, cv=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn announces a change of TargetEncoder's random_state
        out = GraphTransformer(encoder).fit_transform(Graph(X, data.A)[:90], y[:90])
        expected = encoder.fit_transform(X[:90], y[:90])
        rest = encoder.transform(X[90:])
    np.testing.assert_array_equal(out.X[:90], expected)
    np.testing.assert_array_equal(out.X[90:], rest)


@pytest.mark.parametrize("inner", [MaxAbsScaler(), OneHotEncoder(handle_unknown="ignore")])
def test_sparse_features(data, inner):
    graph = data.graph.with_features(
        sp.csr_array(np.round(data.X)) if isinstance(inner, MaxAbsScaler) else np.round(data.X)
    )
    one = GraphTransformer(inner).fit(graph[:70]).transform(graph)
    two = GraphTransformer(inner).fit_transform(graph[:70])
    assert sp.issparse(one.X)
    np.testing.assert_array_equal(one.X.toarray(), two.X.toarray())


def test_names_and_containers(data):
    frame = pd.DataFrame(data.X, columns=list("abcdef"))
    transformer = GraphTransformer(StandardScaler()).set_output(transform="pandas")
    out = transformer.fit_transform(Graph(frame, data.A))
    assert out.X.columns.tolist() == list("abcdef")
    assert transformer.get_feature_names_out().tolist() == list("abcdef")
    assert transformer.feature_names_in_.tolist() == list("abcdef")
    assert transformer.n_features_in_ == 6
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(GraphTransformer(StandardScaler()).fit_transform(data.graph).X, pd.DataFrame)


def test_pipeline_with_pandas_output(data):
    model = DegFairGNNClassifier(max_epochs=3, random_state=0)
    pipeline = make_pipeline(GraphTransformer(PCA(2)), GraphTransformer(StandardScaler()), model)
    pipeline[:-1].set_output(transform="pandas")
    pipeline.fit(data.graph, data.y)
    assert pipeline[-1].feature_names_in_.tolist() == ["pca0", "pca1"]
    assert pipeline.predict(data.graph[:7]).shape == (7,)


def negative(X):
    return np.negative(X, out=X)


@pytest.mark.parametrize("inner", [StandardScaler(copy=False), PCA(2, copy=False), FunctionTransformer(negative)])
def test_features_are_never_written_into(data, inner):
    X = data.X.copy()
    transformer = GraphTransformer(inner)
    once = transformer.fit_transform(Graph(X, data.A)).X
    twice = transformer.fit(Graph(X, data.A)).transform(Graph(X, data.A)).X
    plain = transformer.fit_transform(X)
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_allclose(once, plain)
    np.testing.assert_allclose(twice, plain)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_labels_reach_the_end_of_a_pipeline(data, output):
    names = [f"v{k}" for k in range(120)]
    graph, y = Graph(pd.DataFrame(data.X, index=names), data.A), pd.Series(data.y, index=names)
    steps = [GraphTransformer(PCA(2)), GraphTransformer(StandardScaler())]
    pipeline = make_pipeline(*steps, DegFairGNNClassifier(max_epochs=1, random_state=0))
    pipeline[:-1].set_output(transform=output)
    pipeline.fit(graph[:80], y[:80])
    assert pipeline[:-1].transform(graph[5:]).index.tolist() == names[5:]
    with pytest.raises(ValueError, match="y and X have the same labels in a different order"):
        pipeline.score(graph[80:], y[80:][::-1])


def test_not_fitted():
    with pytest.raises(NotFittedError):
        GraphTransformer(StandardScaler()).transform(np.ones((2, 2)))


def test_wrong_number_of_rows_is_noticed(data):
    halve = GraphTransformer(FunctionTransformer(lambda X: X[::2])).fit(data.graph)
    with pytest.raises(ValueError, match="60 rows, but the graph has 120 nodes"):
        halve.transform(data.graph)
