"""Mistakes with the parameters of classifiers, and what has no effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch.callbacks import LRScheduler

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import ModelFileError, NoEffectWarning
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, RawlsGCN, ReleasedDegFair, TailGNN

from .cases import Mistake, World
from .estimators import fitted_proba, new, proba


def ring(n: int) -> sp.csr_array:
    """A graph in which every node has two neighbors."""
    one = sp.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return one + one.T


def mitigated(w: World, mitigation, X=None, **params):
    return new(w, GNNClassifier, X, mitigation=mitigation, **params)


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


def scaled_constant(w: World):
    """What a scaler leaves of a constant column is rounding noise, and no reason for a warning."""
    G = Graph(np.hstack([w.X, np.full((40, 1), 0.1)]), w.A)
    clf = DegFairGNNClassifier(max_epochs=2, random_state=0)
    return proba(make_pipeline(GraphTransformer(StandardScaler()), clf).fit(G, w.y), G).shape


def by_label(w: World):
    return w.clf.fit(Graph(w.frame.set_axis(w.order), w.A), w.y, nodes=pd.Index(w.order[:9]))


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
    *(
        Mistake(
            f"{type(method).__name__} on a regular graph",
            lambda w, method=method: mitigated(w, method, Graph(w.X, ring(40))),
            NoEffectWarning,
            (f"{type(method).__name__} has no effect", "degree 2"),
        )
        for method in (CFC(), FairVGNN(), DSGCN())
    ),
    Mistake(
        "Tail-GNN without a node of high degree",
        lambda w: mitigated(w, TailGNN(degree_threshold=1000)),
        NoEffectWarning,
        ("TailGNN", "1000", "degree_threshold"),
    ),
    Mistake(
        "Tail-GNN without a node of low degree",
        lambda w: mitigated(w, TailGNN(degree_threshold=1), Graph(w.X, ring(40))),
        NoEffectWarning,
        ("TailGNN has no effect", "degree_threshold"),
    ),
    Mistake(
        "rate of an adversary without weight",
        lambda w: mitigated(w, CFC(adversary_weight=0, adversary_rate=3)),
        NoEffectWarning,
        ("adversary_rate=3", "adversary_weight=0"),
    ),
    Mistake(
        "threshold of other groups",
        lambda w: mitigated(w, CFC(fairness_groups=[2, 3], degree_threshold=4)),
        NoEffectWarning,
        ("degree_threshold=4",),
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
    Mistake("heads of a GCN", lambda w: new(w, n_heads=8), NoEffectWarning, ("n_heads=8", "gat")),
    Mistake("patience without stopping", lambda w: new(w, patience=5), NoEffectWarning, ("patience=5",)),
    Mistake("monitor without stopping", lambda w: new(w, monitor="valid_loss"), NoEffectWarning, ("'valid_loss'",)),
    Mistake(
        "validation fraction without stopping",
        lambda w: new(w, validation_fraction=0.5),
        NoEffectWarning,
        ("validation_fraction=0.5", "early_stopping=False"),
    ),
    Mistake("pool of one hop", lambda w: new(w, context_pool="walk"), NoEffectWarning, ("context_pool", "hops=1")),
    Mistake(
        "hops without context",
        lambda w: new(w, context_weight=0, context_hops=2),
        NoEffectWarning,
        ("context_hops=2", "context_weight=0"),
    ),
    Mistake(
        "groups without fairness",
        lambda w: new(w, fairness_weight=0, fairness_groups=3),
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
    Mistake("directed classifier of a Graph", lambda w: new(w, directed=True), NoEffectWarning, ("directed=True",)),
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
    Mistake("Tail-GNN with GAT", lambda w: mitigated(w, TailGNN(), backbone="gat"), ValueError, ("TailGNN", "'gat'")),
    Mistake("Tail-GNN in batches", lambda w: mitigated(w, TailGNN(), batch_size=8), ValueError, ("batch_size=None",)),
    Mistake("DSGCN with GAT", lambda w: mitigated(w, DSGCN(), backbone="gat"), ValueError, ("DSGCN", "'gat'")),
    Mistake("CFC without attributes", lambda w: mitigated(w, CFC(fairness_hops=[])), ValueError, ("fairness_hops",)),
    Mistake(
        "CFC with attributes that do not fit",
        lambda w: mitigated(w, CFC(fairness_hops=[1, 2, 3], fairness_groups=[2, 3])),
        ValueError,
        ("fairness_groups", "[2, 3]", "[1, 2, 3]"),
    ),
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
    Mistake(
        "network that cannot fit into memory",
        lambda w: new(w, GNNClassifier, hidden_dim=2**40, batch_size=8),
        MemoryError,
        ("weights of the network", "hidden_dim"),
    ),
    Mistake(
        "features of all sizes",
        lambda w: new(w, X=Graph(w.X * 1e-200, w.A)).predict(Graph(w.X * 1e-200, w.A)),
        lambda w: new(w).predict(w.G),
    ),
    Mistake(
        "huge features",
        lambda w: new(w, X=Graph(w.X * 1e200, w.A)).predict(Graph(w.X * 1e200, w.A)),
        lambda w: new(w).predict(w.G),
    ),
    Mistake(
        "huge weights",
        lambda w: new(w, fit_params={"sample_weight": np.full(40, 1e308)}),
        ValueError,
        ("sample_weight", "too large"),
    ),
    Mistake("NaN class weight", lambda w: new(w, class_weight={0: np.nan, 1: 1, 2: 1}), ValueError, ("class_weight",)),
    Mistake("number as callback", lambda w: new(w, callbacks=[1]), ValueError, ("callbacks", "got 1")),
    Mistake("name of an optimizer", lambda w: new(w, net_params={"optimizer": "sgd"}), ValueError, ("'sgd'",)),
    Mistake(
        "hidden units of one layer",
        lambda w: new(w, GNNClassifier, n_layers=1, hidden_dim=8),
        NoEffectWarning,
        ("hidden_dim=8", "single layer"),
    ),
    Mistake("dropout that is rounded to 0", lambda w: new(w, dropout=0.001), NoEffectWarning, ("dropout=0.001",)),
    Mistake("size as an integer of numpy", lambda w: proba(new(w, hidden_dim=np.uint8(32)), w.G), fitted_proba),
    Mistake("set of placeholders", lambda w: new(w, unlabeled={-1}), ValueError, ("unlabeled", "one value")),
    Mistake("verbose=True", lambda w: proba(new(w, verbose=True), w.G), fitted_proba),
    Mistake("labels as nodes", by_label, ValueError, ("nodes takes positions", "get_indexer")),
    Mistake("labels as positions", lambda w: w.named[w.frame.index], IndexError, ("G.loc",)),
    Mistake(
        "row numbers as labels of named nodes",
        lambda w: w.clf.fit(Graph(w.frame.set_axis(range(1, 41)), w.A), pd.Series(w.y)),
        ValueError,
        ("y and X have only some labels", "to_numpy()"),
    ),
    Mistake(
        "labels of other nodes",
        lambda w: w.clf.fit(w.named[:20], w.series.iloc[20:]),
        ValueError,
        ("y has the labels of other nodes", "v20"),
    ),
    Mistake(
        "shuffled labels in a split",
        lambda w: w.clf.fit(w.G[:20], pd.Series(w.y).iloc[w.order].iloc[:20]),
        ValueError,
        ("y ", "to_numpy()"),
    ),
    Mistake("constant column, scaled", scaled_constant, lambda w: (40, 3)),
    Mistake("score with no edges meant", lambda w: w.fitted().score(w.X, "none", w.y) >= 0, lambda w: True),
    Mistake("score of named features", lambda w: new(w, X=w.named).score(w.named, w.series) >= 0, lambda w: True),
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
        ("the labels or nodes differ", "belongs to another fit"),
    ),
    Mistake(
        "checkpoint of another seed",
        lambda w: other_checkpoint(w, random_state=1),
        ValueError,
        ("random_state was 0 and is now 1",),
    ),
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
