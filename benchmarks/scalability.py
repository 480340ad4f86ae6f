"""How does the cost grow with the graph? Time per epoch and peak memory, from a thousand to a million edges and more.

Times fits of GCN and DegFairGCN on the built-in graph, in turn, each size in a separate process. Read the columns
per edge and the ratio: absolute times vary from run to run. Models are fitted inside
skdegfair.training.memory_kept.

Usage: python benchmarks/scalability.py [--quick]

Results: benchmarks/results/scalability.csv.
"""

import argparse
import multiprocessing
import resource
import sys
from statistics import median

import pandas as pd
from _study import RESULTS

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.training import memory_kept

SIZES = [1_000, 10_000, 100_000, 300_000]
EPOCHS = 10


def cost(n_nodes):
    """One row of the table."""
    data = make_degree_biased_graph(n_nodes, n_features=64, random_state=0)
    seconds = {GNNClassifier: [], DegFairGNNClassifier: []}
    for _ in range(2):
        for classifier, times in seconds.items():
            with memory_kept():
                fitted = classifier(max_epochs=EPOCHS, random_state=0).fit(data.graph, data.y)
            times += fitted.history_["seconds"].tolist()
    plain, fair = (1000 * median(times) for times in seconds.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    return {
        "nodes": n_nodes,
        "edges": data.graph.n_edges,
        "GCN, ms per epoch": plain,
        "DegFairGCN, ms per epoch": fair,
        "ratio": fair / plain,
        "DegFairGCN, us per edge and epoch": 1000 * fair / data.graph.n_edges,
        "peak memory, MB": peak,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the two smallest sizes")
    quick = parser.parse_args().quick
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = pool.map(cost, SIZES[:2] if quick else SIZES, chunksize=1)
    table = pd.DataFrame(rows).set_index("nodes").round(2)
    print(table.T.to_string())
    if not quick:
        table.to_csv(RESULTS / "scalability.csv")


if __name__ == "__main__":
    main()
