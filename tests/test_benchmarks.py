"""The harness behind the paper's tables: choices, resumption and arithmetic, on made-up runs."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def harness():
    """The benchmark's modules, which are scripts and not part of the package."""
    sys.path.insert(0, str(FOLDER))
    try:
        import _study
        import paper_tables
        import search_presets

        yield _study, paper_tables, search_presets
    finally:
        sys.path.remove(str(FOLDER))


def made_up(run):
    """A run's result without a fit: DegFair is two points fairer and one point less accurate."""
    fair = run.model.startswith("DegFair")
    noise = np.random.RandomState(run.split).normal(scale=0.01)
    gaps = {
        "delta_dsp": 0.1 - 0.02 * fair + noise, "delta_deo": 0.2 - 0.02 * fair + noise,
        "null_dsp": 0.04, "null_deo": 0.1, "smallest_cell": 11, "largest_cell": 36,
    }  # fmt: skip
    row = {"key": run.key, **run._asdict(), "changes": dict(run.changes), "accuracy": 0.7 - 0.01 * fair + noise}
    return row | dict.fromkeys(("r=1, 20 %", "r=2, 20 %", "r=1, 30 %"), gaps)


def test_runs_are_kept_and_not_repeated(harness, tmp_path, monkeypatch):
    study, tables, _ = harness
    runs = tables.planned("splits", ["Chameleon"], ["GCN", "DegFairGCN"], quick=True)
    calls = []

    def fit(run):
        calls.append(run)
        return made_up(run)

    monkeypatch.setattr(study, "fit_and_assess", fit)
    path = tmp_path / "runs.jsonl"
    list(study.carry_out(runs[:2], path, n_jobs=1))
    with path.open("a") as file:
        file.write('{"key": "cut off by a ki')  # as a kill leaves it
    path.write_text(path.read_text() + "\n")
    rows = list(study.carry_out(runs, path, n_jobs=1))
    assert len(calls) == len(runs) == len(rows) == 4
    assert [row["key"] for row in rows] == [run.key for run in runs]
    list(study.carry_out(runs, path, n_jobs=1))
    assert len(calls) == 4


def test_tables_and_differences(harness):
    _, tables, _ = harness
    runs = tables.planned("splits", ["Chameleon"], ["GCN", "DegFairGCN"], quick=False)
    assert len(runs) == 40
    frame = tables.as_frame(json.loads(json.dumps([made_up(run) for run in runs])))
    table = tables.summary(frame)
    assert (table["n"] == 10).all()  # splits, not runs
    gain = tables.differences(frame)
    np.testing.assert_allclose(gain[["accuracy", "delta_dsp", "delta_deo"]], [[-1, -2, -2]] * 3, atol=1e-9)
    text = tables.as_rst(table, "splits", pd.read_csv(FOLDER / "paper_numbers.csv"))
    assert "62.5 / 9.7 / 36.1" in text  # the paper's GCN beside ours
    assert "cells of 11 to 36 nodes" in text


def test_authors_protocol_counts_seeds(harness):
    _, tables, _ = harness
    runs = tables.planned("authors", ["EMNLP"], ["GCN"], quick=False)
    assert [run.seed for run in runs] == [26, 86, 2, 55, 75]
    table = tables.summary(tables.as_frame([made_up(run) for run in runs]))
    assert (table["n"] == 5).all()


def test_choice_of_presets(harness):
    _, _, search = harness
    candidates = [
        {"params": {"a": 1}, "accuracy": 0.9, "neg_delta_dsp": -0.5, "neg_delta_deo": -0.5},
        {"params": {"a": 2}, "accuracy": 0.8, "neg_delta_dsp": -0.2, "neg_delta_deo": -0.2},
        {"params": {"a": 3}, "accuracy": 0.7, "neg_delta_dsp": -0.0, "neg_delta_deo": -0.0},
    ]
    order = [c["params"]["a"] for c in search.ranked(candidates, "DegFairGCN", 0.75)]
    assert order == [2, 1, 3]  # fairest of those that reach the accuracy, then by accuracy
    assert search.ranked(candidates, "DegFairGCN", 0.95)[0]["params"] == {"a": 1}
    assert search.ranked(candidates, "GCN", 0.75)[0]["params"] == {"a": 1}
    assert {c["fairness_weight"] for c in search.around(candidates[:1])} == {0.5, 0.7, 1.4, 2.0, 3.0}
    drawn = search.candidates("DegFairGCN", 5, seed=0)
    assert drawn[0] == {}
    assert drawn == search.candidates("DegFairGCN", 5, seed=0)


def test_every_model_can_be_made(harness):
    study, _, _ = harness
    for name, model in study.MODELS.items():
        assert hasattr(model.make(random_state=0) if model.on_graph else model.make(), "fit"), name
        assert model.preset is None or model.preset in study.MODELS


def test_a_real_run(harness, paper_data, monkeypatch, tmp_path):
    study, _, _ = harness
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    study.data_of.cache_clear()
    row = study.fit_and_assess(study.Run("authors", "EMNLP", "DegFairGCN", 0, 0, (("max_epochs", 3),)))
    assert row["epochs"] == 3
    assert 0.5 < row["accuracy"] < 1
    vote = study.fit_and_assess(study.Run("authors", "EMNLP", "majority vote", 0, 0))
    assert vote["accuracy"] == pytest.approx(0.7904, abs=1e-4)
    assert vote["r=1, 20 %"]["delta_dsp"] == 0
    study.data_of.cache_clear()
