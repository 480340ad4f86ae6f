"""The input of an estimator, as one checked graph; and the accuracy of its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import validate_data

from ._alignment import check_row_labels
from ._graph import Graph
from ._labels import as_typed_array, is_unlabeled
from ._targets import check_labels, check_selection
from ._validation import check_column_names, check_nodes, check_numeric

EDGES_NEEDED = (
    "This {name} was fitted on a graph, so it needs the edges to predict: pass A as well, or a Graph (which is also "
    'what cross-validation needs). For nodes without edges pass A="none".'
)
NO_NODE = "The graph has no selected node: found array with 0 sample(s), a minimum of 1 is required."
NOTHING_KNOWN = (
    "There are neither edges nor features: found array with 0 feature(s) (shape={shape}) while a minimum of 1 is "
    "required. Pass a Graph(X, A)."
)
TWO_GRAPHS = "Pass either a Graph or X and A: a Graph has its edges already."


def check_graph(estimator: Any, X: Any, A: Any = None, *, reset: bool, reads_features: bool = True) -> Graph:
    """Return the graph that the user means, with features that the estimator can read.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Its parameter ``directed``, if there is one, is for A. Unless ``reset``, its attribute ``_fitted_with_edges``,
        if there is one, says whether edges are needed.
    X : Graph or feature matrix
    A : adjacency, None, or "none" if there are no edges
    reset : bool
        Whether to remember the features, as ``fit`` does, or to compare with those of ``fit``.
    reads_features : bool, default=True
        Whether the features must be finite numbers. If not, only their number and their names are compared.
    """
    given = isinstance(X, Graph)
    if given and A is not None:
        raise ValueError(TWO_GRAPHS)
    without_edges = isinstance(A, str) and A == "none"
    features = check_column_names(X.X if given else X)
    if reads_features:
        features = validate_data(
            estimator, check_numeric(features), accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
        )
    if not given:  # a data frame has row labels, which A must not contradict
        X = Graph(X if isinstance(X, pd.DataFrame) else features, A, directed=getattr(estimator, "directed", False))
    graph: Graph = X.with_features(features) if reads_features else X
    if not reads_features:
        validate_data(estimator, graph.X, reset=reset, skip_check_array=True)
        if graph.A is None and not graph.shape[1]:
            raise ValueError(NOTHING_KNOWN.format(shape=graph.shape))
    if len(graph) == 0:
        raise ValueError(NO_NODE)
    if not reset and getattr(estimator, "_fitted_with_edges", False) and graph.A is None and not without_edges:
        raise ValueError(EDGES_NEEDED.format(name=type(estimator).__name__))
    return graph


def accuracy(graph: Graph, y: Any, predicted: NDArray[Any], *, nodes: Any, sample_weight: Any, unlabeled: Any) -> float:
    """Return the accuracy for the selected nodes of a graph, or for some of them. Unlabeled nodes are ignored.

    Parameters
    ----------
    graph : Graph
    y : array-like of shape (n_selected,)
    predicted : array of shape (n_selected,)
    nodes : mask or array of positions, or None for all
    sample_weight : array-like of shape (n_selected,), or None
    unlabeled : placeholder for an unknown label, or None
    """
    check_row_labels(graph, y=y, nodes=nodes, sample_weight=sample_weight)
    check_selection(graph, nodes=nodes)
    y = check_labels(y, len(predicted))
    chosen = np.arange(len(y)) if nodes is None else check_nodes(nodes, len(y))
    chosen = chosen[~is_unlabeled(y, unlabeled)[chosen]]
    check_consistent_length(y, sample_weight)
    weight = None if sample_weight is None else np.asarray(sample_weight)[chosen]
    return float(accuracy_score(as_typed_array(y[chosen]), predicted[chosen], sample_weight=weight))
