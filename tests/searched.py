"""A classifier whose accuracy and gap are known, for searches: it takes no time. As a script, a worker on a study.

Usage: python searched.py STORAGE N_TRIALS FIT_TO_WAIT_AT

The worker says "waits" when it comes to this fit (0 is the first one) and continues after a line of input.
"""

import itertools
import json
import os
import sys

import numpy as np
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin

from skdegfair.graph import Graph


def truth(graph):
    """Labels that favor well-connected nodes."""
    return ((graph.features[:, 0] > 0) | (graph.degree() >= 12)).astype(int)


class Known(ClassifierMixin, BaseEstimator):
    """Wrong for a part of the nodes, and in class 1 for another part; both make it fairer and less accurate.

    ``fails`` raises an error while fitting.
    """

    def __init__(self, wrong=0.1, ones=0.1, fails=False):
        self.wrong, self.ones, self.fails = wrong, ones, fails

    def fit(self, X, y):
        if self.fails:
            raise RuntimeError("this one fails")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        noise = np.random.RandomState(0).uniform(size=(2, X.n_nodes))[:, X.nodes]
        predicted = np.where(noise[0] < self.wrong, 1 - truth(X), truth(X))
        return np.where(noise[1] < self.ones, 1, predicted)


class Waiting(Known):
    """The same, but one fit of this process waits for a line of input."""

    fits, waits_at = itertools.count(), None

    def fit(self, X, y):
        if next(self.fits) == self.waits_at:
            print("waits", flush=True)
            sys.stdin.readline()
        return super().fit(X, y)


class CountedGraph(Graph):
    """A graph that notes each time that it is unpacked: in which process, and the files of its features and edges."""

    __slots__ = ()
    notes = None

    def __getstate__(self):
        return self.notes, super().__getstate__()

    def __setstate__(self, state):
        CountedGraph.notes, own = state
        super().__setstate__(own)
        note = [os.getpid(), *(getattr(array, "filename", None) for array in (self.X, self.A.data))]
        with open(self.notes, "a", encoding="utf-8") as file:
            file.write(json.dumps(note, default=str) + "\n")


def work(storage, n_trials, waits_at):
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    from skdegfair.datasets import make_degree_biased_graph
    from skdegfair.tuning import ParetoSearchCV

    Waiting.waits_at = int(waits_at)
    graph = make_degree_biased_graph(200, random_state=0).graph
    storage = storage if "://" in storage else JournalStorage(JournalFileBackend(storage))
    search = ParetoSearchCV(
        Waiting(), {"wrong": uniform(0, 0.4), "ones": uniform(0, 0.5)},
        n_trials=int(n_trials), cv=2, batch_size=1, storage=storage, study_name="many machines", random_state=0,
    )  # fmt: skip
    search.fit(graph, truth(graph))
    print(f"{len(search.cv_results_['trial'])} trials in the study")


if __name__ == "__main__":
    work(*sys.argv[1:])
