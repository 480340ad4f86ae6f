"""The gaps against a calculation by hand, on many random cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skdegfair.graph import degree_groups
from skdegfair.metrics import delta_deo, delta_dsp


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
    with pytest.warns(UserWarning, match=r"class 1 in the low-degree group"):
        value = delta_deo([0, 0, 0, 1], [0, 0, 1, 1], degree=[1, 1, 5, 5], share=0.5)
    assert value == 1.0
    with pytest.warns(UserWarning, match="No node in the high-degree group"):
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
