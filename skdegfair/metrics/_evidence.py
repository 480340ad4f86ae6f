"""Numbers that findings read in addition to the tables of a report."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from ._compare import compare_fairness
from ._inference import Resampled
from ._resampling import chunks, permuted_tables
from ._table import Counts, Rates, classes_of, gaps, group_numbers, mean_of_defined, prediction_rates

POWER = 0.8
"""Share of samples in which a gap of the detectable size is beyond chance."""


class Reference(NamedTuple):
    """The change from a reference model to the assessed predictions, on the same nodes.

    ``gaps`` has one row per measure of :func:`compare_fairness`: ``reference``, ``predictions`` and the ``p_value`` of
    the difference. ``groups`` has one row per group: the number of nodes ``n``, and how many of them are classified
    correctly by both models (``both``), only by the reference (``lost``), and only by the assessed model (``gained``).
    """

    gaps: pd.DataFrame
    groups: pd.DataFrame


def compare_with_reference(
    y_true: ArrayLike, y_pred: ArrayLike, reference: ArrayLike, *, grouping: dict[str, Any], **options: Any
) -> Reference:
    """Compare predictions with those of a reference model for the same nodes."""
    truth, after, before = _columns(y_true, y_pred, reference)
    compared = compare_fairness(truth, before, after, **grouping, **options)
    compared = compared.rename(columns={"first": "reference", "second": "predictions"})
    numbers, names = group_numbers(**grouping)
    right, was_right = truth == after, truth == before
    kinds = {"n": right | True, "both": right & was_right, "lost": ~right & was_right, "gained": right & ~was_right}
    counts = {kind: np.bincount(numbers[nodes & (numbers >= 0)], minlength=len(names)) for kind, nodes in kinds.items()}
    return Reference(compared[["reference", "predictions", "p_value"]], pd.DataFrame(counts, index=names))


def all_classes(y_true: ArrayLike, y_pred: ArrayLike, reference: ArrayLike) -> NDArray[Any]:
    """Return the classes that are true or predicted by either model."""
    return np.unique(np.concatenate(_columns(y_true, y_pred, reference)))


def _columns(y_true: ArrayLike, y_pred: ArrayLike, reference: ArrayLike) -> list[NDArray[Any]]:
    """Return one class per node. Raises ValueError if the reference does not fit."""
    named = {"y_true": y_true, "y_pred": y_pred, "reference": reference}
    truth, predicted, other = (classes_of(name, y) for name, y in named.items())
    if len(other) != len(truth):
        raise ValueError(f"reference has {len(other)} entries, but there are {len(truth)} nodes.")
    if (other.dtype.kind in "US") != (truth.dtype.kind in "US"):
        raise ValueError(
            f"y_true holds {truth.dtype.name} and reference holds {other.dtype.name}. Convert both to the same type."
        )
    return [truth, predicted, other]


def exact_p_value(wins: float, losses: float) -> float:
    """Compute the one-sided p-value of the exact McNemar test.

    Under chance, wins and losses are equally likely. The result is the probability of at least this many wins.
    """
    return float(binom.sf(wins - 1, wins + losses, 0.5))


def label_gap(counts: Counts, *, pairs: str, n_resamples: int, seed: int) -> pd.Series:
    """Compute delta DSP of the true labels, its p-value, and how many errors a delta DSP of 0 takes.

    The p-value is that of the report for predictions: how often the gap is at least as large if nodes are assigned to
    the groups at random. Equal rates in two groups take at least as many errors as the size of the smaller group times
    the total variation distance between the classes of the two groups.
    """
    truth = counts.sum(-1)
    labels = truth[:, :, None] * np.eye(truth.shape[1])
    rng = np.random.default_rng(seed)
    observed = float(_gap(prediction_rates(labels), pairs))
    draws = (permuted_tables(labels, size, rng, within_class=False) for size in chunks(n_resamples, labels.size))
    null = np.concatenate([_gap(prediction_rates(tables), pairs) for tables in draws])
    as_large = int((null >= observed - 1e-12).sum())
    n_errors = max(_errors_at_parity(*pair) for pair in combinations(truth, 2))
    p_value = np.nan if np.isnan(observed) else (1 + as_large) / (1 + n_resamples)
    return pd.Series({"gap": observed, "p_value": p_value, "n_errors": n_errors})


def _errors_at_parity(one: Rates, other: Rates) -> int:
    sizes = one.sum(), other.sum()
    if not min(sizes):
        return 0
    distance = np.abs(one / sizes[0] - other / sizes[1]).sum() / 2
    return ceil(min(sizes) * distance - 1e-9)


def detectable_gap(sample: Resampled, *, pairs: str, confidence_level: float) -> float:
    """Compute the smallest gap that is beyond chance in 80 % of samples of this size.

    The gap is the same for every class, in alternating directions. The noise is that of the
    bootstrap. NaN if the gap is not defined, infinite if no gap is large enough.
    """
    null = _gap(sample.null, pairs)
    null = null[~np.isnan(null)]
    if np.isnan(_gap(sample.observed, pairs)) or not len(null):
        return np.nan
    limit = np.quantile(null, confidence_level, method="higher")
    noise = sample.bootstrap - sample.expected
    n_groups, n_classes = sample.observed.shape
    apart = np.outer(np.linspace(-0.5, 0.5, n_groups), (-1.0) ** np.arange(n_classes))
    apart /= _gap(apart, pairs)
    low, high = 0.0, 1.0
    if not _exceeds(noise + apart, limit, pairs):
        return np.inf
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if _exceeds(noise + middle * apart, limit, pairs) else (middle, high)
    return high


def _exceeds(rates: Rates, limit: float, pairs: str) -> bool:
    return bool((_gap(rates, pairs) > limit).mean() >= POWER)


def _gap(rates: Rates, pairs: str) -> Rates:
    """Compute the gap between groups, averaged over classes: (..., n_groups, n_classes) -> (...)."""
    return mean_of_defined(gaps(np.swapaxes(rates, -1, -2), pairs))
