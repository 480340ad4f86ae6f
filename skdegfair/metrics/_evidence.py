"""Numbers that findings read in addition to the tables of a report."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from ._inference import BY_CLASS, MEASURES, Resampled
from ._resampling import chunks, permuted_tables
from ._table import Counts, Rates, classes_of, gaps, group_numbers, mean_of_defined, prediction_rates

POWER = 0.8
"""Share of samples in which a gap of the detectable size is beyond chance."""


class Reference(NamedTuple):
    """The change from a reference model to the assessed predictions, on the same nodes.

    ``gaps`` has one row for delta DSP and one for delta DEO: ``reference``, ``predictions`` and the ``p_value`` of the
    difference. ``groups`` has one row per group: the number of nodes ``n``, and how many of them are classified
    correctly by both models (``both``), only by the reference (``lost``), and only by the assessed model (``gained``).
    """

    gaps: pd.DataFrame
    groups: pd.DataFrame


def compare_with_reference(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    reference: ArrayLike,
    *,
    grouping: dict[str, Any],
    classes: list[Any],
    pairs: str,
    n_resamples: int,
    seed: int,
) -> Reference:
    """Compare predictions with those of a reference model for the same nodes."""
    numbers, names = group_numbers(**grouping)
    inside = numbers >= 0
    truth, after, before = (column[inside] for column in _columns(y_true, y_pred, reference))
    unknown = np.setdiff1d(before, classes)
    if len(unknown):
        raise ValueError(f"labels does not contain the class {unknown[0]}, which reference contains.")
    nodes = np.stack([numbers[inside], *(np.searchsorted(classes, column) for column in (truth, before, after))])
    shape = len(names), len(classes), len(classes)
    changes = _gap_changes(nodes, shape, pairs=pairs, n_resamples=n_resamples, seed=seed)
    right, was_right = truth == after, truth == before
    kinds = {"n": right | True, "both": right & was_right, "lost": ~right & was_right, "gained": right & ~was_right}
    counts = {kind: np.bincount(nodes[0, which], minlength=len(names)) for kind, which in kinds.items()}
    return Reference(changes, pd.DataFrame(counts, index=names))


def _gap_changes(
    nodes: NDArray[np.intp], shape: tuple[int, int, int], *, pairs: str, n_resamples: int, seed: int
) -> pd.DataFrame:
    """Compare the gaps of two models. Under chance, the two predictions of each node are swapped at random.

    ``nodes`` contains the group, the true class and both predictions of each node.
    """
    cells, counts = np.unique(nodes, axis=1, return_counts=True)  # few for any number of nodes
    rows = np.arange(len(counts))
    one, other = (
        sp.csr_array(
            (np.ones(len(rows)), (rows, np.ravel_multi_index((*cells[:2], predicted), shape))),
            shape=(len(rows), int(np.prod(shape))),
        )
        for predicted in cells[2:]
    )

    def gaps_of(name: str, kept: NDArray[np.int64]) -> tuple[Rates, Rates]:
        tables = (kept @ one + (counts - kept) @ other, kept @ other + (counts - kept) @ one)
        before, after = (_gap(MEASURES[name].rates(each.reshape(-1, *shape)), pairs) for each in tables)
        return before, after

    rng = np.random.default_rng(seed)
    null: dict[str, list[Rates]] = {name: [] for name in BY_CLASS}
    for size in chunks(n_resamples, 2 * int(np.prod(shape))):
        kept = rng.binomial(counts, 0.5, size=(size, len(counts)))
        for name, parts in null.items():
            before, after = gaps_of(name, kept)
            parts.append(np.abs(after - before))
    changes = {}
    for name, parts in null.items():
        reference, predictions = (float(gap[0]) for gap in gaps_of(name, counts[None]))
        p_value = _p_value(abs(predictions - reference), np.concatenate(parts))
        changes[name] = {"reference": reference, "predictions": predictions, "p_value": p_value}
    return pd.DataFrame.from_dict(changes, orient="index").rename_axis("measure")


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
    n_errors = max(_errors_at_parity(*pair) for pair in combinations(truth, 2))
    return pd.Series({"gap": observed, "p_value": _p_value(observed, null), "n_errors": n_errors})


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


def _p_value(observed: float, null: Rates) -> float:
    """Return how often chance gives at least as much. NaN if there is nothing to compare."""
    return np.nan if np.isnan(observed) else float((1 + (null >= observed - 1e-12).sum()) / (1 + len(null)))
