"""Differences between models on the same nodes, so that what is difficult for all of them cancels out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ._inference import MEASURES, by_group
from ._inputs import group_numbers
from ._resampling import chunks, correction, draw_clusters, largest_by_chance, p_value
from ._table import Counts, Rates, accuracies, mean_gap, mean_of_defined

Positions = NDArray[np.intp]

GAP_NAMES = {name: name if name.startswith("delta") else f"{name}_gap" for name in MEASURES}
"""Names of the gaps, next to the accuracy of all nodes."""


class Predicted(NamedTuple):
    """The same nodes, predicted by several models. Classes and groups are positions."""

    groups: Positions  # -1 for nodes in no group
    truth: Positions
    predictions: Positions  # (n_models, n_nodes)
    n_groups: int
    n_classes: int
    clusters: Positions | None

    def cells(self) -> Positions:
        """Return the cell of each model and node in the tables of :meth:`draw`."""
        n_models = len(self.predictions)
        group = np.where(self.groups < 0, self.n_groups, self.groups)  # nodes in no group are in the last table
        model = np.arange(n_models)[:, None]
        shape = n_models, *self.shape
        return np.ravel_multi_index(np.broadcast_arrays(model, group, self.truth, self.predictions), shape)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the table of one model."""
        return self.n_groups + 1, self.n_classes, self.n_classes

    def tables(self) -> Counts:
        """Count the nodes, (n_models, n_groups + 1, n_classes, n_classes)."""
        n_models = len(self.predictions)
        counts = np.bincount(self.cells().ravel(), minlength=n_models * int(np.prod(self.shape)))
        return counts.astype(np.float64).reshape(n_models, *self.shape)


class Differences(NamedTuple):
    """Noise of the accuracy and of the rates of each model, from resamples that all models share."""

    predicted: Predicted
    accuracy: Rates  # (n_resamples, n_models)
    rates: dict[str, Rates]  # (n_resamples, n_models, n_groups, n) for each measure
    pairs: str

    def accuracy_reach(self, level: float) -> Rates:
        """Return the half width of the interval of each model's accuracy."""
        return np.quantile(np.abs(self.accuracy), 1 - level, axis=0)

    def frame(self, reference: int, level: float) -> pd.DataFrame:
        """Return one row per measure and model: the difference from the reference, its interval and its p-value.

        The difference is corrected for the part that noise adds to gaps: more to small gaps than to large ones, and
        more to those of an inaccurate model. How much the corrected difference varies in resamples gives both its
        interval and its p-value, so the interval excludes 0 if and only if the p-value is below the level. Models are
        numbered.
        """
        gap = partial(mean_gap, pairs=self.pairs)
        tables = self.predicted.tables()
        values = accuracies(tables.sum(1))
        rows = {"accuracy": _rows(values, values, self.accuracy + values, reference, level)}
        for name, noise in self.rates.items():
            observed = _rates(name, tables)
            corrected, drawn = [], []
            for number, rates in enumerate(observed):
                without_noise = correction(rates, noise[:, number], gap)
                corrected.append(without_noise(rates))
                drawn.append(without_noise(rates + noise[:, number]))
            rows[GAP_NAMES[name]] = _rows(
                gap(observed), np.array(corrected), np.stack(drawn, axis=-1), reference, level
            )
        return pd.concat(rows, names=["measure", "model"])


def predicted_by(
    y_true: NDArray[Any],
    predictions: list[NDArray[Any]],
    classes: ArrayLike,
    *,
    grouping: dict[str, Any],
    clusters: Positions | None,
) -> Predicted:
    """Number the groups and the classes. The classes are sorted, and contain all that are true or predicted."""
    numbers, names = group_numbers(**grouping)
    truth, *predicted = (np.searchsorted(classes, column) for column in (y_true, *predictions))
    return Predicted(numbers, truth, np.stack(predicted), len(names), np.size(classes), clusters)


def resample_models(
    predicted: Predicted, *, pairs: str, n_resamples: int, seed: int, measures: Iterable[str] = MEASURES
) -> Differences:
    """Draw nodes within their groups, or whole clusters, with the predictions of all models for them."""
    rng = np.random.default_rng(seed)
    units, groups, counts = _units(predicted)
    n_models = len(predicted.predictions)
    accuracy: list[Rates] = []
    rates: dict[str, list[Rates]] = {name: [] for name in measures}
    for size in chunks(n_resamples, max(units.shape)):
        if predicted.clusters is None:
            weights = _draw_within_groups(groups, counts, size, rng)
        else:
            weights = draw_clusters(units.shape[0], size, rng)
        tables = (weights @ units).reshape(size, n_models, *predicted.shape)
        _add_one_more_node(tables, predicted, rng)
        accuracy.append(accuracies(tables.sum(2)))
        for name, parts in rates.items():
            parts.append(_rates(name, tables))
    return Differences(predicted, _noise(accuracy), {name: _noise(parts) for name, parts in rates.items()}, pairs)


def _units(predicted: Predicted) -> tuple[sp.csr_array, Positions, Positions]:
    """Return what is drawn, with its cells, and the group and the number of nodes of each unit.

    A unit is a cluster, or all nodes of a group with the same true class and the same predictions: there are few of
    them for any number of nodes.
    """
    cells = predicted.cells()
    n_models = len(cells)
    if predicted.clusters is None:
        nodes = np.concatenate([predicted.groups[None], cells])
        _, first, rows, counts = np.unique(nodes, axis=1, return_index=True, return_inverse=True, return_counts=True)
        cells, rows, groups = cells[:, first], np.arange(len(first)), predicted.groups[first]
    else:
        names, rows, counts = np.unique(predicted.clusters, return_inverse=True, return_counts=True)
        groups = np.zeros(len(names), dtype=np.intp)
    places = np.tile(rows, n_models), cells.ravel()
    shape = len(counts), n_models * int(np.prod(predicted.shape))
    return sp.csr_array((np.ones(cells.size), places), shape=shape), groups, counts


def _draw_within_groups(groups: Positions, counts: Positions, size: int, rng: np.random.Generator) -> Positions:
    """Draw how many nodes of each unit are in a resample, with the same group sizes: (size, n_units)."""
    drawn = np.zeros((size, len(counts)), dtype=np.intp)
    for group in np.unique(groups):
        inside = np.flatnonzero(groups == group)
        n = counts[inside]
        drawn[:, inside] = rng.multinomial(n.sum(), n / n.sum(), size=size)
    return drawn


def _add_one_more_node(tables: Counts, predicted: Predicted, rng: np.random.Generator) -> None:
    """Add one node to each class of each group, with the predictions for a random node of the class in any group.

    Without it, a rate of 0 or 1 would be treated as certain.
    """
    draws, models = np.arange(len(tables))[:, None], np.arange(tables.shape[1])
    inside = predicted.groups >= 0
    for label in range(predicted.n_classes):
        nodes = np.flatnonzero(inside & (predicted.truth == label))
        for group in np.unique(predicted.groups[nodes]):
            chosen = predicted.predictions[:, rng.choice(nodes, size=len(tables))].T
            tables[draws, models, group, label, chosen] += 1


def _rates(name: str, tables: Counts) -> Rates:
    """Compute the rates of a measure, (..., n_groups, n), from tables whose last one is of the nodes in no group."""
    return by_group(MEASURES[name].rates(tables[..., :-1, :, :]), tables.ndim - 1)


def _noise(parts: list[Rates]) -> Rates:
    """Return the difference of resamples from their mean. A class that is missing from a resample adds no noise."""
    drawn = np.concatenate(parts)
    return np.nan_to_num(drawn - mean_of_defined(np.moveaxis(drawn, 0, -1)))


def _rows(observed: Rates, corrected: Rates, drawn: Rates, reference: int, level: float) -> pd.DataFrame:
    """Return the difference of each model from the reference."""
    rows = []
    for number in range(len(observed)):
        difference = corrected[number] - corrected[reference]
        noise = np.abs(drawn[:, number] - drawn[:, reference] - difference)
        reach = largest_by_chance(noise, level)
        undefined = np.isnan(difference)
        rows.append(
            {
                "difference": observed[number] - observed[reference],
                "corrected_difference": difference,
                "difference_low": max(difference - reach, -1.0) if not undefined else np.nan,
                "difference_high": min(difference + reach, 1.0) if not undefined else np.nan,
                "p_value": p_value(abs(difference), noise) if not undefined else np.nan,
            }
        )
    return pd.DataFrame(rows)
