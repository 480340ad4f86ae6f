"""What does fairness cost in time? Epochs of our models compared with those of torch_geometric and with a lower bound.

Everything that is compared is timed in one run, in turn, epoch by epoch, so that other load on the machine affects all
alike; read the ratios of medians. An epoch is one step on the whole graph: forward, backward, Adam. Models have two
layers of width 32 (GAT: 4 heads), and half of the nodes are used for training. torch_geometric's models are plain GNNs
without any debiasing, written as in its documentation (dense features, adjacency as edge_index or as torch CSR, with
caching where it is possible). The lower bound (floor) is the time of the sparse and dense products of our own
DegFairGCN epoch alone. Epochs and fits are timed inside skdegfair.training.memory_kept, also those of torch_geometric,
although neither uses it by default.

Usage: python benchmarks/speed.py [--quick] [--methods] (make speed)

Results are written to benchmarks/results/ (speed.csv, speed_fit.csv, speed_methods.csv,
speed_growth.csv). The tables are also written to
docs/speed.rst.
"""

import argparse
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from statistics import median

import numpy as np
import pandas as pd
import torch
from _data import FETCHERS
from _pyg import pyg_epoch
from _study import RESULTS
from _tables import boxed, into_page
from scale import peak
from skorch.callbacks import Callback

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.graph import Graph
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, TailGNN
from skdegfair.nn import Architecture, ClosedMean, Objective, SparseOperator, Topology
from skdegfair.training import memory_kept

METHODS = [
    None,
    DegFair(),
    FairGNN(),
    RawlsGCN(),
    RawlsGCN(form="gradient"),
    CFC(),
    CFC(fairness_hops=[1, 2]),
    DSGCN(),
    TailGNN(),
    FairVGNN(),
]
BACKBONES = {"GCN": "gcn", "SAGE": "sage", "GAT": "gat"}


def graph_of(name):
    """Graph and classes, by the name of a data set or the number of thousands of nodes of a generated graph."""
    if name in FETCHERS:
        data = FETCHERS[name]()
        return data.graph, data.y
    n_nodes = int(name.removesuffix("k")) * 1000
    data = make_degree_biased_graph(n_nodes, n_features=128, mean_degree=20, n_classes=5, random_state=0)
    return Graph(data.X.astype(np.float32), data.A), data.y


def our_epoch(backbone, graph, y, mitigation=None, *, validate=False):
    """A function that makes one step of our model, without skorch around it, and if asked for validates it."""
    mitigation = DegFair() if mitigation is None else mitigation
    train, valid = (np.arange(start, len(y), 2) for start in (0, 1))
    mitigation.learn(graph, train)
    module = mitigation.build(Architecture(graph.shape[1], int(y.max()) + 1, backbone=backbone, n_heads=4))
    topology = Topology(graph, module.operators)
    batch, other = (topology.batch(part, 2, all_nodes=mitigation.all_nodes) for part in (train, valid))
    labels, other_labels = torch.as_tensor(y[train]), torch.as_tensor(y[valid])
    objective = Objective(mitigation.weights(), mitigation.terms())
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01, weight_decay=5e-4, fused=True)

    def epoch():
        optimizer.zero_grad()
        objective.total(objective.terms(module(batch), labels, batch)).backward()
        optimizer.step()
        if validate:
            module.eval()
            with torch.no_grad():
                objective.total(objective.terms(module(other), other_labels, other))
            module.train()

    return epoch


def floor_epoch(graph, y):
    """The products alone of our DegFairGCN epoch: those of each layer, forward and backward."""
    n_classes, train = int(y.max()) + 1, torch.arange(0, len(y), 2)
    topology = Topology(graph, {ClosedMean()})
    mean, last = topology.whole[ClosedMean()], topology.block(train.numpy())[ClosedMean()]
    wide, narrow = torch.randn(graph.n_nodes, 96), torch.randn(graph.n_nodes, 3 * n_classes)
    out, hidden = torch.randn(len(train), 3 * n_classes), torch.randn(graph.n_nodes, 32)
    first, second = torch.randn(graph.shape[1], 96), torch.randn(32, 3 * n_classes)
    features = topology.features()
    sparse = isinstance(features, SparseOperator)
    x = features.forward if sparse else features

    def epoch():
        with torch.no_grad():
            if sparse:  # dense features are pooled once, before the first epoch
                mean.forward @ (x @ first)
                features.transpose_times(mean.transpose_times(wide))
            else:
                x @ first
                x.T @ wide
            last.forward @ (hidden @ second)
            last.transpose_times(out)
            hidden.T @ narrow
            narrow @ second.T

    return epoch


def by_turns(epochs, seconds):
    """Median time of each function in ms: called in turn until the time is up, at least five times."""
    times = {name: [] for name in epochs}
    with memory_kept():
        for epoch in epochs.values():
            epoch()
        until = time.perf_counter() + seconds
        while time.perf_counter() < until or len(next(iter(times.values()))) < 5:
            for name, epoch in epochs.items():
                start = time.perf_counter()
                epoch()
                times[name].append(1000 * (time.perf_counter() - start))
    return {name: median(each) for name, each in times.items()}


def compare(dataset, seconds):
    """A row for each base GNN."""
    graph, y = graph_of(dataset)
    rows = []
    for name, backbone in BACKBONES.items():
        epochs = {
            f"DegFair{name}": our_epoch(backbone, graph, y),
            name: our_epoch(backbone, graph, y, Mitigation()),
            "PyG edge_index": pyg_epoch(backbone, graph, y, "edge_index"),
            "PyG CSR": pyg_epoch(backbone, graph, y, "csr"),
        }
        if name == "GCN":
            epochs["floor"] = floor_epoch(graph, y)
        ms = by_turns(epochs, seconds)
        ours = ms[f"DegFair{name}"]
        rows.append(
            {
                "graph": dataset,
                "base GNN": name,
                "DegFair, ms": ours,
                "plain, ms": ms[name],
                "PyG plain CSR, ms": ms["PyG CSR"],
                "PyG plain edge_index, ms": ms["PyG edge_index"],
                "floor, ms": ms.get("floor", np.nan),
                "DegFair / PyG": ours / ms["PyG CSR"],
                "DegFair / floor": ours / ms["floor"] if "floor" in ms else np.nan,
            }
        )
        print(rows[-1], flush=True)
    return rows


class InTurn(Callback):
    """Times each epoch of a fit, validation and fairness log included, and after it an epoch without skorch."""

    def __init__(self, bare, seconds):
        self.bare, self.seconds = bare, seconds

    def __deepcopy__(self, memo):
        return self

    def on_epoch_begin(self, net, **kwargs):
        self.start = time.perf_counter()

    def on_epoch_end(self, net, **kwargs):
        now = time.perf_counter()
        self.seconds["epoch of a fit"].append(now - self.start)
        self.bare()
        self.seconds["bare epoch"].append(time.perf_counter() - now)


def overheads(repetitions):
    """What skorch adds, whole fits, imports: each as a ratio of two things timed by turns."""
    graph, y = graph_of("Chameleon")
    train, valid = (np.arange(start, len(y), 2) for start in (0, 1))
    X, A = graph.X, graph.A
    bare, theirs = our_epoch("gcn", graph, y, validate=True), pyg_epoch("gcn", graph, y, "csr")
    seconds = {"epoch of a fit": [], "bare epoch": [], "fit of 200 epochs": [], "200 bare epochs of PyG": []}
    model = DegFairGNNClassifier(max_epochs=200, random_state=0)

    def fit():
        model.fit(X, A, y, nodes=train, validation_nodes=valid)

    def timed(name, function):
        start = time.perf_counter()
        function()
        seconds[name].append(time.perf_counter() - start)

    with memory_kept():
        bare(), theirs()
        for _ in range(repetitions):
            model.callbacks = [InTurn(bare, seconds)]
            fit()
            model.callbacks = None
            timed("fit of 200 epochs", fit)
            timed("200 bare epochs of PyG", lambda: [theirs() for _ in range(200)])
    for name in ("skorch", "skdegfair.estimators"):
        seconds[f"import {name}"] = []
    for _ in range(max(repetitions, 3)):
        for name in ("skorch", "skdegfair.estimators"):
            hidden = "import sys; sys.modules['torch_geometric'] = None"  # which skorch would import
            command = [sys.executable, "-c", f"{hidden}; import {name}"]
            timed(f"import {name}", lambda command=command: subprocess.run(command, check=True))
    time_of = {name: median(each) for name, each in seconds.items()}
    pairs = {
        "epoch of a fit / bare epoch, with validation": ("epoch of a fit", "bare epoch"),
        "fit of 200 epochs / 200 bare epochs of PyG": ("fit of 200 epochs", "200 bare epochs of PyG"),
        "import of the classifier / of skorch": ("import skdegfair.estimators", "import skorch"),
    }
    rows = [
        {"what": what, "one, s": time_of[one], "other, s": time_of[other], "ratio": time_of[one] / time_of[other]}
        for what, (one, other) in pairs.items()
    ]
    return pd.DataFrame(rows).round(4)


def methods(dataset, repetitions):
    """Median epoch of a fit with each mitigation, fitted by turns, and its ratio to the plain GCN's."""
    graph, y = graph_of(dataset)
    train = np.arange(0, len(y), 2)
    seconds = {}
    with memory_kept():
        for repetition in range(repetitions):
            for mitigation in METHODS:
                model = GNNClassifier(mitigation=mitigation, max_epochs=30, random_state=repetition)
                history = model.fit(graph[train], y[train]).history_
                seconds.setdefault(repr(mitigation), []).extend(history["seconds"][5:])
    plain = median(seconds["None"])
    return [
        {"graph": dataset, "mitigation": name, "epoch, ms": 1000 * median(each), "to plain GCN": median(each) / plain}
        for name, each in seconds.items()
    ]


def growth(n_nodes):
    """Time of a DegFairGCN epoch per stored entry, and the peak memory, in a process of its own."""
    graph, y = graph_of(f"{n_nodes // 1000}k")
    ms = by_turns({"epoch": our_epoch("gcn", graph, y)}, 10)["epoch"]
    return {
        "nodes": graph.n_nodes,
        "stored entries": graph.A.nnz,
        "DegFairGCN, ms": ms,
        "ns per stored entry": 1e6 * ms / graph.A.nnz,
        "peak, MB": 1000 * peak(),
    }


def in_words(tables):
    """Format the tables for docs/speed.rst."""
    speed, growth = tables["speed"], tables["speed_growth"]
    times = ["DegFair, ms", "plain, ms", "PyG plain CSR, ms", "PyG plain edge_index, ms"]
    body = [["graph", "base GNN", *times, "DegFair / PyG CSR", "DegFair / floor"]]
    for _, row in speed.iterrows():
        floor = "" if np.isnan(row["DegFair / floor"]) else f"{row['DegFair / floor']:.1f}"
        body.append(
            [
                row["graph"],
                row["base GNN"],
                *(f"{row[name]:.1f}" for name in times),
                f"{row['DegFair / PyG']:.2f}",
                floor,
            ]
        )
    nodes = [[f"{name}" for name in growth]]
    nodes += [[f"{value:,.0f}" if value > 100 else f"{value:.1f}" for value in row] for row in growth.to_numpy()]
    ratios = [f"* {row['what']}: {row['ratio']:.2f}" for _, row in tables["speed_fit"].iterrows()]
    machine = (
        f"Made on {platform.system()}, {os.cpu_count()} cores, without a GPU, with torch {version('torch')} and "
        f"torch_geometric {version('torch_geometric')}."
    )
    per_method = tables["speed_methods"].pivot(index="mitigation", columns="graph", values="to plain GCN")
    order = list(dict.fromkeys(tables["speed_methods"]["mitigation"]))
    graphs = list(dict.fromkeys(tables["speed_methods"]["graph"]))
    rows = [["mitigation", *graphs]]
    rows += [[name, *(f"{per_method.loc[name, graph]:.2f}" for graph in graphs)] for name in order]
    caption = "Epochs of a fit with each mitigation, as ratios to those of the plain GCN:"
    return [machine, "", *boxed(body), "", *boxed(nodes), "", *ratios, "", caption, "", *boxed(rows), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small graphs, a second each")
    parser.add_argument("--graphs", nargs="+", default=None)
    parser.add_argument("--methods", action="store_true", help="time the mitigations alone; keep the other results")
    options = parser.parse_args()
    graphs = options.graphs or (["Chameleon", "EMNLP"] if options.quick else [*FETCHERS, "100k"])
    if options.methods:
        per_method = pd.DataFrame([row for graph in graphs for row in methods(graph, 3)]).round(3)
        print(per_method.to_string())
        if not options.graphs:
            per_method.to_csv(RESULTS / "speed_methods.csv", index=False)
            names = ("speed", "speed_fit", "speed_methods", "speed_growth")
            into_page("speed.rst", "speed", in_words({name: pd.read_csv(RESULTS / f"{name}.csv") for name in names}))
        return
    rows = [row for graph in graphs for row in compare(graph, 1 if options.quick else 15)]
    tables = {"speed": pd.DataFrame(rows).round(3), "speed_fit": overheads(1 if options.quick else 5)}
    per_method = [row for graph in graphs for row in methods(graph, 1 if options.quick else 5)]
    tables["speed_methods"] = pd.DataFrame(per_method).round(3)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        sizes = [10_000] if options.quick else [10_000, 100_000, 1_000_000]
        tables["speed_growth"] = pd.DataFrame(pool.map(growth, sizes, chunksize=1)).round(3)
    for name, table in tables.items():
        print(table.to_string(), end="\n\n")
        if not options.quick and not options.graphs:
            table.to_csv(RESULTS / f"{name}.csv", index=False)
    if not options.quick and not options.graphs:
        into_page("speed.rst", "speed", in_words(tables))


if __name__ == "__main__":
    main()
