"""Presets: hyper-parameters that were chosen on nodes that are not tested, and the rule of choice.

benchmarks/presets/<data set>/<model>.json holds every candidate of a search with its predictions for the training and
validation nodes of the authors' split, each made by a model that was fitted to other nodes (see search_presets.py). The
choice for the authors' split is by all of these nodes; for another split it is made anew, by those of them that are not
test nodes of that split.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from _data import data_of
from sklearn.metrics import accuracy_score

from skdegfair.datasets import authors_split
from skdegfair.metrics import delta_deo, delta_dsp

PRESETS = Path(__file__).parent / "presets"


def path_of(dataset, model):
    return PRESETS / dataset / f"{model}.json"


def searched_nodes(n_nodes):
    """The nodes on which candidates are judged: none of the authors' test nodes."""
    split = authors_split(n_nodes)
    return np.concatenate([split.train, split.valid])


@cache
def preset(dataset, model, split=None):
    """The chosen parameters, and ``rows``; defaults where there was no search."""
    if model is None or not path_of(dataset, model).exists():
        return {}
    entry = json.loads(path_of(dataset, model).read_text(encoding="utf-8"))
    if split is None or "candidates" not in entry:
        return entry["chosen"]
    _, y = data_of(dataset, "released")
    nodes = searched_nodes(len(y))
    allowed = ~np.isin(nodes, np.array(split))
    judged = [candidate | scores(dataset, candidate["predicted"], allowed) for candidate in entry["candidates"]]
    return ranked(judged, model, entry["target_accuracy"])[0]["params"]


def scores(dataset, predicted, allowed=slice(None)):
    """Accuracy and gaps of predictions (a digit per searched node) on the allowed ones of these nodes."""
    graph, y = data_of(dataset, "released")
    nodes = searched_nodes(len(y))[allowed]
    labels = np.array(list(predicted), dtype=y.dtype)[allowed]
    return {
        "accuracy": round(float(accuracy_score(y[nodes], labels)), 4),
        "delta_dsp": round(float(delta_dsp(y[nodes], labels, degree=graph[nodes])), 4),
        "delta_deo": round(float(delta_deo(y[nodes], labels, degree=graph[nodes])), 4),
    }


def ranked(candidates, model, target):
    """Candidates from the best to the worst.

    Plain GNNs: by accuracy. DegFair models: those that reach the target accuracy by the sum of both gaps, then the
    others by accuracy.
    """

    def badness(candidate):
        if is_fair(model) and candidate["accuracy"] >= target:
            return (0, candidate["delta_dsp"] + candidate["delta_deo"])
        return (1, -candidate["accuracy"])

    return sorted(candidates, key=badness)


def is_fair(model):
    return model.startswith("DegFair")
