"""How large can a graph be? Training on a graph of the size of ogbn-products, whole and in batches, on one machine.

Generates the graph (2.4 million nodes, 124 million stored entries, 100 features, 8 % of the nodes to train on) and
keeps it in files. Then, each in a separate process: epochs on the whole graph, with all data in memory; and an epoch in
batches with ten drawn neighbors per layer, over memory-mapped files, with predictions for 100,000 nodes. Models are
fitted inside skdegfair.training.memory_kept. Peak memory is the largest resident size of the process, including
pages of the mapped files.

Usage: python benchmarks/scale.py [--nodes 2400000] [--folder FOLDER] [--quick]

Results: benchmarks/results/scale.csv.
"""

import argparse
import multiprocessing
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from _study import RESULTS

from skdegfair import DegFairGNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.training import memory_kept

ENTRIES_PER_NODE = 51.7
PARTS = ("X", "data", "indices", "indptr", "y")


def generate(folder, n_nodes):
    """Write the graph to files, unless they are there."""
    if (folder / "y.npy").exists():
        return
    X, A, y = make_degree_biased_graph(
        n_nodes, n_classes=10, n_features=100, mean_degree=1.02 * ENTRIES_PER_NODE, random_state=0, return_X_A_y=True
    )
    arrays = X.astype(np.float32), A.data.astype(np.float32), A.indices, A.indptr, y
    for name, array in zip(PARTS, arrays, strict=True):
        np.save(folder / f"{name}.npy", array)


def load(folder, mode):
    X, data, indices, indptr, y = (np.load(folder / f"{name}.npy", mmap_mode=mode) for name in PARTS)
    A = sp.csr_array((data, indices, indptr), shape=(len(y), len(y)))
    return X, A, np.array(y)


def trained(folder, how):
    """One row of the table."""
    mapped = how == "batches"
    X, A, y = load(folder, "r" if mapped else None)
    start = time.perf_counter()
    graph = Graph(X, A)
    train = np.random.default_rng(0).choice(len(y), int(0.08 * len(y)), replace=False)
    ready = time.perf_counter()
    options = {"batch_size": 2000, "n_neighbors": 10, "max_epochs": 1} if mapped else {"max_epochs": 3}
    with memory_kept():
        fitted = DegFairGNNClassifier(random_state=0, **options).fit(graph[train], y[train])
    done = time.perf_counter()
    trained_peak = peak()
    others = np.setdiff1d(np.arange(len(y)), train)
    test = np.random.default_rng(1).choice(others, min(100_000, len(others)), replace=False)
    accuracy = fitted.score(graph[test], y[test])
    return {
        "training": "in batches, mapped files" if mapped else "whole graph",
        "nodes": len(y),
        "stored entries": A.nnz,
        "checks, s": ready - start,
        "fit, s": done - ready,
        "epoch, s": fitted.history_["seconds"].median(),
        "epochs": len(fitted.history_),
        "peak of training, GB": trained_peak,
        "prediction, s": time.perf_counter() - done,
        "peak in all, GB": peak(),
        "accuracy of test nodes": accuracy,
    }


def peak():
    """Largest resident size of this process so far, in GB."""
    status = Path("/proc/self/status")
    if status.exists():  # what the system's usual count says of a new process is its parent's
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) * 1024 / 1e9
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def alone(function, *arguments):
    """Call in a process of its own, so that peaks are apart."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=2_400_000)
    parser.add_argument("--folder", type=Path, default=None, help="where to keep the graph; default: a temporary one")
    parser.add_argument("--quick", action="store_true", help="20,000 nodes")
    options = parser.parse_args()
    n_nodes = 20_000 if options.quick else options.nodes
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        alone(generate, folder, n_nodes)
        rows = []
        for how in ("batches", "whole"):
            rows.append(alone(trained, folder, how))
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows).set_index("training").round(3)
    print(table.T.to_string())
    if not options.quick:
        table.to_csv(RESULTS / "scale.csv")


if __name__ == "__main__":
    main()
