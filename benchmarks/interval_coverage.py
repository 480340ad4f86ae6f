"""How often are the report's intervals and its null right?

Draws many test sets from known probabilities and counts, for each gap, how often the 95 % null covers the gap of
predictions that do not depend on degree, and how often the 95 % interval covers a known gap, which is 0 or larger.
The test sets are as large as Chameleon's (92 and 89 nodes of low and high degree) or ten times that.

Usage: python benchmarks/interval_coverage.py [--simulations 1000] [--jobs 2]

Typical output is in benchmarks/results/interval_coverage.txt.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from skdegfair.metrics import degree_fairness_report

GAPS = ["delta_dsp", "delta_deo", "accuracy", "balanced_accuracy", "macro_f1"]
EVEN, EVEN_20 = np.full((2, 5), 1 / 5), np.full((2, 20), 1 / 20)
UNEVEN = np.array([[0.3, 0.25, 0.2, 0.15, 0.1], [0.1, 0.15, 0.2, 0.25, 0.3]])
LEVEL = [0.7, 0.6, 0.8, 0.7, 0.5]
NO_GAP = {
    "none": (EVEN, [LEVEL, LEVEL]),
    "none but in classes": (UNEVEN, [LEVEL, LEVEL]),
    "none, 20 classes": (EVEN_20, [4 * LEVEL, 4 * LEVEL]),
}
GAP = {
    "in one class": (EVEN, [[0.7, 0.7, 0.7, 0.7, 0.9], [0.7, 0.7, 0.7, 0.7, 0.3]]),
    "in some classes": (EVEN, [[0.8, 0.7, 0.6, 0.7, 0.5], [0.5, 0.7, 0.6, 0.4, 0.8]]),
    "in all classes": (UNEVEN, [[0.9, 0.4, 0.8, 0.4, 0.9], [0.5, 0.8, 0.5, 0.8, 0.5]]),
    "in 6 of 20 classes": (EVEN_20, [20 * [0.7], 6 * [0.3] + 14 * [0.7]]),
    "recalls near 1": (EVEN, [[0.98, 0.95, 0.9, 0.97, 0.95], [0.7, 0.6, 0.8, 0.7, 0.6]]),
}
RESAMPLES = 500
SIZES = {"92 + 89 nodes": (92, 89), "920 + 890 nodes": (920, 890)}


def joint(prior, recall):
    """Probability of group, true and predicted class."""
    recall = np.asarray(recall)[:, :, None]
    right = np.eye(prior.shape[1])
    wrong = (1 - recall) / (len(right) - 1) * (1 - right)
    return prior[:, :, None] * (wrong + recall * right)


def true_gaps(probability):
    """The gaps of the probabilities themselves, from as many nodes as make rounding small."""
    nodes = np.rint(1e6 * probability).astype(int)
    group, truth, predicted = (np.repeat(index.ravel(), nodes.ravel()) for index in np.indices(nodes.shape))
    return degree_fairness_report(truth, predicted, groups=group, n_resamples=1).gaps["gap"]


def simulate(probability, sizes, seed):
    """The gaps of one test set drawn at random."""
    random = np.random.default_rng(seed)
    n_classes = probability.shape[1]
    cells = [random.choice(n_classes**2, size=n, p=p.ravel()) for n, p in zip(sizes, probability, strict=True)]
    group = np.repeat([0, 1], sizes)
    truth, predicted = np.divmod(np.concatenate(cells), n_classes)
    labels = range(n_classes)
    return degree_fairness_report(
        truth, predicted, groups=group, labels=labels, n_resamples=RESAMPLES, random_state=seed
    ).gaps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for case, (prior, recall) in (NO_GAP | GAP).items():
        probability = joint(prior, recall)
        truth = true_gaps(probability)
        for size, sizes in SIZES.items():
            drawn = Parallel(n_jobs=options.jobs)(
                delayed(simulate)(probability, sizes, seed) for seed in range(options.simulations)
            )
            for gap in GAPS:
                tables = [table.loc[gap] for table in drawn]
                known = [case, size, gap, f"{100 * truth[gap]:.1f}"]
                inside = [table["ci_low"] <= truth[gap] <= table["ci_high"] for table in tables]
                rows.append(["interval", *known, 100 * np.mean(inside)])
                if truth[gap] < 1e-9:  # else degree plays a part, be it by way of the classes
                    explained = [table["gap"] <= table["null_95"] for table in tables]
                    rows.append(["null", *known, 100 * np.mean(explained)])
    columns = ["covers by", "gap", "test set", "measure", "true gap", "% covered"]
    table = pd.DataFrame(rows, columns=columns).pivot_table(
        index=columns[:3], columns="measure", values=["true gap", "% covered"], aggfunc="first", sort=False
    )
    table = table.sort_index(level="covers by", sort_remaining=False)
    text = f"{options.simulations} simulations, {RESAMPLES} resamples each, 5 classes unless said otherwise\n\n"
    for values, title in (("% covered", "Percent of simulations covered"), ("true gap", "True gap, percent")):
        text += f"{title}\n{table[values][GAPS].to_string(float_format='{:.1f}'.format, na_rep='-')}\n\n"
    print(text)
    (Path(__file__).parent / "results").mkdir(exist_ok=True)
    (Path(__file__).parent / "results" / "interval_coverage.txt").write_text(text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
