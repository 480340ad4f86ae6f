"""
The paper's ablations
=====================

DegFair consists of parts: a debiasing context, with different functions for low- and high-degree nodes (contrast), its
adjustment to the degree (scale and shift), and a fairness loss. Each can be switched off. On this graph, the fairness
loss is what narrows the gap; differences between the other variants are within the spread over graphs.
"""

# %%
# Variants
# --------
# ``contrast=False`` uses one debiasing function for all nodes, ``scale_shift=False`` leaves out the adjustment to the
# degree, and ``modulation=False`` the whole context. ``fairness_weight=0`` leaves out the fairness loss. The loss is
# that of the paper, ``fairness_groups="threshold"``.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import fairness_scoring
from skdegfair.mitigation import DegFair

paper = {"fairness_groups": "threshold"}
variants = {
    "all parts": DegFair(**paper),
    "no contrast": DegFair(contrast=False, **paper),
    "no scale, shift": DegFair(scale_shift=False, **paper),
    "no modulation": DegFair(modulation=False, **paper),
    "no fairness loss": DegFair(fairness_weight=0),
    "plain GCN": None,
}

# %%
# Five graphs
# -----------
# With a single graph, the effect of a part could not be told from chance. Each variant is fitted to the same five
# graphs and scored on their test nodes. ΔDSP (degree statistical parity) is the gap in how often a class is predicted.

rows = []
for seed in range(5):
    data = make_degree_biased_graph(600, random_state=seed)
    train, test = train_test_split(np.arange(600), test_size=0.5, stratify=data.y, random_state=seed)
    for name, mitigation in variants.items():
        clf = GNNClassifier(mitigation=mitigation, max_epochs=150, random_state=seed)
        scores = fairness_scoring(clf.fit(data.graph[train], data.y[train]), data.graph[test], data.y[test])
        rows.append({"variant": name, "accuracy": scores["accuracy"], "ΔDSP": -scores["neg_delta_dsp"]})
found = 100 * pd.DataFrame(rows).set_index("variant")
summary = found.groupby(level=0, sort=False).agg(["mean", "std"])
print("Percent of 300 test nodes, over five graphs.\n")
print(summary.round(1).to_string())

# %%
# Every dot is a graph, and bars are means.

fig, axes = plt.subplots(ncols=2, figsize=(8, 3.8), sharey=True, layout="constrained")
for ax, score in zip(axes, found.columns, strict=True):
    means = summary[score, "mean"]
    ax.barh(means.index, means, color="0.86")
    ax.plot(found[score], found.index, "o", color="#0072B2", markersize=4, alpha=0.7)
    ax.set(xlabel=f"{score}, in percent")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("Variant")
axes[0].invert_yaxis()
plt.show()
