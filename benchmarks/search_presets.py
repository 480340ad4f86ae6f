"""Choose the hyper-parameters of the paper's models, on training and validation nodes only.

For each data set and model: some random settings, each judged by threefold cross-validation on the training and
validation nodes of the authors' split together (one validation set alone is too noisy to choose by a gap). Plain GNNs:
the most accurate setting. DegFair models: of the settings whose accuracy reaches the paper's, the one with the smallest
sum of both gaps; if none does, the most accurate one. Every candidate and the choice go to benchmarks/presets/.

Usage: python benchmarks/search_presets.py [--models GCN DegFairGCN ...] [--datasets ...] [--candidates 24] [--jobs 2]

What is there already is not searched again; delete it from the file to do so.
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


def choose(table, model, target):
    """Position of the choice: see the module's docstring."""
    if not model.startswith("DegFair"):
        return int(table["accuracy"].argmax())
    gaps = -(table["neg_delta_dsp"] + table["neg_delta_deo"])
    reached = table["accuracy"] >= target
    return int(gaps.where(reached).argmin()) if reached.any() else int(table["accuracy"].argmax())


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
        path = PRESETS / f"{dataset}.json"
        for model in options.models:
            presets = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            if model in presets:
                continue
            settings = candidates(model, options.candidates, seed=0)
            tasks = [(setting, fold) for setting in settings for fold in range(3)]
            scores = Parallel(n_jobs=options.jobs, return_as="generator")(
                delayed(judge)(dataset, model, setting, fold) for setting, fold in tasks
            )
            scores = pd.DataFrame(list(tqdm(scores, total=len(tasks), desc=f"{dataset} {model}")))
            table = scores.groupby(np.arange(len(tasks)) // 3).mean()
            target = paper.loc[(dataset, model), "accuracy"] / 100
            best = choose(table, model, target)
            presets[model] = {
                "chosen": settings[best],
                "validation": table.loc[best].round(4).to_dict(),
                "target_accuracy": target,
                "candidates": [
                    {"params": setting, **table.loc[number].round(4).to_dict()}
                    for number, setting in enumerate(settings)
                ],
            }
            PRESETS.mkdir(exist_ok=True)
            path.write_text(json.dumps(presets, indent=1) + "\n", encoding="utf-8")
            print(dataset, model, presets[model]["chosen"], presets[model]["validation"], flush=True)


if __name__ == "__main__":
    main()
