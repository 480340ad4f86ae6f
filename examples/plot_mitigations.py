"""
Methods to mitigate degree bias
===============================

``GNNClassifier`` is a plain graph neural network unless it gets a ``mitigation``. This script compares methods on a
graph whose labels favor well-connected nodes. They differ in what they aim at, and none of them is best in every
column, so search over methods on your graph (``plot_search_methods.py``).
"""

# %%
# One classifier, several methods
# -------------------------------
# Everything but ``mitigation`` is the same for all methods, and nothing is tuned. Half of the nodes are held out.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import DegreeFairnessReport
from skdegfair.mitigation import DegFair, FairGNN, RawlsGCN

N_NODES, N_SEEDS = 1500, 3
data = make_degree_biased_graph(N_NODES, random_state=0)
train, test = train_test_split(np.arange(N_NODES), test_size=0.5, stratify=data.y, random_state=0)
clf = GNNClassifier()
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
# is predicted; delta DEO (degree equal opportunity) is their difference in recall. The columns *low degree* and *high
# degree* are accuracies.

rows = []
for method in methods:
    for seed in range(N_SEEDS):
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
print(f"Percent of {len(test)} test nodes; number of seeds: {N_SEEDS}.\n")
print(table.round(1).to_string(index_names=False))

# %%
# What the table shows
# --------------------
# ``DegFair`` and ``FairGNN`` narrow delta DSP. The more they narrow it, the more accuracy it costs. With
# ``fairness_loss="both"``, DegFair also targets delta DEO. ``RawlsGCN`` aims at equal losses, not at equal predictions:
# it does not narrow delta DSP.

fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
ParetoDisplay(table["accuracy"] / 100, table["delta DSP"] / 100, names=list(table.index)).plot(ax=ax)
plt.show()
