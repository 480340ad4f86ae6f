"""What a row of the tables looks like, and the data that it works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph


class World:
    """A small graph in the forms that users have, and classifiers that are not fitted. New for each mistake.

    ``nodes`` are names; ``frame`` and ``series`` are indexed by them, ``X``, ``A`` and ``y`` are plain arrays.
    """

    n_nodes = 40

    def __init__(self, folder: Path | None = None) -> None:
        data = make_degree_biased_graph(self.n_nodes, n_features=4, mean_degree=6, random_state=0)
        self.X, self.A, self.y = np.array(data.X), data.A.copy(), np.array(data.y)
        self.nodes = [f"v{k:02d}" for k in range(self.n_nodes)]
        self.frame = pd.DataFrame(self.X, index=self.nodes, columns=list("abcd"))
        self.series = pd.Series(self.y, index=self.nodes)
        self.G, self.named = Graph(self.X, self.A), Graph(self.frame, self.A)
        self.degree = self.G.degree()
        self.order = np.random.default_rng(0).permutation(self.n_nodes)  # another order of the nodes
        self.clf = DegFairGNNClassifier(max_epochs=2, random_state=0)
        self.plain = GNNClassifier(max_epochs=2, random_state=0)
        self.folder = folder or Path()

    def fitted(self) -> DegFairGNNClassifier:
        """Another classifier, fitted."""
        return DegFairGNNClassifier(max_epochs=2, random_state=0).fit(self.G, self.y)

    def data(self) -> str:
        """Changes if any of the data does."""
        arrays = [self.X, self.A, self.y, self.frame, self.series, self.degree]
        graphs = [(graph.X, graph.A, graph.degree(), graph.index) for graph in (self.G, self.named)]
        return str(joblib.hash([arrays, graphs]))

    def classifiers(self) -> str:
        """Changes if a classifier does."""
        return str(joblib.hash([vars(self.clf), vars(self.plain)]))


@dataclass(frozen=True)
class Mistake:
    """One bad or clumsy input.

    Parameters
    ----------
    name : what is wrong, for the reader of a test report; unique
    act : does it, with a World
    outcome : the exception or the warning that is expected, exactly this class or a subclass; for input that is put
        right, a function of a new World with the result that the right input has
    says : words that the message contains, among them the name of the offending thing
    """

    name: str
    act: Callable[[World], Any]
    outcome: type[Exception] | type[Warning] | Callable[[World], Any]
    says: tuple[str, ...] = ()
