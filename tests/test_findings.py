"""Findings: each code on data made for it, how often it is found where it should not be, and how findings look."""

import pickle
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import GNNClassifier
from skdegfair.display import report_page
from skdegfair.exceptions import EmptyGroupWarning
from skdegfair.metrics import FINDING_CODES, DegreeFairnessReport, compare_models, degree_fairness_report

GROUP = np.repeat(["low", "high"], 200)


def rng(seed=0):
    return np.random.RandomState(seed)


def noisy(random, y, accuracy, n_classes=3):
    """Predictions that are right with the given probability, which may differ between nodes."""
    wrong = (y + random.randint(1, n_classes, size=len(y))) % n_classes
    return np.where(random.rand(len(y)) < accuracy, y, wrong)


def found(report, code):
    return [finding for finding in report.findings if finding.code == code]


def measures(report, code):
    return [finding.measure for finding in found(report, code)]


def rates(make, codes, n=100):
    """Share of seeds with a finding, by code and measure. The other codes are muted to save time."""
    options = {"mute": set(FINDING_CODES) - set(codes), "n_resamples": 39}
    findings = (finding for seed in range(n) for finding in make(rng(seed), **options).findings)
    counts = Counter((finding.code, finding.measure) for finding in findings)
    return Counter({key: count / n for key, count in counts.items()})  # 0 for what is never found


def fair(random, n=300, accuracy=0.7, **options):
    """A report on nodes of which neither labels nor predictions depend on the degree."""
    y = random.randint(3, size=n)
    predicted = noisy(random, y, accuracy)
    return degree_fairness_report(y, predicted, degree=random.permutation(n), **{"n_resamples": 99} | options)


# -- DF01 and DF02: beyond and within chance -----------------------------------------------------------


def test_a_clear_gap_is_stated_with_its_size():
    y = np.tile([0, 1, 2], 200)
    degree = np.arange(600)
    report = degree_fairness_report(y, np.where(degree >= 420, 2, y), degree=degree)
    assert measures(report, "DF01") == ["delta_dsp", "delta_deo"]
    assert found(report, "DF02") == found(report, "DF07") == []
    parity, opportunity = (finding.statement for finding in found(report, "DF01"))
    gap = 100 * report.gaps.loc["delta_dsp"].astype(float)
    assert f"is {gap['gap']:.1f} points" in parity
    assert f"interval {gap['ci_low']:.1f} to {gap['ci_high']:.1f}, p = 0.001" in parity
    assert "class 2 is predicted for 100.0 % of the nodes in group high and 33.3 % in group low" in parity
    assert "class 0 has a recall of 100.0 % in group low and 0.0 % in group high" in opportunity


def test_one_gap_may_be_clear_and_the_other_within_chance():
    """Labels differ between groups, errors do not."""
    random = rng()
    y = np.where(GROUP == "high", random.choice(3, p=[0.6, 0.2, 0.2], size=400), random.randint(3, size=400))
    report = degree_fairness_report(y, noisy(random, y, 0.9), groups=GROUP)
    assert measures(report, "DF01") == ["delta_dsp"]
    assert measures(report, "DF02") == ["delta_deo"]
    assert f"would be {100 * report.gaps.loc['delta_deo', 'null_mean']:.1f} on average" in str(report.findings)


def test_a_gap_by_chance_is_rarely_called_clear():
    found = rates(fair, ["DF01", "DF02"])
    for measure in ("delta_dsp", "delta_deo"):
        assert 0 < found["DF01", measure] <= 0.1  # at the level of 5 %
        assert found["DF01", measure] + found["DF02", measure] == pytest.approx(1)


def test_too_few_resamples_for_any_verdict():
    """With 18 resamples no p-value is below 0.05, so nothing is said about either gap."""
    for n_resamples, said in ((18, False), (19, True)):
        report = fair(rng(), n_resamples=n_resamples)
        assert bool(found(report, "DF01") + found(report, "DF02") + found(report, "DF07")) == said


# -- DF03: leveling down -------------------------------------------------------------------------------


def pair(random, before, after, n=200, **options):
    """A report with a reference; accuracy of groups low and high before and after."""
    group = np.repeat([0, 1], n)
    y = random.randint(3, size=2 * n)
    reference, predicted = (noisy(random, y, np.array(accuracy)[group]) for accuracy in (before, after))
    return degree_fairness_report(y, predicted, groups=group, reference=reference, **{"n_resamples": 99} | options)


def test_leveling_down_is_found():
    y = np.tile([0, 1], 200)
    low = GROUP == "low"
    errors = np.arange(400) % 10 < 4
    reference = np.where(low & errors, 1 - y, y)  # right for 60 % of low, 100 % of high
    both_alike = np.where(errors, 1 - y, y)
    report = degree_fairness_report(y, both_alike, groups=np.where(low, "a", "b"), reference=reference)
    (finding,) = found(report, "DF03")
    assert "delta DEO narrowed from 40.0 to 0.0 points" in finding.statement
    assert "from 100.0 to 60.0 % in group b (p < 0.001), and from 60.0 to 60.0 % in group a" in finding.statement
    leveled_up = degree_fairness_report(y, y, groups=GROUP, reference=reference)
    assert found(leveled_up, "DF03") == []
    turned_round = degree_fairness_report(y, reference, groups=GROUP, reference=both_alike)
    assert found(turned_round, "DF03") == []
    gained = np.where(low & (np.arange(400) == 0), y, both_alike)  # one node of the worse-off group is right now
    assert found(degree_fairness_report(y, gained, groups=GROUP, reference=reference), "DF03") == []
    assert found(degree_fairness_report(y, both_alike, groups=GROUP), "DF03") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((0.7, 0.7), (0.7, 0.7)),  # two models of the same kind; the groups do not differ either
        ((0.6, 0.8), (0.6, 0.8)),
        ((0.8, 0.8), (0.65, 0.65)),  # worse, but no gap narrows
        ((0.6, 0.8), (0.8, 0.8)),  # the worse-off group gains
    ],
)
def test_leveling_down_is_rarely_claimed_by_mistake(before, after):
    assert rates(partial(pair, before=before, after=after), ["DF03"], n=40)["DF03", None] <= 0.05


def test_leveling_down_is_found_in_noise():
    assert rates(partial(pair, before=(0.6, 0.9), after=(0.55, 0.55)), ["DF03"], n=20)["DF03", None] > 0.6


def test_changes_are_those_of_a_comparison():
    random = rng()
    degree, y = random.permutation(400), random.randint(3, size=400)
    before, after = noisy(random, y, 0.6 + 0.3 * (degree >= 200)), noisy(random, y, 0.55)
    for clusters in (None, degree // 4):
        options = {"degree": degree, "clusters": clusters, "n_resamples": 99}
        comparison = compare_models({"before": before, "after": after}, None, y, **options)
        table = comparison.table.xs("after", level="model").loc[["delta_dsp", "delta_deo"]]
        report = degree_fairness_report(y, after, reference=before, name="after", **options)
        pd.testing.assert_frame_equal(report.reference.gaps.loc[:, "difference":], table.loc[:, "difference":])
        assert (report.reference.gaps["predictions"] - table["value"]).abs().max() < 1e-12
        assert comparison.reports["after"].findings == report.findings
        assert comparison.reports["before"].reference is None
        assert str(comparison.reports["before"]).startswith("Degree fairness of before")


def test_copies_of_nodes_add_no_evidence_with_clusters():
    """Each node is there six times; clusters undo this."""
    random = rng(1)
    y, group = random.randint(2, size=80), np.tile(["low", "high"], 40)
    before = noisy(random, y, np.where(group == "high", 0.95, 0.7), 2)
    after = np.where((group == "high") & (random.rand(80) < 0.12), 1 - y, before)

    def report(times, clusters=None):
        truth, predicted, reference, groups = (np.tile(column, times) for column in (y, after, before, group))
        return degree_fairness_report(truth, predicted, reference=reference, groups=groups, clusters=clusters)

    once, copied, clustered = report(1), report(6), report(6, np.tile(np.arange(80), 6))
    assert clustered.reference.groups["p_value"].to_numpy() == pytest.approx(
        once.reference.groups["p_value"].to_numpy(), abs=0.05
    )
    assert copied.reference.groups["p_value"].min() < 0.001
    assert clustered.label_gap["gap"] == pytest.approx(once.label_gap["gap"])
    assert copied.label_gap["p_value"] < clustered.label_gap["p_value"]
    assert (copied.gaps["p_value"] < clustered.gaps["p_value"]).all()
    assert (copied.detectable_gaps < clustered.detectable_gaps).all()


def test_reference_may_be_an_estimator(data):
    X, y, degree = data.X, data.y.copy(), data.graph.degree()
    clf, dummy = LogisticRegression().fit(X, y), DummyClassifier().fit(X, y)
    options = {"degree": degree, "n_resamples": 50}
    one = DegreeFairnessReport.from_estimator(clf, X, y, reference=dummy, **options)
    other = DegreeFairnessReport.from_estimator(clf, X, y, reference=dummy.predict(X), **options)
    plain = degree_fairness_report(y, clf.predict(X), reference=dummy.predict(X), **options)
    for report in (one, other, plain):
        groups = report.reference.groups
        assert groups["n"].tolist() == report.group_scores["n"].tolist()
        assert ((groups["both"] + groups["gained"]) / groups["n"]).to_numpy() == pytest.approx(
            report.group_scores["accuracy"].to_numpy()
        )
        expected = degree_fairness_report(y, dummy.predict(X), labels=[0, 1, 2], **options).group_scores
        assert ((groups["both"] + groups["lost"]) / groups["n"]).to_numpy() == pytest.approx(
            expected["accuracy"].to_numpy()
        )
        assert report.reference.gaps.loc["delta_dsp", "predictions"] == report.gaps.loc["delta_dsp", "gap"]
        assert report.reference.gaps.loc["delta_dsp", "reference"] == 0


def test_unlabeled_nodes_are_left_out_of_the_reference(data):
    y = data.y.copy()
    y[::3] = -1
    known = y != -1
    clf = GNNClassifier(max_epochs=3, unlabeled=-1, random_state=0).fit(data.graph, y)
    other = np.roll(data.y, 1)
    report = DegreeFairnessReport.from_estimator(clf, data.graph, y, reference=other, n_resamples=5)
    expected = DegreeFairnessReport.from_estimator(
        clf, data.graph[known], y[known], reference=other[known], n_resamples=5
    )
    pd.testing.assert_frame_equal(report.reference.groups, expected.reference.groups)
    with pytest.raises(ValueError, match="reference has 119 entries, but 120 nodes"):
        DegreeFairnessReport.from_estimator(clf, data.graph, y, reference=other[1:])


def test_reference_classes_and_complaints():
    y, predicted = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    options = {"groups": [0, 1, 0, 1], "n_resamples": 5}
    report = degree_fairness_report(y, predicted, reference=[0, 1, 1, 2], **options)
    assert report.classes == [0, 1, 2]
    for reference, message in (
        ([0, 1, 1], "reference has 3 entries, but there are 4 nodes"),
        (["0", "1", "1", "0"], "y_true holds int64 and reference holds"),
        ([0, 1, None, 0], "reference holds 1 missing"),
    ):
        with pytest.raises(ValueError, match=message):
            degree_fairness_report(y, predicted, reference=reference, **options)
    with pytest.raises(ValueError, match="labels does not contain the class 2, which reference contains"):
        degree_fairness_report(y, predicted, reference=[0, 1, 1, 2], labels=[0, 1], **options)


# -- DF04: the labels ----------------------------------------------------------------------------------


def test_labels_with_a_gap():
    y = np.concatenate([np.repeat([0, 1], [150, 50]), np.repeat([0, 1], [50, 150])])
    report = degree_fairness_report(y, y, groups=GROUP)
    (finding,) = found(report, "DF04")
    assert "true labels is 50.0 points" in finding.statement
    assert "at least 100 of the 400 nodes" in finding.statement  # 50 % of one group
    equal_rates = y.copy()
    equal_rates[:100] = 1
    assert degree_fairness_report(y, equal_rates, groups=GROUP).gaps.loc["delta_dsp", "gap"] == 0
    assert (y != equal_rates).sum() == 100  # so the bound is reached


def test_parity_takes_at_least_the_stated_errors():
    """By brute force over all predictions of two groups of nodes that have the same rates."""
    for truth in ([[3, 1, 2], [1, 2, 3]], [[6, 0, 0], [1, 1, 4]], [[2, 2, 2], [2, 2, 2]]):
        shares = [np.array([i, j, 6 - i - j]) for i in range(7) for j in range(7 - i)]
        fewest = min(np.maximum(truth - share, 0).sum() for share in shares)
        y, groups = np.repeat([0, 1, 2, 0, 1, 2], np.ravel(truth)), np.repeat([0, 1], 6)
        assert degree_fairness_report(y, y, groups=groups, n_resamples=5).label_gap["n_errors"] == fewest


def test_labels_without_a_gap_are_rarely_blamed():
    assert 0 < rates(fair, ["DF04"])["DF04", "delta_dsp"] <= 0.1  # at the level of 5 %


def test_labels_without_a_gap_are_not_blamed_for_that_of_the_predictions():
    y = np.tile([0, 1], 200)
    report = degree_fairness_report(y, np.where(GROUP == "high", 1, y), groups=GROUP)
    assert measures(report, "DF01") == ["delta_dsp", "delta_deo"]
    assert found(report, "DF04") == []


# -- DF05: a majority vote -----------------------------------------------------------------------------


def unbalanced(random, recall, **options):
    """Half of the nodes are of class 0; recall of class 0 and of the others."""
    y = random.choice(3, p=[0.5, 0.3, 0.2], size=300)
    hit = random.rand(300) < np.where(y == 0, *recall)
    return degree_fairness_report(
        y, np.where(hit, y, np.where(y == 0, 1, 0)), degree=random.permutation(300), **options
    )


def test_no_better_than_a_majority_vote():
    y = np.repeat([0, 0, 0, 1], 100)
    report = degree_fairness_report(y, np.zeros(400, dtype=int), groups=GROUP)
    (finding,) = found(report, "DF05")
    assert "accuracy is 75.0 %. Class 0 for every node gives 75.0 % (p = 1.000)" in finding.statement
    assert found(degree_fairness_report(y, y, groups=GROUP), "DF05") == []


def test_nodes_in_no_group_count_for_the_majority_vote():
    y = np.repeat([0, 1], [60, 40])
    groups = np.where(np.arange(100) % 10 == 0, np.arange(100) % 20 // 10, -1)
    predicted = np.where(groups == -1, y, 0)
    assert found(degree_fairness_report(y, predicted, groups=groups), "DF05") == []


def test_a_vote_as_accurate_is_nearly_always_pointed_out():
    assert rates(partial(unbalanced, recall=(0.8, 0.2)), ["DF05"])["DF05", None] >= 0.9  # 95 % or more expected


def test_a_better_model_is_not_compared_with_a_vote():
    assert not rates(partial(unbalanced, recall=(0.9, 0.5)), ["DF05"])


# -- DF06 to DF09: what the nodes allow ----------------------------------------------------------------


def test_missing_classes():
    y = np.array([0, 1, 2, 0, 0, 1])
    report = degree_fairness_report(y, y, groups=[0, 0, 0, 1, 1, 1], labels=[0, 1, 2, 3])
    assert [finding.statement for finding in found(report, "DF06")] == [
        "Class 3 has no nodes in group 0.",
        "Classes 2, 3 have no nodes in group 1.",
    ]
    many = degree_fairness_report([0, 1], [0, 1], groups=["a", "b"], labels=range(6))
    assert found(many, "DF06")[0].statement == "Classes 1, 2, 3 and 2 more have no nodes in group a."
    assert found(fair(rng()), "DF06") == []


def test_an_empty_group():
    with pytest.warns(EmptyGroupWarning, match="'high'"):
        report = degree_fairness_report([0, 1] * 20, [0, 1] * 20, degree=np.ones(40))
    assert found(report, "DF06")[0].statement == "Group high has no nodes."
    assert measures(report, "DF01") == measures(report, "DF02") == measures(report, "DF07") == []
    assert found(report, "DF04") == []
    assert len(found(report, "DF09")) == 2


def test_small_cells():
    y = np.repeat([0, 1, 0, 1, 2], [30, 29, 30, 7, 30])
    groups = np.repeat(["a", "b"], [59, 67])
    (finding,) = found(degree_fairness_report(y, y, groups=groups), "DF08")
    assert finding.statement.startswith("This holds for 2 of 5 pairs of class and group.")
    assert "class 1 in group b with 7 nodes" in finding.statement
    enough = np.tile([0, 1], 60)
    assert found(degree_fairness_report(enough, enough, groups=np.repeat([0, 1], 60)), "DF08") == []


def test_the_detectable_gap_is_found_in_four_of_five_samples():
    """Among nodes with a true gap of that size, the same in both classes."""

    def sample(random, gap):
        y = random.randint(2, size=400)
        up = np.where((GROUP == "high") == (y == 0), 1, -1)
        return degree_fairness_report(y, noisy(random, y, 0.6 + gap / 2 * up, 2), groups=GROUP, n_resamples=39)

    detectable = np.median([sample(rng(seed), 0).detectable_gaps["delta_deo"] for seed in range(10)])
    share = np.mean([sample(rng(seed), detectable).gaps.loc["delta_deo", "p_value"] <= 0.05 for seed in range(60)])
    assert 0.7 < share < 0.9


def test_too_few_nodes_for_a_small_gap():
    report = fair(rng(1), n=1000, n_resamples=499)
    finding = found(report, "DF07")[-1]
    size = report.detectable_gaps["delta_deo"]
    assert finding.measure == "delta_deo"
    assert f"from {100 * size:.1f} points" in finding.statement
    factor = (size / 0.05) ** 2
    assert f"{factor:.2g} times as many" in finding.statement
    needed = float(finding.statement.split("nodes: ")[1].split()[0].replace(",", ""))
    assert needed == pytest.approx(200 * factor, rel=0.1)
    more = fair(rng(1), n=4000, n_resamples=499).detectable_gaps / report.detectable_gaps
    assert more.to_numpy() == pytest.approx([0.5, 0.5], abs=0.08)  # the assumed square root


def test_enough_nodes_for_a_small_gap():
    assert found(fair(rng(2), n=20_000), "DF07") == []


def test_no_gap_can_be_seen():
    report = degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 0], groups=[0, 0, 1, 1])
    assert np.isinf(report.detectable_gaps["delta_dsp"])
    assert "With 2 nodes in the smallest group, no delta DSP" in found(report, "DF07")[0].statement


def test_many_nodes_of_one_degree():
    y = np.tile([0, 1], 50)
    tied = np.concatenate([np.ones(60), np.arange(2, 42)])
    (finding,) = found(degree_fairness_report(y, y, degree=tied), "DF09")
    assert finding.statement == "Group low has 60 of 100 nodes (60.0 %). Its share is 20 %."
    with pytest.warns(EmptyGroupWarning, match="'high'"):
        above = degree_fairness_report(y, y, degree=tied.max() - tied)
    assert "Group high has 0 of 100 nodes" in found(above, "DF09")[0].statement
    assert found(degree_fairness_report(y, y, groups=(tied > 1).astype(int)), "DF09") == []  # no share is intended


def test_distinct_degrees_give_the_share():
    for share in (None, 0.1, 0.3, 0.5):
        for n in range(4, 60, 3):
            y = np.arange(n) % 2
            report = degree_fairness_report(y, y, degree=np.arange(n), share=share, mute=set(FINDING_CODES) - {"DF09"})
            assert not report.findings


# -- all findings --------------------------------------------------------------------------------------


def test_order_and_attributes():
    report = pair(rng(), (0.6, 0.9), (0.5, 0.5))
    codes = [finding.code for finding in report.findings]
    assert codes == sorted(codes)
    assert "DF03" in codes
    assert list(FINDING_CODES) == [f"DF{number:02d}" for number in range(1, 11)]
    for finding in report.findings:
        code = FINDING_CODES[finding.code]
        assert (finding.title, finding.how, finding.why, finding.advice) == (
            code.title,
            code.how,
            code.why,
            code.advice,
        )
        assert finding.severity == code.severity
        assert finding.severity in ("warning", "note")
        text = str(finding).replace("\n  ", " ")
        assert all(part in text for part in (finding.statement, finding.how, finding.why, finding.advice))


def test_mute():
    y = np.tile([0, 1], 30)
    options = {"groups": np.repeat([0, 1], 30), "n_resamples": 99}
    report = degree_fairness_report(y, y, **options)
    codes = {finding.code for finding in report.findings}
    assert {"DF02", "DF08"} <= codes
    muted = degree_fairness_report(y, y, mute=("DF08", "DF03"), **options)
    assert {finding.code for finding in muted.findings} == codes - {"DF08"}
    assert str(muted.findings).endswith("Muted: DF03, DF08.")
    assert "Muted: DF03, DF08." in muted._repr_html_()
    for one_code in ("DF08", iter(["DF08"])):
        assert degree_fairness_report(y, y, mute=one_code, **options).findings.muted == ("DF08",)
    silent = degree_fairness_report(y, y, mute=FINDING_CODES, **options)
    assert len(silent.findings) == 0
    assert str(silent.findings).startswith("No findings.")
    with pytest.raises(ValueError, match=r"mute contains 'DF8'\. The codes of findings are DF01, .*, DF10\."):
        degree_fairness_report(y, y, mute=("DF01", "DF8"), **options)


def test_findings_stand_before_the_tables():
    report = fair(rng(), name="A <b>")
    findings = str(report.findings)
    text = str(report)
    assert text.startswith("Degree fairness of A <b> for 300 nodes")
    assert text.index("Delta DSP (degree statistical parity)") < text.index(findings) < text.index("All nodes")
    assert max(map(len, text.splitlines())) <= 120
    for page in (report._repr_html_(), report.to_html()):
        assert page.index("degree equal opportunity") < page.index("<h2>Findings</h2>") < page.index("<table")
        assert "A &lt;b&gt;" in page
        assert report.findings._repr_html_() in page
    html = report.findings._repr_html_()
    for finding in report.findings:
        assert f"<dt>{finding.code} ({finding.severity}): " in html  # in words, not by color


def test_findings_on_the_page_with_plots():
    pytest.importorskip("matplotlib")
    report = fair(rng(), name="GCN")
    page = report_page(report)
    assert report.findings._repr_html_() in page
    assert "Degree fairness of GCN" in page


def test_html_is_escaped():
    report = degree_fairness_report(["<b>", "x"] * 4, ["<b>", "x"] * 4, groups=["<i>"] * 5 + ["j"] * 3)
    assert "&lt;" in report.findings._repr_html_()
    assert "<b>" not in report.findings._repr_html_()
    assert "<i>" not in report.findings._repr_html_()


def test_name_of_the_model(data):
    X, y = data.X, data.y
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(pipeline, {"logisticregression__C": [1.0]}, cv=2)
    options = {"degree": data.graph.degree(), "n_resamples": 5}
    for model in (LogisticRegression(), pipeline, search):
        report = DegreeFairnessReport.from_estimator(model.fit(X, y), X, y, **options)
        assert str(report).startswith("Degree fairness of LogisticRegression for 120 nodes")
    named = DegreeFairnessReport.from_estimator(pipeline, X, y, name="baseline", **options)
    assert str(named).startswith("Degree fairness of baseline for")
    assert str(degree_fairness_report(y, y, **options)).startswith("Degree fairness of predictions for")


def test_findings_are_kept_by_pickle():
    findings = fair(rng(), mute="DF08").findings
    again = pickle.loads(pickle.dumps(findings))
    assert again == findings
    assert again.muted == ("DF08",)
    assert str(again) == str(findings)


def test_the_same_seed_gives_the_same_findings():
    one, same, other = (pair(rng(3), (0.6, 0.9), (0.5, 0.5), random_state=seed) for seed in (0, 0, 1))
    assert one.findings == same.findings
    assert [finding.code for finding in other.findings] == [finding.code for finding in one.findings]


# groups of any kind


@pytest.mark.parametrize("n_classes", [2, 3])
def test_groups_that_are_true_or_false(n_classes):
    """A mask is a natural way to say who is well-connected."""
    y = np.arange(240) % n_classes
    is_high = np.arange(240) >= 120
    predicted = np.where(is_high, 0, y)
    report = degree_fairness_report(y, predicted, groups=is_high, n_resamples=99)
    statements = {finding.measure: finding.statement for finding in report.findings if finding.code == "DF01"}
    assert "in group True" in statements["delta_dsp"]
    assert "in group False" in statements["delta_dsp"]
    assert "class 0 is predicted for 100.0 %" in statements["delta_dsp"] or n_classes == 2


def test_a_group_without_nodes_among_three():
    names = pd.Categorical(["a", "b"] * 30, categories=["a", "b", "c"])
    y = np.random.RandomState(0).randint(2, size=60)
    with pytest.warns(EmptyGroupWarning, match="No node in group 'c'"):
        report = degree_fairness_report(y, y, groups=names, n_resamples=99)
    codes = [finding.code for finding in report.findings]
    assert "DF06" in codes
    assert "Group c has no nodes." in [finding.statement for finding in report.findings]


def test_groups_of_your_own_are_not_called_degrees():
    y = np.arange(80) % 2
    report = degree_fairness_report(y, y, groups=["women", "men"] * 40, n_resamples=19)
    assert "by degree" not in repr(report)


def test_a_reference_may_predict_a_class_of_its_own(data):
    estimator = DummyClassifier(strategy="constant", constant=0).fit(data.graph, data.y % 2)
    report = DegreeFairnessReport.from_estimator(
        estimator, data.graph, data.y % 2, reference=np.full(len(data.y), 2), n_resamples=19
    )
    assert report.classes == [0, 1, 2]


# -- DF10: nodes between the two groups ---------------------------------------------------------------


def between(random, middle, n=600, **options):
    """Class 1 is predicted for half of the nodes of low and of high degree, and for another share in between."""
    degree = np.arange(n)
    rate = np.where((degree >= 0.4 * n) & (degree < 0.6 * n), middle, 0.5)
    predicted = (random.rand(n) < rate).astype(int)
    return degree_fairness_report(random.randint(2, size=n), predicted, degree=degree, **{"n_resamples": 99} | options)


def test_nodes_between_the_groups_are_named():
    (finding,) = found(between(rng(), 0.95), "DF10")
    assert "with degree 240 to 359" in finding.statement
    assert "fairness_groups=5" in finding.advice


def test_nodes_between_the_groups_are_found_and_false_alarms_are_rare():
    def trend(random, **options):  # the outer groups show the whole gap
        predicted = (random.rand(600) < np.linspace(0.2, 0.8, 600)).astype(int)
        return degree_fairness_report(random.randint(2, size=600), predicted, degree=np.arange(600), **options)

    cases = {"between": partial(between, middle=0.9), "alike": partial(between, middle=0.5), "trend": trend}
    share = {name: rates(make, ["DF10"], n=60)["DF10", "delta_dsp"] for name, make in cases.items()}
    assert share["between"] > 0.9
    assert share["alike"] <= 0.1
    assert share["trend"] == 0


def test_few_distinct_degrees_have_no_fifths():
    y = np.arange(60) % 2
    with pytest.warns(EmptyGroupWarning, match="'high'"):
        assert degree_fairness_report(y, y, degree=np.arange(60) % 2, n_resamples=19).fifths_gap is None
    assert degree_fairness_report(y, y, groups=np.arange(60) // 30, n_resamples=19).fifths_gap is None
