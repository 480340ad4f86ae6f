"""How often are the intervals and the p-values of differences between two models right?

Draws many test sets from known probabilities and counts, for each gap, how often the 95 % interval of the difference
between the gaps of two models covers the true difference, and how often it excludes 0 (the p-value is below 5 % in the
same simulations). Where the true difference is 0, it should exclude 0 in at most 5 %. Compares three constructions:

- corrected: what compare_models does. The difference is corrected for the part that noise adds to gaps, and the
  interval has the width of the bootstrap distribution of the corrected difference;
- bootstrap: the observed difference, with the bootstrap distribution of differences;
- swaps: the observed difference, with the distribution of differences after swapping the predictions of both models
  at random for each node.

Usage: python benchmarks/difference_coverage.py [--simulations 200] [--jobs 1]

Typical output is in benchmarks/results/difference_coverage.txt.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from skdegfair.metrics import gaps, mean_of_defined
from skdegfair.metrics._inference import MEASURES
from skdegfair.metrics._paired import GAP_NAMES, Predicted, resample_models
from skdegfair.metrics._resampling import largest_by_chance

SHOWN = ["delta_dsp", "delta_deo", "accuracy_gap"]
EVEN, EVEN_20 = np.full((2, 5), 1 / 5), np.full((2, 20), 1 / 20)
NONE = 2 * [[0.7, 0.6, 0.8, 0.7, 0.5]]
SOME = [[0.8, 0.7, 0.6, 0.7, 0.5], [0.5, 0.7, 0.6, 0.4, 0.8]]
LARGE = [[0.9, 0.4, 0.8, 0.4, 0.9], [0.5, 0.8, 0.5, 0.8, 0.5]]
CASES = {  # prior, recalls of the first and of the second model
    "equal: none": (EVEN, NONE, NONE),
    "equal: none, unlike accuracy": (EVEN, 2 * [5 * [0.95]], 2 * [5 * [0.6]]),
    "equal: none, unlike, 20 classes": (EVEN_20, 2 * [20 * [0.9]], 2 * [20 * [0.5]]),
    "equal: in some classes": (EVEN, SOME, SOME),
    "equal: of opposite sign": (EVEN, SOME, SOME[::-1]),
    "none and in some classes": (EVEN, NONE, SOME),
    "none and large": (EVEN, NONE, LARGE),
    "in some classes and large": (EVEN, SOME, LARGE),
    "near recall 1 and large": (EVEN, 2 * [5 * [0.97]], [[0.98, 0.95, 0.9, 0.97, 0.95], [0.7, 0.6, 0.8, 0.7, 0.6]]),
}
SIZES = {"92 + 89 nodes": (92, 89), "460 + 445 nodes": (460, 445)}
RESAMPLES = 300
SHARED = 0.6  # weight of predictions that agree as often as they can


def confusion(recall):
    """P(predicted class | group, true class)."""
    recall = np.asarray(recall)[:, :, None]
    right = np.eye(recall.shape[1])
    return recall * right + (1 - recall) / (len(right) - 1) * (1 - right)


def joint(prior, one, other):
    """P(true class, first prediction, second prediction | group)."""
    one, other = confusion(one), confusion(other)
    agree = np.minimum(one, other)
    left, right = one - agree, other - agree
    rest = np.maximum(left.sum(-1), 1e-12)[..., None, None]
    together = agree[..., None] * np.eye(prior.shape[1]) + left[..., :, None] * right[..., None, :] / rest
    apart = one[..., :, None] * other[..., None, :]
    return prior[:, :, None, None] * (SHARED * together + (1 - SHARED) * apart)


def gap(name, tables):
    rates = MEASURES[name].rates(tables)
    rates = rates if rates.ndim == tables.ndim - 1 else rates[..., None]
    return mean_of_defined(gaps(np.swapaxes(rates, -1, -2)))


def swapped(predicted, rng):
    """Differences after random swaps, for each measure: (n_resamples,)."""
    n_groups, n_classes = predicted.n_groups, predicted.n_classes
    away = rng.random((RESAMPLES, len(predicted.truth))) < 0.5
    tables = []
    for first, second in (predicted.predictions, predicted.predictions[::-1]):
        cell = (predicted.groups * n_classes + predicted.truth) * n_classes + np.where(away, second, first)
        cell = cell + np.arange(RESAMPLES)[:, None] * n_groups * n_classes**2
        counts = np.bincount(cell.ravel(), minlength=RESAMPLES * n_groups * n_classes**2)
        tables.append(counts.reshape(RESAMPLES, n_groups, n_classes, n_classes))
    return {name: gap(name, tables[1]) - gap(name, tables[0]) for name in MEASURES}


def simulate(probability, sizes, seed):
    """The intervals of one test set: {(method, measure): (low, high)}."""
    rng = np.random.default_rng(seed)
    shape = probability.shape[1:]
    cells = [rng.choice(np.prod(shape), size=n, p=p.ravel()) for n, p in zip(sizes, probability, strict=True)]
    truth, *predictions = np.unravel_index(np.concatenate(cells), shape)
    predicted = Predicted(np.repeat([0, 1], sizes), truth, np.stack(predictions), 2, shape[0], None)
    study = resample_models(predicted, pairs="max", n_resamples=RESAMPLES, seed=seed)
    shown = {name: noise for name, noise in study.rates.items() if GAP_NAMES[name] in SHOWN}
    frame = study._replace(rates=shown).frame(0, 0.05).xs(1, level="model")
    swaps = swapped(predicted, rng)
    intervals = {}
    tables = predicted.tables()[:, :-1]
    for measure in shown:
        name = GAP_NAMES[measure]
        row = frame.loc[name]
        intervals["corrected", name] = row["difference_low"], row["difference_high"]
        assert (row["p_value"] < 0.05) == (row["difference_low"] > 0 or row["difference_high"] < 0)
        rates = MEASURES[measure].rates(tables)
        rates = (rates if rates.ndim == 3 else rates[..., None]) + study.rates[measure]
        first, second = mean_of_defined(gaps(np.swapaxes(rates, -1, -2))).T
        noise = second - first
        for method, drawn in (("bootstrap", noise - noise.mean()), ("swaps", swaps[measure])):
            reach = largest_by_chance(np.abs(drawn), 0.05)
            intervals[method, name] = row["difference"] - reach, row["difference"] + reach
    return intervals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    rows = []
    for case, arguments in CASES.items():
        probability = joint(*arguments)
        first, second = probability.sum(3), probability.sum(2)
        truth = {name: float(gap(measure, second) - gap(measure, first)) for measure, name in GAP_NAMES.items()}
        for size, sizes in SIZES.items():
            drawn = Parallel(n_jobs=options.jobs)(
                delayed(simulate)(probability, sizes, seed) for seed in range(options.simulations)
            )
            for method, name in drawn[0]:
                low, high = np.transpose([intervals[method, name] for intervals in drawn])
                covered = (low <= truth[name] + 1e-12) & (truth[name] - 1e-12 <= high)
                excluded = (low > 0) | (high < 0)
                known = [case, f"{size}, {method}", name]
                rows.append([*known, f"{100 * truth[name]:.1f}", 100 * covered.mean(), 100 * excluded.mean()])
        print(f"done: {case}", flush=True)
    columns = ["gaps of the two models", "test set, construction", "measure", "true", "covered", "excludes"]
    table = pd.DataFrame(rows, columns=columns).pivot_table(
        index=columns[:2], columns="measure", values=columns[3:], aggfunc="first", sort=False
    )
    text = f"{options.simulations} simulations, {RESAMPLES} resamples each, 5 classes unless said otherwise\n\n"
    titles = {
        "covered": "Percent of 95 % intervals that cover the true difference",
        "excludes": "Percent of intervals that exclude 0: at most 5 should if the true difference is 0, otherwise many",
    }
    for values, title in titles.items():
        text += f"{title}\n{table[values][SHOWN].to_string(float_format='{:.1f}'.format)}\n\n"
    truth = table["true"][SHOWN].groupby(level=0, sort=False).first()
    text += f"True difference, percentage points\n{truth.to_string()}\n"
    print(text)
    (Path(__file__).parent / "results" / "difference_coverage.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
