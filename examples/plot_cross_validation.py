"""
Cross-validation on a graph
===========================

How accurate a classifier is, and how differently it treats nodes of low and of high degree, on nodes that it was not
trained on. Nodes are split, the graph is not: every fold's model sees all nodes and edges, and the labels of its
training nodes. Run with ``--quick`` for a look at how it works.
"""

# %%
# A graph, and a scorer that reads degrees from it
# ------------------------------------------------
# ``Graph`` holds features and edges together; scikit-learn splits it as it would split a table. ``fairness_scoring``
# gives accuracy and both gaps from one prediction. Scores are the higher the better, so gaps come with a minus.

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
# Folds share training nodes, so their spread says how much a fold differs from another, and not how sure the mean is.

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
# With ``n_jobs=2`` folds run in two processes, which share the arrays of the graph. On a cluster, put the call into
# ``with joblib.parallel_config(backend="dask"):``, see ``study_on_many_machines.py``.
