"""Resampled tables against what they stand for, and how often intervals and null are right."""

from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from skdegfair.metrics import gaps, group_counts, mean_of_defined, prediction_rates, recalls
from skdegfair.metrics._inference import class_gap_frame, gap_frame, resample, wilson_interval
from skdegfair.metrics._resampling import bootstrap_tables, chunks, gap_interval, permuted_tables, smoothed

RATES = {"dsp": prediction_rates, "deo": recalls}


def mean_gap(rates):
    return mean_of_defined(gaps(np.swapaxes(rates, -1, -2)))


@pytest.fixture
def counts():
    random = np.random.RandomState(0)
    return random.poisson(4, size=(3, 4, 4)).astype(float)


@pytest.mark.parametrize("within_class", [False, True])
def test_permuted_tables_keep_what_they_should(counts, within_class):
    tables = permuted_tables(counts, 200, np.random.default_rng(0), within_class=within_class)
    assert tables.shape == (200, 3, 4, 4)
    np.testing.assert_array_equal(tables.sum(1), np.broadcast_to(counts.sum(0), (200, 4, 4)))
    kept = -1 if within_class else (-1, -2)
    np.testing.assert_array_equal(tables.sum(kept), np.broadcast_to(counts.sum(kept), tables.sum(kept).shape))
    assert len(np.unique(tables, axis=0)) > 190


@pytest.mark.parametrize("within_class", [False, True])
def test_permuted_tables_are_as_frequent_as_permutations(within_class):
    y_true, y_pred, groups = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 2, 2])

    def key(table):
        return tuple(np.ravel(table).astype(int))

    expected = Counter()
    for order in permutations(range(6)):
        if within_class and any(y_true[node] != y_true[place] for place, node in enumerate(order)):
            continue
        order = list(order)
        expected[key(group_counts(y_true[order], y_pred[order], groups, 2, 3))] += 1
    counts = group_counts(y_true, y_pred, groups, 2, 3)
    drawn = Counter(map(key, permuted_tables(counts, 20000, np.random.default_rng(0), within_class=within_class)))
    assert set(drawn) == set(expected)
    total = sum(expected.values())
    for table, n in expected.items():
        p = n / total
        assert abs(drawn[table] / 20000 - p) < 5 * np.sqrt(p * (1 - p) / 20000)


def test_bootstrap_tables(counts):
    counts[1] = 0  # an empty group stays empty
    expected = smoothed(counts)
    np.testing.assert_allclose(expected.sum(-1), counts.sum(-1))
    tables = bootstrap_tables(expected, 4000, np.random.default_rng(0))
    np.testing.assert_array_equal(tables.sum((2, 3)), np.broadcast_to(counts.sum((1, 2)), (4000, 3)))
    np.testing.assert_allclose(tables.mean(0), expected, atol=0.2)


def test_smoothing_leaves_no_rate_certain():
    counts = np.array([[[3.0, 0], [0, 0]], [[5, 5], [4, 0]]])
    expected = smoothed(counts)
    assert 0 < recalls(expected)[0, 0] < 1
    assert np.isnan(recalls(expected)[0, 1])  # no node of the class in the group: nothing is made up
    np.testing.assert_allclose(recalls(expected)[0, 0], (3 + 8 / 13 / 2 + 12 / 17 / 2) / 4)
    perfect = np.array([[[1.0, 0], [0, 1]], [[1, 0], [0, 1]]])  # two nodes per group
    assert (gap_frame(resample(perfect, 200, 0), pairs="max", confidence_level=0.95)["ci_high"] > 0.3).all()


def test_memory_is_bounded_and_small_draws_are_one():
    assert list(chunks(1000, 50)) == [1000]
    assert sum(chunks(1000, 1_000_000)) == 1000
    assert max(chunks(1000, 1_000_000)) == 4
    assert list(chunks(3, 10**8)) == [1, 1, 1]


def test_an_interval_of_nothing_is_nothing():
    counts = np.zeros((2, 2, 2))
    counts[0] = 3
    resampled = resample(counts, 50, 0)["delta_dsp"]
    assert np.isnan(gap_interval(resampled.observed, resampled.expected, resampled.bootstrap, mean_gap, 0.95)).all()


def test_wilson_interval():
    low, high = wilson_interval(np.array([0.0, 0.5, 1.0, np.nan]), np.array([10, 10, 10, 0]), 0.95)
    np.testing.assert_allclose(low[:3], [0, 0.2366, 0.7225], atol=1e-4)  # textbook values
    np.testing.assert_allclose(high[:3], [0.2775, 0.7634, 1], atol=1e-4)
    assert np.isnan(low[3])
    assert np.isnan(high[3])


def draw(random, probabilities, sizes):
    """A table with this number of nodes per group."""
    shape = probabilities.shape[1:]
    return np.stack(
        [random.multinomial(n, p.ravel()).reshape(shape) for n, p in zip(sizes, probabilities, strict=True)]
    ).astype(float)


def confusion(prior, recall):
    """Joint probabilities of true and predicted class in each group."""
    recall, n_classes = np.asarray(recall), len(prior[0])
    wrong = (1 - recall[:, :, None]) / (n_classes - 1) * (1 - np.eye(n_classes))
    return np.asarray(prior)[:, :, None] * (wrong + recall[:, :, None] * np.eye(n_classes))


@pytest.mark.parametrize("gap", ["dsp", "deo"])
def test_chance_covers_what_has_nothing_to_do_with_degree(gap):
    """Classes may depend on degree for DEO, for which chance keeps them; the prediction does not."""
    prior = [[0.3, 0.3, 0.2, 0.1, 0.1]] * 2 if gap == "dsp" else [[0.3, 0.3, 0.2, 0.1, 0.1], [0.1, 0.1, 0.2, 0.3, 0.3]]
    probabilities = confusion(prior, [[0.7, 0.6, 0.8, 0.7, 0.5]] * 2)
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        counts = draw(rng, probabilities, (92, 89))
        null = mean_gap(RATES[gap](permuted_tables(counts, 300, rng, within_class=gap == "deo")))
        covered += mean_gap(RATES[gap](counts)) <= np.quantile(null, 0.95, method="higher")
    assert 930 <= covered <= 980


@pytest.mark.parametrize("n_classes", [2, 20])
def test_no_gap_is_found_where_there_is_none(n_classes):
    """The interval contains 0 as often as it should, and agrees with the p-value."""
    probabilities = confusion(np.full((2, n_classes), 1 / n_classes), np.full((2, n_classes), 0.7))
    rng = np.random.default_rng(0)
    found = np.zeros(5)
    for seed in range(60):
        frame = gap_frame(resample(draw(rng, probabilities, (92, 89)), 100, seed), pairs="max", confidence_level=0.95)
        assert ((frame["ci_low"] == 0) | (frame["p_value"] <= 0.05)).all()
        found += (frame["ci_low"] > 0).to_numpy()
    assert (found <= 8).all()  # 3 of 60 are expected


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_intervals_and_p_values_agree(clusters, level):
    """In both directions, for gaps of any size and for signed gaps of classes."""
    rng = np.random.default_rng(0)
    frames = []
    for seed in range(12):
        counts = draw(rng, confusion(rng.dirichlet(np.ones(3), size=2), rng.uniform(0.4, 1, size=(2, 3))), (40, 30))
        by_cluster = sp.csr_array(np.diag(counts.ravel()))  # one cluster per cell
        resampled = resample(counts, 99, seed, by_cluster if clusters else None)
        frames.append(gap_frame(resampled, pairs="max", confidence_level=1 - level))
        frames.append(class_gap_frame(resampled, [0, 1, 2], confidence_level=1 - level))
    table = pd.concat(frames).dropna(subset="gap")
    excludes = (table["ci_low"] > 0) | (table["ci_high"] < 0)
    assert ((table["p_value"] < 1 - (1 - level)) == excludes).all()
    assert excludes.any()
    assert not excludes.all()
    assert (table["ci_low"] <= table["ci_high"]).all()


def test_correction_takes_most_of_the_noise_away():
    probabilities = confusion(np.full((2, 20), 0.05), np.full((2, 20), 0.7))
    rng = np.random.default_rng(0)
    frames = [
        gap_frame(resample(draw(rng, probabilities, (92, 89)), 100, seed), pairs="max", confidence_level=0.95)
        for seed in range(20)
    ]
    for gap in ("delta_dsp", "delta_deo"):
        observed, corrected = (np.mean([frame.loc[gap, name] for frame in frames]) for name in ("gap", "corrected"))
        assert corrected < observed / 3  # the true gap is 0


@pytest.mark.parametrize(
    ("gap", "recall"),
    [
        ("dsp", [[0.8, 0.7, 0.6, 0.7, 0.5], [0.5, 0.7, 0.6, 0.4, 0.8]]),
        ("deo", [[0.9, 0.4, 0.8, 0.4, 0.9], [0.5, 0.8, 0.5, 0.8, 0.5]]),
    ],
    ids=["parity, in some classes", "opportunity, in all classes"],
)
def test_intervals_cover_a_known_gap(gap, recall):
    probabilities = confusion([[0.3, 0.25, 0.2, 0.15, 0.1], [0.1, 0.15, 0.2, 0.25, 0.3]], recall)
    truth, rates = float(mean_gap(RATES[gap](probabilities))), RATES[gap]
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        counts = draw(rng, probabilities, (92, 89))
        expected = smoothed(counts)
        draws = rates(bootstrap_tables(expected, 300, rng))
        _, low, high = gap_interval(rates(counts), rates(expected), draws, mean_gap, 0.95)
        covered += low <= truth <= high
    assert 180 <= covered <= 196
