"""
Quickstart
==========

Fit a plain graph neural network and a fair one, and see how differently they treat nodes of low and of high degree.
The labels of the graph favor well-connected nodes. The plain network repeats that. DegFair narrows the gap in how often
each class is predicted, and agrees less with the labels.
"""

# %%
# A graph to split
# ----------------
# ``X`` has one row per node, ``A`` is the adjacency matrix. A ``Graph`` holds both, and scikit-learn can split it. The
# model sees all nodes and edges, but only the labels of the training nodes.

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import DegreeGapDisplay
from skdegfair.metrics import DegreeFairnessReport, compare_models

X, A, y = make_degree_biased_graph(1000, random_state=0, return_X_A_y=True)
G = Graph(X, A)
train, test, y_train, y_test = train_test_split(G, y, test_size=0.5, stratify=y, random_state=0)
print(G)

# %%
# Two models
# ----------
# Both are scikit-learn classifiers. Nothing is tuned.

plain = GNNClassifier(random_state=0).fit(train, y_train)
fair = DegFairGNNClassifier(random_state=0).fit(train, y_train)

# %%
# Accuracy and gaps on the test nodes
# -----------------------------------
# Two groups are compared: the 20 % of the test nodes with the fewest links, and the 20 % with the most. Delta DSP
# (degree statistical parity) is the difference in how often each class is predicted. Delta DEO (degree equal
# opportunity) is the difference in how often nodes of a class are recognized. A majority vote treats all nodes alike
# and is of no use, so a small gap alone means little.

print(compare_models({"GCN": plain, "DegFair": fair}, test, y_test))

# %%
# What it means
# -------------
# A report says in words what was found. ``print(report)`` adds what to do about it, and all tables. Here the findings
# say that DegFair does not fix everything: the gap in recall is larger than chance explains, as it is for the GCN.

report = DegreeFairnessReport.from_estimator(fair, test, y_test, reference=plain)
for finding in report.findings:
    print(f"{finding.code}: {finding.title}", f"({finding.measure})" if finding.measure else "")

# %%
# How often each class is predicted
# ---------------------------------
# Points are the two groups with their intervals. Gray bars are what chance would give if degree played no role. With
# the GCN, class 2 is predicted for most nodes of high degree and for few of low degree.

_, axes = plt.subplots(ncols=2, figsize=(8, 4), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, {"GCN": plain, "DegFair": fair}.items(), strict=True):
    DegreeGapDisplay.from_estimator(model, test, y_test, panels="predicted", ax=ax)
    ax.set_title(f"{name}\n{ax.get_title()}", fontsize=10)
axes[0].get_legend().remove()  # one is enough
axes[1].set_ylabel("")
plt.show()
