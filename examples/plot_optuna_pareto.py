"""
The frontier between accuracy and fairness
==========================================

How much accuracy fairness may cost is for the user to decide. ``ParetoSearchCV`` looks for the settings among which
there is something to decide: those that no other setting beats in both. Run with ``--quick`` for a look at how it
works.
"""

# %%
# A search for two things at once
# -------------------------------
# The search space is that of ``search_space(clf)``. The study is kept in a file: started again, the script goes on
# where it was stopped, by Ctrl-C for example.

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import optuna
from sklearn.model_selection import StratifiedKFold, train_test_split

from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import FairestWithin, MostAccurateWithin, fairness_scoring
from skdegfair.tuning import FairnessObjective, ParetoSearchCV

QUICK = "--quick" in sys.argv
n_nodes = 200 if QUICK else 1500
data = make_degree_biased_graph(n_nodes, random_state=0)
train, test = train_test_split(np.arange(n_nodes), test_size=0.5, stratify=data.y, random_state=0)
graph, y = data.graph[train], data.y[train]
output = Path("demo_output")
output.mkdir(exist_ok=True)

clf = DegFairGNNClassifier(max_epochs=10 if QUICK else 200, random_state=0)
folds = StratifiedKFold(2 if QUICK else 3, shuffle=True, random_state=0)
search = ParetoSearchCV(
    clf, n_trials=4 if QUICK else 40, cv=folds, refit=FairestWithin(0.05), random_state=0, show_progress=True,
    storage=f"sqlite:///{output}/study.db", study_name="quick" if QUICK else "whole",
)  # fmt: skip
search.fit(graph, y)

# %%
# The frontier
# ------------

front = search.pareto_
print(
    front[["mean_test_accuracy", "mean_test_neg_delta_dsp", "fairness_weight", "context_weight"]].round(3).to_string()
)

# %%
# Another choice costs nothing
# ----------------------------
# A rule takes ``cv_results_`` and gives a position in it: for another trade-off there is no need to search again.

for rule in (FairestWithin(0.01), FairestWithin(0.05), MostAccurateWithin(0.2)):
    place = rule(search.cv_results_)
    model = DegFairGNNClassifier(**clf.get_params() | search.cv_results_["params"][place]).fit(graph, y)
    assessed = {
        name: round(value, 3) for name, value in fairness_scoring(model, data.graph[test], data.y[test]).items()
    }
    print(f"\n{rule}: trial {search.cv_results_['trial'][place]}, on the nodes that were set aside {assessed}")

# %%
# Pictures, ours and Optuna's
# ---------------------------
# ``optuna-dashboard sqlite:///demo_output/study.db`` shows the study in a browser.

matplotlib.use("Agg")
ParetoDisplay.from_search(search).figure_.savefig(output / "optuna_pareto.png", dpi=150)
print(f"\nWritten to {output}/optuna_pareto.png; the study is in {output}/study.db")

# %%
# A study of your own
# -------------------
# ``FairnessObjective`` is the cross-validation alone. With one metric, trials that fall behind are pruned after a few
# folds.

optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # of the pruner
objective = FairnessObjective(clf, graph, y, metrics="neg_delta_dsp", cv=folds)
study = optuna.create_study(
    directions=objective.directions, pruner=optuna.pruners.WilcoxonPruner(), sampler=optuna.samplers.TPESampler(seed=0)
)
study.optimize(objective, n_trials=2 if QUICK else 10)
print(f"\nSmallest ΔDSP of {len(study.trials)} trials: {-study.best_value:.3f}")
