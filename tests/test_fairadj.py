"""FairAdj: its projection, its gap between groups and its loss, against plain calculations."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from torch.nn.functional import binary_cross_entropy_with_logits

from skdegfair import Graph
from skdegfair.embedding import FairAdj, fairadj
from skdegfair.embedding.edge_weights import aggregate, edge_products, mean_products, project_rows
from skdegfair.embedding.fairadj import Reconstruction
from skdegfair.nn.attention import AttentionPattern


def pattern_of(n=9, seed=0, dtype=torch.float64):
    random = np.random.RandomState(seed)
    matrix = sp.csr_array((random.rand(n, n) < 0.3) * random.rand(n, n) + np.eye(n))
    return matrix, AttentionPattern(matrix, dtype)


def nearest_on_simplex(row):
    """The projection by its definition: max(row - shift, 0), with the shift for which the sum is 1."""
    shift = brentq(lambda t: np.maximum(row - t, 0).sum() - 1, row.min() - 2, row.max(), xtol=1e-14)
    return np.maximum(row - shift, 0)


@settings(max_examples=60, deadline=None)
@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=6), data=st.data())
def test_projection_of_each_row(lengths, data):
    values = data.draw(arrays(np.float64, sum(lengths), elements=st.floats(-3, 3)))
    indptr = np.cumsum([0, *lengths])
    found = project_rows(values, indptr)
    for start, stop in pairwise(indptr):
        np.testing.assert_allclose(found[start:stop], nearest_on_simplex(values[start:stop]), atol=1e-9)
        assert found[start:stop].sum() == pytest.approx(1)
    assert (found >= 0).all()


def test_projection_keeps_the_support():
    """A row of a dense matrix would give weight to pairs without an edge; stored entries are all there is."""
    matrix, _ = pattern_of()
    values = matrix.data - 0.3
    moved = sp.csr_array((project_rows(values, matrix.indptr), matrix.indices, matrix.indptr), shape=matrix.shape)
    assert (moved.toarray()[matrix.toarray() == 0] == 0).all()
    np.testing.assert_allclose(moved.sum(axis=1), 1)


@pytest.mark.parametrize("sizes", [(4, 5), (1, 8), (3, 3, 3)])
def test_mean_products_are_those_of_all_pairs(sizes):
    random = np.random.RandomState(0)
    group = np.repeat(np.arange(len(sizes)), sizes)
    z = torch.from_numpy(random.normal(size=(9, 3)))
    found = mean_products(z, torch.eye(len(sizes), dtype=torch.float64)[group])
    products = (z @ z.T).numpy()
    same = (group[:, None] == group) & ~np.eye(9, dtype=bool)
    other = group[:, None] != group
    np.testing.assert_allclose([float(each) for each in found], [products[same].mean(), products[other].mean()])


def test_gradients():
    matrix, pattern = pattern_of()
    generator = torch.Generator().manual_seed(0)
    h = torch.randn(9, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    values = torch.from_numpy(matrix.data.copy()).requires_grad_()
    assert torch.autograd.gradcheck(lambda v, x: aggregate(v, x, pattern), (values, h))
    assert torch.autograd.gradcheck(lambda x: edge_products(x, pattern), (h,))
    assert torch.autograd.gradcheck(lambda x: fairadj._SoftplusOfProducts.apply(x), (h,))
    np.testing.assert_allclose(aggregate(values, h, pattern).detach(), matrix @ h.detach().numpy())


def balanced_cross_entropy(z, target):
    """The loss as the paper's code has it, over a dense matrix of pairs."""
    n, m = len(target), target.sum()
    loss = binary_cross_entropy_with_logits(z @ z.T, target, pos_weight=(n**2 - m) / m)
    return loss * n**2 / (2 * (n**2 - m))


def test_reconstruction_is_the_balanced_cross_entropy_of_all_pairs():
    matrix, pattern = pattern_of()
    target = torch.from_numpy((matrix.toarray() > 0).astype(float))
    z = torch.randn(9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
    found = Reconstruction(pattern, torch.Generator())(z)
    (slope,) = torch.autograd.grad(found, [z])
    expected = balanced_cross_entropy(z, target)
    (expected_slope,) = torch.autograd.grad(expected, [z])
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(slope, expected_slope)


def test_sampled_reconstruction_has_the_same_mean(monkeypatch):
    _, pattern = pattern_of(40)
    z = torch.randn(40, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    exact = float(Reconstruction(pattern, torch.Generator())(z))
    monkeypatch.setattr(fairadj, "EXACT_NODES", 10)
    sampled = Reconstruction(pattern, torch.Generator().manual_seed(0))
    draws = np.array([float(sampled(z)) for _ in range(400)])
    assert draws.std() > 0
    assert abs(draws.mean() - exact) < 4 * draws.std() / 20


def test_large_graphs_are_sampled(data, monkeypatch):
    exact = FairAdj(n_components=4, hidden_dim=8, n_rounds=1, random_state=0).fit_transform(data.graph)
    monkeypatch.setattr(fairadj, "EXACT_NODES", 10)
    sampled = FairAdj(n_components=4, hidden_dim=8, n_rounds=1, random_state=0).fit_transform(data.graph)
    assert np.isfinite(sampled).all()
    assert not np.allclose(sampled, exact)


def test_steps_of_the_edge_weights_narrow_the_gap(data):
    narrowed = FairAdj(n_components=8, hidden_dim=16, edge_rate=0.5, random_state=0).fit(data.graph)
    plain = FairAdj(n_components=8, hidden_dim=16, n_edge_steps=0, random_state=0).fit(data.graph)
    before, after = np.abs(narrowed.gaps_).T
    assert (after < before).all()
    assert (plain.gaps_[:, 0] == plain.gaps_[:, 1]).all()
    assert after[-1] < abs(plain.gaps_[-1, 1])


def test_vectors_are_the_encoders_means(small):
    """With the edge weights left as they are, the means are those of two layers over means of neighborhoods."""
    embedding = FairAdj(n_components=3, hidden_dim=4, n_edge_steps=0, n_rounds=1, random_state=0).fit(small)
    closed = small.A.toarray() + np.eye(12)
    mean = closed / closed.sum(axis=1, keepdims=True)
    first, second = embedding.weights_
    hidden = np.maximum(mean @ (small.X / embedding.feature_scale_) @ first, 0)
    np.testing.assert_allclose(embedding.vectors_, mean @ hidden @ second, atol=1e-5)


def test_products_tell_the_edges(data):
    """The autoencoder learns something: linked nodes have larger products than others."""
    vectors = FairAdj(n_components=16, n_edge_steps=0, random_state=0).fit_transform(data.graph)
    products = vectors @ vectors.T
    linked = data.A.toarray() > 0
    other = ~linked & ~np.eye(len(linked), dtype=bool)
    assert products[linked].mean() > products[other].mean() + products[other].std() / 2


def test_nodes_without_edges_depend_on_their_own_features():
    X = np.random.RandomState(0).normal(size=(30, 4))
    embedding = FairAdj(n_components=3, hidden_dim=8, n_edge_steps=0, random_state=0).fit(Graph(X))
    np.testing.assert_allclose(embedding.transform(Graph(X)), embedding.vectors_, atol=1e-5)
    np.testing.assert_allclose(embedding.transform(Graph(X[5:7])), embedding.transform(Graph(X))[5:7])


def test_divergence_is_reported(small):
    huge = small.with_features(small.X)
    with pytest.raises(ValueError, match="training diverged"):
        FairAdj(learning_rate=1e30, random_state=0).fit(huge)
