"""A classifier whose accuracy and gap are known, for searches: it takes no time. As a script, a worker on a study.

Usage: python searched.py STORAGE N_TRIALS SECONDS_PER_FIT
"""

import os
import sys
import time

import numpy as np
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin

from skdegfair.graph import Graph


def truth(graph):
    """Labels that favor well-connected nodes."""
    return ((graph.features[:, 0] > 0) | (graph.degree() >= 12)).astype(int)


class Known(ClassifierMixin, BaseEstimator):
    """Wrong for a part of the nodes, and in class 1 for another part; both make it fairer and less accurate.

    ``fails`` raises an error while fitting, which takes ``seconds``.
    """

    def __init__(self, wrong=0.1, ones=0.1, fails=False, seconds=0.0):
        self.wrong, self.ones, self.fails, self.seconds = wrong, ones, fails, seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        if self.fails:
            raise RuntimeError("this one fails")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        noise = np.random.RandomState(0).uniform(size=(2, X.n_nodes))[:, X.nodes]
        predicted = np.where(noise[0] < self.wrong, 1 - truth(X), truth(X))
        return np.where(noise[1] < self.ones, 1, predicted)


class CountedGraph(Graph):
    """A graph that writes down each time that it is packed or unpacked."""

    __slots__ = ()

    def __getstate__(self):
        _note("packed")
        return super().__getstate__()

    def __setstate__(self, state):
        _note("unpacked")
        super().__setstate__(state)


def _note(what):
    with open(os.environ["SKDEGFAIR_TEST_NOTES"], "a", encoding="utf-8") as file:
        file.write(f"{what} {os.getpid()}\n")


def work(storage, n_trials, seconds):
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    from skdegfair.datasets import make_degree_biased_graph
    from skdegfair.tuning import ParetoSearchCV

    graph = make_degree_biased_graph(200, random_state=0).graph
    storage = storage if "://" in storage else JournalStorage(JournalFileBackend(storage))
    search = ParetoSearchCV(
        Known(seconds=float(seconds)), {"wrong": uniform(0, 0.4), "ones": uniform(0, 0.5)},
        n_trials=int(n_trials), cv=2, batch_size=1, storage=storage, study_name="many machines", random_state=0,
    )  # fmt: skip
    search.fit(graph, truth(graph))
    print(f"{len(search.cv_results_['trial'])} trials in the study")


if __name__ == "__main__":
    work(*sys.argv[1:])
