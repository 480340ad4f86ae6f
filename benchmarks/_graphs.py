"""Graphs on which the defaults are tested: the paper's three, and generated ones of many kinds."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from _data import data_of

from skdegfair import Graph
from skdegfair.datasets import make_degree_biased_graph

LARGE, FEW = "4 classes, bias 0.4, 20,000 nodes", 4  # a graph on which fewer splits suffice
GENERATED = {  # n_nodes, and what differs from the generator's defaults
    "built-in": {"n_nodes": 1500},
    "2 classes, bias 0.6": {"n_nodes": 1200, "n_classes": 2, "bias": 0.6},
    "2 classes, bias 1.5, 64 features": {"n_nodes": 1200, "n_classes": 2, "bias": 1.5, "n_features": 64},
    "2 classes, bias 0.3, homophily 0.9": {
        "n_nodes": 800, "n_classes": 2, "bias": 0.3, "homophily": 0.9, "n_features": 200, "noise": 6.0,
    },
    "3 classes, bias 0.5, homophily 0.3": {"n_nodes": 1200, "bias": 0.5, "homophily": 0.3},
    "3 classes, bias 0.7, 600 words": {"n_nodes": 4000, "bias": 0.7, "words": 600},
    "4 classes, bias 0": {"n_nodes": 1200, "n_classes": 4, "bias": 0.0},
    LARGE: {"n_nodes": 20_000, "n_classes": 4, "bias": 0.4},
    "5 classes, bias 1": {"n_nodes": 1200, "n_classes": 5},
    "5 classes, bias 0.3, 1500 words": {
        "n_nodes": 2500, "n_classes": 5, "bias": 0.3, "mean_degree": 5.0, "words": 1500,
    },
    "6 classes, bias 0.8, 500 nodes": {"n_nodes": 500, "n_classes": 6, "bias": 0.8, "n_features": 8},
}  # fmt: skip
PUBLIC = ["Chameleon", "EMNLP", "Squirrel"]


@cache
def graph_of(name):
    """Graph and classes."""
    if name in PUBLIC:
        return data_of(name, "released")
    options = dict(GENERATED[name])
    n_words = options.pop("words", None)
    data = make_degree_biased_graph(random_state=0, **options)
    return (data.graph if n_words is None else Graph(as_words(data.X, n_words), data.A)), data.y


def as_words(X, n_words, seed=0):
    """Sparse features: each node has a few of many words, drawn with probabilities that depend on its features."""
    random = np.random.default_rng(seed)
    score = X @ random.normal(size=(X.shape[1], n_words))
    score = 1.5 * score / score.std() + random.normal(-4.5, 1.0, size=n_words)
    return sp.csr_array((random.random(score.shape) < 1 / (1 + np.exp(-score))).astype(float))
