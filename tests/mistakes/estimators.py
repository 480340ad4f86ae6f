"""Mistakes with the input of classifiers: edges, labels, nodes, weights, features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import FeatureScaleWarning, NoEdgesWarning

from .cases import Mistake, World


def new(w: World, cls=DegFairGNNClassifier, X=None, y=None, fit_params=None, **params):
    """Fit another classifier, so that World's stay as they are."""
    clf = cls(**{"max_epochs": 2, "random_state": 0, **params})
    return clf.fit(w.G if X is None else X, w.y if y is None else y, **(fit_params or {}))


def proba(clf, X):
    return clf.predict_proba(X)


def shuffled(w: World, series):
    return series.iloc[w.order]


def with_inputs(w: World, **inputs):
    return w.clf.fit(w.frame, w.A, **{"y": w.series, **inputs})


def fitted_proba(w: World):
    return proba(new(w), w.G)


def huge_output(w: World):
    clf = new(w)
    with torch.no_grad():
        for parameter in clf.module_.parameters():
            parameter.fill_(float("inf"))
    return clf.predict_proba(w.G)


MISTAKES = [
    # edges that were forgotten
    Mistake("fit(X, y)", lambda w: w.clf.fit(w.X, w.y), NoEdgesWarning, ("no edges", "fit(X, A, y)", 'A="none"')),
    Mistake("fit(frame, y) of a plain GNN", lambda w: w.plain.fit(w.frame, w.y), NoEdgesWarning, ("GNNClassifier",)),
    Mistake(
        "cross_val_score on X",
        lambda w: cross_val_score(w.plain, w.X, w.y, cv=[(np.arange(30), np.arange(30, 40))]),
        NoEdgesWarning,
        ("Graph(X, A)", "cross-validation"),
    ),
    Mistake(
        "grid search on X",
        lambda w: GridSearchCV(w.plain, {"dropout": [0.0]}, cv=[(np.arange(30), np.arange(30, 40))], refit=False).fit(
            w.X, w.y
        ),
        NoEdgesWarning,
        ("searches",),
    ),
    Mistake(
        "no edges are meant: A='none'",
        lambda w: proba(new(w, GNNClassifier, w.X, fit_params={"A": "none"}), w.X),
        lambda w: proba(new(w, GNNClassifier, Graph(w.X)), w.X),
    ),
    Mistake("A is another text", lambda w: w.clf.fit(w.X, w.y, A="no"), ValueError, ("A ",)),
    Mistake("predict without A", lambda w: w.fitted().predict(w.X), ValueError, ("needs the edges", 'A="none"')),
    Mistake("Graph and A", lambda w: w.clf.fit(w.G, w.y, A=w.A), ValueError, ("either a Graph or X and A",)),
    Mistake("score without A", lambda w: w.fitted().score(w.X, w.y), ValueError, ("needs the edges",)),
    # labels of pandas
    Mistake("y in another order", lambda w: with_inputs(w, y=shuffled(w, w.series)), ValueError, ("y and X", "order")),
    Mistake(
        "y as a column in another order",
        lambda w: with_inputs(w, y=shuffled(w, w.series.to_frame())),
        ValueError,
        ("y and X", "order"),
    ),
    Mistake(
        "y with a shuffled count as index",
        lambda w: w.clf.fit(w.G, pd.Series(w.y).iloc[w.order]),
        ValueError,
        ("y and X", "to_numpy()"),
    ),
    Mistake(
        "y of partly other nodes",
        lambda w: with_inputs(w, y=w.series.rename(index={"v00": "w00"})),
        ValueError,
        ("only some labels in common", "w00"),
    ),
    Mistake(
        "weights in another order",
        lambda w: with_inputs(w, sample_weight=shuffled(w, w.series + 1.0)),
        ValueError,
        ("sample_weight and X",),
    ),
    Mistake(
        "mask of nodes in another order",
        lambda w: with_inputs(w, nodes=shuffled(w, w.series == 0)),
        ValueError,
        ("nodes and X",),
    ),
    Mistake(
        "mask of validation nodes in another order",
        lambda w: with_inputs(w, validation_nodes=shuffled(w, w.series == 0)),
        ValueError,
        ("validation_nodes and X",),
    ),
    Mistake(
        "y in another order behind a GraphTransformer",
        lambda w: make_pipeline(GraphTransformer(StandardScaler()), w.clf).fit(w.named, shuffled(w, w.series)),
        ValueError,
        ("y and X", "order"),
    ),
    Mistake(
        "y in another order for transformed features",
        lambda w: w.clf.fit(GraphTransformer(StandardScaler()).fit(w.named).transform(w.named), shuffled(w, w.series)),
        ValueError,
        ("y and X", "order"),
    ),
    Mistake(
        "score with y in another order",
        lambda w: w.fitted().score(
            Graph(w.frame.to_numpy(), pd.DataFrame(w.A.toarray(), w.nodes, w.nodes)), shuffled(w, w.series)
        ),
        ValueError,
        ("y and X",),
    ),
    Mistake(
        "score with weights in another order",
        lambda w: w.fitted().score(w.G, pd.Series(w.y), sample_weight=pd.Series(w.y + 1.0).iloc[w.order]),
        ValueError,
        ("sample_weight and X",),
    ),
    Mistake(
        "y with a new index",
        lambda w: proba(new(w, X=Graph(w.frame.to_numpy(), w.A), y=w.series.reset_index(drop=True)), w.G),
        fitted_proba,
    ),
    Mistake("y as a column", lambda w: new(w, y=pd.DataFrame({"y": w.y})), DataConversionWarning, ("column-vector",)),
    Mistake("y as Int64", lambda w: new(w, y=pd.array(w.y, dtype="Int64")).predict(w.G), lambda w: new(w).predict(w.G)),
    # nodes
    Mistake(
        "positions of nodes in cross_validate",
        lambda w: cross_validate(w.clf, w.G, w.y, cv=2, params={"nodes": [0, 1, 2]}, error_score="raise"),
        ValueError,
        ("nodes holds positions", "cross-validation"),
    ),
    Mistake(
        "positions of validation nodes in a part",
        lambda w: w.clf.fit(w.G[5:], w.y[5:], validation_nodes=[0, 1]),
        ValueError,
        ("validation_nodes holds positions", "mask"),
    ),
    Mistake(
        "positions in a scored part",
        lambda w: w.fitted().score(w.G[5:], w.y[5:], nodes=[0, 1]),
        ValueError,
        ("nodes holds positions",),
    ),
    Mistake("node twice", lambda w: w.clf.fit(w.G, w.y, nodes=[3, 3]), ValueError, ("nodes holds node 3 more than",)),
    Mistake("no node", lambda w: w.clf.fit(w.G, w.y, nodes=[]), ValueError, ("nodes is empty",)),
    Mistake("mask of another length", lambda w: w.clf.fit(w.G, w.y, nodes=[True]), ValueError, ("nodes is a mask",)),
    Mistake("node out of range", lambda w: w.clf.fit(w.G, w.y, nodes=[40]), ValueError, ("nodes holds position 40",)),
    Mistake("negative node", lambda w: w.clf.fit(w.G, w.y, nodes=[-1]), ValueError, ("nodes holds position -1",)),
    Mistake("names of nodes", lambda w: w.clf.fit(w.named, w.y, nodes=["v00"]), ValueError, ("nodes must contain",)),
    Mistake(
        "mask of zeros and ones", lambda w: w.clf.fit(w.G, w.y, nodes=w.y % 2), ValueError, ("nodes looks like a mask",)
    ),
    # labels
    Mistake("no y", lambda w: w.clf.fit(w.G), ValueError, ("requires y",)),
    Mistake("y too short", lambda w: w.clf.fit(w.G, w.y[:-1]), ValueError, ("y has 39 labels for 40 nodes",)),
    Mistake("y with a missing label", lambda w: w.clf.fit(w.G, [None, *w.y[1:]]), ValueError, ("node 0", "unlabeled=")),
    Mistake("y of numbers and texts", lambda w: w.clf.fit(w.G, ["a", *w.y[1:]]), ValueError, ("y mixes labels",)),
    Mistake("y with one class", lambda w: w.clf.fit(w.G, np.zeros(40)), ValueError, ("one class only",)),
    Mistake("continuous y", lambda w: w.clf.fit(w.G, w.X[:, 0]), ValueError, ("continuous",)),
    Mistake("y in columns", lambda w: w.clf.fit(w.G, np.eye(40)[:, :3]), ValueError, ("y should be a 1d array",)),
    Mistake("infinite y", lambda w: w.clf.fit(w.G, np.where(w.y == 0, np.inf, w.y)), ValueError, ("y contains inf",)),
    # weights
    Mistake("negative weights", lambda w: w.clf.fit(w.G, w.y, sample_weight=-np.ones(40)), ValueError, ("Negative",)),
    Mistake(
        "weights of 0", lambda w: w.clf.fit(w.G, w.y, sample_weight=np.zeros(40)), ValueError, ("weight", "non-zero")
    ),
    Mistake("NaN weights", lambda w: w.clf.fit(w.G, w.y, sample_weight=[np.nan] * 40), ValueError, ("NaN",)),
    # features
    Mistake(
        "columns of very different scale",
        lambda w: w.plain.fit(Graph(w.frame * [1, 1, 1000, 1], w.A), w.y),
        FeatureScaleWarning,
        ("'c'", "GraphTransformer(StandardScaler())"),
    ),
    Mistake(
        "sparse columns of very different scale",
        lambda w: w.plain.fit(Graph(sp.csr_array(w.X * [1, 1, 1, 1000]), w.A), w.y),
        FeatureScaleWarning,
        ("column 3",),
    ),
    Mistake("NaN features", lambda w: w.clf.fit(Graph(w.X * np.nan, w.A), w.y), ValueError, ("X contains NaN",)),
    Mistake(
        "other number of features", lambda w: w.fitted().predict(Graph(w.X[:, :2], w.A)), ValueError, ("2 features",)
    ),
    Mistake(
        "other names of features",
        lambda w: new(w, X=w.named).predict(Graph(w.frame.rename(columns={"a": "z"}), w.A)),
        ValueError,
        ("feature names", "z"),
    ),
    Mistake(
        "classifier without features", lambda w: w.clf.fit(Graph(w.X[:, :0], w.A), w.y), ValueError, ("0 feature",)
    ),
    Mistake("no selected node", lambda w: w.clf.fit(w.G[:0], w.y[:0]), ValueError, ("no selected node",)),
    Mistake("networks with infinite output", huge_output, ValueError, ("infinite or NaN", "node 0")),
]
