"""Is anything lost if a process is killed (kill -9) while it fits, saves or searches?

A child process works on a small graph and is killed at random moments:

- fit: with a checkpoint. When started again, it must continue instead of starting over, and end with exactly the
  weights of a fit that was not killed.
- save: writes two models to the same file in turn. The file must always be one of them, and complete.
- search: ParetoSearchCV with a storage. When started again, it must end with all trials, and those that were complete
  before must be unchanged.

Usage: python benchmarks/kill.py [--kills 20] [--seed 0] [--only fit]

Writes benchmarks/results/kill.csv, a row per kill. With --only, the rows of the other two are kept.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import optuna
import pandas as pd

import skdegfair
from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.training import read_checkpoint
from skdegfair.tuning import ParetoSearchCV

RESULTS = Path(__file__).parent / "results"
N_TRIALS = 12


def data():
    return make_degree_biased_graph(400, random_state=0)


def classifier(**params):
    """With all that has a state: dropout, batches, sampled neighbors, the optimizer, early stopping."""
    return DegFairGNNClassifier(
        max_epochs=60, batch_size=100, n_neighbors=5, early_stopping=True, patience=50, random_state=0, **params
    )


def digest(clf):
    """Of all weights."""
    weights = clf.module_.state_dict()
    return hashlib.sha256(b"".join(weights[name].numpy().tobytes() for name in sorted(weights))).hexdigest()


# -- what is killed ------------------------------------------------------------------------------------


def fit(folder):
    given = data()
    print("ready", flush=True)
    clf = classifier(checkpoint=folder / "checkpoint").fit(given.graph, given.y)
    print(digest(clf), flush=True)


def save(folder):
    given = data()
    models = [
        DegFairGNNClassifier(max_epochs=1, hidden_dim=h, random_state=0).fit(given.graph, given.y) for h in (8, 256)
    ]
    print("ready", flush=True)
    while True:
        for model in models:
            skdegfair.save(model, folder / "model")


def search(folder):
    given = data()
    print("ready", flush=True)
    estimator = DegFairGNNClassifier(max_epochs=5, random_state=0)
    ParetoSearchCV(
        estimator,
        n_trials=N_TRIALS,
        cv=2,
        refit=False,
        storage=f"sqlite:///{folder / 'study.db'}",
        study_name="killed",
        random_state=0,
    ).fit(given.graph, given.y)


# -- who kills it --------------------------------------------------------------------------------------


def start(what, folder):
    command = [sys.executable, __file__, "--child", what, str(folder)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert child.stdout.readline() == "ready\n"
    return child


def killed_after(seconds, what, folder):
    """Start a child and kill it; False if it was done before."""
    child = start(what, folder)
    time.sleep(seconds)
    done = child.poll() is not None
    os.killpg(child.pid, signal.SIGKILL) if not done else None
    child.wait()
    return not done


def run(what, folder):
    """Let a child finish, and return what it says last."""
    child = start(what, folder)
    said = child.stdout.read()
    assert child.wait() == 0, f"{what} failed"
    return said.strip()


def duration(what):
    """Seconds that a child works, and what it says last."""
    with tempfile.TemporaryDirectory() as folder:
        child = start(what, Path(folder))
        begin = time.monotonic()
        said = child.stdout.read()
        assert child.wait() == 0, f"{what} failed"
        return time.monotonic() - begin, said.strip()


def kill_fit(folder, seconds, expected):
    killed = killed_after(seconds, "fit", folder)
    path = folder / "checkpoint"
    saved = read_checkpoint(path)  # raises an error if the file is not whole
    n_epochs = 0 if saved is None else saved.document["n_epochs"]
    return {"killed": killed, "kept": n_epochs, "whole": True, "right": run("fit", folder) == expected}


def kill_save(folder, seconds, _):
    killed = killed_after(seconds, "save", folder)
    path = folder / "model"
    widths = [skdegfair.load(path).hidden_dim] if path.exists() else []
    return {"killed": killed, "kept": len(widths), "whole": True, "right": set(widths) <= {8, 256}}


def trials(folder):
    storage = f"sqlite:///{folder / 'study.db'}"
    try:
        study = optuna.load_study(study_name="killed", storage=storage)
    except KeyError:
        return {}
    complete = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
    return {trial.number: (trial.params, trial.values) for trial in complete}


def kill_search(folder, seconds, _):
    killed = killed_after(seconds, "search", folder)
    before = trials(folder)
    run("search", folder)
    after = trials(folder)
    unchanged = all(after.get(number) == trial for number, trial in before.items())
    return {"killed": killed, "kept": len(before), "whole": unchanged, "right": len(after) == N_TRIALS}


KILLS = {"fit": kill_fit, "save": kill_save, "search": kill_search}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(KILLS))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        {"fit": fit, "save": save, "search": search}[options.child[0]](Path(options.child[1]))
        return
    random = np.random.default_rng(options.seed)
    path = RESULTS / "kill.csv"
    rows = [row for row in pd.read_csv(path).to_dict("records") if row["what"] != options.only] if options.only else []
    for what, kill in KILLS.items():
        if options.only not in (None, what):
            continue
        longest, expected = (1.0, "") if what == "save" else duration(what)
        for number in range(options.kills):
            seconds = random.uniform(0, longest)
            with tempfile.TemporaryDirectory() as folder:
                outcome = kill(Path(folder), seconds, expected)
            rows.append({"what": what, "kill": number, "seconds": round(seconds, 2), **outcome})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(path, index=False)
    print(table.groupby("what")[["killed", "whole", "right"]].sum())


if __name__ == "__main__":
    main()
