"""What does mitigating degree bias cost in time per epoch?

Times whole fits of DegFairGNNClassifier and of GNNClassifier on the same graph, by turns, and prints the median time of
an epoch and its ratio to the plain GNN of the same kind. Times swing from run to run: read the ratios.

    python benchmarks/epoch_cost.py [n_nodes] [epochs]

Typical output (2 cores, 5000 nodes, 64 features):

              plain ms  fair ms  ratio
    backbone
    gcn           3.56    10.68   3.00
    sage          4.06    12.75   3.14
    gat          24.80    39.16   1.58
"""

import sys
from statistics import median

import pandas as pd

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph


def main(n_nodes: int = 5000, epochs: int = 40) -> None:
    data = make_degree_biased_graph(n_nodes, n_features=64, random_state=0)
    rows = []
    for backbone in ("gcn", "sage", "gat"):
        times: dict[str, list[float]] = {"plain": [], "fair": []}
        for _ in range(3):
            for name, cls in (("plain", GNNClassifier), ("fair", DegFairGNNClassifier)):
                fitted = cls(backbone=backbone, max_epochs=epochs, random_state=0).fit(data.graph, data.y)
                times[name] += fitted.history_["seconds"].tolist()
        plain, fair = (1000 * median(times[name]) for name in ("plain", "fair"))
        rows.append({"backbone": backbone, "plain ms": plain, "fair ms": fair, "ratio": fair / plain})
    print(pd.DataFrame(rows).set_index("backbone").round(2).to_string())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
