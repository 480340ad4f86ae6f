"""Probabilities of nodes that a classifier was not trained on."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _is_fitted, has_fit_parameter

from ..graph import Graph, Positions, Targets, hold_out, reads_graphs

TOO_FEW = (
    "Class {label} has a single labeled node, which cannot be both trained on and held out. Pass a fitted estimator "
    'with cv="prefit", or more labeled nodes.'
)
NONE_HELD_OUT = (
    "cv held out no node, so there is nothing to adjust on. An iterator can be used only once: pass a list of "
    "splits, a splitter or a number of folds."
)
NOT_FITTED = (
    'cv="prefit" needs a fitted estimator. scikit-learn\'s cross-validation and clone make it unfitted; wrap it in '
    "sklearn.frozen.FrozenEstimator there, or use cv=5."
)
WEIGHTS_REFUSED = (
    "sample_weight is given, but fit of {name} does not accept it. Leave it out, or use a classifier that does; in a "
    "pipeline, make DegreeParityClassifier the last step."
)


class HeldOut:
    """Fit a classifier and predict held-out nodes, for an estimator with the parameters ``estimator`` and ``cv``."""

    estimator: Any
    cv: Any
    classes_: NDArray[Any]
    _seed: int

    def _hold_out(
        self, graph: Graph, targets: Targets, weights: NDArray[np.float64] | None
    ) -> tuple[Positions, NDArray[np.float64]]:
        """Fit the estimator. Returns nodes that it was not trained on, and their probabilities."""
        self.classes_ = targets.classes
        if isinstance(self.cv, str):
            if not _is_fitted(self.estimator):
                raise NotFittedError(NOT_FITTED)
            self.estimator_, self.classes_ = self.estimator, np.sort(self.estimator.classes_)
            unknown = np.setdiff1d(targets.classes, self.classes_)
            if len(unknown):
                raise ValueError(f"y holds the class {unknown[0]}, which the fitted estimator does not know.")
            targets.codes[targets.train] = np.searchsorted(self.classes_, targets.classes)[targets.codes[targets.train]]
            return targets.train, self._probabilities(self.estimator_, graph[targets.train])
        _, first = np.unique(graph.nodes[targets.train], return_index=True)  # a node can be selected several times
        counts = np.bincount(targets.codes[targets.train][first])
        if counts.min() < 2:
            raise ValueError(TOO_FEW.format(label=self.classes_[counts.argmin()]))
        if isinstance(self.cv, Real) and not isinstance(self.cv, Integral):
            parts = hold_out(targets, graph.nodes, float(self.cv), self._seed)
            if parts.valid is None:
                raise ValueError(NONE_HELD_OUT)
            self.estimator_ = self._fitted(graph, parts, parts.train, weights)
            return parts.valid, self._probabilities(self.estimator_, graph[parts.valid])
        p = np.zeros((len(graph), len(self.classes_)))
        assessed = np.zeros(len(graph), dtype=bool)  # a splitter may leave nodes out
        for trained, held_out in self._folds(graph, targets):
            trained = trained[~np.isin(graph.nodes[trained], graph.nodes[held_out])]
            trained = trained[np.argsort(graph.nodes[trained], kind="stable")]  # their order must not matter
            estimator = self._fitted(graph, targets, trained, weights)
            p[held_out] = self._probabilities(estimator, graph[held_out])
            assessed[held_out] = True
        if not assessed.any():
            raise ValueError(NONE_HELD_OUT)
        self.estimator_ = self._fitted(graph, targets, targets.train, weights)
        return np.flatnonzero(assessed), p[assessed]

    def _folds(self, graph: Graph, targets: Targets) -> Iterator[tuple[Positions, Positions]]:
        """Positions of the nodes to train on and to hold out."""
        rows = np.sort(targets.train)  # in the order in which the user gave them
        n_folds = 5 if self.cv is None else self.cv
        if not isinstance(n_folds, Integral):
            codes = targets.codes[rows]
            for trained, held_out in check_cv(n_folds, codes, classifier=True).split(np.zeros(len(rows)), codes):
                yield rows[trained], rows[held_out]
            return
        nodes, first, number = np.unique(graph.nodes[rows], return_index=True, return_inverse=True)
        shuffled = np.random.default_rng(self._seed).permutation(len(nodes))
        order = shuffled[np.argsort(targets.codes[rows[first]][shuffled], kind="stable")]  # class by class
        fold = np.empty(len(nodes), dtype=np.intp)
        fold[order] = np.arange(len(nodes)) % int(n_folds)
        for k in range(min(int(n_folds), len(nodes))):
            yield rows[fold[number] != k], rows[fold[number] == k]

    def _fitted(self, graph: Graph, targets: Targets, nodes: Positions, weights: NDArray[np.float64] | None) -> Any:
        estimator = clone(self.estimator)
        options = {}
        if weights is not None:
            if not has_fit_parameter(estimator, "sample_weight"):
                raise ValueError(WEIGHTS_REFUSED.format(name=type(estimator).__name__))
            options["sample_weight"] = weights[nodes]
        return estimator.fit(self._input(estimator, graph[nodes]), self.classes_[targets.codes[nodes]], **options)

    @staticmethod
    def _input(estimator: Any, graph: Graph) -> Any:
        """Input of the estimator."""
        return graph if reads_graphs(estimator) else graph.features

    def _probabilities(self, estimator: Any, graph: Graph) -> NDArray[np.float64]:
        """Probabilities of all classes; 0 for those that the estimator was not trained on."""
        found = np.asarray(estimator.predict_proba(self._input(estimator, graph)), dtype=np.float64)
        if not np.isfinite(found).all():
            raise ValueError(f"predict_proba of {type(estimator).__name__} returned values that are infinite or NaN.")
        p = np.zeros((len(found), len(self.classes_)))
        p[:, np.searchsorted(self.classes_, estimator.classes_)] = found
        return p
