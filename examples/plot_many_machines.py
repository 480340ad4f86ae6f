"""
A study on many machines
========================

Start the same search on many machines with one storage, and they work on one study together: each takes the next trial,
and all stop when the study has enough trials. Here two processes stand for two machines, and a file stands for their
shared disk.
"""

# %%
# The search that every machine starts
# ------------------------------------
# The data, the folds and the space must be the same everywhere; a search that differs is refused with an error. A
# journal file works on a shared disk. With a database, the storage is a URL such as
# ``"postgresql://user:password@host/database"``. For a script with command-line options see
# ``study_on_many_machines.py``.

from pathlib import Path
from tempfile import TemporaryDirectory

import joblib
import matplotlib.pyplot as plt
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from scipy.stats import loguniform
from sklearn.model_selection import StratifiedKFold

from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.tuning import ParetoSearchCV


def work(path):
    """What one machine does. Returns the fitted search."""
    data = make_degree_biased_graph(400, random_state=0)
    return ParetoSearchCV(
        DegFairGNNClassifier(max_epochs=100, random_state=0),
        {"fairness_weight": loguniform(0.1, 10), "context_weight": loguniform(0.1, 2)},
        n_trials=12,
        batch_size=1,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        storage=JournalStorage(JournalFileBackend(str(path))),
        study_name="together",
        random_state=0,  # each trial has a seed of its own, so machines do not repeat each other's trials
    ).fit(data.graph, data.y)


# %%
# Two machines at work
# --------------------
# Afterwards the same search is started once more. The study has enough trials by then, so it only reads them and fits
# the chosen setting: that is how to get the result.

with TemporaryDirectory() as folder:
    path = Path(folder) / "journal.log"
    joblib.Parallel(n_jobs=2)(joblib.delayed(work)(path) for _ in range(2))
    search = work(path)
    trials = search.study_.get_trials()
print(f"{len(trials)} trials in the study, {len(search.pareto_)} of them on the front")
print(search.pareto_.filter(regex="mean_test_(accuracy|neg_delta_dsp)|weight").round(3).to_string())

# %%
# Who did what
# ------------
# Each machine takes a new trial as soon as it has finished the one before, whatever the other one does. When the study
# is nearly full, each may begin one more trial, so there can be one trial more than ``n_trials``. With several
# processes, the order of trials depends on their speed, and so do the settings that the sampler draws.

workers = [trial.user_attrs["skdegfair:worker"]["pid"] for trial in trials]
machine = {pid: number for number, pid in enumerate(dict.fromkeys(workers))}
begin = min(trial.datetime_start for trial in trials)
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for trial, pid in zip(trials, workers, strict=True):
    start, end = ((time - begin).total_seconds() for time in (trial.datetime_start, trial.datetime_complete))
    ax.barh(trial.number, end - start, left=start, color=f"C{machine[pid]}", label=f"machine {machine[pid] + 1}")
handles, labels = ax.get_legend_handles_labels()
named = dict(zip(labels, handles, strict=True))
ax.legend(named.values(), named, frameon=False)
ax.set(xlabel="Seconds since the first trial began", ylabel="Trial", yticks=range(len(trials)))
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
plt.show()
