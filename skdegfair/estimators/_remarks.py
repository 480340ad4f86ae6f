"""Warnings about a fit that succeeds, each as an object that names its cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ..exceptions import FeatureScaleWarning, NoEdgesWarning, NoEffectWarning
from ..graph import Graph, Targets
from ..mitigation import Mitigation
from ..parameters import Unused, unused_parameters
from ._params import takes_weight_decay

NO_EDGES = (
    "{name}.fit got features and labels, but no edges: every node is classified by its own features alone. Pass A, as "
    'in fit(X, A, y), or a Graph(X, A), which cross-validation and searches need. If there are no edges, pass A="none" '
    "or Graph(X)."
)
SCALES = (
    "The features have very different scales: the entries of column {high} are about {ratio:.3g} times as large as "
    "those of column {low}. The network learns little from small columns. Scale them, as in "
    "make_pipeline(GraphTransformer(StandardScaler()), {name}())."
)
FAR_APART = 300.0
"""Smallest ratio between the scales of two columns for which users are warned."""
NOISE = 1e-9
"""Scale of a column, relative to the largest, below which it is a constant column with rounding errors."""
NEVER_DEFINED = (
    "monitor={monitor!r} was not defined in any epoch, so early stopping had no effect: a degree group has no "
    "validation node, or none of a class. Give more validation nodes, or use another monitor."
)
NEVER_ACTED = (
    "The loss term {term!r} was 0 in every epoch and had no effect: no batch has training nodes of two degree groups, "
    "or of the same class in two groups. Use a larger batch_size, or other fairness_groups."
)
UNUSED = (
    Unused(("weight_decay",), "this optimizer", lambda own: not takes_weight_decay(own.net_params)),
    Unused(("n_heads",), 'a backbone other than "gat"', lambda own: own.backbone != "gat"),
    Unused(("validation_fraction", "patience", "monitor"), "early_stopping=False", lambda own: not own.early_stopping),
)

SINGLE_LAYER = Unused(("hidden_dim", "dropout"), "a single layer", lambda own: True)
ROUNDED = "dropout={dropout:g} has no effect: it is rounded to a multiple of 1/256, here 0."


def before_training(
    estimator: Any, graph: Graph, targets: Targets, mitigation: Mitigation, *, edges_meant: bool, given_directed: bool
) -> Iterator[Warning]:
    """Warnings that follow from the parameters and the data.

    Parameters
    ----------
    estimator : BaseGNNClassifier
    graph : Graph
    targets : Targets
    mitigation : Mitigation, which has learned from the graph
    edges_meant : bool, whether the user said what the edges are
    given_directed : bool, whether the user passed a Graph, which has its own setting of ``directed``
    """
    name = type(estimator).__name__
    if not edges_meant:
        yield NoEdgesWarning(NO_EDGES.format(name=name))
    for text in unused_parameters(estimator, UNUSED):
        yield NoEffectWarning(text)
    if 0 < estimator.dropout < 1 / 512:
        yield NoEffectWarning(ROUNDED.format(dropout=estimator.dropout))
    if given_directed and estimator.directed and not graph.directed:
        yield NoEffectWarning(
            "directed=True has no effect with a Graph, which has its own setting: Graph(X, A, directed=True)."
        )
    if edges_meant:  # without edges, no method can have an effect
        for text in mitigation.remarks(graph.whole(), graph.nodes[targets.train]):
            yield NoEffectWarning(text)
    columns = getattr(estimator, "feature_names_in_", None)
    if mitigation.scales_features and (far := most_different_columns(graph.X, graph.nodes[targets.train])):
        low, high = (each if columns is None else repr(str(columns[each])) for each in far[:2])
        yield FeatureScaleWarning(SCALES.format(name=name, low=low, high=high, ratio=far[2]))


def after_training(estimator: Any, history: pd.DataFrame, told: list[Warning]) -> Iterator[Warning]:
    """Warnings that need the history: an undefined monitor, or a loss term that was 0 for a reason not yet ``told``."""
    if estimator.early_stopping and estimator.monitor in history and history[estimator.monitor].isna().all():
        yield NoEffectWarning(NEVER_DEFINED.format(monitor=estimator.monitor))
    if len(estimator.module_.layers) == 1:
        for text in unused_parameters(estimator, [SINGLE_LAYER]):
            yield NoEffectWarning(text)
    objective = estimator.net_.criterion_
    explained = any(isinstance(each, NoEdgesWarning) or "compares degree groups" in str(each) for each in told)
    for term in objective.unfairness:
        if objective.weights[term] and not explained and (history[f"train_{term}_loss"] == 0).all():
            yield NoEffectWarning(NEVER_ACTED.format(term=term))


def most_different_columns(X: Any, nodes: NDArray[np.intp]) -> tuple[int, int, float] | None:
    """The columns of the smallest and of the largest scale, and the ratio of these; None if they are not far apart."""
    scales = column_scales(X, nodes)
    used = np.flatnonzero(scales > NOISE * scales.max(initial=0.0))
    if not len(used):
        return None
    low, high = int(used[scales[used].argmin()]), int(used[scales[used].argmax()])
    with np.errstate(over="ignore"):
        ratio = float(scales[high] / scales[low])
    return (low, high, ratio) if ratio >= FAR_APART else None


def column_scales(X: Any, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mean absolute value of the nodes' entries other than 0 in each column, 0 if there are none.

    With the zeros, a rare word among binary features would have a small scale.
    """
    n_columns = X.shape[1]
    if sp.issparse(X):
        part = X[nodes]
        sums = np.bincount(part.indices, np.abs(part.data), minlength=n_columns)
        counts = np.bincount(part.indices[part.data != 0], minlength=n_columns)
    else:
        sums, counts = np.zeros(n_columns), np.zeros(n_columns)
        rows = max(2**22 // max(n_columns, 1), 1)  # a large file is read in pieces
        for start in range(0, len(nodes), rows):
            part = np.asarray(X[nodes[start : start + rows]])
            sums += np.abs(part).sum(axis=0, dtype=np.float64)
            counts += np.count_nonzero(part, axis=0)
    return sums / np.maximum(counts, 1)
