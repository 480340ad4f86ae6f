"""Two models on the same nodes: values, invariances, and how often a difference of nothing is found."""

import numpy as np
import pandas as pd
import pytest

from skdegfair.metrics import compare_fairness, degree_fairness_report, degree_groups, delta_dsp


def sample(seed, n=300, flip=0.3):
    """Classes, degrees and two predictions, each wrong at random for a part of the nodes."""
    random = np.random.RandomState(seed)
    y, degree = random.randint(3, size=n), random.poisson(6, size=n)
    wrong = [np.where(random.rand(n) < flip, random.randint(3, size=n), y) for _ in range(2)]
    return y, *wrong, degree


def test_values_are_those_of_the_reports():
    y, one, other, degree = sample(0)
    table = compare_fairness(y, one, other, degree=degree, n_resamples=100)
    for column, predicted in (("first", one), ("second", other)):
        report = degree_fairness_report(y, predicted, degree=degree, n_resamples=10)
        assert table.loc["accuracy", column] == pytest.approx((y == predicted).mean())
        for name in ("delta_dsp", "delta_deo"):
            assert table.loc[name, column] == pytest.approx(report.gaps.loc[name, "gap"])
        assert table.loc["macro_f1_gap", column] == pytest.approx(report.gaps.loc["macro_f1", "gap"])
    np.testing.assert_allclose(table["difference"], table["second"] - table["first"])
    assert ((table["ci_low"] < table["difference"]) & (table["difference"] < table["ci_high"])).all()


def test_turned_round():
    y, one, other, degree = sample(1)
    there, back = (compare_fairness(y, *each, degree=degree, n_resamples=200) for each in ((one, other), (other, one)))
    np.testing.assert_allclose(there["difference"], -back["difference"])
    np.testing.assert_allclose(there["ci_high"] - there["ci_low"], back["ci_high"] - back["ci_low"], rtol=0.3)
    pd.testing.assert_frame_equal(there, compare_fairness(y, one, other, degree=degree, n_resamples=200))


def test_a_model_does_not_differ_from_itself():
    y, one, _, degree = sample(2)
    table = compare_fairness(y, one, one, degree=degree, n_resamples=50)
    assert (table["difference"] == 0).all()
    assert (table["p_value"] == 1).all()
    np.testing.assert_allclose(table["ci_high"], 0, atol=1e-12)


def test_a_planted_difference_is_found():
    y, one, other, degree = sample(3, n=800)
    biased = np.where((degree > 8) & (np.arange(800) % 2 == 0), 2, one)
    table = compare_fairness(y, biased, other, degree=degree)
    assert table.loc["delta_dsp", "p_value"] < 0.01
    assert table.loc["delta_dsp", "ci_high"] < 0


def test_a_difference_of_nothing_is_rarely_found():
    found = 0
    for seed in range(150):
        y, one, other, degree = sample(seed, n=200)
        found += compare_fairness(y, one, other, degree=degree, n_resamples=100)["p_value"].to_numpy() <= 0.05
    assert (found <= 17).all()  # 7.5 of 150 are expected
    assert (found[:3] >= 1).all()


def test_groups_labels_and_complaints():
    y, one, other, degree = sample(4)
    names = np.array(["a", "b", "c"])
    groups = degree_groups(degree, n_groups=3)
    table = compare_fairness(names[y], names[one], names[other], groups=groups, n_resamples=20)
    assert table.loc["delta_dsp", "first"] == pytest.approx(delta_dsp(y, one, groups=groups))
    tied = compare_fairness(y, one, other, degree=np.ones(300), n_resamples=20)  # no group of high degree
    assert tied.loc["delta_dsp":, ["difference", "ci_low", "p_value"]].isna().all(axis=None)
    assert tied.loc["accuracy"].notna().all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        compare_fairness(y, one, other, degree=degree, confidence_level=95)
    for arguments, message in (
        ((y, one, other[:-1]), "y_other has 299 entries, but y has 300"),
        ((y, one, names[other]), "same type|mixes"),
        ((y, one, np.where(y == 0, np.nan, y)), "y_other holds"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_fairness(*arguments, degree=degree)
