"""
The frontier between accuracy and fairness
==========================================

How much accuracy fairness may cost is your decision. ``ParetoSearchCV`` finds the settings worth choosing from:
those that no other setting beats in both accuracy and fairness. A rule then chooses one of them, and another rule can
choose another one without another search.
"""

# %%
# A search with two objectives
# ----------------------------
# Optuna's sampler draws settings and learns from previous trials. Each setting is cross-validated on the training
# nodes. Without a search space, the search uses ``search_space(clf)``; here it varies three parameters only. With
# ``storage="sqlite:///study.db", study_name="mine"``, a search that was stopped continues where it stopped.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import loguniform
from sklearn.model_selection import StratifiedKFold, train_test_split

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import FairestWithin, MostAccurateWithin, compare_models
from skdegfair.tuning import ParetoSearchCV

data = make_degree_biased_graph(800, random_state=0)
train, test = train_test_split(np.arange(800), test_size=0.5, stratify=data.y, random_state=0)
graph, y = data.graph[train], data.y[train]

clf = DegFairGNNClassifier(max_epochs=100, random_state=0)
space = {
    "fairness_weight": loguniform(0.05, 5),
    "context_weight": loguniform(0.1, 2),
    "fairness_loss": ["dsp", "deo", "both"],
}
folds = StratifiedKFold(3, shuffle=True, random_state=0)
search = ParetoSearchCV(clf, space, n_trials=24, cv=folds, refit=FairestWithin(0.08), random_state=0).fit(graph, y)

# %%
# The frontier
# ------------
# The second score is minus ΔDSP (degree statistical parity): the difference between nodes of low and high degree in how
# often each class is predicted.

print(search.pareto_[["mean_test_accuracy", "mean_test_neg_delta_dsp", *space]].round(3).to_string())

# %%
# Three choices from one search
# -----------------------------
# The scores of the search are optimistic, because settings were chosen by them. So the chosen models are compared on
# test nodes, with a plain network.

models = {"GCN": GNNClassifier(max_epochs=100, random_state=0).fit(graph, y)}
for rule in (FairestWithin(0.02), FairestWithin(0.08), MostAccurateWithin(0.3)):
    params = search.choose(rule)
    name = f"{type(rule).__name__}({next(iter(vars(rule).values()))})"
    models[name] = DegFairGNNClassifier(**clf.get_params() | params).fit(graph, y)
comparison = compare_models(models, data.graph[test], data.y[test])
shown = comparison.table.loc[["accuracy", "delta_dsp"], ["value", "difference", "difference_low", "difference_high"]]
print((100 * shown).round(1).to_string())

# %%
# All trials
# ----------
# The search's own scores, with standard deviations over folds. The circle is the choice of ``refit``.

majority = comparison.table.loc[("accuracy", "majority vote"), "value"]
ParetoDisplay.from_search(search, majority=majority)
plt.show()
