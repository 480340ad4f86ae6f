"""The report: its numbers against the metrics, its ways in, and how it looks as text and as a page."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from skdegfair import GNNClassifier, Graph
from skdegfair.exceptions import EmptyGroupWarning
from skdegfair.graph import graph_clusters
from skdegfair.metrics import (
    DegreeFairnessReport,
    degree_curve,
    degree_fairness_report,
    degree_groups,
    delta_deo,
    delta_dsp,
    group_scores,
)


@pytest.fixture(scope="module")
def sample():
    """True and predicted classes and degrees of 600 nodes; those of high degree get class "c" more often."""
    random = np.random.RandomState(0)
    degree = random.geometric(0.1, size=600)
    y = np.array(["a", "b", "c"])[random.choice(3, size=600, p=[0.5, 0.3, 0.2])]
    y_pred = np.where(random.rand(600) < 0.25, random.choice(list("abc"), size=600), y)
    return y, np.where((degree > 15) & (random.rand(600) < 0.5), "c", y_pred), degree


@pytest.fixture(scope="module")
def report(sample):
    y, y_pred, degree = sample
    return degree_fairness_report(y, y_pred, degree=degree)


def test_numbers_are_those_of_the_metrics(sample, report):
    y, y_pred, degree = sample
    assert report.gaps.loc["delta_dsp", "gap"] == delta_dsp(y, y_pred, degree=degree)
    assert report.gaps.loc["delta_deo", "gap"] == delta_deo(y, y_pred, degree=degree)
    scores = group_scores(y, y_pred, degree=degree)
    for name in ("accuracy", "balanced_accuracy", "macro_f1"):
        assert report.gaps.loc[name, "gap"] == pytest.approx(scores.loc["gap", name])
        np.testing.assert_allclose(report.group_scores[name], scores[name][:2].to_numpy(dtype=float))
    for name, metric in (("delta_dsp", delta_dsp), ("delta_deo", delta_deo)):
        signed = metric(y, y_pred, degree=degree, per_class=True)
        np.testing.assert_allclose(report.class_gaps.loc[name]["gap"], signed)
    assert report.counts.sum() + report.table.outside.sum() == 600
    assert report.classes == ["a", "b", "c"]
    assert report.groups == ["low", "high"]


def test_scores_have_a_majority_vote_beside_them(sample, report):
    y, y_pred, degree = sample
    for row, predicted in (("predictions", y_pred), ("majority vote", np.full(600, "a")), ("true labels", y)):
        scores = report.scores.loc[row]
        assert scores["accuracy"] == pytest.approx(accuracy_score(y, predicted))
        assert scores["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
        assert scores["macro_f1"] == pytest.approx(f1_score(y, predicted, average="macro"))
        assert scores["delta_dsp"] == pytest.approx(delta_dsp(y, predicted, degree=degree, labels=["a", "b", "c"]))
        assert scores["delta_deo"] == pytest.approx(delta_deo(y, predicted, degree=degree, labels=["a", "b", "c"]))


def test_sizes_degrees_and_rates(sample, report):
    y, y_pred, degree = sample
    groups = degree_groups(degree)
    for number, name in enumerate(report.groups):
        inside = groups == number
        row = report.group_scores.loc[name]
        assert row[["n", "degree_min", "degree_max"]].tolist() == [
            inside.sum(), degree[inside].min(), degree[inside].max()
        ]  # fmt: skip
        for label in report.classes:
            predicted, recall = report.rates.loc[("predicted", label, name)], report.rates.loc[("recall", label, name)]
            assert predicted["rate"] == pytest.approx((y_pred[inside] == label).mean())
            assert recall["rate"] == pytest.approx((y_pred[inside & (y == label)] == label).mean())
            assert recall["n"] == (inside & (y == label)).sum()
    for frame in (report.rates, report.class_gaps):
        middle = "rate" if "rate" in frame else "gap"
        assert (frame["ci_low"] <= frame[middle]).all()
        assert (frame[middle] <= frame["ci_high"]).all()


def test_a_planted_gap_is_told_from_chance(sample, report):
    y, y_pred, degree = sample
    gap = report.gaps.loc["delta_dsp"]
    assert gap["null_mean"] < gap["null_95"] < gap["ci_low"] < gap["gap"] < gap["ci_high"]
    assert gap["p_value"] == pytest.approx(1 / 1001)
    shuffled = np.random.RandomState(1).permutation(degree)
    by_chance = degree_fairness_report(y, y_pred, degree=shuffled).gaps.loc["delta_dsp"]
    assert by_chance["p_value"] > 0.05
    assert by_chance["ci_low"] == 0
    assert by_chance["corrected"] < by_chance["gap"]


def test_the_same_seed_gives_the_same_report(sample, report):
    y, y_pred, degree = sample
    again = degree_fairness_report(y, y_pred, degree=degree)
    other = degree_fairness_report(y, y_pred, degree=degree, random_state=1)
    pd.testing.assert_frame_equal(again.gaps, report.gaps)
    assert not other.gaps["ci_low"].equals(report.gaps["ci_low"])
    order = np.random.RandomState(2).permutation(600)
    moved = degree_fairness_report(y[order], y_pred[order], degree=degree[order])
    pd.testing.assert_frame_equal(moved.gaps, report.gaps)


def test_wider_with_more_confidence(sample, report):
    y, y_pred, degree = sample
    sure = degree_fairness_report(y, y_pred, degree=degree, confidence_level=0.99, n_resamples=500)
    for frame in ("gaps", "class_gaps", "rates"):
        widths = [table["ci_high"] - table["ci_low"] for table in (getattr(sure, frame), getattr(report, frame))]
        assert widths[0].mean() > widths[1].mean()
    assert "99 % interval" in str(sure)


def test_empty_cells_and_groups():
    y, y_pred = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2])
    report = degree_fairness_report(y, y_pred, groups=[0, 0, 1, 1, 0, 1], labels=[0, 1, 2, 3])
    assert report.gaps.loc["delta_deo", "n_defined"] == 2
    assert report.gaps.loc["delta_dsp", "n_defined"] == 4
    assert np.isnan(report.class_gaps.loc[("delta_deo", 2), "gap"])
    assert "2 of 4" in str(report)
    with pytest.warns(EmptyGroupWarning, match="No node in group 'high'"):
        tied = degree_fairness_report(y, y_pred, degree=np.ones(6))  # nobody is above the upper percentile
    assert tied.gaps["gap"].isna().all()
    assert tied.gaps[["ci_low", "p_value"]].isna().all(axis=None)
    assert tied.group_scores["n"].tolist() == [6, 0]
    assert "0 of 3" in str(tied)
    assert "<table" in tied._repr_html_()


def test_every_way_to_say_degree(data):
    y, y_pred = data.y, np.random.RandomState(0).randint(3, size=120)
    for hops in (1, 2):
        expected = degree_fairness_report(y, y_pred, degree=data.graph.degree(hops), hops=hops)
        given = degree_fairness_report(y, y_pred, degree=data.graph, hops=hops)
        pd.testing.assert_frame_equal(given.group_scores, expected.group_scores)
    assert "2-hop degree" in str(expected)
    four = degree_fairness_report(y, y_pred, degree=data.graph, groups=degree_groups(data.graph.degree(), n_groups=4))
    assert four.group_scores["degree_max"].is_monotonic_increasing
    assert len(four.groups) == 4
    assert four.gaps.loc["delta_dsp", "gap"] == delta_dsp(
        y, y_pred, groups=degree_groups(data.graph.degree(), n_groups=4)
    )
    mean = degree_fairness_report(y, y_pred, groups=degree_groups(data.graph.degree(), n_groups=4), pairs="mean")
    assert mean.gaps.loc["delta_dsp", "gap"] < four.gaps.loc["delta_dsp", "gap"]
    assert mean.curve is None
    assert "degree_min" not in mean.group_scores


def test_from_estimator(data):
    G, y = data.graph, data.y
    fitted = GNNClassifier(max_epochs=5, random_state=0).fit(G, y)
    test = G[40:]
    expected = degree_fairness_report(y[40:], fitted.predict(test), degree=test.degree(2), hops=2, labels=[0, 1, 2])
    pd.testing.assert_frame_equal(DegreeFairnessReport.from_estimator(fitted, test, y[40:], hops=2).gaps, expected.gaps)
    plain = LogisticRegression().fit(data.X, y)
    with pytest.raises(TypeError, match="Degrees are read from a Graph"):
        DegreeFairnessReport.from_estimator(plain, data.X, y)
    report = DegreeFairnessReport.from_estimator(plain, data.X, y, degree=G.degree())
    assert report.scores.loc["predictions", "accuracy"] == pytest.approx(plain.score(data.X, y))
    for lengths, message in (({"y": y[:-1]}, "y has 119"), ({"y": y, "degree": G.degree()[1:]}, "degree has 119")):
        with pytest.raises(ValueError, match=f"{message} entries, but 120 nodes"):
            DegreeFairnessReport.from_estimator(fitted, G, **lengths)
    grouped = DegreeFairnessReport.from_estimator(plain, data.X, y, groups=degree_groups(G.degree()))
    pd.testing.assert_frame_equal(grouped.gaps, report.gaps)


def test_unlabeled_nodes_are_left_out(data):
    y = data.y.copy()
    y[::3] = -1
    fitted = GNNClassifier(max_epochs=5, unlabeled=-1, random_state=0).fit(data.graph, y)
    report = DegreeFairnessReport.from_estimator(fitted, data.graph, y)
    known = y != -1
    expected = DegreeFairnessReport.from_estimator(fitted, data.graph[known], y[known])
    pd.testing.assert_frame_equal(report.gaps, expected.gaps)
    assert report.classes == [0, 1, 2]


def test_clusters(data):
    y, y_pred = data.y, np.roll(data.y, 1)
    G, numbers = data.graph, graph_clusters(data.A)
    by_name = degree_fairness_report(y, y_pred, degree=G, clusters="neighborhoods", n_resamples=50)
    order = np.random.RandomState(0).permutation(120)
    given = degree_fairness_report(
        y[order], y_pred[order], degree=G.degree()[order], clusters=numbers[order], n_resamples=50
    )
    pd.testing.assert_frame_equal(by_name.gaps, given.gaps)
    alone = degree_fairness_report(y, y_pred, degree=G, n_resamples=50)
    pd.testing.assert_series_equal(by_name.gaps["gap"], alone.gaps["gap"])
    assert f"in {by_name.by_cluster.shape[0]} clusters" in str(by_name)
    assert "Nodes are treated as independent." in alone._repr_html_()
    assert "Nodes are treated as independent." not in by_name._repr_html_()
    np.testing.assert_array_equal(by_name.by_cluster.sum(0).reshape(by_name.counts.shape), by_name.counts)

    labels = np.where(np.arange(120) % 4 == 0, -1, y)
    fitted = GNNClassifier(max_epochs=2, unlabeled=-1, random_state=0).fit(G, labels)
    known = labels != -1
    options = {"clusters": "communities", "n_resamples": 50}
    all_nodes, some = (
        DegreeFairnessReport.from_estimator(fitted, *nodes, **options)
        for nodes in ((G, labels), (G[known], labels[known]))
    )
    pd.testing.assert_frame_equal(all_nodes.gaps, some.gaps)
    no_edges = degree_fairness_report(
        y, y_pred, degree=Graph(data.X), groups=np.arange(120) % 2, clusters="communities", n_resamples=10
    )
    assert no_edges.by_cluster.shape[0] == 120


def test_wrong_clusters(sample):
    y, y_pred, degree = sample
    for clusters, message in (
        ("neighborhoods", "Pass the nodes as a Graph"),
        (np.zeros(599), "clusters has 599 entries, but there are 600 nodes"),
        (np.where(degree > 3, np.nan, degree), "missing values"),
        (np.zeros((600, 2)), r"shape \(600, 2\)"),
        (np.zeros(600), "at least two clusters"),
    ):
        with pytest.raises(ValueError, match=message):
            degree_fairness_report(y, y_pred, degree=degree, clusters=clusters)


def test_complaints(sample):
    y, y_pred, degree = sample
    for options, message in (
        ({}, "either degree"),
        ({"degree": degree[:-1]}, "same length"),
        ({"degree": degree, "confidence_level": 95}, "between 0 and 1"),
        ({"degree": degree, "n_resamples": 0}, "positive integer"),
        ({"degree": degree, "n_resamples": 10.5}, "positive integer"),
        ({"degree": degree, "pairs": "min"}, '"max" or "mean"'),
        ({"degree": degree, "labels": ["a", "b"]}, "labels does not contain the class c"),
        ({"degree": np.where(degree > 3, np.nan, degree)}, "finite number per node"),
    ):
        with pytest.raises(ValueError, match=message):
            degree_fairness_report(y, y_pred, **options)


def test_text_is_aligned(report):
    lines = str(report).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Gaps between groups"))
    table = lines[start + 1 : start + 7]
    assert len({len(line) for line in table}) == 1
    assert [line.split()[0] for line in table[1:]] == ["delta", "delta", "accuracy", "balanced", "macro-F1"]
    assert f"{100 * report.gaps.loc['delta_dsp', 'gap']:.1f}" in table[1]
    assert max(map(len, lines)) <= 120


def test_page(report, tmp_path):
    page = report.to_html(tmp_path / "report.html", title="Nodes <& more>")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page == report.to_html(title="Nodes <& more>")
    assert "<h1>Nodes &lt;&amp; more&gt;</h1>" in page
    assert page.count("<table") == 4
    assert "<img" not in page
    assert "http" not in page  # nothing is fetched from elsewhere
    assert "<script" not in page
    fragment = report._repr_html_()
    assert fragment in page
    assert fragment.count("<table") == 4


def test_names_are_escaped():
    report = degree_fairness_report(["<b>", "x", "<b>", "x"], ["<b>", "x", "x", "x"], groups=["<i>", "j", "j", "<i>"])
    assert "<b>" not in report._repr_html_()
    assert "<i>" not in report._repr_html_()


def test_curve():
    curve = degree_curve([0, 1, 1, 1], [0, 0, 3, 7], n_bins=2)
    assert curve["score"].tolist() == [0.5, 1.0]
    assert curve["n"].tolist() == [2, 2]
    assert curve["degree_mean"].tolist() == [0.0, 5.0]
    assert 0 < curve["ci_low"][0] < 0.5 < curve["ci_high"][0] < 1
    random = np.random.RandomState(0)
    losses, degree = random.exponential(size=500), random.randint(1, 50, size=500)
    curve = degree_curve(losses, degree, n_bins=5)
    assert curve["n"].sum() == 500
    assert ((curve["ci_low"] < curve["score"]) & (curve["score"] < curve["ci_high"])).all()
    assert (curve["degree_max"][:-1].to_numpy() < curve["degree_min"][1:].to_numpy()).all()
    with pytest.raises(ValueError, match="same length"):
        degree_curve([0, 1], [1])
    with pytest.raises(ValueError, match="finite"):
        degree_curve([0, np.nan], [1, 2])


def test_many_classes_do_not_warn_and_a_graph_without_edges_does():
    random = np.random.RandomState(0)
    y, y_pred, degree = random.randint(60, size=(3, 900))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = degree_fairness_report(y, y_pred, degree=degree, n_resamples=50)
        assert len(report.class_gaps) == 120
    graph = Graph(np.ones((900, 1)))  # without edges every degree is 0
    with pytest.warns(EmptyGroupWarning, match="'high'"):
        assert degree_fairness_report(y, y_pred, degree=graph, n_resamples=10).gaps["gap"].isna().all()


def test_a_reference_is_always_shown():
    """Also if no finding is about it: who lost, and how much."""
    y = np.tile([0, 1], 100)
    degree = np.arange(200)
    better, worse = y.copy(), y.copy()
    worse[160:180] = 1 - worse[160:180]  # half of the high group
    text = str(degree_fairness_report(y, worse, degree=degree, reference=better))
    shown = text.split("Compared with the reference\n")[1].split("\n\n")[0].splitlines()
    rows = {line.rsplit(maxsplit=3)[0].strip(): line.split()[-3:] for line in shown[1:]}
    assert rows["accuracy, low"] == ["100.0", "100.0", "+0.0"]
    assert rows["accuracy, high"] == ["100.0", "50.0", "-50.0"]
    assert rows["delta DEO"][0] == "0.0"
    assert "Compared with the reference" not in str(degree_fairness_report(y, worse, degree=degree))
