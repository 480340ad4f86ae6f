"""Presets: hyper-parameters that were chosen on nodes that are not tested, and the rule of choice.

benchmarks/presets/<data set>/<model>.json holds every candidate of a search with its predictions for the training and
validation nodes of the authors' split, each made by a model that was fitted to other nodes (see search_presets.py). The
choice for the authors' split uses all of these nodes. For another split, the choice is repeated with those of them that
are not test nodes of that split. (Models of the folds were fitted to some of these, and rounds of the search used their
scores.)

The rule: for a plain GNN, the most accurate candidate. For a DegFair model, the fairest candidate among those that are
as accurate as the paper reports and at most half a point less accurate than the chosen plain GNN. If there is none, the
fairest among those that are at most half a point less accurate than the most accurate one. To compare fairness, both
gaps are divided by those of the chosen plain GNN, and the larger of the two counts.
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
ALLOWANCE = 0.005


def path_of(dataset, model):
    return PRESETS / dataset / f"{model}.json"


def searched_nodes(n_nodes):
    """The nodes on which candidates are judged: none of the authors' test nodes."""
    split = authors_split(n_nodes)
    return np.concatenate([split.train, split.valid])


@cache
def preset(dataset, model, tested=()):
    """The chosen parameters, and ``rows``, without a look at the tested nodes; defaults where there was no search."""
    if model is None or not path_of(dataset, model).exists():
        return {}
    entry = json.loads(path_of(dataset, model).read_text(encoding="utf-8"))
    return choice(dataset, model, tested)["params"] if "candidates" in entry else entry["chosen"]


def choice(dataset, model, tested=()):
    """The chosen candidate, with its scores on the nodes that are not tested."""
    entry = json.loads(path_of(dataset, model).read_text(encoding="utf-8"))
    allowed = ~np.isin(searched_nodes(len(data_of(dataset, "released")[1])), np.array(tested, dtype=np.intp))
    judged = [candidate | scores(dataset, candidate["predicted"], allowed) for candidate in entry["candidates"]]
    return ranked(judged, entry["target_accuracy"], plain_choice(dataset, model, tested))[0]


def plain_choice(dataset, model, tested=()):
    """What was chosen of the GNN that a DegFair model is measured by; None for a plain GNN."""
    plain = model.removeprefix("DegFair")
    if plain == model:
        return None
    if not path_of(dataset, plain).exists():
        raise SystemExit(f"{model} is measured by {plain}, which has no preset for {dataset}: search for that first.")
    return choice(dataset, plain, tested)


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


def ranked(candidates, target, plain=None):
    """Candidates from the best to the worst, see the module's docstring; ``target`` is of accuracy."""
    if not candidates or plain is None:
        return sorted(candidates, key=lambda candidate: -candidate["accuracy"])
    highest = max(candidate["accuracy"] for candidate in candidates)
    bar = max(target, plain["accuracy"] - ALLOWANCE)
    bar = bar if highest >= bar else highest - ALLOWANCE

    def badness(candidate):
        if candidate["accuracy"] < bar:
            return (1, -candidate["accuracy"])
        return (0, max(candidate[gap] / max(plain[gap], 1e-4) for gap in ("delta_dsp", "delta_deo")))

    return sorted(candidates, key=badness)
