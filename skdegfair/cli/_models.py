"""The plain and the fair model, and their cross-validated predictions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline

from ..estimators import DegFairGNNClassifier, GNNClassifier
from ..graph import Graph, GraphTransformer
from ._features import Features
from ._log import Log

FAIR = "DegFair"
PLAIN = {"gcn": "GCN", "gat": "GAT", "sage": "GraphSAGE"}


def make_models(features: Features, options: Any) -> dict[str, Pipeline]:
    """Return the plain model and the fair one, which mitigates bias between the groups that are assessed, by name."""
    shared: dict[str, Any] = {
        "backbone": options.backbone, "max_epochs": options.epochs, "random_state": options.seed
    }  # fmt: skip
    plain = GNNClassifier(**shared)
    fair = DegFairGNNClassifier(**shared, fairness_groups=options.share, fairness_hops=options.hops)
    encoder = GraphTransformer(features.transformer())
    return {PLAIN[options.backbone]: make_pipeline(encoder, plain), FAIR: make_pipeline(encoder, fair)}


def cross_validated(
    models: dict[str, Pipeline], graph: Graph, y: NDArray[Any], options: Any, log: Log
) -> dict[str, NDArray[Any]]:
    """Predict every node by models that were not trained on it. All models get the same folds.

    The same as ``cross_val_predict``, with a line of progress for each fold.

    Parameters
    ----------
    models : dict from names to pipelines
    graph : Graph, a view of the labeled nodes
    y : ndarray of shape (n_labeled,)
    options, log : the options of the command, and where its progress is shown
    """
    folds = StratifiedKFold(options.folds, shuffle=True, random_state=options.seed)
    splits = list(folds.split(np.zeros(len(y)), y))
    tasks = [(name, fold) for name in models for fold in range(len(splits))]
    results = Parallel(n_jobs=options.n_jobs, return_as="generator")(
        delayed(_fit_and_predict)(models[name], graph, y, *splits[fold]) for name, fold in tasks
    )
    predictions = {name: np.empty_like(y) for name in models}
    for (name, fold), (predicted, remarks) in zip(tasks, results, strict=True):
        predictions[name][splits[fold][1]] = predicted
        for remark in remarks:
            log.warn(remark)
        log.progress(f"{name}: fold {fold + 1} of {len(splits)}")
    return predictions


def _fit_and_predict(
    model: Pipeline, graph: Graph, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[NDArray[Any], list[str]]:
    """Return predictions and warnings, which would get lost in another process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        predicted = clone(model).fit(graph[train], y[train]).predict(graph[test])
    return predicted, [" ".join(str(each.message).split()) for each in caught if issubclass(each.category, UserWarning)]
