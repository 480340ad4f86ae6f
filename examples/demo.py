"""
What a fairness loss buys, and what it costs
============================================

Fits a plain GCN and DegFairGCN to a graph whose labels favour well-connected nodes, and shows how they treat test nodes
of low and of high degree.
"""

# %%
# A graph, and nodes to train on
# ------------------------------
# Three classes, the last being the most favoured one. The models see every node and every edge, but the labels of half
# of the nodes only.

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.graph import degree_groups
from skdegfair.metrics import delta_deo, delta_dsp

SEEDS = 3
data = make_degree_biased_graph(1500, random_state=0)
train, test = train_test_split(np.arange(1500), test_size=0.5, stratify=data.y, random_state=0)
degree = data.graph[test].degree()
low, high = (degree_groups(degree) == group for group in (0, 1))
print(data.DESCR)

# %%
# A majority vote, a plain GNN and two fair ones
# ----------------------------------------------

models = {
    "majority vote": DummyClassifier(),
    "GCN": GNNClassifier(verbose=1),
    "DegFairGCN, fairness_weight=1": DegFairGNNClassifier(fairness_weight=1, verbose=1),
    "DegFairGCN, fairness_weight=10": DegFairGNNClassifier(fairness_weight=10, verbose=1),
}
rows = []
for name, model in models.items():
    print(f"\n{name}", flush=True)
    for seed in range(SEEDS):
        model.set_params(random_state=seed)
        predicted = model.fit(data.graph[train], data.y[train]).predict(data.graph[test])
        right = predicted == data.y[test]
        rows.append(
            {
                "model": name,
                "accuracy": right.mean(),
                "  low degree": right[low].mean(),
                "  high degree": right[high].mean(),
                "top class": (predicted == 2).mean(),
                "  of low degree": (predicted == 2)[low].mean(),
                "  of high degree": (predicted == 2)[high].mean(),
                "delta DSP": delta_dsp(data.y[test], predicted, degree=degree),
                "delta DEO": delta_deo(data.y[test], predicted, degree=degree),
            }
        )

# %%
# What comes of it
# ----------------
# The plain GNN gives most well-connected nodes the top class and the others rarely. The fairness loss narrows the gap
# (delta DSP), and agrees less with the labels, which have that gap. How much is right is for the user to choose.

results = 100 * pd.DataFrame(rows).groupby("model", sort=False).agg(["mean", "std"])
table = pd.DataFrame({name: [f"{mean:.1f} ± {sd:.1f}" for mean, sd in row.to_numpy().reshape(-1, 2)]
                      for name, row in results.iterrows()}, index=list(rows[0])[1:])  # fmt: skip
table.columns = [name.replace(", fairness_weight=", " ") for name in table]
print(f"\nPercent of {len(test)} test nodes, mean ± sd over {SEEDS} seeds; DegFairGCN with its fairness_weight.")
print(f"Low degree: {low.sum()} nodes of degree {degree[low].max():.0f} or less.", end=" ")
print(f"High degree: {high.sum()} nodes of degree {degree[high].min():.0f} or more.\n")
print(table.to_string())
