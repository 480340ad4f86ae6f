"""Choose the hyper-parameters of the paper's models, on training and validation nodes only.

For each data set and model, a small evolutionary search: random settings (the first is the default; for a DegFair model
the second is the choice of its base GNN, which comes first), then two rounds of changes to the best of them. A base
GNN gets as many settings as its DegFair model. A setting is assessed by fourfold cross-validation on the training and
validation nodes of the authors' split together, so each model is fitted to as many nodes as there are training nodes;
predictions of the four folds are pooled before the gaps are computed, because a gap in the few nodes of one fold is
mostly noise. The rule in _presets.py decides which setting is best. Every candidate is written to benchmarks/presets/
when it is assessed, so a search that was killed continues where it stopped.

Usage: python benchmarks/search_presets.py [--models GCN DegFairGCN ...] [--datasets ...] [--jobs 2]
"""

import argparse
import json
from itertools import accumulate, islice

import numpy as np
import pandas as pd
import torch
from _data import data_of
from _presets import choice, path_of, plain_choice, ranked, scores, searched_nodes
from _study import HERE, MODELS
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from tqdm import tqdm

N_FOLDS = 4
SPACE = {
    "hidden_dim": [16, 32, 64],
    "dropout": [0.3, 0.5, 0.7],
    "weight_decay": [1e-5, 1e-4, 5e-4],
    "learning_rate": [0.005, 0.01, 0.03],
    "max_epochs": [100, 200, 300],
    "rows": ["released", "sum"],
}
FAIR_SPACE = {
    "context_weight": [0.1, 0.5, 1.0, 2.0, 4.0],
    "fairness_weight": [0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0],
    "constraint_weight": [1e-4, 1e-3, 1e-2],
    "degree_threshold": ["mean", "median"],
    "fairness_loss": ["dsp", "dsp", "deo"],
}


def rounds_of(dataset, model):
    """Settings per round: most for the models that ablations and studies depend on, fewer on the largest graph."""
    main = model.removeprefix("DegFair") == "GCN"
    if dataset == "Squirrel":
        return (14, 8, 8) if main else (6, 3, 3)
    return (20, 10, 10) if main else (12, 6, 6)


def space_of(model):
    return SPACE | (FAIR_SPACE if model.startswith("DegFair") else {})


def drawn(model, n, plain, best, known, random):
    """New settings: the best with two values drawn anew and another fairness weight; without a best, all drawn."""
    space = space_of(model)
    settings = [] if known else [{}] + ([plain["params"]] if plain and plain["params"] else [])
    while len(settings) < n:
        base = best[len(settings) % len(best)] if best else {}
        names = random.choice(list(space), size=2, replace=False) if best else list(space)
        setting = base | {str(name): space[name][random.randint(len(space[name]))] for name in names}
        if best and plain:
            scaled = base.get("fairness_weight", 1.0) * np.exp(random.uniform(-1, 1))
            setting["fairness_weight"] = float(f"{scaled:.2g}")
        if setting not in known + settings:
            settings.append(setting)
    return settings


def fold_predictions(dataset, model, setting, fold):
    """Places of a fold's nodes among those searched, and their classes as predicted by a model of the other folds."""
    torch.set_num_threads(1)  # folds are in processes of their own
    params = dict(setting)
    graph, y = data_of(dataset, params.pop("rows", "released"))
    nodes = searched_nodes(len(y))
    train, test = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(nodes, y[nodes]))[fold]
    estimator = MODELS[model].make(random_state=fold, **params).fit(graph[nodes[train]], y[nodes[train]])
    return test, estimator.predict(graph[nodes[test]])


def judged(dataset, model, settings, n_jobs):
    """Each setting with its predictions and scores, as soon as it has them."""
    if not settings:
        return
    tasks = [(setting, fold) for setting in settings for fold in range(N_FOLDS)]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(fold_predictions)(dataset, model, *task) for task in tasks
    )
    results = iter(tqdm(results, total=len(tasks), desc=f"{dataset} {model}", mininterval=5))
    for setting in settings:
        places, labels = (np.concatenate(parts) for parts in zip(*islice(results, N_FOLDS), strict=True))
        predicted = "".join(map(str, labels[np.argsort(places)]))
        yield {"params": setting, **scores(dataset, predicted), "predicted": predicted}
    next(results, None)  # joblib warns of a generator that was not read to its end


def search(dataset, model, target, n_jobs):
    """Judge what has not been judged yet, round by round, and write down each judgement and the choice."""
    path, rounds = path_of(dataset, model), rounds_of(dataset, model)
    task = {"target_accuracy": target, "rounds": list(rounds), "space": space_of(model)}
    entry = {"chosen": {}, "validation": {}, **task, "candidates": []}
    if path.exists():
        entry = json.loads(path.read_text(encoding="utf-8"))
    if {name: entry[name] for name in task} != task:
        raise SystemExit(f"{path} is of another search. Delete it to search anew.")
    seen, plain = entry["candidates"], plain_choice(dataset, model)
    for number, (n, before) in enumerate(zip(rounds, accumulate((0, *rounds)), strict=False)):
        best = [candidate["params"] for candidate in ranked(seen[:before], target, plain)[:3]]
        known = [candidate["params"] for candidate in seen[:before]]
        new = drawn(model, n, plain, best, known, np.random.RandomState(number))[max(len(seen) - before, 0) :]
        for candidate in judged(dataset, model, new, n_jobs):
            seen.append(candidate)
            write(path, entry)
    chosen = choice(dataset, model)
    entry["chosen"] = chosen["params"]
    entry["validation"] = {name: chosen[name] for name in ("accuracy", "delta_dsp", "delta_deo")}
    write(path, entry)
    print(dataset, model, entry["chosen"], entry["validation"], flush=True)


def write(path, entry):
    """All or nothing, also when killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".part").write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".part").replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    paper = pd.read_csv(HERE / "paper_numbers.csv").query("hops == 1 and share == 0.2").set_index(["dataset", "model"])
    searched = [name for name in MODELS if name in paper.index.unique("model")]
    parser.add_argument("--models", nargs="+", default=searched, choices=searched)
    parser.add_argument("--datasets", nargs="+", default=["EMNLP", "Chameleon", "Squirrel"])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for dataset in options.datasets:
        for model in options.models:
            target = round(float(paper.loc[(dataset, model), "accuracy"]) / 100, 4)
            search(dataset, model, target, options.jobs)


if __name__ == "__main__":
    main()
