"""The built-in graph: what is promised of it."""

import numpy as np
import pytest

from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import delta_dsp


def test_shapes_and_reproducibility():
    one, two, other = (make_degree_biased_graph(200, n_classes=4, n_features=5, random_state=s) for s in (1, 1, 2))
    assert one.X.shape == (200, 5)
    assert one.graph.n_nodes == 200
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.A.toarray(), two.A.toarray())
    assert not np.array_equal(one.X, other.X)
    for labels in (one.y, one.y_fair):
        assert np.bincount(labels).tolist() == [50] * 4
    X, A, y = make_degree_biased_graph(200, n_classes=4, n_features=5, random_state=1, return_X_A_y=True)
    np.testing.assert_array_equal(X, one.X)
    np.testing.assert_array_equal(y, one.y)
    np.testing.assert_array_equal(A.toarray(), one.A.toarray())
    assert "200 nodes" in one.DESCR


def test_bias_is_in_the_labels_and_as_strong_as_asked_for():
    gaps = []
    for bias in (0.0, 0.5, 2.0):
        data = make_degree_biased_graph(4000, bias=bias, random_state=0)
        degree = data.graph.degree()
        gaps.append(delta_dsp(data.y, data.y, degree=degree))
        assert delta_dsp(data.y_fair, data.y_fair, degree=degree) < 0.05
    assert gaps[0] < 0.05 < 0.15 < gaps[1] < gaps[2]


def test_no_bias_means_the_fair_labels():
    data = make_degree_biased_graph(300, bias=0.0, random_state=0)
    np.testing.assert_array_equal(data.y, data.y_fair)


@pytest.mark.parametrize("homophily", [0.0, 0.9])
def test_homophily_and_mean_degree(homophily):
    data = make_degree_biased_graph(4000, homophily=homophily, mean_degree=8, bias=0.0, random_state=0)
    edges = data.A.tocoo()
    same = (data.y[edges.row] == data.y[edges.col]).mean()
    assert same == pytest.approx(homophily + (1 - homophily) / 3, abs=0.04)
    assert data.graph.degree().mean() == pytest.approx(8, rel=0.05)
    assert (data.A.data == 1).all()
    assert not data.A.diagonal().any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": np.inf}, "noise must be at least 0 and finite"),
        ({"mean_degree": np.nan}, "mean_degree must be at least 0 and finite"),
        ({"n_classes": 2.5}, "n_classes must be an integer"),
        ({"n_classes": 1}, "n_classes"),
        ({"n_nodes": 2, "n_classes": 3}, "n_classes"),
        ({"n_features": 0}, "n_features"),
        ({"mean_degree": -1}, "mean_degree"),
        ({"bias": float("nan")}, "bias"),
        ({"noise": -1}, "noise"),
        ({"homophily": 1.5}, "homophily"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        make_degree_biased_graph(**options)


def test_no_edges():
    assert make_degree_biased_graph(50, mean_degree=0, random_state=0).graph.n_edges == 0
