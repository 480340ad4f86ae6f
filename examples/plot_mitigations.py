"""
Methods to mitigate degree bias
===============================

This script compares the methods of ``skdegfair.mitigation`` on a graph whose labels favor well-connected nodes, and
lets a grid search choose between them. Use ``--quick`` for a short run.
"""

# %%
# One classifier, several methods
# -------------------------------
# ``GNNClassifier`` has a parameter ``mitigation``. Everything else is the same for all methods. Half of the nodes are
# held out.

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import DegreeFairnessReport, FairestWithin, fairness_scoring
from skdegfair.mitigation import DegFair, FairGNN, RawlsGCN

QUICK = "--quick" in sys.argv
n_nodes, n_seeds = (200, 1) if QUICK else (1500, 3)
data = make_degree_biased_graph(n_nodes, random_state=0)
train, test = train_test_split(np.arange(n_nodes), test_size=0.5, stratify=data.y, random_state=0)
clf = GNNClassifier(max_epochs=10 if QUICK else 200)
methods = [
    None,
    DegFair(),
    DegFair(fairness_groups="threshold"),
    DegFair(fairness_groups=5, fairness_weight=5),
    DegFair(fairness_loss="both"),
    FairGNN(covariance_weight=1),
    FairGNN(covariance_weight=4),
    RawlsGCN(),
]

# %%
# Results on the held-out nodes
# -----------------------------
# Delta DSP (degree statistical parity) is the difference between nodes of low and high degree in how often each class
# is predicted; delta DEO (degree equal opportunity) is their difference in recall.

rows = []
for method in methods:
    for seed in range(n_seeds):
        clf.set_params(mitigation=method, random_state=seed).fit(data.graph[train], data.y[train])
        report = DegreeFairnessReport.from_estimator(clf, data.graph[test], data.y[test])
        scores, by_group = report.scores.loc["predictions"], report.group_scores["accuracy"]
        rows.append(
            {
                "mitigation": str(method),
                "accuracy": scores["accuracy"],
                "low degree": by_group["low"],
                "high degree": by_group["high"],
                "delta DSP": scores["delta_dsp"],
                "delta DEO": scores["delta_deo"],
            }
        )
table = 100 * pd.DataFrame(rows).groupby("mitigation", sort=False).mean()
print(f"Percent of {len(test)} test nodes; number of seeds: {n_seeds}.\n")
print(table.round(1).to_string(index_names=False))

# %%
# A search over methods
# ---------------------
# The candidates of a grid can be methods. With a list of grids, each method has its own parameters. The rule chooses
# the fairest candidate that loses at most five points of accuracy.

grid = [
    {"mitigation": [None, RawlsGCN()]},
    {"mitigation": [DegFair()], "mitigation__fairness_weight": [0.3, 1, 3]},
    {"mitigation": [FairGNN()], "mitigation__covariance_weight": [0.3, 1, 3]},
]
clf.set_params(mitigation=None, random_state=0)
search = GridSearchCV(clf, grid, scoring=fairness_scoring, refit=FairestWithin(0.05), cv=2 if QUICK else 3)
search.fit(data.graph[train], data.y[train])
print(f"\nChosen: {search.best_estimator_.mitigation}")
assessed = fairness_scoring(search.best_estimator_, data.graph[test], data.y[test])
print("On the held-out nodes:", {name: round(value, 3) for name, value in assessed.items()})

# %%
# A plot of the methods
# ---------------------

matplotlib.use("Agg")
output = Path("demo_output")
output.mkdir(exist_ok=True)
_, ax = plt.subplots(figsize=(8, 5), layout="constrained")
display = ParetoDisplay(table["accuracy"] / 100, table["delta DSP"] / 100, names=list(table.index)).plot(ax=ax)
display.figure_.savefig(output / "mitigations.png", dpi=150)
print(f"\nWritten to {output}/mitigations.png")
