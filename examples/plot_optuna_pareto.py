"""
The frontier between accuracy and fairness
==========================================

How much accuracy fairness may cost is the user's decision. ``ParetoSearchCV`` finds the settings that are worth a
choice: those that no other setting beats in both accuracy and fairness. Use ``--quick`` for a short run.
"""

# %%
# A search with two objectives
# ----------------------------
# The search space is ``search_space(clf)``. The study is saved in a file: if the script is stopped, for example by
# Ctrl-C, and started again, it continues where it stopped.

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
# Another choice without another search
# -------------------------------------
# A rule takes ``cv_results_`` and returns the position of one candidate. To choose another trade-off, apply another
# rule to the same results.

for rule in (FairestWithin(0.01), FairestWithin(0.05), MostAccurateWithin(0.3)):
    place = rule(search.cv_results_)
    model = DegFairGNNClassifier(**clf.get_params() | search.cv_results_["params"][place]).fit(graph, y)
    assessed = {
        name: round(value, 3) for name, value in fairness_scoring(model, data.graph[test], data.y[test]).items()
    }
    print(f"\n{rule}: trial {search.cv_results_['trial'][place]}, on the held-out nodes {assessed}")

# %%
# Plots
# -----
# ``optuna-dashboard sqlite:///demo_output/study.db`` shows the study in a browser.

matplotlib.use("Agg")
ParetoDisplay.from_search(search).figure_.savefig(output / "optuna_pareto.png", dpi=150)
print(f"\nWritten to {output}/optuna_pareto.png; the study is in {output}/study.db")

# %%
# A study of your own
# -------------------
# ``FairnessObjective`` only cross-validates the setting of a trial. With one metric, here ΔDSP (degree statistical
# parity), a pruner can end poor trials after a few folds.

optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # raised by the pruner
objective = FairnessObjective(clf, graph, y, metrics="neg_delta_dsp", cv=folds)
study = optuna.create_study(
    directions=objective.directions, pruner=optuna.pruners.WilcoxonPruner(), sampler=optuna.samplers.TPESampler(seed=0)
)
study.optimize(objective, n_trials=2 if QUICK else 10)
print(f"\nSmallest ΔDSP of {len(study.trials)} trials: {-study.best_value:.3f}")
