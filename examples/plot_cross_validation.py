"""
Cross-validation on a graph
===========================

scikit-learn's ``cross_validate`` measures, on nodes that were not used for training, how accurate a classifier is and
how differently it treats nodes of low and high degree. The nodes are split, the graph is not: the model of each fold
sees all nodes and edges, but only the labels of its training nodes.
"""

# %%
# A graph and a scorer that reads degrees from it
# -----------------------------------------------
# ``fairness_scoring`` computes accuracy and both gaps from one prediction: ΔDSP (degree statistical parity) is the
# difference between the groups in how often each class is predicted, ΔDEO (degree equal opportunity) their difference
# in recall. Higher scores are better, so gaps are negative.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import fairness_scoring

data = make_degree_biased_graph(1500, random_state=0)
folds = StratifiedKFold(5, shuffle=True, random_state=0)

# %%
# The same folds for each model
# -----------------------------
# With ``n_jobs=2``, folds run in two processes, which share the arrays of the graph.

models = {
    "majority vote": DummyClassifier(),
    "GCN": GNNClassifier(random_state=0),
    "DegFair, fairness_weight=0.5": DegFairGNNClassifier(fairness_weight=0.5, random_state=0),
    "DegFair, default": DegFairGNNClassifier(random_state=0),
}
scores = {
    name: pd.DataFrame(cross_validate(model, data.graph, data.y, cv=folds, scoring=fairness_scoring))
    for name, model in models.items()
}

# %%
# Mean and standard deviation over folds
# --------------------------------------
# Folds share training nodes. The standard deviation therefore shows how much folds differ, not how certain the mean is.

table = pd.concat(scores).groupby(level=0, sort=False).agg(["mean", "std"])
for name, row in (100 * table).iterrows():
    texts = [f"{what} {row[f'test_{what}', 'mean']:.1f} ± {row[f'test_{what}', 'std']:.1f}" for what in (
        "accuracy", "neg_delta_dsp", "neg_delta_deo")]  # fmt: skip
    print(f"{name:30}", ", ".join(texts))

# %%
# The picture
# -----------
# Further up is more accurate, further left is fairer. Bars are standard deviations over the folds. The majority vote is
# the fairest model of all, and useless: look at both axes.

shown = table.drop(index="majority vote")
ParetoDisplay(
    shown["test_accuracy", "mean"],
    -shown["test_neg_delta_dsp", "mean"],
    names=list(shown.index),
    accuracy_sd=shown["test_accuracy", "std"],
    gap_sd=shown["test_neg_delta_dsp", "std"],
    majority=table.loc["majority vote", ("test_accuracy", "mean")],
).plot()
plt.show()
