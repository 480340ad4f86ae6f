"""Predictions of a fitted classifier for labeled nodes, ready to be assessed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..graph import Graph, as_labels, as_typed_array, check_row_labels, is_unlabeled
from ._clusters import Clusters, cluster_numbers
from ._table import as_degrees

NO_DEGREES = "Degrees are read from a Graph. For any other X, pass degree= or groups=."


class Assessed(NamedTuple):
    """Labeled nodes: their classes, degrees, groups and clusters if there are any, and the classes to average over.

    ``reference`` holds the predictions of a reference model, if there is one.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    degree: NDArray[np.float64] | None
    groups: pd.Series | None
    labels: NDArray[Any] | None
    clusters: Clusters | None = None
    reference: NDArray[Any] | None = None


def assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    degree: Any = None,
    groups: Any = None,
    hops: int = 1,
    labels: Any = None,
    clusters: Any = None,
    reference: Any = None,
) -> Assessed:
    """Predict the labeled nodes; nodes with the placeholder for an unknown label are left out.

    Parameters
    ----------
    estimator : fitted classifier, alone, in a pipeline or in a search
    X : Graph, or any input that the estimator accepts
    y : array-like of shape (n_nodes,)
    degree : array-like of shape (n_nodes,) or Graph, default=None
        Read from X if X is a Graph.
    groups : array-like of shape (n_nodes,), default=None
    hops : int, default=1
    labels : array-like, default=None
        By default all classes of the estimator, and those in y.
    clusters : {"neighborhoods", "communities"} or array-like of shape (n_nodes,), default=None
    reference : fitted classifier or array-like of shape (n_nodes,), default=None
        Another model to compare with, or its predictions.
    """
    predicts = hasattr(reference, "predict")
    per_node = {"degree": degree, "groups": groups, "clusters": clusters, "reference": None if predicts else reference}
    check_row_labels(X, y=y, **per_node)  # a Series in another order than X
    if degree is None and isinstance(X, Graph):
        degree = X
    if degree is None and groups is None:
        raise TypeError(NO_DEGREES)
    truth, predicted = as_labels(y), np.asarray(estimator.predict(X))
    degrees = None if degree is None else as_degrees(degree, hops)
    numbers = cluster_numbers(clusters, degree if isinstance(degree, Graph) else X)
    if reference is not None:
        reference = np.asarray(reference.predict(X)) if predicts else as_labels(reference, "reference")
    per_node = {"y": truth, "degree": degrees, "groups": groups, "clusters": numbers, "reference": reference}
    for name, values in per_node.items():
        if values is not None and len(values) != len(predicted):
            raise ValueError(f"{name} has {len(values)} entries, but {len(predicted)} nodes were predicted.")
    known = ~is_unlabeled(truth, placeholder_of(estimator))
    if labels is None and hasattr(estimator, "classes_") and not pd.isna(truth[known]).any():
        labels = np.union1d(estimator.classes_, as_typed_array(truth[known]))
        if reference is not None:
            labels = np.union1d(labels, as_typed_array(reference[known]))
    return Assessed(
        truth[known],
        predicted[known],
        None if degrees is None else degrees[known],
        None if groups is None else pd.Series(groups)[known].reset_index(drop=True),
        labels,
        None if numbers is None else numbers[known],
        None if reference is None else reference[known],
    )


def placeholder_of(estimator: Any) -> Any:
    """Return the placeholder for an unknown label, also for a classifier in a pipeline or a search."""
    while not hasattr(estimator, "unlabeled"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return None
    return estimator.unlabeled


def name_of(estimator: Any) -> str:
    """Return the name of a classifier's class, also for a classifier in a pipeline or a search."""
    return type(classifier_in(estimator)).__name__


def classifier_in(estimator: Any) -> Any:
    """Return the classifier of a pipeline or a search, or the estimator itself."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator
