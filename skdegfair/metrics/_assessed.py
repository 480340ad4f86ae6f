"""Predictions of fitted classifiers for labeled nodes, ready to be assessed."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import get_tags

from ..exceptions import GraphAsArrayError
from ..graph import Graph, as_labels, as_typed_array, check_row_labels, is_unlabeled, reads_graphs
from ._clusters import Clusters, cluster_numbers
from ._inputs import as_degrees, as_groups, check_same_type, classes_of, describe

NO_DEGREES = "Degrees are read from a Graph. For any other X, pass degree= or groups=."
NOT_A_CLASSIFIER = "{name} must be a fitted classifier, as in clf.fit(G, y), got {what}."
NOT_A_MODEL = "{name} must be a fitted classifier, or its predictions with one class per node, got {what}."
MISSING = (
    "y holds {n} missing labels. Select the labeled nodes, as in G[known] and y[known], or name the placeholder for an "
    "unknown label with the classifier's parameter unlabeled."
)


class Assessed(NamedTuple):
    """Labeled nodes: their classes, degrees, groups and clusters if there are any, and the classes to average over.

    ``reference`` holds the predictions of a reference model, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from skdegfair.metrics import assess
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> clf = DummyClassifier().fit(X, y)
    >>> assess(clf, X, y, degree=[1, 2, 3, 4]).degree
    array([1, 2, 3, 4])
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    degree: NDArray[np.float64] | None
    groups: pd.Series | None
    labels: NDArray[Any]
    clusters: Clusters | None = None
    reference: NDArray[Any] | None = None


class AssessedModels(NamedTuple):
    """The same for several models: the predictions of each for the same nodes."""

    y_true: NDArray[Any]
    predictions: list[NDArray[Any]]
    degree: NDArray[np.float64] | None
    groups: pd.Series | None
    labels: NDArray[Any]
    clusters: Clusters | None


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
        By default all classes of the estimator and of the reference, and those in y.
    clusters : {"neighborhoods", "communities"} or array-like of shape (n_nodes,), default=None
    reference : fitted classifier or array-like of shape (n_nodes,), default=None
        Another model to compare with, or its predictions.

    Returns
    -------
    Assessed

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from skdegfair.metrics import assess
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> clf = DummyClassifier().fit(X, y)
    >>> nodes = assess(clf, X, y, degree=[1, 2, 3, 4])
    >>> nodes.y_pred, nodes.labels
    (array([0, 0, 0, 0]), array([0, 1]))
    """
    if not hasattr(estimator, "predict"):
        raise TypeError(NOT_A_CLASSIFIER.format(name="estimator", what=describe(estimator)))
    models = {"estimator": estimator} if reference is None else {"estimator": estimator, "reference": reference}
    nodes = assess_models(models, X, y, degree=degree, groups=groups, hops=hops, labels=labels, clusters=clusters)
    predicted, *others = nodes.predictions
    return Assessed(nodes.y_true, predicted, nodes.degree, nodes.groups, nodes.labels, nodes.clusters, *others)


def assess_models(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    degree: Any = None,
    groups: Any = None,
    hops: int = 1,
    labels: Any = None,
    clusters: Any = None,
    y_name: str = "y",
) -> AssessedModels:
    """Predict the nodes that are labeled for all models. Models are classifiers or predictions.

    Errors refer to models by their names, and to y by ``y_name``. The other parameters are those of :func:`assess`; X
    may be None if there are only predictions.
    """
    arrays = {name: model for name, model in models.items() if not hasattr(model, "predict")}
    other_degree = None if degree is X else degree
    check_row_labels(X, **{y_name: y}, degree=other_degree, groups=groups, clusters=clusters, **arrays)
    if degree is None and isinstance(X, Graph):
        degree = X
    if degree is None and groups is None:
        raise TypeError(NO_DEGREES)
    known, (y_true, *predictions) = predict_labeled(models, X, y, y_name, degree=other_degree)
    per_node: dict[str, Any] = {
        "degree": None if degree is None else as_degrees(degree, hops),  # after prediction, as skorch's data set needs
        "groups": None if groups is None else as_groups(groups),
        "clusters": cluster_numbers(clusters, degree if isinstance(degree, Graph) else X),
    }
    for name, values in per_node.items():
        if values is not None:
            per_node[name] = _checked_length(name, values, len(known))[known]
    if groups is not None:
        per_node["groups"] = per_node["groups"].reset_index(drop=True)
    if labels is None:
        learned = [np.asarray(model.classes_) for model in models.values() if hasattr(model, "classes_")]
        labels = np.unique(np.concatenate([y_true, *predictions, *map(as_typed_array, learned)]))
    return AssessedModels(y_true, predictions, labels=labels, **per_node)


def predict_labeled(
    models: Mapping[str, Any], X: Any, y: Any, y_name: str = "y", *, degree: Any = None
) -> tuple[NDArray[np.bool_], list[NDArray[Any]]]:
    """Return which nodes are labeled for all models, and their classes: in y, and as predicted by each model.

    Labels that pandas carries are not compared here; see :func:`check_row_labels`. A model that predicts from degrees
    gets ``degree``, unless X is a Graph.
    """
    labels = as_labels(y, y_name)
    columns = {y_name: labels, **{name: _predict(name, model, X, degree) for name, model in models.items()}}
    predicting = [name for name, model in models.items() if hasattr(model, "predict")]
    n_nodes = len(columns[predicting[0] if predicting else y_name])
    for name, column in columns.items():
        _checked_length(name, column, n_nodes)
    known = ~np.any([is_unlabeled(labels, placeholder_of(model)) for model in models.values()], axis=0)
    if not known.any():
        raise ValueError(f"There are no nodes to assess: {y_name} is empty, or no label in it is known.")
    missing = int(pd.isna(labels[known]).sum())
    if missing and predicting:  # predictions alone have no placeholder
        raise ValueError(MISSING.format(n=missing))
    classes = {name: classes_of(name, column[known]) for name, column in columns.items()}
    check_same_type(**classes)
    return known, list(classes.values())


def unwrap(estimator: Any) -> Any:
    """Return the classifier itself if it is in a pipeline or in a fitted search."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def placeholder_of(estimator: Any) -> Any:
    """Return the placeholder for an unknown label, or None.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.metrics import placeholder_of
    >>> placeholder_of(GNNClassifier(unlabeled=-1))
    -1
    """
    return getattr(unwrap(estimator), "unlabeled", None)


def name_of(estimator: Any) -> str:
    """Return the name of the class of a classifier."""
    return type(unwrap(estimator)).__name__


def _predict(name: str, model: Any, X: Any, degree: Any = None) -> NDArray[Any]:
    """Return the predictions of a classifier, or predictions as they are."""
    if not hasattr(model, "predict"):
        if np.ndim(model) != 1:
            raise TypeError(NOT_A_MODEL.format(name=name, what=describe(model)))
        return as_labels(model, name)
    tagged = hasattr(model, "__sklearn_tags__")  # other classes only have to look like a classifier
    if isinstance(model, type) or (tagged and get_tags(model).estimator_type not in (None, "classifier")):
        raise TypeError(NOT_A_CLASSIFIER.format(name=name, what=describe(model)))
    if X is None:
        raise TypeError(f"{name} is a classifier, but there are no nodes to predict. Pass X, or pass its predictions.")
    if degree is not None and not isinstance(X, Graph) and _predicts_from_degrees(model):
        return np.asarray(model.predict(X, degree=degree.degree() if isinstance(degree, Graph) else degree))
    try:
        return np.asarray(model.predict(X))
    except GraphAsArrayError:
        if reads_graphs(model):  # a part of it does, and the mistake is in another part
            raise
        return np.asarray(model.predict(X.features))


def _predicts_from_degrees(model: Any) -> bool:
    return "degree" in inspect.signature(unwrap(model).predict).parameters


def _checked_length(name: str, values: Any, n_nodes: int) -> Any:
    if len(values) != n_nodes:
        raise ValueError(f"{name} has {len(values)} entries, but {n_nodes} nodes are assessed.")
    return values
