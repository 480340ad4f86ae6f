"""The paper's data sets by name."""

from functools import cache

from sklearn.preprocessing import Normalizer

from skdegfair.datasets import fetch_chameleon, fetch_emnlp, fetch_squirrel
from skdegfair.graph import Graph

FETCHERS = {"Chameleon": fetch_chameleon, "Squirrel": fetch_squirrel, "EMNLP": fetch_emnlp}


@cache
def data_of(dataset, rows):
    """Graph and classes, with features as released, or with rows whose absolute values sum to one ("sum")."""
    data = FETCHERS[dataset]()
    if rows == "sum":
        return Graph(Normalizer("l1").fit_transform(data.X), data.A), data.y
    return data.graph, data.y
