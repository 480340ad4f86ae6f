"""A classifier whose accuracy and gap are known, for searches: it takes no time."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


def truth(graph):
    """Labels that favour well-connected nodes."""
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
