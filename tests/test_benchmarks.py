"""The harness behind the paper's tables: choices, resumption and arithmetic, on made-up runs."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_1samp

from skdegfair.datasets import authors_split, make_degree_biased_graph, random_split

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def harness():
    """The benchmark's modules, which are scripts and not part of the package."""
    sys.path.insert(0, str(FOLDER))
    try:
        import _data
        import _presets
        import _study
        import _tables
        import defaults
        import paper_tables
        import search_presets

        yield SimpleNamespace(
            data=_data,
            presets=_presets,
            study=_study,
            tables=_tables,
            defaults=defaults,
            paper=paper_tables,
            search=search_presets,
        )
    finally:
        sys.path.remove(str(FOLDER))


def job_of(run):
    """A job whose preset is not looked up: there is no data."""
    return SimpleNamespace(run=run, key=json.dumps(run))


def made_up(run):
    """A run's result without a fit: DegFair is two points fairer and one point less accurate."""
    fair = run.model.startswith("DegFair")
    noise = np.random.RandomState(run.split).normal(scale=0.01)
    gaps = {
        "delta_dsp": 0.1 - 0.02 * fair + noise, "delta_deo": 0.2 - 0.02 * fair + noise,
        "null_dsp": 0.04, "null_deo": 0.1, "smallest_cell": 11, "largest_cell": 36,
    }  # fmt: skip
    row = {"key": json.dumps(run), **run._asdict(), "changes": dict(run.changes), "accuracy": 0.7 - 0.01 * fair + noise}
    return row | dict.fromkeys(("r=1, 20 %", "r=2, 20 %", "r=1, 30 %"), gaps)


def test_runs_are_kept_and_not_repeated(harness, tmp_path, monkeypatch):
    study = harness.study
    runs = harness.paper.planned("splits", ["Chameleon"], ["GCN", "DegFairGCN"], quick=True)
    calls = []

    def fit(job):
        calls.append(job)
        return made_up(job.run)

    monkeypatch.setattr(study, "fit_and_assess", fit)
    monkeypatch.setattr(study, "job_of", job_of)
    path = tmp_path / "runs.jsonl"
    list(study.carry_out(runs[:2], path, n_jobs=1))
    with path.open("a") as file:
        file.write('{"key": "cut off by a ki')  # as a kill leaves it
    for _ in range(2):
        rows = list(study.carry_out(runs, path, n_jobs=1))
        assert len(calls) == len(runs) == len(rows) == 4
        assert [row["key"] for row in rows] == [json.dumps(run) for run in runs]


def test_a_job_is_known_by_all_that_it_depends_on(harness, monkeypatch):
    study = harness.study
    chosen = {"hidden_dim": 8, "rows": "sum"}
    monkeypatch.setattr(study, "preset", lambda *args: chosen)
    monkeypatch.setattr(study, "data_of", lambda dataset, rows: (None, np.zeros(50)))  # 50 nodes
    run = study.Run("authors", "EMNLP", "DegFairGCN", 0, 0, (("fairness_weight", 2.0),))
    job = study.job_of(run)
    assert (job.rows, job.estimator.hidden_dim, job.estimator.mitigation.fairness_weight) == ("sum", 8, 2.0)
    keys = {job.key, study.job_of(run._replace(seed=1)).key, study.job_of(run._replace(changes=())).key}
    chosen = {"hidden_dim": 16, "rows": "sum"}
    keys |= {study.job_of(run).key}
    monkeypatch.setitem(study.MODELS, "DegFairGCN", study.MODELS["GCN"])
    keys |= {study.job_of(run._replace(changes=())).key}
    assert len(keys) == 5
    assert job.key in keys  # settled when it was made


def test_tables_and_differences(harness):
    tables = harness.tables
    runs = harness.paper.planned("splits", ["Chameleon"], ["GCN", "DegFairGCN"], quick=False)
    assert len(runs) == 40
    frame = tables.as_frame(json.loads(json.dumps([made_up(run) for run in runs])))
    table = tables.summary(frame)
    assert (table["n"] == 10).all()  # splits, not runs
    gain = tables.differences(frame)
    np.testing.assert_allclose(gain[["accuracy", "delta_dsp", "delta_deo"]], [[-1, -2, -2]] * 3, atol=1e-9)
    paper = pd.read_csv(FOLDER / "paper_numbers.csv")
    text = tables.detailed(table, "splits", paper)
    assert "62.5 / 9.7 / 36.1" in text  # the paper's GCN beside ours
    assert "cells of 11 to 36 nodes" in text
    short = tables.compact(table, paper)
    assert short.count("(paper)") == 2
    assert len({len(line.split("  ")[0]) for line in short.splitlines() if line.startswith("=")}) == 1


def test_differences_are_paired_and_both_intervals_hold(harness):
    """Against scipy's paired t interval, and Nadeau and Bengio's formula written out."""
    runs = harness.paper.planned("splits", ["Chameleon"], ["GCN", "DegFairGCN"], quick=False)
    rows = [made_up(run) for run in runs]
    random = np.random.RandomState(0)
    for row in rows:
        row["accuracy"] += random.normal(scale=0.02)
    frame = harness.tables.as_frame(rows)
    main = frame[frame["setting"] == "r=1, 20 %"].groupby(["model", "split"])["accuracy"].mean()
    gain = main.loc["DegFairGCN"] - main.loc["GCN"]
    expected = ttest_1samp(gain, 0).confidence_interval(0.95)
    row = harness.tables.differences(frame).iloc[0]
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(tuple(expected))
    half = t.ppf(0.975, 9) * gain.std() * np.sqrt(1 / 10 + 0.2 / 0.6)
    assert row["accuracy_high_corrected"] == pytest.approx(gain.mean() + half)
    text = harness.tables.compared(harness.tables.differences(frame))
    assert text.count("!") == 2  # both gaps, which differ by the same on every split, and not the accuracy


def test_tables_are_written_between_the_marks_of_their_pages(harness, tmp_path, monkeypatch):
    monkeypatch.setattr(harness.tables, "HERE", tmp_path / "benchmarks")
    (tmp_path / "docs").mkdir()
    scripts = (FOLDER / f"{name}.py" for name in ("paper_tables", "speed", "tuning"))
    calls = [
        re.search(r'into_page\("(.+?)", "(.+?)"', script.read_text(encoding="utf-8")).groups() for script in scripts
    ]
    assert [page for page, _ in calls] == ["evidence.rst", "speed.rst", "tuning.rst"]
    for page, mark in calls:
        before = (FOLDER.parent / "docs" / page).read_text(encoding="utf-8")
        path = tmp_path / "docs" / page
        path.write_text(before, encoding="utf-8")
        harness.tables.into_page(page, mark, ["a table", ""])
        head, old, tail = re.split(rf"\.\. {mark}: (?:begin|end)\n", before)
        assert "====" in old
        expected = f"{head}.. {mark}: begin\n\na table\n\n.. {mark}: end\n{tail}"
        assert path.read_text(encoding="utf-8") == expected


def test_authors_protocol_counts_seeds(harness):
    runs = harness.paper.planned("authors", ["EMNLP"], ["GCN"], quick=False)
    assert [run.seed for run in runs] == [26, 86, 2, 55, 75]
    table = harness.tables.summary(harness.tables.as_frame([made_up(run) for run in runs]))
    assert (table["n"] == 5).all()


def test_choice_of_presets(harness):
    candidates = [
        {"params": {"a": 1}, "accuracy": 0.9, "delta_dsp": 0.5, "delta_deo": 0.5},
        {"params": {"a": 2}, "accuracy": 0.8, "delta_dsp": 0.2, "delta_deo": 0.2},
        {"params": {"a": 3}, "accuracy": 0.7, "delta_dsp": 0.0, "delta_deo": 0.0},
    ]
    plain = {"accuracy": 0.75, "delta_dsp": 0.5, "delta_deo": 0.5}

    def order(*args):
        return [candidate["params"]["a"] for candidate in harness.presets.ranked(candidates, *args)]

    assert order(0.75) == [1, 2, 3]  # a plain GNN, by accuracy
    assert order(0.75, plain) == [2, 1, 3]  # fairest of those that reach the accuracy, then by accuracy
    assert order(0.65, plain) == [2, 1, 3]  # that of the plain GNN, too
    assert order(0.65, plain | {"accuracy": 0.704}) == [3, 2, 1]  # less half a point
    candidates[1]["accuracy"] = 0.896
    assert order(0.95, plain) == [2, 1, 3]  # none reaches it: within half a point of the most accurate
    candidates[1]["delta_dsp"] = 0.6
    assert order(0.75, plain) == [1, 2, 3]  # the larger gap counts
    assert order(0.75, plain | {"delta_dsp": 1.0}) == [2, 1, 3]  # in units of the plain GNN's


def test_a_fair_model_is_not_chosen_if_it_is_less_accurate_than_the_plain_one(harness, monkeypatch, tmp_path):
    presets = harness.presets
    monkeypatch.setattr(presets, "PRESETS", tmp_path)
    data = make_degree_biased_graph(250, bias=0.0, random_state=0)
    monkeypatch.setattr(presets, "data_of", lambda dataset, rows: (data.graph, data.y))
    truth = data.y[presets.searched_nodes(250)]
    (tmp_path / "bar").mkdir()
    wrong = {"GCN": {"plain": 40}, "DegFairGCN": {"constant": 200, "close": 41, "far": 42}}
    for model, candidates in wrong.items():
        entry = {"target_accuracy": 0.1, "candidates": []}
        for name, n_wrong in candidates.items():
            labels = np.where(np.arange(200) < n_wrong, 0 if name == "constant" else (truth + 1) % 3, truth)
            entry["candidates"].append({"params": {"name": name}, "predicted": "".join(map(str, labels))})
        (tmp_path / "bar" / f"{model}.json").write_text(json.dumps(entry))
    assert presets.choice("bar", "DegFairGCN")["params"] == {"name": "close"}
    assert presets.plain_choice("bar", "GCN") is None
    assert presets.plain_choice("bar", "DegFairGCN")["params"] == {"name": "plain"}
    (tmp_path / "bar" / "GCN.json").unlink()
    with pytest.raises(SystemExit, match="measured by GCN, which has no preset for bar"):
        presets.choice("bar", "DegFairGCN")


def test_presets_of_a_split_do_not_see_its_test_nodes(harness, monkeypatch, tmp_path):
    """Two candidates, one of them right on the test nodes only: it must not be chosen."""
    presets = harness.presets
    monkeypatch.setattr(presets, "PRESETS", tmp_path)
    data = make_degree_biased_graph(1000, bias=0.0, random_state=0)
    monkeypatch.setattr(presets, "data_of", lambda dataset, rows: (data.graph, data.y))
    nodes = presets.searched_nodes(1000)
    assert not set(nodes) & set(authors_split(1000).test)
    test = random_split(1000, random_state=1).test
    inside = np.isin(nodes, test)
    assert inside.sum() > 20
    lucky = np.where(inside, data.y[nodes], (data.y[nodes] + 1) % 3)
    sound = np.where(inside, (data.y[nodes] + 1) % 3, data.y[nodes])
    sound[~inside & (np.arange(800) % 3 == 0)] = 0
    predicted = {"lucky": lucky, "sound": sound}
    candidates = [
        {"params": {"name": name}, **presets.scores("toy", digits), "predicted": digits}
        for name, digits in ((name, "".join(map(str, values))) for name, values in predicted.items())
    ]
    entry = {"chosen": {"name": "lucky"}, "target_accuracy": 0.9, "candidates": candidates}
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "GCN.json").write_text(json.dumps(entry))
    assert presets.preset("toy", "GCN", tuple(test.tolist())) == {"name": "sound"}
    assert presets.choice("toy", "GCN", tuple(set(range(1000)) - set(test)))["params"] == {"name": "lucky"}
    assert candidates[0]["accuracy"] == pytest.approx(inside.mean(), abs=1e-4)


def scored(setting):
    """A made-up judgement that depends on the setting alone."""
    accuracy = 0.5 + 0.1 * setting.get("dropout", 0.5) + 0.001 * setting.get("hidden_dim", 32)
    return {"params": setting, "accuracy": accuracy, "delta_dsp": setting.get("fairness_weight", 1.0), "delta_deo": 0.0}


@pytest.mark.parametrize("model", ["GCN", "DegFairGAT"])
def test_a_search_that_was_killed_ends_as_if_it_had_not_been(harness, monkeypatch, tmp_path, model):
    search = harness.search
    monkeypatch.setattr(harness.presets, "PRESETS", tmp_path)
    judged = []

    def judge(dataset, model, settings, n_jobs):
        for setting in settings:
            judged.append(setting)
            yield scored(setting)

    plain = scored({"dropout": 0.7}) if model == "DegFairGAT" else None
    monkeypatch.setattr(search, "judged", judge)
    monkeypatch.setattr(search, "plain_choice", lambda dataset, model: plain)
    monkeypatch.setattr(search, "choice", lambda dataset, model: scored({"dropout": 0.3}))
    search.search("whole", model, 0.55, 1)
    total = sum(search.rounds_of("whole", model))
    assert len(judged) == total
    assert judged[0] == {}
    assert (judged[1] == {"dropout": 0.7}) == (model == "DegFairGAT")
    assert all(judged.count(setting) == 1 for setting in judged)

    def killed(*args):
        yield from (candidate for _, candidate in zip(range(2), judge(*args), strict=False))
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "judged", killed)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            search.search("cut", model, 0.55, 1)
    monkeypatch.setattr(search, "judged", judge)
    search.search("cut", model, 0.55, 1)
    whole, cut = (json.loads((tmp_path / name / f"{model}.json").read_text()) for name in ("whole", "cut"))
    assert whole == cut
    assert len(whole["candidates"]) == total
    assert whole["chosen"] == {"dropout": 0.3}
    with pytest.raises(SystemExit, match="is of another search"):
        search.search("cut", model, 0.6, 1)


def test_every_model_can_be_made(harness):
    study = harness.study
    for name, model in study.MODELS.items():
        assert hasattr(model.make(random_state=0) if model.on_graph else model.make(), "fit"), name
        assert model.preset is None or model.preset in study.MODELS


def test_a_real_run(harness, paper_data, monkeypatch, tmp_path):
    study = harness.study
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    harness.data.data_of.cache_clear()
    run = study.Run("authors", "EMNLP", "DegFairGCN", 0, 0, (("max_epochs", 3),))
    row = study.fit_and_assess(study.job_of(run))
    assert row["epochs"] == 3
    assert row["accuracy"] == pytest.approx(0.79, abs=0.03)  # after three epochs not far from a majority vote
    assert row["key"] == study.job_of(run).key
    vote = study.fit_and_assess(study.job_of(study.Run("authors", "EMNLP", "majority vote", 0, 0)))
    assert vote["accuracy"] == pytest.approx(0.7904, abs=1e-4)
    assert vote["r=1, 20 %"]["delta_dsp"] == 0
    harness.data.data_of.cache_clear()


# the study of the defaults


def runs_of(model, accuracy, dsp, *, graph="made up", p_dsp=0.01, label_p=0.01, deo=0.2):
    """Three splits of a model on a graph with three classes."""
    return [
        {"part": "compare", "graph": graph, "model": model, "split": split, "accuracy": accuracy + 0.01 * split,
         "delta_dsp": dsp + 0.01 * split, "delta_deo": deo + 0.01 * (split == 1), "p_dsp": p_dsp, "chance_dsp": 0.05,
         "delta_dsp_fifths": dsp + 0.1,
         "label_dsp": 0.3, "label_p": label_p, "n_classes": 3, "n_nodes": 100, "training_accuracy": 0.9}
        for split in range(3)
    ]  # fmt: skip


def test_reduction_and_price(harness):
    frame = pd.DataFrame([*runs_of("GCN", 0.9, 0.4), *runs_of("DegFair", 0.85, 0.2)])
    row = harness.defaults.compare(frame).set_index("model").loc["DegFair"]
    assert row["reduction"] == pytest.approx(0.2 / 0.41)  # of the mean gap, 0.4, 0.41 and 0.42
    assert row["price"] == pytest.approx(0.05 / 0.2 / (3 / 6))
    assert row["accuracy_change"] == pytest.approx(-5)
    assert row["accuracy_change_ci"] == pytest.approx(0)  # splits are paired
    assert row["accuracy_ci"] == pytest.approx(t.ppf(0.975, 2) * 1 / np.sqrt(3))


@pytest.mark.parametrize(
    ("accuracy", "dsp", "p_dsp", "third", "price"),
    [
        (0.85, 0.2, 0.01, True, True),
        (0.85, 0.3, 0.01, False, False),  # a quarter lower, for a price of 1
        (0.891, 0.39, 0.01, False, True),  # one point of accuracy is allowed at any price
        (0.89, 0.2, 0.5, None, False),  # no clear gap: half a point is allowed
        (0.897, 0.4, 0.5, None, True),
    ],
)
def test_what_the_defaults_promise(harness, accuracy, dsp, p_dsp, third, price):
    frame = pd.DataFrame([*runs_of("GCN", 0.9, 0.4, p_dsp=p_dsp), *runs_of("DegFair", accuracy, dsp)])
    (row,) = harness.defaults.held(harness.defaults.compare(frame)).to_dict("records")
    assert row["a third lower"] == third
    assert row["price"] == price
    assert row["delta DEO"] is None  # the labels have a gap


def test_delta_deo_is_held_against_its_noise_if_labels_are_alike(harness):
    for deo, expected in ((0.2, True), (0.3, False)):
        frame = pd.DataFrame([*runs_of("GCN", 0.9, 0.4), *runs_of("DegFair", 0.9, 0.2, label_p=0.5, deo=deo)])
        (row,) = harness.defaults.held(harness.defaults.compare(frame)).to_dict("records")
        assert row["delta DEO"] == expected


def test_area_of_a_front(harness):
    """Two undominated points, one dominated one: the union of their rectangles."""
    points = np.array([[0.9, 0.5], [0.6, 0.1], [0.5, 0.6]])
    assert harness.defaults.area_of(points) == pytest.approx(0.9 * 0.5 + 0.6 * 0.4)


def test_generated_graphs_are_of_many_kinds(harness):
    small = [name for name, options in harness.defaults.GENERATED.items() if options["n_nodes"] <= 1200]
    for name in small:
        graph, y = harness.defaults.graph_of(name)
        assert graph.n_nodes == len(y) == harness.defaults.GENERATED[name]["n_nodes"]
    assert len(harness.defaults.GENERATED) >= 8


def test_the_study_in_its_quick_form(harness, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(harness.defaults, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["defaults.py", "--quick", "--jobs", "1"])
    harness.defaults.main()
    printed = capsys.readouterr().out
    for title in ("setting", "graph (classes)", "paper's loss"):
        assert title in printed
    made = {path.name for path in (tmp_path / "quick").iterdir()}
    parts = ("candidates", "compare", "frontiers")
    assert made >= {
        "runs_defaults.jsonl",
        "defaults_frontier_built-in.png",
        *(f"defaults_{part}.csv" for part in parts),
    }
    before = (tmp_path / "quick" / "runs_defaults.jsonl").read_text()
    harness.defaults.main()
    assert (tmp_path / "quick" / "runs_defaults.jsonl").read_text() == before  # nothing is fitted again
