"""Mistakes with classifiers: their input, their parameters, and what has no effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch.callbacks import LRScheduler

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import FeatureScaleWarning, ModelFileError, NoEdgesWarning, NoEffectWarning
from skdegfair.mitigation import DegFair, FairGNN, RawlsGCN, ReleasedDegFair

from .cases import Mistake, World


def ring(n: int) -> sp.csr_array:
    """A graph in which every node has two neighbors."""
    one = sp.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return one + one.T


def fit(w: World, **params):
    """Fit World's classifier with other parameters, all the others as they are."""
    return w.clf.set_params(**params).fit(w.G, w.y)


def new(w: World, cls=DegFairGNNClassifier, X=None, y=None, fit_params=None, **params):
    """Fit another classifier, so that World's stay as they are."""
    clf = cls(**{"max_epochs": 2, "random_state": 0, **params})
    return clf.fit(w.G if X is None else X, w.y if y is None else y, **(fit_params or {}))


def mitigated(w: World, mitigation, X=None, **params):
    return new(w, GNNClassifier, X, mitigation=mitigation, **params)


def proba(clf, X):
    return clf.predict_proba(X)


def shuffled(w: World, series):
    return series.iloc[w.order]


def with_inputs(w: World, **inputs):
    return w.clf.fit(w.frame, w.A, **{"y": w.series, **inputs})


def under_autocast(w: World):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return proba(new(w), w.G)


def with_default_device(w: World):
    before = torch.get_default_device()
    torch.set_default_device("meta")
    try:
        return proba(new(w), w.G)
    finally:
        torch.set_default_device(before)


def with_default_dtype(w: World):
    torch.set_default_dtype(torch.float64)
    try:
        return proba(new(w), w.G)
    finally:
        torch.set_default_dtype(torch.float32)


def in_inference_mode(w: World):
    with torch.inference_mode():
        return proba(new(w), w.G)


def fitted_proba(w: World):
    return proba(new(w), w.G)


def huge_output(w: World):
    clf = new(w)
    with torch.no_grad():
        for parameter in clf.module_.parameters():
            parameter.fill_(float("inf"))
    return clf.predict_proba(w.G)


def other_checkpoint(w: World, **changes):
    path = w.folder / "checkpoint"
    new(w, checkpoint=path)
    return new(w, checkpoint=path, **changes)


def damaged_checkpoint(w: World):
    path = w.folder / "checkpoint"
    new(w, checkpoint=path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return new(w, checkpoint=path)


def text_as_checkpoint(w: World):
    path = w.folder / "checkpoint"
    path.write_text("some notes, not a checkpoint")
    return new(w, checkpoint=path)


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
    # what has no effect
    Mistake(
        "fairness on a regular graph",
        lambda w: w.clf.fit(w.X, ring(40), w.y),
        NoEffectWarning,
        ("fairness_weight=2.5", "degree 2"),
    ),
    Mistake(
        "fairness among nodes of one group",
        lambda w: new(w, X=w.G[w.degree > 3], y=w.y[w.degree > 3], fairness_groups="threshold", degree_threshold=3),
        NoEffectWarning,
        ("fairness_weight=2.5", "the same degree group"),
    ),
    Mistake(
        "fairness in batches of one node", lambda w: new(w, batch_size=1), NoEffectWarning, ("'fairness'", "batch_size")
    ),
    Mistake(
        "FairGNN on a regular graph",
        lambda w: mitigated(w, FairGNN(), Graph(w.X, ring(40))),
        NoEffectWarning,
        ("FairGNN has no effect", "degree 2"),
    ),
    Mistake(
        "RawlsGCN on a regular graph",
        lambda w: mitigated(w, RawlsGCN(), Graph(w.X, ring(40))),
        NoEffectWarning,
        ("RawlsGCN has no effect",),
    ),
    Mistake(
        "released fairness on a regular graph",
        lambda w: mitigated(w, ReleasedDegFair(), Graph(w.X, ring(40))),
        NoEffectWarning,
        ("fairness_weight=1",),
    ),
    Mistake(
        "monitor that is never defined",
        lambda w: new(w, GNNClassifier, Graph(w.X, ring(40)), early_stopping=True, monitor="valid_delta_dsp"),
        NoEffectWarning,
        ("monitor='valid_delta_dsp'", "not defined"),
    ),
    Mistake("heads of a GCN", lambda w: fit(w, n_heads=8), NoEffectWarning, ("n_heads=8", "gat")),
    Mistake("patience without stopping", lambda w: fit(w, patience=5), NoEffectWarning, ("patience=5",)),
    Mistake("monitor without stopping", lambda w: fit(w, monitor="valid_loss"), NoEffectWarning, ("'valid_loss'",)),
    Mistake(
        "validation fraction without stopping",
        lambda w: fit(w, validation_fraction=0.5),
        NoEffectWarning,
        ("validation_fraction=0.5", "early_stopping=False"),
    ),
    Mistake("pool of one hop", lambda w: fit(w, context_pool="walk"), NoEffectWarning, ("context_pool", "hops=1")),
    Mistake(
        "hops without context",
        lambda w: fit(w, context_weight=0, context_hops=2),
        NoEffectWarning,
        ("context_hops=2", "context_weight=0"),
    ),
    Mistake(
        "groups without fairness",
        lambda w: fit(w, fairness_weight=0, fairness_groups=3),
        NoEffectWarning,
        ("fairness_groups=3", "fairness_weight=0"),
    ),
    Mistake(
        "rate of no adversary",
        lambda w: mitigated(w, FairGNN(adversary_weight=0, adversary_rate=2)),
        NoEffectWarning,
        ("adversary_rate=2",),
    ),
    Mistake(
        "threshold of no group",
        lambda w: mitigated(w, FairGNN(fairness_groups=3, degree_threshold=2)),
        NoEffectWarning,
        ("degree_threshold=2",),
    ),
    Mistake(
        "encoding of no degree",
        lambda w: mitigated(w, DegFair(scale_shift=False, degree_encoding_dim=8)),
        NoEffectWarning,
        ("degree_encoding_dim=8",),
    ),
    Mistake("directed classifier of a Graph", lambda w: fit(w, directed=True), NoEffectWarning, ("directed=True",)),
    Mistake(
        "nothing to set aside",
        lambda w: new(w, GNNClassifier, w.G[[0, 1]], y=[0, 1], early_stopping=True),
        UserWarning,
        ("early_stopping=True", "validation_nodes"),
    ),
    # parameters
    Mistake("True hidden units", lambda w: new(w, hidden_dim=True), ValueError, ("hidden_dim", "boolean")),
    Mistake("True as a weight", lambda w: new(w, fairness_weight=True), ValueError, ("fairness_weight", "boolean")),
    Mistake(
        "True in a mitigation",
        lambda w: mitigated(w, FairGNN(adversary_weight=True)),
        ValueError,
        ("adversary_weight", "FairGNN"),
    ),
    Mistake("huge fairness weight", lambda w: new(w, fairness_weight=1e39), ValueError, ("fairness_weight", "1e+39")),
    Mistake("huge learning rate", lambda w: new(w, learning_rate=1e39), ValueError, ("learning_rate",)),
    Mistake("NaN fairness weight", lambda w: new(w, fairness_weight=np.nan), ValueError, ("fairness_weight",)),
    Mistake(
        "diverging training", lambda w: new(w, learning_rate=1e38, max_epochs=5), ValueError, ("learning_rate", "epoch")
    ),
    Mistake("device without values", lambda w: new(w, device="meta"), ValueError, ("device='meta'", "not available")),
    Mistake("unknown device", lambda w: new(w, device="gpu"), ValueError, ("device='gpu'", "not available")),
    Mistake("unknown backbone", lambda w: new(w, backbone="GCN"), ValueError, ("backbone", "'gcn'")),
    Mistake("heads that do not divide", lambda w: new(w, backbone="gat", n_heads=5), ValueError, ("n_heads=5",)),
    Mistake("name of a mitigation", lambda w: mitigated(w, "DegFair"), ValueError, ("mitigation", "DegFair()")),
    Mistake("class of a mitigation", lambda w: mitigated(w, FairGNN), ValueError, ("mitigation", "FairGNN()")),
    Mistake("typo in a mitigation", lambda w: mitigated(w, "fairgn"), ValueError, ("mitigation", "FairGNN()")),
    Mistake("another object as mitigation", lambda w: mitigated(w, 3.5), ValueError, ("mitigation", "3.5")),
    Mistake(
        "parameter of no mitigation",
        lambda w: w.plain.set_params(mitigation__fairness_weight=1),
        ValueError,
        ("mitigation is None", "mitigation__fairness_weight"),
    ),
    Mistake("RawlsGCN with GAT", lambda w: mitigated(w, RawlsGCN(), backbone="gat"), ValueError, ("RawlsGCN", "'gat'")),
    Mistake("RawlsGCN in batches", lambda w: mitigated(w, RawlsGCN(), batch_size=8), ValueError, ("batch_size=None",)),
    Mistake("FairGNN of one layer", lambda w: mitigated(w, FairGNN(), n_layers=1), ValueError, ("n_layers",)),
    Mistake("neighbors without batches", lambda w: new(w, n_neighbors=3), ValueError, ("n_neighbors", "batch_size")),
    Mistake(
        "neighbors of too few layers",
        lambda w: new(w, batch_size=8, n_neighbors=[3]),
        ValueError,
        ("n_neighbors must have 2",),
    ),
    Mistake("rate in net_params", lambda w: new(w, net_params={"lr": 1}), ValueError, ("'lr'", "learning_rate=")),
    Mistake("unknown net parameter", lambda w: new(w, net_params={"optimiser": 1}), Exception, ("optimiser",)),
    Mistake("weight of an unknown class", lambda w: new(w, class_weight={7: 2.0}), ValueError, ("class_weight",)),
    Mistake(
        "graph that cannot fit into memory",
        lambda w: new(w, GNNClassifier, hidden_dim=2**40),
        MemoryError,
        ("40 nodes", "GB", "batch_size"),
    ),
    # settings of torch
    Mistake("fit under autocast", under_autocast, fitted_proba),
    Mistake("fit with another default device", with_default_device, fitted_proba),
    Mistake("fit with another default type", with_default_dtype, fitted_proba),
    Mistake("fit in inference mode", in_inference_mode, fitted_proba),
    # checkpoints
    Mistake("checkpoint in no folder", lambda w: new(w, checkpoint="none/such"), ValueError, ("none/such", "folder")),
    Mistake("folder as checkpoint", lambda w: new(w, checkpoint=w.folder), ModelFileError, ("checkpoint=", "file")),
    Mistake("text as checkpoint", text_as_checkpoint, ModelFileError, ("checkpoint=", "not a checkpoint that")),
    Mistake("damaged checkpoint", damaged_checkpoint, ModelFileError, ("checkpoint=", "checksum", "Delete the file")),
    Mistake(
        "checkpoint of other parameters",
        lambda w: other_checkpoint(w, dropout=0.1),
        ValueError,
        ("dropout was 0.5 and is now 0.1",),
    ),
    Mistake(
        "checkpoint of other data",
        lambda w: other_checkpoint(w, y=w.y[::-1]),
        ValueError,
        ("data was", "belongs to another fit"),
    ),
    Mistake("checkpoint of another seed", lambda w: other_checkpoint(w, random_state=1), ValueError, ("seed was",)),
    Mistake("checkpoint and warm start", lambda w: new(w, checkpoint="c", warm_start=True), ValueError, ("warm",)),
    Mistake(
        "checkpoint and a schedule",
        lambda w: new(w, checkpoint=w.folder / "c", callbacks=[("schedule", LRScheduler())]),
        ValueError,
        ("schedule", "state_dict"),
    ),
    Mistake(
        "checkpoint in cross-validation",
        lambda w: cross_validate(
            DegFairGNNClassifier(max_epochs=2, random_state=0, checkpoint=Path(w.folder) / "c"),
            w.G,
            w.y,
            cv=2,
            error_score="raise",
        ),
        ValueError,
        ("belongs to another fit", "cross-validation"),
    ),
]
