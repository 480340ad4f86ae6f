"""Data frames of every gap of a table, with confidence intervals and permutation nulls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ._resampling import (
    bootstrap_tables,
    chunks,
    cluster_bootstrap_tables,
    gap_interval,
    largest_by_chance,
    one_more_node,
    p_value,
    permuted_tables,
    smoothed,
)
from ._table import SCORES, Counts, GroupTable, Rates, gaps, mean_gap, prediction_rates, ratio, recalls


class Measure(NamedTuple):
    """Rates that groups are compared by, and what the null distribution keeps fixed."""

    rates: Callable[[Counts], Rates]
    within_class: bool  # whether the null keeps the true classes of each group


MEASURES = {
    "delta_dsp": Measure(prediction_rates, within_class=False),
    "delta_deo": Measure(recalls, within_class=True),
    "accuracy": Measure(SCORES["accuracy"], within_class=False),
    "balanced_accuracy": Measure(SCORES["balanced_accuracy"], within_class=True),
    "macro_f1": Measure(SCORES["macro_f1"], within_class=False),
}
BY_CLASS = {"delta_dsp": "predicted", "delta_deo": "recall"}
"""Gaps that are means over classes, and the rates that they compare."""


class Resampled(NamedTuple):
    """The rates of one measure: (n_groups, n) observed and expected, (n_resamples, n_groups, n) drawn."""

    observed: Rates
    expected: Rates
    bootstrap: Rates
    null: Rates


def resample(
    counts: Counts, n_resamples: int, seed: int, by_cluster: sp.csr_array | None = None
) -> dict[str, Resampled]:
    """Compute the rates of the table, of its bootstrap and under chance, for each measure.

    With clusters, whole clusters are drawn. Nodes cannot be assigned to groups at random then, because that would
    treat them as independent: chance gives all groups the same rates and the noise of the bootstrap.
    """
    rng = np.random.default_rng(seed)
    expected = smoothed(counts) if by_cluster is None else counts + one_more_node(counts)
    drawn: dict[str, list[tuple[Rates, Rates]]] = {name: [] for name in MEASURES}
    for size in chunks(n_resamples, counts.size if by_cluster is None else max(counts.size, by_cluster.shape[0])):
        if by_cluster is None:
            bootstrap = bootstrap_tables(expected, size, rng)
            null = {kept: permuted_tables(counts, size, rng, within_class=kept) for kept in (False, True)}
        else:
            bootstrap = cluster_bootstrap_tables(counts, by_cluster, size, rng)
        for name, (rates, kept) in MEASURES.items():
            draws = by_group(rates(bootstrap), 3)
            if by_cluster is None:
                by_chance = by_group(rates(null[kept]), 3)
            else:
                of_all = expected.sum(0, keepdims=True)
                by_chance = by_group(rates(of_all), 2) + draws - by_group(rates(expected), 2)
            drawn[name].append((draws, by_chance))
    return {
        name: Resampled(
            by_group(rates(counts), 2),
            by_group(rates(expected), 2),
            *(np.concatenate(parts) for parts in zip(*drawn[name], strict=True)),
        )
        for name, (rates, _) in MEASURES.items()
    }


def gap_frame(resampled: dict[str, Resampled], *, pairs: str, confidence_level: float) -> pd.DataFrame:
    """Return one row per gap between groups: its size, its interval, its null."""
    gap = partial(mean_gap, pairs=pairs)
    rows = {}
    for name, (observed, expected, bootstrap, null) in resampled.items():
        by_class, value = gaps(observed.T, pairs), float(gap(observed))
        bound = min(1.0, len(observed) / len(by_class)) if name == "delta_dsp" else 1.0
        corrected, low, high = gap_interval(observed, expected, bootstrap, gap, confidence_level)
        by_chance = gap(null)
        interval = _in_line_with_chance(value, low, high, by_chance, 1 - confidence_level)
        rows[name] = {
            "gap": value,
            **dict(zip(("corrected", "ci_low", "ci_high"), np.clip([corrected, *interval], 0.0, bound), strict=True)),
            **_null_row(value, by_chance),
            "n_defined": int((~np.isnan(by_class)).sum()) if name in BY_CLASS else pd.NA,
        }
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    return frame.astype({"n_defined": "Int64"})


def class_gap_frame(resampled: dict[str, Resampled], classes: list[Any], *, confidence_level: float) -> pd.DataFrame:
    """Return one row per gap and class: last group minus first, signed, with its interval and its null."""
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    rows = {}
    for name in BY_CLASS:
        observed, expected, bootstrap, null = (rates[..., -1, :] - rates[..., 0, :] for rates in resampled[name])
        for position, label in enumerate(classes):
            noise = bootstrap[:, position] - expected[position]
            noise = noise[~np.isnan(noise)]
            value, by_chance = observed[position], np.abs(null[:, position])
            low, high = value + (np.quantile(noise, tails) if len(noise) else np.full(2, np.nan))
            interval = _in_line_with_chance(value, low, high, by_chance, 1 - confidence_level)
            rows[name, label] = {
                "gap": value,
                **dict(zip(("ci_low", "ci_high"), np.clip(interval, -1.0, 1.0), strict=True)),
                **_null_row(abs(value), by_chance),
            }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["measure", "class"])


def rate_frame(table: GroupTable, resampled: dict[str, Resampled], *, confidence_level: float) -> pd.DataFrame:
    """Return one row per rate, class and group: number of nodes, rate, interval, and range under chance."""
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    nodes = {"delta_dsp": table.counts.sum((1, 2))[:, None], "delta_deo": table.counts.sum(-1)}
    rows = {}
    for name, rate in BY_CLASS.items():
        observed = resampled[name].observed
        n = np.broadcast_to(nodes[name], observed.shape)
        low, high = wilson_interval(observed, n, confidence_level)
        chance = np.clip(np.quantile(resampled[name].null, tails, axis=0), 0.0, 1.0)
        for position, label in enumerate(table.classes):
            for number, group in enumerate(table.groups):
                cell = number, position
                rows[rate, label, group] = {
                    "n": int(n[cell]),
                    "rate": observed[cell],
                    "ci_low": low[cell],
                    "ci_high": high[cell],
                    "null_low": chance[0][cell],
                    "null_high": chance[1][cell],
                }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["rate", "class", "group"])


def wilson_interval(rate: Any, n: Any, confidence_level: float) -> tuple[Rates, Rates]:
    """Compute Wilson's score interval of a proportion. NaN if there are no nodes."""
    z = NormalDist().inv_cdf((1 + confidence_level) / 2)
    center = ratio(rate * n + z**2 / 2, n + z**2)
    reach = ratio(z * np.sqrt(n * rate * (1 - rate) + z**2 / 4), n + z**2)
    return np.clip(center - reach, 0.0, 1.0), np.clip(center + reach, 0.0, 1.0)


def _null_row(observed: float, null: Rates) -> dict[str, float]:
    """Compute mean and 95 % quantile of a gap under chance, and how often chance gives a gap this large."""
    null = null[~np.isnan(null)]
    if np.isnan(observed) or not len(null):
        return dict.fromkeys(("null_mean", "null_95", "p_value"), np.nan)
    return {
        "null_mean": float(null.mean()),
        "null_95": float(np.quantile(null, 0.95, method="higher")),
        "p_value": p_value(observed, null),
    }


def _in_line_with_chance(gap: float, low: float, high: float, null: Rates, level: float) -> tuple[float, float]:
    """Move the end of an interval that is next to 0, so that it excludes 0 if and only if the p-value is below level.

    If chance can explain the gap, the interval extends to 0. If not, it starts at least where the gap exceeds what
    chance can add to it: noise adds at most its own gap to a true gap, because absolute differences are subadditive.
    """
    above = abs(gap) - largest_by_chance(null[~np.isnan(null)], level)
    if not above > 0:
        return np.minimum(low, 0.0), np.maximum(high, 0.0)
    if gap < 0:
        return low, min(high, -above)
    return max(low, above), max(high, above)


def by_group(rates: Rates, ndim: int) -> Rates:
    """Add a last axis to rates that are one number per group."""
    return rates if rates.ndim == ndim else rates[..., None]
