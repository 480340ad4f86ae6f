"""With default parameters, is a fair model fairer than a plain one, and at what price?

On the paper's three graphs and on generated ones, 60 % of the nodes are used for training. *candidates*: settings from
which the defaults were chosen, assessed on the validation nodes (20 %) of one split. *compare*: the defaults before and
after, and the plain GNN, assessed on the test nodes (20 %) of ten other splits (four on the
largest graph), with 95 % intervals over the splits.
*frontiers*: the weight of the fairness loss from 0 to 100, for the paper's loss and for the default's, on test nodes of
ten splits, with the hypervolume of each front: the area in accuracy and 1 - gap that it covers.

The price is the accuracy lost for each point of delta DSP gained, in units of k / 6 for k classes. Where the plain
predictions are correct, changing only the predictions that have to change costs 0.6.

Usage: python benchmarks/defaults.py [--parts candidates compare frontiers] [--graphs ...] [--quick] [--jobs 2]

Each run is written to benchmarks/results/runs_defaults.jsonl when it finishes. To continue after an interruption, start
the script again. Tables are written to benchmarks/results/defaults_*.csv and to docs/defaults.rst; results with --quick
or of some graphs to benchmarks/results/quick/ only.
"""

import argparse
import hashlib
import json
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from _graphs import FEW, GENERATED, LARGE, PUBLIC, graph_of
from _study import RESULTS, kept
from _tables import boxed, into_page
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import random_split
from skdegfair.metrics import degree_fairness_report, degree_groups, delta_dsp, pareto_front

PAPER_LOSS: dict[str, Any] = {"fairness_groups": "threshold", "fairness_loss": "dsp"}
BEFORE = {"max_epochs": 300}
MODELS = {
    "majority vote": DummyClassifier(),
    "logistic regression": LogisticRegression(max_iter=300),
    "GCN before": GNNClassifier(**BEFORE),
    "DegFair before": DegFairGNNClassifier(**BEFORE, **PAPER_LOSS, fairness_weight=1.0),
    "GCN": GNNClassifier(),
    "DegFair": DegFairGNNClassifier(),
}
CANDIDATES = {
    **{
        f"GCN, {name}": GNNClassifier(**options)
        for name, options in {
            "200 epochs": {"max_epochs": 200},
            "100 epochs": {"max_epochs": 100},
            "300 epochs": {"max_epochs": 300},
            "weight decay 5e-3": {"max_epochs": 200, "weight_decay": 5e-3},
            "early stopping": {"max_epochs": 300, "early_stopping": True},
        }.items()
    },
    **{
        f"DegFair, {name}": DegFairGNNClassifier(
            **{"max_epochs": 200, "fairness_groups": 0.2, "fairness_weight": 2.5} | options
        )
        for name, options in {
            "paper's loss, mu 1": {**PAPER_LOSS, "fairness_weight": 1.0},
            "paper's loss, mu 3": {**PAPER_LOSS, "fairness_weight": 3.0},
            "outer 20 %, mu 1": {"fairness_weight": 1.0},
            "outer 20 %, mu 2.5": {},
            "outer 20 %, mu 5": {"fairness_weight": 5.0},
            "outer 20 %, mu 2.5, no ramp": {"fairness_ramp": 0.0},
            "outer 20 %, mu 2.5, DSP and DEO": {"fairness_loss": "both"},
            "outer 20 %, mu 2.5, 100 epochs": {"max_epochs": 100},
            "outer 20 %, mu 2.5, 300 epochs": {"max_epochs": 300},
            "outer 20 %, mu 2.5, early stopping": {"max_epochs": 300, "early_stopping": True},
            "outer 20 %, mu 2.5, weight decay 5e-3": {"weight_decay": 5e-3},
            "5 groups, mu 5": {"fairness_groups": 5, "fairness_weight": 5.0},
            "5 groups, mu 10": {"fairness_groups": 5, "fairness_weight": 10.0},
        }.items()
    },
}
WEIGHTS = [0.3, 1.0, 3.0, 10.0, 100.0]
LOSSES = {"paper's loss": PAPER_LOSS, "default's loss": {}}
FRONTIERS = {
    "no loss, mu 0": DegFairGNNClassifier(fairness_weight=0.0),
    **{
        f"{loss}, mu {mu:g}": DegFairGNNClassifier(fairness_weight=mu, **options)
        for loss, options in LOSSES.items()
        for mu in WEIGHTS
    },
}
QUICK = ["GCN, 200 epochs", "DegFair, outer 20 %, mu 2.5", "GCN", "DegFair", *(f"{loss}, mu 3" for loss in LOSSES)]
PARTS = {"candidates": CANDIDATES, "compare": MODELS, "frontiers": FRONTIERS}
METRICS = ["accuracy", "delta_dsp", "delta_deo"]
TITLES = {"delta_dsp": "delta DSP", "delta_deo": "delta DEO"}


class Job(NamedTuple):
    """One fit, assessed on the validation nodes of a split (candidates) or on its test nodes."""

    part: str
    graph: str
    model: str
    split: int
    estimator: Any

    @property
    def key(self) -> str:
        """A digest of everything that the result depends on."""
        params = self.estimator.get_params(deep=False)
        everything = json.dumps([*self[:4], params], sort_keys=True, default=str)
        return hashlib.sha256(everything.encode()).hexdigest()[:16]


def fit_and_assess(job):
    """The scores of one fit, with the chance level of its gap and the label's own gap."""
    torch.set_num_threads(1)  # jobs are in processes of their own
    graph, y = graph_of(job.graph)
    split = random_split(len(y), random_state=job.split)
    nodes = split.valid if job.part == "candidates" else split.test
    estimator = clone(job.estimator)
    on_graph = hasattr(estimator, "backbone")
    if on_graph:
        estimator.set_params(random_state=job.split)
    data = graph if on_graph else graph.X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cells without a node, and logistic regression that has not converged
        predicted = estimator.fit(data[split.train], y[split.train]).predict(data[nodes])
        report = degree_fairness_report(
            y[nodes], predicted, degree=graph[nodes], labels=np.unique(y), n_resamples=400, random_state=job.split
        )
        fifths = degree_groups(graph[nodes].degree(), n_groups=5)
        any_pair = delta_dsp(y[nodes], predicted, groups=fifths, labels=np.unique(y))
        labels = degree_fairness_report(y[nodes], y[nodes], degree=graph[nodes], labels=np.unique(y), n_resamples=400)
    scores, gaps = report.scores.loc["predictions"], report.gaps
    return {
        "key": job.key,
        **dict(zip(("part", "graph", "model", "split"), job[:4], strict=True)),
        **{name: float(scores[name]) for name in METRICS},
        "delta_dsp_fifths": float(any_pair),
        "p_dsp": float(gaps.loc["delta_dsp", "p_value"]),
        "chance_dsp": float(gaps.loc["delta_dsp", "null_mean"]),
        "label_dsp": float(labels.gaps.loc["delta_dsp", "gap"]),
        "label_p": float(labels.gaps.loc["delta_dsp", "p_value"]),
        "n_classes": len(np.unique(y)),
        "n_nodes": len(nodes),
        "training_accuracy": float(np.mean(estimator.predict(data[split.train]) == y[split.train])),
    }


def planned(part, graphs, quick):
    """The jobs of a part."""
    splits = range(100, 101) if part == "candidates" else range(10)
    models = PARTS[part]
    if quick:
        splits = splits[:2]
        models = {name: clone(models[name]).set_params(max_epochs=5) for name in models if name in QUICK}
    if part == "frontiers":
        graphs = [name for name in graphs if name in [*PUBLIC, "built-in"]]
    elif part == "candidates":
        graphs = [name for name in graphs if name not in (LARGE, "Squirrel")]  # they would take most of the time
    jobs = [
        Job(part, graph, name, split, estimator)
        for graph in graphs
        for name, estimator in models.items()
        for split in (splits[:FEW] if graph == LARGE else splits)
    ]
    return {job.key: job for job in jobs}


def interval(values):
    """Mean of the splits with half the width of its 95 % interval."""
    n = len(values)
    reach = student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return values.mean(), reach


def compare(frame, plain="GCN"):
    """A row per graph and model: scores in percent, and what changes against the plain GNN on the same splits."""
    rows = []
    for (graph, model), part in frame.groupby(["graph", "model"], sort=False):
        part = part.set_index("split")
        base = frame[(frame["graph"] == graph) & (frame["model"] == plain)].set_index("split").loc[part.index]
        row = {"graph": graph, "model": model, "classes": part["n_classes"].iloc[0], "nodes": part["n_nodes"].iloc[0]}
        for name in METRICS:
            row[name], row[f"{name}_ci"] = interval(100 * part[name].dropna())
            row[f"{name}_change"], row[f"{name}_change_ci"] = interval(100 * (part[name] - base[name]).dropna())
        gained, lost = -row["delta_dsp_change"], -row["accuracy_change"]
        row["reduction"] = gained / (100 * base["delta_dsp"].mean()) if base["delta_dsp"].mean() > 0 else np.nan
        row["price"] = lost / gained / (row["classes"] / 6) if gained > 0 else np.nan
        row["beyond_chance"] = float((base["p_dsp"] < 0.05).mean())
        fifths = "delta_dsp_fifths"  # of any two of five groups, not of the outer ones alone
        row[fifths], row[f"{fifths}_change"] = 100 * part[fifths].mean(), 100 * (part[fifths] - base[fifths]).mean()
        row["chance_dsp"] = 100 * base["chance_dsp"].mean()
        row["label_dsp"] = 100 * part["label_dsp"].mean()
        row["labels_beyond_chance"] = float((part["label_p"] < 0.05).mean())
        row["training_accuracy"] = 100 * part["training_accuracy"].mean()
        row["n_splits"] = len(part)
        rows.append(row)
    return pd.DataFrame(rows)


def held(table, model="DegFair"):
    """Whether what the defaults promise holds on each graph. A gap is clear if it is in at least half of the splits."""
    rows = []
    for row in table[table["model"] == model].itertuples():
        is_clear = row.beyond_chance >= 0.5
        cheap = row.accuracy_change >= -1 or row.price <= 0.7
        rows.append(
            {
                "graph": row.graph,
                "gap is clear": is_clear,
                "a third lower": row.reduction >= 1 / 3 if is_clear else None,
                "price": (cheap if is_clear else row.accuracy_change >= -0.5),
                "delta DEO": None
                if row.labels_beyond_chance > 0.5
                else row.delta_deo_change <= row.delta_deo_change_ci,
            }
        )
    return pd.DataFrame(rows)


def hypervolumes(frame):
    """A row per graph, gap and loss: area under the front of one split, mean over splits, and the paired difference."""
    rows = []
    for graph, part in by_loss(frame).groupby("graph", sort=False):
        for gap in ("delta_dsp", "delta_deo"):
            area = {
                loss: each.groupby("split")[["accuracy", gap]].apply(lambda runs: 100 * area_of(runs.to_numpy()))
                for loss, each in part.groupby("loss")
            }
            row = {"graph": graph, "gap": gap}
            for loss, values in area.items():
                row[loss], row[f"{loss}_ci"] = interval(values)
            row["difference"], row["difference_ci"] = interval(area["default's loss"] - area["paper's loss"])
            rows.append(row)
    return pd.DataFrame(rows)


def by_loss(frame):
    """Runs with their loss and its weight; those without a fairness loss count for each."""
    frame = frame.assign(loss=frame["model"].str.rpartition(", mu ")[0], mu=frame["model"].str.rpartition(" ")[2])
    without = frame[frame["mu"] == "0"]
    return pd.concat([*(without.assign(loss=loss) for loss in LOSSES), frame[frame["mu"] != "0"]])


def area_of(points):
    """Area in accuracy and 1 - gap that the undominated points cover."""
    points = np.column_stack([points[:, 0], 1 - points[:, 1]])
    front = points[pareto_front(points[:, 0], 1 - points[:, 1])]
    front = front[np.argsort(-front[:, 0])]
    heights = np.diff(np.concatenate([[0.0], np.maximum.accumulate(front[:, 1])]))
    return float((front[:, 0] * heights).sum())


def compare_lines(table):
    """Text of the comparison: a row per graph, with the price and what changes against the plain GNN."""
    body = [["graph (classes)", *MODELS, "delta DSP lower by", "price"]]
    for graph, part in table.groupby("graph", sort=False):
        part = part.set_index("model")
        scores = [_triple(part.loc[name]) if name in part.index else "" for name in MODELS]
        fair = part.loc["DegFair"]
        clear = "" if fair["beyond_chance"] >= 0.5 else " (chance)"
        price = "" if np.isnan(fair["price"]) else f"{fair['price']:.2f}"
        body.append([f"{graph} ({fair['classes']})", *scores, f"{100 * fair['reduction']:.0f} %{clear}", price])
    return boxed(body)


def change_lines(table):
    """Text of the differences to the plain GNN, with the 95 % interval of their mean."""
    body = [["graph", "accuracy", "delta DSP", "delta DEO", "any two fifths", "labels' delta DSP", "chance"]]
    for row in table[table["model"] == "DegFair"].to_dict("records"):
        changes = [f"{row[f'{name}_change']:+.1f} ± {row[f'{name}_change_ci']:.1f}" for name in METRICS]
        fifths = f"{row['delta_dsp_fifths_change']:+.1f}"
        body.append([row["graph"], *changes, fifths, f"{row['label_dsp']:.1f}", f"{row['chance_dsp']:.1f}"])
    return boxed(body)


def candidate_lines(table):
    """Text of the candidates: means over graphs of the changes against the plain GNN of 200 epochs."""
    body = [["setting", "accuracy", "delta DSP", "any two fifths", "delta DSP lower by a third", "price at most 0.7"]]
    for model, part in table.groupby("model", sort=False):
        clear = part[part["beyond_chance"] >= 0.5]
        cheap = (clear["accuracy_change"] >= -1) | (clear["price"] <= 0.7)
        mean = part[["accuracy_change", "delta_dsp_change", "delta_dsp_fifths_change"]].mean()
        counts = [f"{int(each.sum())} of {len(clear)}" for each in (clear["reduction"] >= 1 / 3, cheap)]
        body.append([model, *(f"{change:+.1f}" for change in mean), *counts])
    return boxed(body)


def hypervolume_lines(table):
    """Text of the hypervolumes, in percent of the unit square."""
    body = [["graph", "gap", *LOSSES, "difference"]]
    for row in table.to_dict("records"):
        cells = [f"{row[name]:.1f} ± {row[f'{name}_ci']:.1f}" for name in LOSSES]
        body.append(
            [row["graph"], TITLES[row["gap"]], *cells, f"{row['difference']:+.1f} ± {row['difference_ci']:.1f}"]
        )
    return boxed(body)


def draw(frame, folder):
    """One plot per graph: accuracy against each gap, for both losses."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    for graph, part in by_loss(frame).groupby("graph", sort=False):
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
        for ax, gap in zip(axes, TITLES, strict=True):
            for loss, each in part.groupby("loss", sort=False):
                mean = 100 * each.groupby("mu", sort=False)[["accuracy", gap]].mean()
                ax.plot(mean[gap], mean["accuracy"], marker="o", label=loss)
                for mu, point in mean.iterrows():
                    ax.annotate(
                        mu, (point[gap], point["accuracy"]), fontsize=7, xytext=(3, 3), textcoords="offset points"
                    )
            ax.set(xlabel=f"{TITLES[gap]} (%)", title=f"{graph}, mean of {part['split'].nunique()} splits")
        axes[0].set_ylabel("accuracy (%)")
        axes[0].legend()
        figure.savefig(folder / f"defaults_frontier_{graph.lower()}.png", dpi=110)
        plt.close(figure)


def _triple(row):
    return " / ".join(f"{row[name]:.1f}" for name in METRICS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--graphs", nargs="+", default=None, choices=[*GENERATED, *PUBLIC])
    parser.add_argument("--quick", action="store_true", help="two splits, two models, five epochs, two graphs")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    small = ["built-in", "6 classes, bias 0.8, 500 nodes"]
    graphs = options.graphs or (small if options.quick else [*GENERATED, *PUBLIC])
    folder = RESULTS / "quick" if options.quick or options.graphs else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    runs = (RESULTS / "quick" if options.quick else RESULTS) / "runs_defaults.jsonl"
    for part in options.parts:
        frame = pd.DataFrame(kept(planned(part, graphs, options.quick), fit_and_assess, runs, options.jobs))
        if part == "frontiers":
            table = hypervolumes(frame)
            draw(frame, folder)
            lines = hypervolume_lines(table)
        elif part == "candidates":
            table = compare(frame, plain="GCN, 200 epochs")
            lines = candidate_lines(table)
        else:
            table = compare(frame)
            lines = [*compare_lines(table), "", *change_lines(table)]
            print(held(table).to_string(index=False))
        table.round(3).to_csv(folder / f"defaults_{part}.csv", index=False)
        print("\n".join(lines))
        if folder == RESULTS:
            into_page("defaults.rst", f"defaults {part}", [*lines, ""])


if __name__ == "__main__":
    main()
