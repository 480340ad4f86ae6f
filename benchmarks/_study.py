"""What the paper's tables are made of: models by name, data sets, and runs that are kept as they finish.

A run is one fit and its predictions for the test nodes, assessed with every setting of the paper. Runs are lines of a
file, so that a study that was killed goes on where it stopped. To add a model, add a line to MODELS.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from joblib import Parallel, delayed
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import Normalizer
from tqdm import tqdm

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import Split, authors_split, fetch_chameleon, fetch_emnlp, fetch_squirrel, random_split
from skdegfair.graph import Graph
from skdegfair.metrics import degree_fairness_report

HERE = Path(__file__).parent
PRESETS, RESULTS = HERE / "presets", HERE / "results"
FETCHERS = {"Chameleon": fetch_chameleon, "Squirrel": fetch_squirrel, "EMNLP": fetch_emnlp}
SETTINGS = {"r=1, 20 %": (1, 0.2), "r=2, 20 %": (2, 0.2), "r=1, 30 %": (1, 0.3)}
STOPPING = {"early_stopping": True, "patience": 60, "max_epochs": 300}
ATTENTION = {"backbone": "gat", "n_heads": 2} | STOPPING


RELEASED = "DegFairGCN (released)"  # the authors' arithmetic, settings and epochs, without validation nodes


class Model(NamedTuple):
    """An estimator, and the model whose preset it shares."""

    make: Any
    preset: str | None = None
    on_graph: bool = True


MODELS = {
    "majority vote": Model(lambda **_: DummyClassifier(), on_graph=False),
    "logistic regression": Model(lambda **_: LogisticRegression(max_iter=500), on_graph=False),
    "GCN": Model(lambda **p: GNNClassifier(backbone="gcn", **STOPPING | p), "GCN"),
    "DegFairGCN": Model(lambda **p: DegFairGNNClassifier(backbone="gcn", **STOPPING | p), "DegFairGCN"),
    "GAT": Model(lambda **p: GNNClassifier(**ATTENTION | p), "GAT"),
    "DegFairGAT": Model(lambda **p: DegFairGNNClassifier(**ATTENTION | p), "DegFairGAT"),
    "SAGE": Model(lambda **p: GNNClassifier(backbone="sage", **STOPPING | p), "SAGE"),
    "DegFairSAGE": Model(lambda **p: DegFairGNNClassifier(backbone="sage", **STOPPING | p), "DegFairSAGE"),
    RELEASED: Model(lambda **p: DegFairGNNClassifier(arithmetic="released", **p), RELEASED),
    "no scale & shift": Model(lambda **p: DegFairGNNClassifier(scale_shift=False, **STOPPING | p), "DegFairGCN"),
    "no contrast": Model(lambda **p: DegFairGNNClassifier(contrast=False, **STOPPING | p), "DegFairGCN"),
    "no modulation": Model(lambda **p: DegFairGNNClassifier(modulation=False, **STOPPING | p), "DegFairGCN"),
}


class Run(NamedTuple):
    """One fit; ``changes`` are parameters other than the preset's, as sorted pairs."""

    protocol: str
    dataset: str
    model: str
    split: int
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """What the run hangs on, its preset included: with another preset it is another run."""
        return json.dumps([*self[:5], dict(self.changes), preset(self.dataset, MODELS[self.model].preset)])


@cache
def data_of(dataset: str, rows: str) -> tuple[Graph, Any]:
    """Graph and classes, with features as released, or with rows that sum to one."""
    data = FETCHERS[dataset]()
    if rows == "sum":
        return Graph(Normalizer("l1").fit_transform(data.X), data.A), data.y
    return data.graph, data.y


def preset(dataset: str, model: str | None) -> dict[str, Any]:
    """The parameters that a search chose, and ``rows``; defaults where there was no search."""
    path = PRESETS / f"{dataset}.json"
    presets = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return dict(presets.get(model or "", {}).get("chosen", {}))


def split_of(run: Run, n_nodes: int) -> Split:
    return authors_split(n_nodes) if run.protocol == "authors" else random_split(n_nodes, random_state=run.split)


def fit_and_assess(run: Run) -> dict[str, Any]:
    """Fit to the training nodes, stop by the validation nodes, assess the test nodes."""
    torch.set_num_threads(1)  # runs are in processes of their own
    model = MODELS[run.model]
    params = preset(run.dataset, model.preset) | dict(run.changes)
    graph, y = data_of(run.dataset, params.pop("rows", "released"))
    split = split_of(run, len(y))
    if model.on_graph:
        estimator = model.make(random_state=run.seed, **params)
        both = np.concatenate([split.train, split.valid])
        valid = np.arange(len(split.train), len(both))
        estimator.fit(graph[both], y[both], validation_nodes=valid)
        predicted = estimator.predict(graph[split.test])
    else:
        estimator = model.make().fit(graph.X[split.train], y[split.train])
        predicted = estimator.predict(graph.X[split.test])
    row: dict[str, Any] = {"key": run.key, **run._asdict(), "changes": dict(run.changes)}
    for name, (hops, share) in SETTINGS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = degree_fairness_report(
                y[split.test], predicted, degree=graph[split.test], hops=hops, share=share, n_resamples=200
            )
        gaps, cells = report.gaps.loc[["delta_dsp", "delta_deo"]], report.counts.sum(-1)
        row["accuracy"] = report.scores.loc["predictions", "accuracy"]
        row[name] = {
            **gaps["gap"].to_dict(),
            "null_dsp": gaps.loc["delta_dsp", "null_mean"],
            "null_deo": gaps.loc["delta_deo", "null_mean"],
            "smallest_cell": int(cells.min()),
            "largest_cell": int(cells.max()),
        }
    row["epochs"] = int(getattr(estimator, "n_iter_", 0)) if model.on_graph else 0
    return row


def finished(path: Path) -> dict[str, dict[str, Any]]:
    """Runs of a file by key; a line that was cut off by a kill does not count."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[row["key"]] = row
    return rows


def carry_out(runs: Iterable[Run], path: Path, n_jobs: int) -> Iterator[dict[str, Any]]:
    """Carry out the runs that are not in the file yet, writing each as it finishes; yield all of them."""
    runs = list(runs)
    done = finished(path)
    missing = [run for run in runs if run.key not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(fit_and_assess)(run) for run in missing)
    with path.open("a", encoding="utf-8") as file:
        for row in tqdm(results, total=len(missing), desc=path.stem, disable=not missing):
            file.write(json.dumps(row) + "\n")
            file.flush()
            done[row["key"]] = row
    yield from (done[run.key] for run in runs)
