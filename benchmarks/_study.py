"""What the paper's tables are made of: models by name, and runs that are saved when they finish.

A run is one fit and its predictions for the test nodes, assessed with every setting of the paper. Runs are lines of a
file, so that a study that was killed continues where it stopped. To add a model, add a line to MODELS.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from _data import data_of
from _presets import preset
from joblib import Parallel, delayed
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from skdegfair import GNNClassifier
from skdegfair.datasets import Split, authors_split, random_split
from skdegfair.metrics import degree_fairness_report
from skdegfair.mitigation import DegFair, ReleasedDegFair

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SETTINGS = {"r=1, 20 %": (1, 0.2), "r=2, 20 %": (2, 0.2), "r=1, 30 %": (1, 0.3)}
RELEASED = "DegFairGCN (released)"  # the authors' arithmetic, settings and epochs


class Model(NamedTuple):
    """An estimator, and the model whose preset it shares."""

    make: Any
    preset: str | None = None
    on_graph: bool = True


def with_degfair(mitigation: Any, **params: Any) -> GNNClassifier:
    """A classifier with some of the parameters given to its mitigation, those that it has."""
    own = mitigation.get_params()
    mitigation.set_params(**{name: value for name, value in params.items() if name in own})
    rest = {name: value for name, value in params.items() if name not in own}
    return GNNClassifier(mitigation=mitigation, **rest)


def as_in_paper(**ablation: bool) -> DegFair:
    """DegFair with the loss of the paper."""
    return DegFair(fairness_groups="threshold", fairness_weight=1.0, **ablation)


MODELS = {
    "majority vote": Model(lambda **_: DummyClassifier(), on_graph=False),
    "logistic regression": Model(lambda **_: LogisticRegression(max_iter=500), on_graph=False),
    "GCN": Model(lambda **p: GNNClassifier(backbone="gcn", **p), "GCN"),
    "DegFairGCN": Model(lambda **p: with_degfair(as_in_paper(), backbone="gcn", **p), "DegFairGCN"),
    "GAT": Model(lambda **p: GNNClassifier(backbone="gat", n_heads=2, **p), "GAT"),
    "DegFairGAT": Model(lambda **p: with_degfair(as_in_paper(), backbone="gat", n_heads=2, **p), "DegFairGAT"),
    "SAGE": Model(lambda **p: GNNClassifier(backbone="sage", **p), "SAGE"),
    "DegFairSAGE": Model(lambda **p: with_degfair(as_in_paper(), backbone="sage", **p), "DegFairSAGE"),
    RELEASED: Model(lambda **p: with_degfair(ReleasedDegFair(), **p), RELEASED),
    "no scale & shift": Model(lambda **p: with_degfair(as_in_paper(scale_shift=False), **p), "DegFairGCN"),
    "no contrast": Model(lambda **p: with_degfair(as_in_paper(contrast=False), **p), "DegFairGCN"),
    "no modulation": Model(lambda **p: with_degfair(as_in_paper(modulation=False), **p), "DegFairGCN"),
}


class Run(NamedTuple):
    """One fit; ``changes`` are parameters other than the preset's, as sorted pairs."""

    protocol: str
    dataset: str
    model: str
    split: int
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()


class Job(NamedTuple):
    """A run with everything it depends on, fixed before it begins: with another preset it is another job."""

    run: Run
    estimator: Any
    rows: str

    @property
    def key(self) -> str:
        params = self.estimator.get_params(deep=False)
        return json.dumps([*self.run[:5], dict(self.run.changes), self.rows, params], sort_keys=True, default=str)


def job_of(run: Run) -> Job:
    """Look up the preset, which was not chosen by the labels of test nodes."""
    model = MODELS[run.model]
    params = preset(run.dataset, model.preset, tuple(split_of(run).test.tolist())) | dict(run.changes)
    rows = params.pop("rows", "released")
    if not model.on_graph:
        return Job(run, model.make(), rows)
    return Job(run, model.make(random_state=run.seed, **params), rows)


def split_of(run: Run) -> Split:
    n_nodes = len(data_of(run.dataset, "released")[1])
    return authors_split(n_nodes) if run.protocol == "authors" else random_split(n_nodes, random_state=run.split)


def fit_and_assess(job: Job) -> dict[str, Any]:
    """Fit to the training nodes, assess the test nodes. (Validation nodes had their say in the preset.)"""
    torch.set_num_threads(1)  # jobs are in processes of their own
    start = time.perf_counter()
    run, estimator = job.run, job.estimator
    key = job.key  # before anything is fitted
    graph, y = data_of(run.dataset, job.rows)
    split = split_of(run)
    data = graph if MODELS[run.model].on_graph else graph.X
    predicted = estimator.fit(data[split.train], y[split.train]).predict(data[split.test])
    row: dict[str, Any] = {"key": key, **run._asdict(), "changes": dict(run.changes)}
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
    row["seconds"] = round(time.perf_counter() - start, 2)
    row["epochs"] = int(getattr(estimator, "n_iter_", 0)) if MODELS[run.model].on_graph else 0
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
    return kept({job.key: job for job in map(job_of, runs)}, fit_and_assess, path, n_jobs)


def kept(jobs: Mapping[str, Any], work: Callable[[Any], dict[str, Any]], path: Path, n_jobs: int) -> Iterator[Any]:
    """Do the jobs whose keys are not in the file yet, writing each result as it is made; yield the results of all."""
    done = finished(path)
    missing = [job for key, job in jobs.items() if key not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_off = path.exists() and not path.read_bytes().endswith(b"\n")
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(work)(job) for job in missing)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" if cut_off else "")
        for row in tqdm(results, total=len(missing), desc=path.stem, disable=not missing, mininterval=5):
            file.write(json.dumps(row) + "\n")
            file.flush()
            done[row["key"]] = row
    yield from (done[key] for key in jobs)
