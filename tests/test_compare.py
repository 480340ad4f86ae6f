"""Models on the same nodes: values, invariances, and how often intervals and p-values are right."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import GNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import EmptyGroupWarning, GraphAsArrayError
from skdegfair.metrics import (
    DegreeFairnessReport,
    compare_fairness,
    compare_models,
    degree_fairness_report,
    degree_groups,
    delta_dsp,
)
from skdegfair.metrics._paired import Predicted, resample_models


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
    for seed in range(60):
        study = studied(seed, 2 * [5 * [0.7]], 2 * [5 * [0.7]], ["delta_dsp", "accuracy"])
        found += study.frame(0, 0.05).xs(1, level="model")["p_value"] < 0.05
    assert (found <= 8).all()  # at most 3 of 60 are expected
    assert found["accuracy"] >= 1


def studied(seed, first, second, measures=None, n_resamples=100):
    """Resamples of two models with these recalls in groups of 90 nodes and five classes."""
    random = np.random.RandomState(seed)
    group, y = np.repeat([0, 1], 90), random.randint(5, size=180)
    wrong = (y + random.randint(1, 5, size=(2, 180))) % 5
    right = random.rand(2, 180) < np.stack([np.array(recall)[group, y] for recall in (first, second)])
    predicted = Predicted(group, y, np.where(right, y, wrong), 2, 5, None)
    study = resample_models(predicted, pairs="max", n_resamples=n_resamples, seed=seed)
    return study if measures is None else study._replace(rates={name: study.rates[name] for name in measures})


def test_an_inaccurate_model_is_not_found_less_fair():
    """Its gaps are larger because noise adds more to them."""
    rows = [
        studied(seed, 2 * [5 * [0.95]], 2 * [5 * [0.6]], ["delta_deo"]).frame(0, 0.05).loc[("delta_deo", 1)]
        for seed in range(60)
    ]
    assert sum(row["p_value"] < 0.05 for row in rows) <= 5  # 3 of 60 are expected
    observed, corrected = (np.mean([row[name] for row in rows]) for name in ("difference", "corrected_difference"))
    assert observed > 0.05  # the true difference is 0
    assert abs(corrected) < observed / 2


def test_intervals_cover_the_difference_between_no_gap_and_a_gap():
    gap = [[0.9, 0.4, 0.8, 0.4, 0.9], [0.5, 0.8, 0.5, 0.8, 0.5]]
    truth = np.abs(np.subtract(*gap)).mean()
    covered = 0
    for seed in range(60):
        row = studied(seed, 2 * [5 * [0.65]], gap, ["delta_deo"]).frame(0, 0.05).loc[("delta_deo", 1)]
        covered += row["difference_low"] <= truth <= row["difference_high"]
    assert covered >= 51  # 57 of 60 are expected; without the correction there are about 40


@pytest.mark.parametrize("level", [0.05, 0.3])
@pytest.mark.parametrize("n_resamples", [10, 19, 100])
def test_interval_and_p_value_agree(level, n_resamples):
    frames = []
    for seed in range(5):
        first, second = np.random.RandomState(seed).uniform(0.3, 1, size=(2, 2, 5))
        frames.append(studied(seed, first, second, n_resamples=n_resamples).frame(0, level).xs(1, level="model"))
    table = pd.concat(frames)
    excludes = (table["difference_low"] > 0) | (table["difference_high"] < 0)
    assert ((table["p_value"] < level) == excludes).all()
    assert excludes.any() == (n_resamples > 19 or level > 0.05)


def test_table_of_models(data):
    G, y = data.graph, data.y
    gnn, plain = GNNClassifier(max_epochs=5, random_state=0).fit(G, y), LogisticRegression().fit(data.X, y)
    models = {"GCN": gnn, "linear": plain.predict(data.X), "constant": np.zeros(120, dtype=int)}
    comparison = compare_models(models, G, y, reference="linear", n_resamples=50)
    table = comparison.table
    assert list(table.loc["delta_dsp"].index) == ["GCN", "linear", "constant", "majority vote", "true labels"]
    report = DegreeFairnessReport.from_estimator(gnn, G, y, n_resamples=50)
    for measure in ("delta_dsp", "delta_deo"):
        row = table.loc[(measure, "GCN")]
        expected = report.gaps.loc[measure, ["gap", "corrected", "ci_low", "ci_high"]].astype(float)
        np.testing.assert_allclose(row[["value", "corrected", "ci_low", "ci_high"]], expected)
        for baseline in ("majority vote", "true labels"):
            assert table.loc[(measure, baseline), "value"] == pytest.approx(report.scores.loc[baseline, measure])
    assert table.loc[("accuracy", "GCN"), "difference"] == pytest.approx(gnn.score(G, y) - plain.score(data.X, y))
    assert (table.xs("linear", level="model")["p_value"] == 1).all()
    assert table.xs("true labels", level="model")["p_value"].isna().all()
    assert compare_models(models, G, y, n_resamples=10).reference == "GCN"


def test_any_classifier_with_degrees_or_groups(data):
    plain = {"linear": LogisticRegression().fit(data.X, data.y)}
    degree = data.graph.degree()
    by_degree = compare_models(plain, data.X, data.y, degree=degree, n_resamples=20)
    by_group = compare_models(plain, data.X, data.y, groups=degree_groups(degree), n_resamples=20)
    pd.testing.assert_frame_equal(by_degree.table, by_group.table)
    with pytest.raises(TypeError, match="Degrees are read from a Graph"):
        compare_models(plain, data.X, data.y)


def test_nodes_that_are_unlabeled_for_a_classifier_are_left_out(data):
    y = data.y.copy()
    y[::3] = -1
    known = y != -1
    models = {"GCN": GNNClassifier(max_epochs=2, unlabeled=-1, random_state=0).fit(data.graph, y), "labels": data.y}
    expected = compare_models({**models, "labels": data.y[known]}, data.graph[known], y[known], n_resamples=20)
    pd.testing.assert_frame_equal(compare_models(models, data.graph, y, n_resamples=20).table, expected.table)


def test_copies_of_nodes_in_a_cluster_are_no_evidence():
    y, one, other, degree = sample(5, n=400)
    models = {"one": one, "other": other}
    once = compare_models(models, None, y, degree=degree, clusters=np.arange(400)).table
    copies = np.repeat(np.arange(400), 4)
    copied = {name: predicted[copies] for name, predicted in models.items()}
    naive, clustered = (
        compare_models(copied, None, y[copies], degree=degree[copies], clusters=clusters).table
        for clusters in (None, copies)
    )
    for low, high in (("ci_low", "ci_high"), ("difference_low", "difference_high")):
        rows = ["accuracy", "delta_dsp", "delta_deo"]
        width, narrow, same = (
            (table[high] - table[low]).xs("other", level="model")[rows] for table in (once, naive, clustered)
        )
        np.testing.assert_allclose(same, width, rtol=0.25)
        assert (narrow < 0.75 * same).all()


def test_printed(data):
    models = {"<b>": data.y, "other": np.roll(data.y, 1)}
    comparison = compare_models(models, data.graph, data.y, n_resamples=20, clusters="neighborhoods")
    lines = str(comparison).splitlines()
    assert lines[0] == "2 models on 120 nodes, 3 classes, 2 groups. Differences are relative to <b>."
    assert "clusters" in lines[1]
    assert max(map(len, lines)) <= 120
    rows = [line.split() for line in lines if line.startswith("other")]
    for row, measure in zip(rows, ("accuracy", "delta_dsp", "delta_deo"), strict=True):
        assert row[1] == f"{100 * comparison.table.loc[(measure, 'other'), 'value']:.1f}"
        assert row[-1] == f"{comparison.table.loc[(measure, 'other'), 'p_value']:.3f}"
    page = comparison._repr_html_()
    assert page.count("<table") == 3
    assert "<b>" not in page


def test_wrong_models():
    y, one, _, degree = sample(6)
    for models, error, message in (
        ([one], TypeError, "must be a dict"),
        ({}, TypeError, "must be a dict"),
        (
            {"one": LogisticRegression},
            TypeError,
            r"models\['one'\] must be a fitted classifier.* got the class LogisticRegression",
        ),
        ({"one": "GCN"}, TypeError, r"models\['one'\] must be a fitted classifier, or its predictions.* got 'GCN'"),
        ({"true labels": one}, ValueError, "Rename the model"),
        ({"one": one[1:]}, ValueError, r"models\['one'\] has 299 entries, but 300 nodes"),
    ):
        with pytest.raises(error, match=message):
            compare_models(models, None, y, degree=degree)
    for options, message in (
        ({"reference": "other"}, r"one of \['one'\]"),
        ({"clusters": "communities"}, "only degrees or groups are given"),
        ({"clusters": np.zeros(299)}, "clusters has 299 entries"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_models({"one": one}, None, y, degree=degree, **options)


def test_groups_labels_and_complaints():
    y, one, other, degree = sample(4)
    names = np.array(["a", "b", "c"])
    groups = degree_groups(degree, n_groups=3)
    table = compare_fairness(names[y], names[one], names[other], groups=groups, n_resamples=20)
    assert table.loc["delta_dsp", "first"] == pytest.approx(delta_dsp(y, one, groups=groups))
    with pytest.warns(EmptyGroupWarning, match="No node in group 'high'"):
        tied = compare_fairness(y, one, other, degree=np.ones(300), n_resamples=20)
    assert tied.loc["delta_dsp":, ["difference", "ci_low", "p_value"]].isna().all(axis=None)
    assert tied.loc["accuracy"].notna().all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        compare_fairness(y, one, other, degree=degree, confidence_level=95)
    for arguments, message in (
        ((y, one, other[:-1]), r"^y_other has 299 entries, but 300 nodes"),
        ((y, one, names[other]), "same type|mixes"),
        ((y, one, np.where(y == 0, np.nan, y)), "^y_other holds .* as in y_true"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_fairness(*arguments, degree=degree)


def test_predictions_in_another_order_than_the_nodes_are_refused(data):
    """Also for a model whose name is that of a parameter."""
    labels = pd.Index([f"node {number}" for number in range(120)])
    X = pd.DataFrame(data.X, index=labels)
    graph = Graph(X, data.A)
    shuffled = pd.Series(data.y, index=labels).sample(frac=1, random_state=0)
    for name in ("predictions", "labels", "y"):
        with pytest.raises(ValueError, match=rf"models\['{name}'\] and X have the same labels in a different order"):
            compare_models({name: shuffled}, graph, data.y, n_resamples=9)


def test_the_report_of_a_model_and_muted_findings():
    y, one, other, degree = sample(5, n=100)
    comparison = compare_models({"one": one, "other": other}, None, y, degree=degree, n_resamples=9, mute="DF08")
    assert comparison.report("other") is comparison.reports["other"]
    assert [report.findings.muted for report in comparison.reports.values()] == [("DF08",)] * 2


def test_one_warning_for_all_models_points_to_the_caller():
    y, one, other, _ = sample(5, n=100)
    clf = DummyClassifier().fit(y[:, None], y)
    equal = np.ones(100)
    for assess in (
        lambda: compare_models({"one": one, "other": other, "y": y}, None, y, degree=equal, n_resamples=9),
        lambda: compare_fairness(y, one, other, degree=equal, n_resamples=9),
        lambda: DegreeFairnessReport.from_estimator(clf, y[:, None], y, degree=equal, n_resamples=9),
    ):
        with pytest.warns(EmptyGroupWarning, match="choose a boundary") as caught:
            assess()
        assert [each.filename for each in caught] == [__file__]


def test_compare_fairness_has_a_fixed_reference():
    y, one, other, degree = sample(5, n=100)
    with pytest.raises(TypeError, match="reference"):
        compare_fairness(y, one, other, degree=degree, reference="y_other")


def test_classifiers_that_read_arrays_get_the_features_of_a_graph(data):
    """And one that reads graphs keeps its error, because its edges would be lost."""
    fitted = LogisticRegression().fit(data.X, data.y)
    found = compare_models({"linear": fitted}, data.graph, data.y)
    expected = compare_models({"linear": fitted.predict(data.X)}, data.graph, data.y)
    assert str(found) == str(expected)
    mixed = make_pipeline(GraphTransformer(StandardScaler()), LogisticRegression())
    mixed.fit(data.X, data.y)
    with pytest.raises(GraphAsArrayError, match="is fitted to graph"):
        compare_models({"mixed": mixed}, data.graph, data.y)
