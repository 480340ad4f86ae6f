"""FairWalk and Residual2Vec against their definitions, and walks against their probabilities."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

from skdegfair import Graph
from skdegfair.embedding import FairWalk, Residual2Vec
from skdegfair.embedding.factorization import leading_vectors, positive_log_ratio
from skdegfair.embedding.residual2vec import residuals
from skdegfair.embedding.walks import (
    draw_walks,
    expected_counts,
    expected_pairs,
    pairs_of,
    transition_matrix,
    weighted_powers,
)

GROUP = np.array([0, 0, 1, 1, 2, 0, 1, 0])


def weighted_graph(directed=False):
    """Eight nodes with weights, one of them isolated."""
    random = np.random.RandomState(1)
    A = np.triu(random.rand(8, 8) < 0.5, 1) * random.uniform(0.5, 3, (8, 8))
    if directed:
        A = A + np.tril(random.rand(8, 8) < 0.2, -1)
        A[5] = 0  # walks end here
    else:
        A = A + A.T
    A[7] = A[:, 7] = 0
    return sp.csr_array(A)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_transition_probabilities_are_those_of_the_definition(directed, grouped):
    A = weighted_graph(directed)
    group = GROUP if grouped else np.zeros(8, dtype=int)
    found = transition_matrix(A, GROUP if grouped else None).toarray()
    expected = np.zeros((8, 8))
    for i, j in product(range(8), range(8)):
        if A[i, j]:
            present = {group[k] for k in range(8) if A[i, k]}
            same = sum(A[i, k] for k in range(8) if group[k] == group[j])
            expected[i, j] = A[i, j] / same / len(present)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(found.sum(axis=1), np.asarray(A.sum(axis=1) > 0, dtype=float))


def test_drawn_walks_have_these_probabilities():
    """A chi-square test for each node that has a choice, and one for all of them together."""
    P = transition_matrix(weighted_graph(), GROUP)
    walks = draw_walks(P, np.repeat(np.arange(7), 3000), 4, np.random.default_rng(0))
    steps = np.concatenate([walks[:, k : k + 2] for k in range(3)])
    observed = np.zeros((8, 8))
    np.add.at(observed, (steps[:, 0], steps[:, 1]), 1)
    assert (observed[P.toarray() == 0] == 0).all()
    p_values = []
    for i in range(7):
        to = P.indices[P.indptr[i] : P.indptr[i + 1]]
        expected = P.data[P.indptr[i] : P.indptr[i + 1]] * observed[i].sum()
        if len(to) > 1:
            p_values.append(chisquare(observed[i, to], expected).pvalue)
    assert len(p_values) >= 5
    assert min(p_values) > 0.01 / len(p_values)


def test_each_group_in_a_neighborhood_is_next_equally_often():
    A = np.zeros((7, 7))
    A[0, 1:] = A[1:, 0] = 1  # a hub with five neighbors in group 0 and one in group 1
    P = transition_matrix(sp.csr_array(A), np.array([0, 0, 0, 0, 0, 0, 1]))
    walks = draw_walks(P, np.zeros(4000, dtype=int), 2, np.random.default_rng(0))
    assert abs(np.mean(walks[:, 1] == 6) - 0.5) < 0.04
    np.testing.assert_allclose(P.toarray()[0, 1:], [0.1] * 5 + [0.5])


def test_walks_end_where_nothing_is_left():
    A = sp.csr_array(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    walks = draw_walks(transition_matrix(A), np.array([0, 1, 2]), 4, np.random.default_rng(0))
    assert walks.tolist() == [[0, 1, 2, -1], [1, 2, -1, -1], [2, -1, -1, -1]]
    pairs = pairs_of(walks, 2)
    assert sorted(map(tuple, pairs.tolist())) == [(0, 1), (0, 2), (1, 0), (1, 2), (1, 2), (2, 0), (2, 1), (2, 1)]


@pytest.mark.parametrize("directed", [False, True])
def test_expected_pairs_are_the_mean_of_drawn_ones(directed):
    P = transition_matrix(weighted_graph(directed), GROUP)
    expected = expected_pairs(P, 6, 3)
    n = 2000
    random = np.random.default_rng(0)
    pairs = pairs_of(draw_walks(P, np.tile(np.arange(8), n), 6, random), 3)
    counted = np.zeros((8, 8))
    np.add.at(counted, (pairs[:, 0], pairs[:, 1]), 1 / n)
    np.testing.assert_allclose(counted, expected, atol=6 * np.sqrt(expected.max() * 6 / n))
    np.testing.assert_allclose(expected_counts(P, 6, 3), expected.sum(axis=1), rtol=1e-5)
    assert (expected[7] == 0).all()


def test_weighted_powers():
    P = transition_matrix(weighted_graph(directed=True)).toarray()
    weights = list(np.random.RandomState(0).rand(3, 8))
    expected = sum(np.diag(w) @ np.linalg.matrix_power(P, t + 1) for t, w in enumerate(weights))
    np.testing.assert_allclose(weighted_powers(sp.csr_array(P), weights), expected, rtol=1e-5, atol=1e-7)


def defined_residuals(A, group, window):
    """R as the paper defines it, pair by pair."""
    n = len(A)
    degree, volume = A.sum(axis=0), A.sum()
    P = np.divide(A, A.sum(axis=1, keepdims=True), out=np.zeros_like(A), where=A.sum(axis=1, keepdims=True) > 0)
    walked = sum(np.linalg.matrix_power(P, t) for t in range(1, window + 1)) / window
    groups = np.unique(group)
    between = np.array([[A[np.ix_(group == g, group == h)].sum() for h in groups] for g in groups])
    totals = between.sum(axis=1, keepdims=True)
    step = np.divide(between, totals, out=np.zeros_like(between), where=totals > 0)
    mixed = sum(np.linalg.matrix_power(step, t) for t in range(1, window + 1)) / window
    R = np.zeros((n, n))
    for i, j in product(range(n), range(n)):
        if walked[i, j] > 0:
            if len(groups) == 1:
                null = degree[j] / volume
            else:
                null = mixed[group[i], group[j]] * degree[j] / between[:, group[j]].sum()
            R[i, j] = max(np.log(walked[i, j] / null), 0)
    return R


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_residuals_are_those_of_the_definition(directed, grouped):
    A = weighted_graph(directed)
    group = GROUP if grouped else np.zeros(8, dtype=int)
    found = residuals(A, group, 4)
    np.testing.assert_allclose(found, defined_residuals(A.toarray(), group, 4), atol=1e-5)


def test_residuals_of_two_triangles_and_an_isolated_node():
    """Walks never go from one triangle to the other, so nothing is left over between them."""
    triangle = np.ones((3, 3)) - np.eye(3)
    A = sp.csr_array(sp.block_diag([triangle, triangle, np.zeros((1, 1))]).toarray())
    found = residuals(A, np.zeros(7, dtype=int), 3)
    np.testing.assert_allclose(found, defined_residuals(A.toarray(), np.zeros(7, dtype=int), 3), atol=1e-6)
    assert (found[:3, 3:] == 0).all()
    assert (found[6] == 0).all()
    assert found[0, 1] == pytest.approx(np.log(3 / 8 * 6), abs=1e-6)  # (1/2 + 1/4 + 3/8) / 3 = 3/8, and 2 / 12


def test_null_of_groups_explains_a_graph_of_blocks():
    """Edges that depend on groups and degrees alone leave little over; the null without groups leaves the groups."""
    random = np.random.RandomState(0)
    group = np.repeat([0, 1], 60)
    chance = np.where(group[:, None] == group, 0.5, 0.05)
    A = np.triu(random.rand(120, 120) < chance, 1).astype(float)
    A = sp.csr_array(A + A.T)
    blind, aware = residuals(A, np.zeros(120, dtype=int), 10), residuals(A, group, 10)
    same = group[:, None] == group
    assert blind[same].mean() - blind[~same].mean() > 0.2
    assert abs(aware[same].mean() - aware[~same].mean()) < 0.05


def test_skipgram_negatives_follow_the_null_model():
    A = weighted_graph()
    embedding = Residual2Vec(null="groups", window=4)
    draw = embedding._negatives(A, GROUP, transition_matrix(A))
    centers = np.repeat(np.arange(7), 4000)
    drawn = draw(centers, np.random.default_rng(0))[:, 0]
    observed = np.zeros((7, 8))
    np.add.at(observed, (centers, drawn), 1)
    degree = A.sum(axis=0)
    between = np.array([[A.toarray()[np.ix_(g == GROUP, h == GROUP)].sum() for h in range(3)] for g in range(3)])
    step = between / between.sum(axis=1, keepdims=True)
    mixed = sum(np.linalg.matrix_power(step, t) for t in range(1, 5)) / 4
    expected = 4000 * mixed[GROUP][:, GROUP] * (degree / between.sum(axis=0)[GROUP])
    assert (observed[:, 7] == 0).all()
    p_values = [chisquare(observed[i, :7], expected[i, :7]).pvalue for i in range(7)]
    assert min(p_values) > 0.01 / 7


def test_positive_log_ratio():
    found = positive_log_ratio(np.array([[0.0, 2.0, 1.0]]), np.array([[0.0, 1.0, 4.0]]))
    np.testing.assert_allclose(found, [[0, np.log(2), 0]])


@pytest.mark.parametrize("n", [20, 400])
def test_leading_vectors(n):
    """Singular vectors times the root of their values, for small matrices and for larger ones."""
    random = np.random.RandomState(0)
    matrix = random.rand(n, 6) @ random.rand(6, n)
    found = leading_vectors(matrix, 6)
    left, size, _ = np.linalg.svd(matrix)
    np.testing.assert_allclose(np.abs(found), np.abs(left[:, :6] * np.sqrt(size[:6])), atol=1e-5 * size[0])
    np.testing.assert_array_equal(leading_vectors(matrix, 6), found)
    assert (leading_vectors(np.zeros((n, n)), 3) == 0).all()
    assert leading_vectors(matrix[:3, :3], 5).shape == (3, 5)


@pytest.mark.parametrize("embedding", [FairWalk(), Residual2Vec()], ids=str)
def test_vectors_reflect_the_structure(embedding):
    """Two groups of nodes with many edges inside and few between them have vectors of different directions."""
    random = np.random.RandomState(0)
    side = np.repeat([0, 1], 40)
    A = np.triu(random.rand(80, 80) < np.where(side[:, None] == side, 0.3, 0.02), 1).astype(float)
    graph = Graph(np.zeros((80, 1)), A + A.T)
    for solver in ("factorization", "skipgram"):
        options = {"solver": solver, "n_components": 8, "fairness_groups": 2}
        if isinstance(embedding, Residual2Vec):
            del options["fairness_groups"]
        if solver == "skipgram":
            options |= {"random_state": 0, "n_walks": 20}
        vectors = type(embedding)(**options).fit_transform(graph)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        similar = unit @ unit.T
        same = side[:, None] == side
        assert similar[same].mean() > similar[~same].mean() + 0.3
