"""The gaps against a calculation by hand, on many random cases."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from skdegfair.graph import degree_groups
from skdegfair.metrics import delta_deo, delta_dsp, gaps, generalized_degree, group_scores

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
settings.load_profile("patient")


@st.composite
def cases(draw):
    n, k = draw(st.integers(2, 40)), draw(st.integers(2, 5))
    column = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    degree = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))  # few values: many ties
    return np.array(draw(column)), np.array(draw(column)), np.array(degree)


def by_hand(y_true, y_pred, groups, opportunity, labels=None, over_pairs=max):
    """The paper's definition, written out: pairs of groups within classes, then the mean over classes."""
    gaps = []
    for c in labels or sorted(set(y_true) | set(y_pred)):
        rates = []
        for group in groups:
            members = [v for v in group if y_true[v] == c] if opportunity else group
            if members:
                rates.append(sum(y_pred[v] == c for v in members) / len(members))
        pairs = [abs(one - other) for i, one in enumerate(rates) for other in rates[i + 1 :]]
        if pairs:
            gaps.append(over_pairs(pairs))
    return sum(gaps) / len(gaps) if gaps else float("nan")


def low_and_high(degree, share):
    """The authors' rule, written out."""
    low_cut, high_cut = np.percentile(degree, [100 * share, 100 * (1 - share)])
    low = [v for v in range(len(degree)) if degree[v] <= low_cut]
    return low, [v for v in range(len(degree)) if degree[v] > high_cut]


@given(cases(), st.sampled_from([0.1, 0.2, 0.3, 0.5]))
@settings(max_examples=400)
@pytest.mark.filterwarnings("ignore:No node")
def test_definition_and_bounds(case, share):
    y_true, y_pred, degree = case
    groups = low_and_high(degree, share)
    classes = len(set(y_true) | set(y_pred))
    for metric, opportunity, bound in ((delta_dsp, False, 2 / classes), (delta_deo, True, 1.0)):
        value = metric(y_true, y_pred, degree=degree, share=share)
        np.testing.assert_allclose(value, by_hand(y_true, y_pred, groups, opportunity), atol=1e-12)
        assert np.isnan(value) or 0 <= value <= bound + 1e-12
        more = metric(y_true, y_pred, degree=degree, share=share, labels=range(5))
        np.testing.assert_allclose(more, by_hand(y_true, y_pred, groups, opportunity, labels=range(5)), atol=1e-12)


@given(cases(), st.integers(2, 4))
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore:No node")
def test_definition_for_many_groups(case, n_groups):
    y_true, y_pred, degree = case
    numbers = degree % (n_groups + 1) - 1
    if numbers.max() < 1:
        return  # fewer than two groups are refused, tested below
    if len(set(numbers) - {-1}) < 2:
        return
    groups = [[v for v in range(len(numbers)) if numbers[v] == g] for g in range(numbers.max() + 1)]
    for metric, opportunity in ((delta_dsp, False), (delta_deo, True)):
        for name, over_pairs in (("max", max), ("mean", np.mean)):
            value = metric(y_true, y_pred, groups=numbers, pairs=name)
            expected = by_hand(y_true, y_pred, groups, opportunity, over_pairs=over_pairs)
            np.testing.assert_allclose(value, expected, atol=1e-12)


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore:No node")
def test_symmetries(case, random):
    """Neither the order of nodes, nor the names of classes, nor which group comes first play a part."""
    y_true, y_pred, degree = case
    groups = degree_groups(degree, threshold=5)
    if len(set(groups)) < 2:
        return
    order = list(range(len(degree)))
    random.shuffle(order)
    names = np.array(random.sample(["ant", "bee", "cat", "dog", "elk"], 5))
    for metric in (delta_dsp, delta_deo):
        value = metric(y_true, y_pred, groups=groups)
        moved = metric(y_true[order], y_pred[order], groups=groups[order])
        renamed = metric(names[y_true], names[y_pred], groups=groups)
        np.testing.assert_allclose([moved, renamed], value, atol=1e-12)
        if groups.min() == 0:
            np.testing.assert_allclose(metric(y_true, y_pred, groups=1 - groups), value, atol=1e-12)
            signed = metric(y_true, y_pred, groups=groups, per_class=True)
            turned = metric(y_true, y_pred, groups=1 - groups, per_class=True)
            np.testing.assert_allclose(signed, -turned, atol=1e-12)
            np.testing.assert_allclose(signed.abs().mean(), value, atol=1e-12)


@given(cases())
@settings(max_examples=50)
@pytest.mark.filterwarnings("ignore:No node")
def test_equals_fairlearn(case):
    """Class by class: selection rates for DSP, recalls for DEO; the mean of fairlearn's differences is ours."""
    fairlearn = pytest.importorskip("fairlearn.metrics", reason="compares with fairlearn")
    y_true, y_pred, degree = case
    groups = degree_groups(degree, threshold=5)
    cells = {(g, c) for g, c in zip(groups, y_true, strict=True)}
    classes = sorted(set(y_true) | set(y_pred))
    if groups.max() < 1 or groups.min() > 0:
        return
    parity, opportunity = [], []
    for c in classes:
        frame = fairlearn.MetricFrame(
            metrics=fairlearn.selection_rate, y_true=y_true == c, y_pred=y_pred == c, sensitive_features=groups
        )
        parity.append(frame.difference())
        if {(0, c), (1, c)} <= cells:
            frame = fairlearn.MetricFrame(
                metrics=fairlearn.true_positive_rate, y_true=y_true == c, y_pred=y_pred == c, sensitive_features=groups
            )
            opportunity.append(frame.difference())
    signed = delta_dsp(y_true, y_pred, groups=groups, per_class=True)
    np.testing.assert_allclose(signed.abs(), parity, atol=1e-12)
    np.testing.assert_allclose(delta_dsp(y_true, y_pred, groups=groups), np.mean(parity), atol=1e-12)
    if opportunity:
        np.testing.assert_allclose(delta_deo(y_true, y_pred, groups=groups), np.mean(opportunity), atol=1e-12)


def test_groups_follow_the_authors_rule():
    assert degree_groups([0, 0, 0, 0, 1, 5]).tolist() == [0, 0, 0, 0, -1, 1]
    assert degree_groups([3, 3, 3]).tolist() == [0, 0, 0]
    for share in (0, 0.6):
        with pytest.raises(ValueError, match="share"):
            degree_groups([1, 2], share=share)


def test_empty_cells():
    with pytest.warns(UserWarning, match="class 1 in degree group 'low': delta_deo averages over 1 of 2 classes"):
        value = delta_deo([0, 0, 0, 1], [0, 0, 1, 1], degree=[1, 1, 5, 5], share=0.5)
    assert value == 1.0
    with pytest.warns(UserWarning, match="No node in degree group 'high'.* over 0 of 2 classes"):
        assert np.isnan(delta_dsp([0, 1], [0, 1], degree=[3, 3]))
    with pytest.warns(UserWarning, match="No node"):
        assert np.isnan(delta_deo([0, 1], [0, 1], degree=[3, 3]))


def test_one_warning_names_every_empty_cell():
    message = "class 'b' in degree group 0, nor of class 'a' in 1: delta_deo averages over 0 of 2"
    with pytest.warns(UserWarning, match=message) as w:
        assert np.isnan(delta_deo(["b", "b", "a", "a"], ["b", "b", "a", "b"], groups=[1, 1, 0, 0]))
    assert len(w) == 1
    assert w[0].filename == __file__  # it points to the caller


def test_own_groups_may_have_names():
    y, predicted = [0, 0, 1, 1, 0], [0, 1, 1, 1, 0]
    hub = pd.Categorical(["leaf", "leaf", "hub", "hub", None], categories=["leaf", "hub"])
    assert delta_dsp(y, predicted, groups=hub, per_class=True).to_dict() == {0: -0.5, 1: 0.5}
    assert delta_dsp(y, predicted, groups=list(hub), per_class=True).to_dict() == {0: 0.5, 1: -0.5}  # alphabetical
    assert group_scores(y, predicted, groups=hub).index.tolist() == ["leaf", "hub", "gap"]
    for numbers in (pd.Series([0, 0, 1, 1, None], dtype="Int64"), [0, 0, 1, 1, None], np.array([0, 0, 1, 1, -1.0])):
        assert delta_dsp(y, predicted, groups=numbers) == delta_dsp(y, predicted, groups=hub)
    assert group_scores(y, predicted, degree=[1, 1, 5, 5, 3], share=0.4).index.tolist() == ["low", "high", "gap"]
    with pytest.raises(ValueError, match="at least two"):
        delta_dsp(y, predicted, groups=["hub"] * 5)
    years = np.array([2020, 2020, 2021, 2021, -1], dtype=object)  # any numbers are names, too
    assert delta_dsp(y, predicted, groups=years, per_class=True).to_dict() == {0: -0.5, 1: 0.5}
    assert group_scores(y, predicted, groups=years).index.tolist() == [2020, 2021, "gap"]


def test_degrees_of_a_graph(data):
    predicted = np.roll(data.y, 1)
    part = data.graph[10:90]
    assert delta_dsp(data.y[10:90], predicted[10:90], degree=part) == delta_dsp(
        data.y[10:90], predicted[10:90], degree=part.degree()
    )
    with pytest.raises(ValueError, match="one finite number per node, or be a Graph"):
        delta_dsp(data.y, predicted, degree=data.A)


def test_classes_of_two_types_are_refused():
    for y_true, y_pred, message in (
        ([0, 1, 0], ["0", "1", "0"], "y_true holds int64 and y_pred holds"),
        (["a", "b", 1], ["a", "b", "a"], "y_true mixes labels of the types int, str"),
        (["a", "b", "a"], ["a", None, "a"], "y_pred holds 1 missing labels"),
        ([], [], "no nodes to assess"),
    ):
        with pytest.raises(ValueError, match=message):
            delta_dsp(y_true, y_pred, degree=np.arange(len(y_true)))


def test_missing_labels_are_refused():
    for missing in ([0, 1, np.nan], pd.Series([0, 1, None], dtype="Int64"), np.array(["a", "b", None], dtype=object)):
        with pytest.raises(ValueError, match=r"1 missing labels.* nodes whose class is known"):
            delta_dsp(missing, [0, 1, 1], degree=[1, 2, 3])


def test_degrees_do_not_overflow():
    A = sp.csr_array(np.ones((300, 300), dtype=np.int8) - np.eye(300, dtype=np.int8))
    for kind in (A, A.toarray(), pd.DataFrame(A.toarray())):
        np.testing.assert_allclose(generalized_degree(kind, hops=9), 299.0**9)  # beyond 64-bit integers
    with pytest.raises(ValueError, match="number of walks of length 200 is too large"):
        generalized_degree(A, hops=200)
    with pytest.raises(ValueError, match=r"square, one row and one column per node, got shape \(2, 3\)"):
        generalized_degree(np.ones((2, 3)))


def test_labels():
    arguments = {"degree": [1, 1, 5, 5], "share": 0.5}
    assert delta_dsp(["a", "b", "a", "b"], ["a", "a", "b", "b"], labels=["c", "b", "a"], **arguments) == pytest.approx(
        2 / 3
    )
    with pytest.raises(ValueError, match="labels does not contain the class"):
        delta_dsp([0, 1, 0, 1], [0, 0, 1, 1], labels=[0], **arguments)
    with pytest.raises(ValueError, match="same length"):
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
        ({"boundaries": [3, 3]}, "increasing"),
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
        ({"groups": groups, "share": 0.1}, "but groups is given"),
        ({"groups": np.zeros(6, dtype=int)}, "at least two"),
        ({"groups": np.linspace(0, 1, 6)}, "integers that increase"),
    ):
        with pytest.raises(ValueError, match=message):
            delta_dsp(y, predicted, **options)
    with pytest.raises(ValueError, match=r"y_pred should be .* one class per node, got an array of shape \(6, 2\)"):
        delta_dsp(y, np.zeros((6, 2)), groups=groups)


@pytest.mark.parametrize("n_groups", [2, 3, 7])
def test_gaps_are_differences_over_all_pairs(n_groups):
    random = np.random.RandomState(n_groups)
    rates = random.rand(30, n_groups)
    rates[random.rand(*rates.shape) < 0.4] = np.nan
    for row, largest, mean in zip(rates, gaps(rates), gaps(rates, "mean"), strict=True):
        differences = [abs(a - b) for a, b in combinations(row[~np.isnan(row)], 2)]
        np.testing.assert_equal(largest, max(differences, default=np.nan))
        np.testing.assert_allclose(mean, np.mean(differences) if differences else np.nan, rtol=1e-12)


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
