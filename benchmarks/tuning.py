"""What does a search gain? Its front is compared with random settings, and its choice with the default.

*front*: on the built-in graph, 40 trials of ParetoSearchCV and 40 random settings, five seeds: the share of the random
settings that a trial of the search beats (as accurate and as fair, and better in one), the share that 40 other random
settings beat, and the hypervolume of both fronts (the area in accuracy and 1 - gap that a front covers).

*choice*: on Chameleon, for the authors' split and ten random ones: a study on training and validation nodes, whose
choice and the default are both fitted to these nodes, with five seeds, and compared on the test nodes. The study
uses delta DEO, which is larger than chance explains there (delta DSP is not), and chooses the fairest setting within
half a point of accuracy, so that noise does not increase the loss to more than one point.

Usage: python benchmarks/tuning.py [--parts front choice] [--quick] [--jobs 2]

Results are written to benchmarks/results/tuning_*.csv as they become available. To continue after an interruption,
start the script again. The tables are also written to docs/tuning.rst. Results with --quick are written to
benchmarks/results/quick/ only.
"""

import argparse
import time

import numpy as np
import optuna
import pandas as pd
from _study import RESULTS
from _tables import into_page
from joblib import Parallel, delayed
from scipy.stats import t
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import authors_split, fetch_chameleon, make_degree_biased_graph, random_split
from skdegfair.metrics import FairestWithin, fairness_scoring
from skdegfair.tuning import ParetoSearchCV

SCORES = {"accuracy": 1, "neg_delta_dsp": -1, "neg_delta_deo": -1}


def front(seed, quick, n_jobs):
    """One comparison of a search with random settings."""
    data = make_degree_biased_graph(400, random_state=seed)
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    estimator = DegFairGNNClassifier(max_epochs=10 if quick else 60, random_state=seed)
    options = {"n_trials": 8 if quick else 40, "cv": folds, "refit": False, "n_jobs": n_jobs, "random_state": seed}
    points = []
    for sampler in (None, *(optuna.samplers.RandomSampler(seed=each) for each in (seed, seed + 1000))):
        results = ParetoSearchCV(estimator, sampler=sampler, **options).fit(data.graph, data.y).cv_results_
        points.append(np.column_stack([results["mean_test_accuracy"], 1 + results["mean_test_neg_delta_dsp"]]))
    found, random, other = points
    return {
        "beaten": beaten(random, found),
        "beaten_by_random": beaten(random, other),
        "hypervolume": hypervolume(found),
        "hypervolume_random": hypervolume(random),
        "difference": hypervolume(found) - hypervolume(random),
    }


def beaten(points, by):
    """What part of the points is beaten by one of the others."""
    return np.mean([((by >= each).all(1) & (by > each).any(1)).any() for each in points])


def hypervolume(points):
    """Area below and left of the points, from 0 on."""
    area, height = 0.0, 0.0
    for width, high in points[np.argsort(-points[:, 0])]:
        area += width * max(high - height, 0)
        height = max(high, height)
    return area


def choice(split_number, quick, n_jobs):
    """One study without the test nodes, and its choice beside the default on these; split 0 is the authors'."""
    data = fetch_chameleon()
    n_nodes = len(data.y)
    split = authors_split(n_nodes) if split_number == 0 else random_split(n_nodes, random_state=split_number)
    known = np.concatenate([split.train, split.valid])
    default = DegFairGNNClassifier(max_epochs=5 if quick else 300, random_state=split_number)
    search = ParetoSearchCV(
        default, n_trials=4 if quick else 20, cv=StratifiedKFold(3, shuffle=True, random_state=0),
        objectives=["accuracy", "neg_delta_deo"], refit=FairestWithin(0.005, fairness="neg_delta_deo"), n_jobs=n_jobs,
        random_state=split_number,
    ).fit(data.graph[known], data.y[known])  # fmt: skip
    row = {"trial": search.cv_results_["trial"][search.best_index_], "params": search.best_params_}
    return row | assessed(default, search.best_params_, data, known, split.test, n_jobs)


def assessed(default, params, data, known, test, n_jobs):
    """Scores of the default and of the chosen parameters on the test nodes, each the mean of models of five seeds."""

    def scores(model):
        model.fit(data.graph[known], data.y[known])
        return fairness_scoring(model, data.graph[test], data.y[test])

    models = {"chosen": clone(default).set_params(**params), "default": default}
    tasks = [(name, clone(model).set_params(random_state=seed)) for name, model in models.items() for seed in range(5)]
    rows = pd.DataFrame(Parallel(n_jobs=n_jobs)(delayed(scores)(model) for _, model in tasks))
    means = rows.groupby([name for name, _ in tasks]).mean()
    return {
        f"{name}_{score.removeprefix('neg_')}": sign * means.loc[name, score]
        for name in models
        for score, sign in SCORES.items()
    }


PARTS = {"front": (front, range(5)), "choice": (choice, range(11))}


def carried_out(part, folder, quick, n_jobs):
    """The rows of a part, of which those that are missing are made."""
    function, numbers = PARTS[part]
    path = folder / f"tuning_{part}.csv"
    rows = pd.read_csv(path).to_dict("records") if path.exists() else []
    for number in (each for each in numbers[: 3 if quick else None] if each not in [row["number"] for row in rows]):
        start = time.perf_counter()
        rows.append(
            {"number": number, **function(number, quick, n_jobs), "seconds": round(time.perf_counter() - start)}
        )
        pd.DataFrame(rows).to_csv(path, index=False)
        print(part, rows[-1], flush=True)
    return pd.DataFrame(rows)


def interval(values):
    """Mean with its 95 % interval."""
    values = np.asarray(values, dtype=float)
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.1f} ({values.mean() - half:.1f} to {values.mean() + half:.1f})"


def table(rows):
    """Lines of a simple table in RST, whose first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [rule, lines[0], rule, *lines[1:], rule, ""]


def described(front_rows, choice_rows):
    """Format the tables for docs/tuning.rst, in percent."""
    search = table(
        [
            ("ParetoSearchCV against random settings, 40 trials each", "mean of five seeds (95 % interval)"),
            ("random settings that the search's front beats", interval(100 * front_rows["beaten"]) + " %"),
            ("the same of as many other random settings", interval(100 * front_rows["beaten_by_random"]) + " %"),
            ("hypervolume of the search's front, in percent", interval(100 * front_rows["hypervolume"])),
            ("hypervolume of the random settings' front", interval(100 * front_rows["hypervolume_random"])),
            ("difference", interval(100 * front_rows["difference"])),
        ]
    )
    rows = [("Chameleon, test nodes", "accuracy", "ΔDSP", "ΔDEO")]
    names = ["accuracy", "delta_dsp", "delta_deo"]
    authors, splits = choice_rows[choice_rows["number"] == 0], choice_rows[choice_rows["number"] > 0]
    for model in ("default", "chosen"):
        rows.append((f"authors' split, {model}", *(f"{100 * authors[f'{model}_{n}'].iloc[0]:.1f}" for n in names)))
    for model in ("default", "chosen"):
        rows.append((f"ten splits, {model}", *(interval(100 * splits[f"{model}_{n}"]) for n in names)))
    gains = {n: 100 * (splits[f"chosen_{n}"] - splits[f"default_{n}"]) for n in names}
    rows.append(("ten splits, difference", *(interval(gains[n]) for n in names)))
    return [*search, *table(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="few trials and epochs")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    folder = RESULTS / "quick" if options.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    rows = {part: carried_out(part, folder, options.quick, options.jobs) for part in options.parts}
    if len(rows) == len(PARTS):
        lines = described(rows["front"], rows["choice"])
        print("\n".join(lines))
        if not options.quick:
            into_page("tuning.rst", "tuning", lines)


if __name__ == "__main__":
    main()
