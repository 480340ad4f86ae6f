"""Choose the hyper-parameters of the paper's models, on training and validation nodes only.

For each data set and model: random settings, each judged by threefold cross-validation on the training and validation
nodes of the authors' split together (one validation set alone is too noisy to choose by a gap). Plain GNNs: the most
accurate setting. DegFair models: then the two best of them once more with other weights of the fairness loss, and of
all the settings whose accuracy reaches the paper's less one point (a fold has a third fewer labels to learn from), the
one with the smallest sum of both gaps; if none does, the most accurate one. Every candidate and the choice go to
benchmarks/presets/; whatever is there already is not judged again.

Usage: python benchmarks/search_presets.py [--models GCN DegFairGCN ...] [--datasets ...] [--candidates 24] [--jobs 2]
"""

import argparse
import json

import numpy as np
import pandas as pd
import torch
from _study import HERE, MODELS, PRESETS, data_of
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from tqdm import tqdm

from skdegfair.datasets import authors_split
from skdegfair.metrics import fairness_scoring

ALLOWANCE = 0.01
SPACE = {
    "hidden_dim": [16, 32, 64],
    "dropout": [0.3, 0.5, 0.7],
    "weight_decay": [1e-4, 5e-4, 5e-3],
    "learning_rate": [0.005, 0.01],
    "rows": ["released", "sum"],
}
FAIR_SPACE = {
    "context_weight": [0.01, 0.1, 0.5, 1.0],
    "fairness_weight": [0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0],
    "constraint_weight": [1e-4, 1e-3, 1e-2],
    "degree_threshold": ["mean", "median"],
    "fairness_loss": ["dsp", "dsp", "deo"],
}


def candidates(model, n, seed):
    """Random settings; the first is the default, so that a search cannot lose to it on its own nodes."""
    space = SPACE | (FAIR_SPACE if model.startswith("DegFair") else {})
    random = np.random.RandomState(seed)
    drawn = [{}]
    while len(drawn) < n:
        drawn.append({name: values[random.randint(len(values))] for name, values in space.items()})
    return drawn


def judge(dataset, model, setting, fold):
    """Accuracy and gaps of one setting on one fold of the training and validation nodes."""
    torch.set_num_threads(1)
    params = dict(setting)
    graph, y = data_of(dataset, params.pop("rows", "released"))
    split = authors_split(len(y))
    nodes = np.concatenate([split.train, split.valid])
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(nodes, y[nodes]))
    train, test = (nodes[part] for part in folds[fold])
    estimator = MODELS[model].make(random_state=fold, **params).fit(graph[train], y[train])
    return fairness_scoring(estimator, graph[test], y[test])


def ranked(candidates, model, target):
    """Candidates from the best to the worst: see the module's docstring."""
    fair = model.startswith("DegFair")

    def badness(candidate):
        gaps = -candidate["neg_delta_dsp"] - candidate["neg_delta_deo"]
        if fair and candidate["accuracy"] >= target:
            return (0, gaps)
        return (1, -candidate["accuracy"])

    return sorted(candidates, key=badness)


def judged(dataset, model, settings, n_jobs):
    """Each setting with its mean scores over the folds."""
    tasks = [(setting, fold) for setting in settings for fold in range(3)]
    scores = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(judge)(dataset, model, setting, fold) for setting, fold in tasks
    )
    table = pd.DataFrame(list(tqdm(scores, total=len(tasks), desc=f"{dataset} {model}")))
    means = table.groupby(np.arange(len(tasks)) // 3).mean().round(4).to_dict("records")
    return [{"params": setting, **mean} for setting, mean in zip(settings, means, strict=True)]


def search(dataset, model, target, n_candidates, n_jobs):
    """Judge what has not been judged yet, choose, and write it down after each stage."""
    path = PRESETS / f"{dataset}.json"
    presets = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    entry = presets.setdefault(model, {"candidates": []})
    stages = [lambda: candidates(model, n_candidates, seed=0)]
    if model.startswith("DegFair"):
        stages.append(lambda: around(ranked(entry["candidates"][:n_candidates], model, target)[:2]))
    for stage in stages:
        known = [candidate["params"] for candidate in entry["candidates"]]
        new = [setting for setting in stage() if setting not in known]
        if new:
            entry["candidates"] += judged(dataset, model, new, n_jobs)
        best = ranked(entry["candidates"], model, target)[0]
        entry |= {"chosen": best["params"], "target_accuracy": target}
        entry["validation"] = {name: best[name] for name in ("accuracy", "neg_delta_dsp", "neg_delta_deo")}
        PRESETS.mkdir(exist_ok=True)
        path.write_text(json.dumps(presets, indent=1) + "\n", encoding="utf-8")
    print(dataset, model, entry["chosen"], entry["validation"], flush=True)


def around(bases):
    """The same settings with more and with less of the fairness loss."""
    weights = (0.5, 0.7, 1.4, 2.0, 3.0)
    return [
        {**base["params"], "fairness_weight": round(factor * base["params"].get("fairness_weight", 1.0), 3)}
        for base in bases
        for factor in weights
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    searched = [name for name, model in MODELS.items() if model.preset == name]
    parser.add_argument("--models", nargs="+", default=searched, choices=searched)
    parser.add_argument("--datasets", nargs="+", default=["EMNLP", "Chameleon", "Squirrel"])
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    paper = pd.read_csv(HERE / "paper_numbers.csv").query("hops == 1 and share == 0.2").set_index(["dataset", "model"])
    for dataset in options.datasets:
        for model in options.models:
            target = round(float(paper.loc[(dataset, model), "accuracy"]) / 100 - ALLOWANCE, 4)
            search(dataset, model, target, options.candidates, options.jobs)


if __name__ == "__main__":
    main()
