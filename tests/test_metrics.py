"""The gaps against a calculation by hand, on many random cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from skdegfair.graph import degree_groups
from skdegfair.metrics import delta_deo, delta_dsp, group_scores


@st.composite
def cases(draw):
    n, k = draw(st.integers(5, 60)), draw(st.integers(2, 5))
    column = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    degree = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    return np.array(draw(column)), np.array(draw(column)), np.array(degree), draw(st.sampled_from([0.1, 0.2, 0.3, 0.5]))


def by_hand(y_true, y_pred, degree, share, opportunity):
    """The authors' rule and the paper's definition, written out."""
    low_cut, high_cut = np.percentile(degree, [100 * share, 100 * (1 - share)])
    low = [v for v in range(len(degree)) if degree[v] <= low_cut]
    high = [v for v in range(len(degree)) if degree[v] > high_cut]
    gaps = []
    for c in sorted(set(y_true) | set(y_pred)):
        rates = []
        for group in (low, high):
            members = [v for v in group if y_true[v] == c] if opportunity else group
            if members:
                rates.append(sum(y_pred[v] == c for v in members) / len(members))
        if len(rates) == 2:
            gaps.append(abs(rates[0] - rates[1]))
    return np.mean(gaps) if gaps else np.nan


@given(cases())
@settings(max_examples=300, deadline=None)
@pytest.mark.filterwarnings("ignore:No node of class")
def test_definition_bounds_and_symmetries(case):
    y_true, y_pred, degree, share = case
    if not (degree > np.percentile(degree, 100 * (1 - share))).any():
        return  # no high group: both gaps are NaN, tested below
    classes = len(set(y_true) | set(y_pred))
    for metric, opportunity, bound in ((delta_dsp, False, 2 / classes), (delta_deo, True, 1.0)):
        value = metric(y_true, y_pred, degree=degree, share=share)
        np.testing.assert_allclose(value, by_hand(y_true, y_pred, degree, share, opportunity))
        assert np.isnan(value) or 0 <= value <= bound + 1e-12
        order = np.random.RandomState(0).permutation(len(y_true))
        moved = metric(y_true[order], y_pred[order], degree=degree[order], share=share)
        renamed = metric(10 - y_true, 10 - y_pred, degree=degree, share=share)
        np.testing.assert_allclose([moved, renamed], value)


def test_groups_follow_the_authors_rule():
    assert degree_groups([0, 0, 0, 0, 1, 5]).tolist() == [0, 0, 0, 0, -1, 1]
    assert degree_groups([3, 3, 3]).tolist() == [0, 0, 0]
    for share in (0, 0.6):
        with pytest.raises(ValueError, match="share"):
            degree_groups([1, 2], share=share)


def test_empty_cells():
    with pytest.warns(UserWarning, match=r"class 1 in degree group 0"):
        value = delta_deo([0, 0, 0, 1], [0, 0, 1, 1], degree=[1, 1, 5, 5], share=0.5)
    assert value == 1.0
    with pytest.warns(UserWarning, match="No node in degree group 1"):
        assert np.isnan(delta_dsp([0, 1], [0, 1], degree=[3, 3]))
    with pytest.warns(UserWarning, match="No node"):
        assert np.isnan(delta_deo([0, 1], [0, 1], degree=[3, 3]))


def test_labels():
    arguments = {"degree": [1, 1, 5, 5], "share": 0.5}
    assert delta_dsp(["a", "b", "a", "b"], ["a", "a", "b", "b"], labels=["c", "b", "a"], **arguments) == pytest.approx(
        2 / 3
    )
    with pytest.raises(ValueError, match="labels lacks the class"):
        delta_dsp([0, 1, 0, 1], [0, 0, 1, 1], labels=[0], **arguments)
    with pytest.raises(ValueError, match="equal length"):
        delta_dsp([0, 1], [0, 1], **arguments)


def test_other_ways_to_make_groups():
    degree = [0, 1, 2, 3, 4, 5, 6, 7]
    assert degree_groups(degree, n_groups=4).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert degree_groups([0, 0, 0, 0, 1, 2], n_groups=3).tolist() == [0, 0, 0, 0, 1, 1]
    assert degree_groups(degree, boundaries=[2, 6]).tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert degree_groups(degree, threshold=2).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    for options, message in (
        ({"share": 0.2, "threshold": 3}, "one of share"),
        ({"n_groups": 1}, "n_groups"),
        ({"boundaries": [3, 3]}, "increase"),
    ):
        with pytest.raises(ValueError, match=message):
            degree_groups(degree, **options)
    for bad in ([], [1, np.nan], [[1]]):
        with pytest.raises(ValueError, match="finite number per node"):
            degree_groups(bad)


def test_several_groups():
    y = np.zeros(6, dtype=int)
    predicted, groups = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    assert delta_dsp(y, predicted, groups=groups) == 1.0
    assert delta_dsp(y, predicted, groups=groups, pairs="mean") == pytest.approx((0.5 + 1 + 0.5) / 3)
    signed = delta_dsp(y, predicted, groups=groups, per_class=True)
    assert signed.to_dict() == {0: -1.0, 1: 1.0}
    with pytest.raises(ValueError, match="pairs"):
        delta_dsp(y, predicted, groups=groups, pairs="min")
    for options, message in (
        ({"groups": groups, "degree": groups}, "either degree"),
        ({}, "either degree"),
        ({"groups": groups, "share": 0.1}, "given already"),
        ({"groups": np.zeros(6, dtype=int)}, "number per node"),
    ):
        with pytest.raises(ValueError, match=message):
            delta_dsp(y, predicted, **options)
    with pytest.raises(ValueError, match=r"y_pred must hold one class per node, got an array of shape \(6, 2\)"):
        delta_dsp(y, np.zeros((6, 2)), groups=groups)


def test_scores_by_group_are_those_of_scikit_learn():
    random = np.random.RandomState(0)
    y, predicted, degree = random.randint(3, size=(3, 200))
    groups = degree_groups(degree, boundaries=[1, 2])
    table = group_scores(y, predicted, groups=groups)
    for name, score in (
        ("accuracy", accuracy_score),
        ("balanced_accuracy", balanced_accuracy_score),
        ("macro_f1", lambda a, b: f1_score(a, b, average="macro")),
    ):
        expected = [score(y[groups == g], predicted[groups == g]) for g in range(3)]
        np.testing.assert_allclose(table[name][:3].to_numpy(dtype=float), expected)
        assert table[name]["gap"] == pytest.approx(max(expected) - min(expected))
    assert table["n"][:3].tolist() == np.bincount(groups).tolist()
