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

from ..graph import degree_groups
from ._inference import BY_CLASS, MEASURES, Resampled, resample
from ._inputs import check_same_type, classes_of
from ._paired import Predicted, predicted_by, resample_models
from ._resampling import chunks, p_value, permuted_tables
from ._table import Counts, GroupTable, Rates, mean_gap, prediction_rates, table_of

POWER = 0.8
"""Share of samples in which a gap of the detectable size is beyond chance."""


class Reference(NamedTuple):
    """The change from a reference model to the assessed predictions, on the same nodes.

    ``gaps`` has one row for delta DSP and one for delta DEO: ``reference``, ``predictions``, and the columns of
    ``ModelComparison.table`` about their difference. ``groups`` has one row per group: the number of nodes ``n``, how
    many of them are classified correctly by both models (``both``), only by the reference (``lost``), and only by the
    assessed model (``gained``), and the ``p_value`` of a loss of accuracy.
    """

    gaps: pd.DataFrame
    groups: pd.DataFrame


def with_reference(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    reference: ArrayLike,
    *,
    classes: list[Any],
    grouping: dict[str, Any],
    clusters: NDArray[np.intp] | None,
) -> Predicted:
    """Return the nodes with the predictions of a reference model, and with the assessed ones."""
    truth, after, before = _columns(y_true, y_pred, reference)
    unknown = np.setdiff1d(before, classes)
    if len(unknown):
        raise ValueError(f"labels does not contain the class {unknown[0]}, which reference contains.")
    return predicted_by(truth, [before, after], classes, grouping=grouping, clusters=clusters)


def change_from_reference(
    nodes: Predicted, groups: list[Any], *, pairs: str, confidence_level: float, n_resamples: int, seed: int
) -> Reference:
    """Compare the gaps and the accuracy of groups with those of the reference, which is the first of two models."""
    drawn = resample_models(nodes, pairs=pairs, n_resamples=n_resamples, seed=seed, measures=BY_CLASS)
    differences = drawn.frame(reference=0, level=1 - confidence_level).xs(1, level="model")
    in_groups = nodes.tables()[:, :-1]
    observed = {name: mean_gap(MEASURES[name].rates(in_groups), pairs) for name in BY_CLASS}
    changes = pd.DataFrame.from_dict(observed, orient="index", columns=["reference", "predictions"])
    rows = []
    for group in range(nodes.n_groups):
        inside = nodes.groups == group
        before, after = nodes.predictions[:, inside] == nodes.truth[inside]
        clusters = None if nodes.clusters is None else nodes.clusters[inside]
        loss = before.astype(np.int64) - after
        rows.append(
            {
                "n": inside.sum(),
                "both": (before & after).sum(),
                "lost": (loss > 0).sum(),
                "gained": (loss < 0).sum(),
                "p_value": _p_value_of_loss(loss, clusters, n_resamples=n_resamples, seed=seed),
            }
        )
    return Reference(changes.join(differences).rename_axis("measure"), pd.DataFrame(rows, index=groups))


def _p_value_of_loss(
    loss: NDArray[np.int64], clusters: NDArray[np.intp] | None, *, n_resamples: int, seed: int
) -> float:
    """Compute how often the loss is at least as large if the models are swapped at random, for each node or cluster.

    ``loss`` is 1 for a node that only the first model classifies correctly, -1 if only the second one does, else 0.
    """
    if clusters is None:
        return exact_p_value((loss > 0).sum(), (loss < 0).sum())
    by_cluster = np.bincount(clusters, weights=loss)
    by_cluster = by_cluster[by_cluster != 0]
    rng = np.random.default_rng(seed)
    sizes = chunks(n_resamples, max(1, len(by_cluster)))
    swapped = [rng.choice([-1, 1], size=(size, len(by_cluster))) @ by_cluster for size in sizes]
    return p_value(loss.sum(), np.concatenate(swapped))


def all_classes(y_true: ArrayLike, y_pred: ArrayLike, reference: ArrayLike) -> NDArray[Any]:
    """Return the classes that are true or predicted by either model."""
    return np.unique(np.concatenate(_columns(y_true, y_pred, reference)))


def _columns(y_true: ArrayLike, y_pred: ArrayLike, reference: ArrayLike) -> list[NDArray[Any]]:
    """Return one class per node. Raises ValueError if the reference does not fit."""
    named = {"y_true": y_true, "y_pred": y_pred, "reference": reference}
    columns = {name: classes_of(name, y) for name, y in named.items()}
    truth, _, other = columns.values()
    if len(other) != len(truth):
        raise ValueError(f"reference has {len(other)} entries, but there are {len(truth)} nodes.")
    check_same_type(**columns)
    return list(columns.values())


def exact_p_value(wins: float, losses: float) -> float:
    """Compute the one-sided p-value of the exact McNemar test.

    Under chance, wins and losses are equally likely. The result is the probability of at least this many wins.
    """
    return float(binom.sf(wins - 1, wins + losses, 0.5))


def label_gap(counts: Counts, by_cluster: sp.csr_array | None, *, pairs: str, n_resamples: int, seed: int) -> pd.Series:
    """Compute delta DSP of the true labels, its p-value, and the minimum number of errors for a delta DSP of 0.

    The p-value is that of the report for predictions. Equal rates in two groups require at least as many errors as the
    size of the smaller group times the total variation distance between the classes of the two groups.
    """
    group, label, _ = np.indices(counts.shape).reshape(3, -1)
    as_predicted = np.ravel_multi_index((group, label, label), counts.shape)  # the cell of a node predicted correctly
    move = sp.csr_array((np.ones(counts.size), (np.arange(counts.size), as_predicted)))
    labels = (counts.reshape(1, -1) @ move).reshape(counts.shape)
    sample = resample(labels, n_resamples, seed, None if by_cluster is None else by_cluster @ move)["delta_dsp"]
    truth, observed = counts.sum(-1), float(mean_gap(sample.observed, pairs))
    p = np.nan if np.isnan(observed) else p_value(observed, mean_gap(sample.null, pairs))
    n_errors = max(_errors_at_parity(*pair) for pair in combinations(truth, 2))
    return pd.Series({"gap": observed, "p_value": p, "n_errors": n_errors})


def _errors_at_parity(one: Rates, other: Rates) -> int:
    sizes = one.sum(), other.sum()
    if not min(sizes):
        return 0
    distance = np.abs(one / sizes[0] - other / sizes[1]).sum() / 2
    return ceil(min(sizes) * distance - 1e-9)


class Fifths(NamedTuple):
    """The nodes divided into fifths by degree: counts, and the lowest and highest degree of each fifth."""

    table: GroupTable
    ranges: pd.DataFrame


def fifths_of(y_true: ArrayLike, y_pred: ArrayLike, degrees: NDArray[np.float64], labels: Any) -> Fifths | None:
    """Divide nodes into fifths, or fewer parts if many degrees are equal. Return None if fewer than three are left."""
    numbers = degree_groups(degrees, n_groups=5)
    if numbers.max() < 2:
        return None
    ranges = pd.Series(degrees).groupby(numbers).agg(["min", "max"])
    table = table_of(y_true, y_pred, degree=None, groups=numbers, share=None, labels=labels)
    return Fifths(table, ranges)


def fifths_gap(fifths: Fifths, *, n_resamples: int, seed: int) -> pd.Series:
    """Compute the largest delta DSP of any two fifths, its mean under chance and its p-value."""
    rng = np.random.default_rng(seed)
    counts = fifths.table.counts
    null = np.concatenate(
        [
            mean_gap(prediction_rates(permuted_tables(counts, size, rng, within_class=False)), "max")
            for size in chunks(n_resamples, counts.size)
        ]
    )
    gap = float(mean_gap(prediction_rates(counts), "max"))
    return pd.Series({"gap": gap, "null_mean": null.mean(), "p_value": p_value(gap, null)})


def detectable_gap(sample: Resampled, *, pairs: str, confidence_level: float) -> float:
    """Compute the smallest gap that is beyond chance in 80 % of samples of this size.

    The gap is the same for every class, in alternating directions. The noise is that of the
    bootstrap. NaN if the gap is not defined, infinite if no gap is large enough.
    """
    null = mean_gap(sample.null, pairs)
    null = null[~np.isnan(null)]
    if np.isnan(mean_gap(sample.observed, pairs)) or not len(null):
        return np.nan
    limit = np.quantile(null, confidence_level, method="higher")
    noise = sample.bootstrap - sample.expected
    n_groups, n_classes = sample.observed.shape
    apart = np.outer(np.linspace(-0.5, 0.5, n_groups), (-1.0) ** np.arange(n_classes))
    apart /= mean_gap(apart, pairs)
    low, high = 0.0, 1.0
    if not _exceeds(noise + apart, limit, pairs):
        return np.inf
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if _exceeds(noise + middle * apart, limit, pairs) else (middle, high)
    return high


def _exceeds(rates: Rates, limit: float, pairs: str) -> bool:
    return bool((mean_gap(rates, pairs) > limit).mean() >= POWER)
