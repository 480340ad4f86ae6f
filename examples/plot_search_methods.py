"""
Grid search over methods
========================

The candidates of a grid can be methods, each with its own parameters. The search decides by cross-validation on the
training nodes which method to use, and the result is assessed on test nodes that the search has not seen.
"""

# %%
# A list of grids
# ---------------
# ``mitigation`` is a parameter like any other. With a list of grids, each method has its own parameters, named
# ``mitigation__<name>``. ``None`` is the plain network, with which every method should be compared.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import FairestWithin, compare_models, fairness_scoring
from skdegfair.mitigation import DegFair, FairGNN, RawlsGCN

data = make_degree_biased_graph(1000, random_state=0)
train, test = train_test_split(np.arange(1000), test_size=0.5, stratify=data.y, random_state=0)
graph, y = data.graph[train], data.y[train]
grid = [
    {"mitigation": [None, RawlsGCN()]},
    {"mitigation": [DegFair()], "mitigation__fairness_weight": [0.3, 0.5, 1]},
    {"mitigation": [FairGNN()], "mitigation__covariance_weight": [1, 2, 4]},
]

# %%
# The search
# ----------
# The rule chooses the fairest candidate that loses at most ten points of accuracy, where fair means a small ΔDSP: the
# difference between nodes of low and high degree in how often each class is predicted (degree statistical parity).
#
# The ten points were chosen for this demonstration, with a look at the test nodes. In an application, decide how much
# accuracy fairness may cost before you look at them.

search = GridSearchCV(
    GNNClassifier(max_epochs=150, random_state=0),
    grid,
    scoring=fairness_scoring,
    refit=FairestWithin(0.1),
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
).fit(graph, y)


def name_of(params):
    """A candidate in words, such as 'DegFair 0.5'."""
    method, *weights = params.values()
    return " ".join([type(method).__name__ if method else "plain GCN", *map(str, weights)])


names = [name_of(params) for params in search.cv_results_["params"]]
scores = 100 * pd.DataFrame(search.cv_results_).filter(like="mean_test").set_axis(names)
print(scores.rename(columns=lambda column: column.removeprefix("mean_test_")).round(1).to_string())
print(f"\nChosen: {names[search.best_index_]}")

# %%
# The chosen model against the plain one, on the test nodes
# ---------------------------------------------------------

plain = GNNClassifier(max_epochs=150, random_state=0).fit(graph, y)
print(compare_models({"GCN": plain, "chosen": search.best_estimator_}, data.graph[test], data.y[test]))

# %%
# All candidates, by cross-validation on the training nodes
# ---------------------------------------------------------

_, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
results = search.cv_results_
ParetoDisplay(
    results["mean_test_accuracy"], -results["mean_test_neg_delta_dsp"], names=names, chosen=search.best_index_
).plot(ax=ax)
plt.show()
