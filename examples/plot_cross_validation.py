"""
Cross-validation on a graph
===========================

This script measures, on nodes that were not used for training, how accurate a classifier is and how differently it
treats nodes of low and high degree. The nodes are split, the graph is not: the model of each fold sees all nodes and
edges, but only the labels of its training nodes. Use ``--quick`` for a short run.
"""

# %%
# A graph and a scorer that reads degrees from it
# -----------------------------------------------
# A ``Graph`` holds features and edges; scikit-learn splits it like a table. ``fairness_scoring`` computes accuracy and
# both gaps from one prediction: ΔDSP (degree statistical parity) is the difference between the groups in how often each
# class is predicted, ΔDEO (degree equal opportunity) their difference in recall. Higher scores are better, so gaps are
# negative.

import sys

import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import fairness_scoring

QUICK = "--quick" in sys.argv
data = make_degree_biased_graph(200 if QUICK else 1500, random_state=0)
folds = StratifiedKFold(2 if QUICK else 5, shuffle=True, random_state=0)
options = {"max_epochs": 10 if QUICK else 300, "random_state": 0}

# %%
# The same folds for each model
# -----------------------------

models = {
    "majority vote": DummyClassifier(),
    "GCN": GNNClassifier(**options),
    "DegFairGCN": DegFairGNNClassifier(**options),
    "DegFairGCN, fairness_weight=5": DegFairGNNClassifier(fairness_weight=5, **options),
}
scores = {
    name: cross_validate(model, data.graph, data.y, cv=folds, scoring=fairness_scoring, error_score="raise")
    for name, model in models.items()
}

# %%
# Mean and standard deviation over folds
# --------------------------------------
# Folds share training nodes. The standard deviation therefore shows how much folds differ, not how certain the mean is.

columns = {"test_accuracy": "accuracy", "test_neg_delta_dsp": "-ΔDSP", "test_neg_delta_deo": "-ΔDEO"}
table = pd.DataFrame(
    {
        name: [f"{100 * result[column].mean():.1f} ± {100 * result[column].std(ddof=1):.1f}" for column in columns]
        for name, result in scores.items()
    },
    index=list(columns.values()),
).T
print(table.to_string())

# %%
# With ``n_jobs=2``, folds run in two processes, which share the arrays of the graph. On a cluster, call
# ``cross_validate`` inside ``with joblib.parallel_config(backend="dask"):``; see ``study_on_many_machines.py``.
