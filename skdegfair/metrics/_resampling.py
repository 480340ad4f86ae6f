"""Resampled tables of counts, for confidence intervals of gaps and for their distribution under chance.

Everything is drawn from the table of counts, so the cost does not grow with the number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ._table import Counts, Rates, mean_of_defined, ratio

CELLS_AT_ONCE = 4_000_000
"""Limits the memory of resampled tables."""

TIE = 1e-12
"""Values that differ by less are equal except for rounding."""

Gap = Callable[[Rates], Rates]


def chunks(n_resamples: int, n_cells: int) -> Iterator[int]:
    """Yield how many tables to draw at a time, given the number of cells per table."""
    size = max(1, CELLS_AT_ONCE // n_cells)
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def one_more_node(counts: Counts) -> Counts:
    """Return one node for each class of each group that has nodes, so that no rate is treated as certain.

    Half of it is distributed like the predictions of the class in all groups, half like all predictions.
    """
    pooled = ratio(counts.sum(0), counts.sum((0, 2))[:, None])
    anywhere = ratio(counts.sum((0, 1)), counts.sum())
    return np.where(counts.sum(-1, keepdims=True) > 0, pooled / 2 + anywhere / 2, 0.0)


def smoothed(counts: Counts) -> Counts:
    """Add one node to each class of each group, and scale the class to its size."""
    of_class = counts.sum(-1, keepdims=True)
    return (counts + one_more_node(counts)) * of_class / (of_class + 1)


def bootstrap_tables(expected: Counts, size: int, rng: np.random.Generator) -> Counts:
    """Draw tables at the expected rates, with the same group sizes: (size, n_groups, n_classes, n_classes)."""
    n_groups, n_classes, _ = expected.shape
    cells = expected.reshape(n_groups, -1)
    used = cells.any(0)
    n_nodes = np.rint(cells.sum(1)).astype(np.int64)
    tables = np.zeros((size, *cells.shape))
    for group in np.flatnonzero(n_nodes):
        tables[:, group, used] = rng.multinomial(n_nodes[group], cells[group, used] / cells[group].sum(), size=size)
    return tables.reshape(size, n_groups, n_classes, n_classes)


def cluster_bootstrap_tables(counts: Counts, by_cluster: sp.csr_array, size: int, rng: np.random.Generator) -> Counts:
    """Draw whole clusters, with replacement, and one more node for each class: (size, n_groups, n_classes, n_classes).

    Parameters
    ----------
    counts : ndarray of shape (n_groups, n_classes, n_classes)
    by_cluster : sparse array of shape (n_clusters, n_groups * n_classes * n_classes)
        The same counts for each cluster.
    size : int
    rng : Generator
    """
    more = one_more_node(counts)
    drawn = rng.multinomial(1, more, size=(size, *more.shape[:-1])) * (more > 0)
    return (draw_clusters(by_cluster.shape[0], size, rng) @ by_cluster).reshape(size, *counts.shape) + drawn


def draw_clusters(n_clusters: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw how often each cluster is in a resample: (size, n_clusters)."""
    return rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)


def permuted_tables(counts: Counts, size: int, rng: np.random.Generator, *, within_class: bool) -> Counts:
    """Draw tables in which nodes are assigned to groups at random: (size, n_groups, n_classes, n_classes).

    Either among all nodes, so that true and predicted class do not depend on the group; or within each true class, so
    that the prediction does not depend on the group given the class.
    """
    n_groups, n_classes, _ = counts.shape
    whole = counts.astype(np.int64)
    if within_class:
        return _deal(whole.sum(0), whole.sum(-1), size, rng).astype(np.float64)
    cells = whole.reshape(n_groups, -1)
    used = cells.any(0)
    tables = np.zeros((size, *cells.shape))
    tables[:, :, used] = _deal(cells[:, used].sum(0), cells.sum(1), size, rng)
    return tables.reshape(size, n_groups, n_classes, n_classes)


def _deal(pool: NDArray[np.int64], hands: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal a pool of cards of several kinds to hands of given sizes.

    Shapes: (..., n_kinds) and (n_hands, ...) -> (size, n_hands, ..., n_kinds).
    """
    left = np.broadcast_to(pool, (size, *pool.shape)).copy()
    dealt = np.zeros((size, len(hands), *pool.shape), dtype=np.int64)
    for hand, wanted in enumerate(hands[:-1]):
        need = np.broadcast_to(wanted, left.shape[:-1]).copy()
        others = left.sum(-1)
        for kind in range(pool.shape[-1]):
            others -= left[..., kind]
            drawn = rng.hypergeometric(left[..., kind], others, need)
            dealt[:, hand, ..., kind] = drawn
            need -= drawn
        left -= dealt[:, hand]
    dealt[:, -1] = left
    return dealt


def p_value(observed: float, null: Rates) -> float:
    """Compute how often values under chance are at least as large as the observed one, which counts as one of them."""
    return (1 + int((null >= observed - TIE).sum())) / (1 + len(null))


def largest_by_chance(null: Rates, level: float) -> float:
    """Return the value that a statistic must exceed for its p-value to be below the level, infinite if none can be."""
    n_allowed = int((np.arange(1, len(null) + 1) / (1 + len(null)) < level).sum())
    return float(np.sort(null)[-n_allowed]) + TIE if n_allowed else np.inf


def gap_interval(
    rates: Rates, expected: Rates, draws: Rates, gap: Gap, confidence_level: float
) -> tuple[float, float, float]:
    """Estimate a gap without the part that noise adds to it, with a confidence interval.

    A mean of absolute differences is too large on average: noise increases differences
    close to 0 and rarely decreases any. A percentile interval has the same bias twice. How
    much noise adds depends on the size of the differences, so it is measured at rates from
    which the spread due to noise has been removed. The width of the interval is the
    variation of this estimate in resamples. The interval can lie below the observed gap.

    Parameters
    ----------
    rates, expected : ndarray of shape (n_groups, n)
        Observed rates, and the rates that the resamples were drawn with.
    draws : ndarray of shape (n_resamples, n_groups, n)
    gap : function from (..., n_groups, n) to (...)
    confidence_level : float

    Returns
    -------
    corrected, low, high : float
    """
    if np.isnan(gap(rates)):
        return np.nan, np.nan, np.nan
    noise = np.nan_to_num(draws - expected)
    without_noise = correction(rates, noise, gap)
    corrected = without_noise(rates)
    if rates.shape == (2, 1):  # a single difference: the interval of the difference itself is more informative
        tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
        ends = rates[1, 0] - rates[0, 0] + np.quantile(noise[:, 1, 0] - noise[:, 0, 0], tails)
        low = 0.0 if ends[0] < 0 < ends[1] else np.abs(ends).min()
        return max(float(corrected), 0.0), float(low), float(np.abs(ends).max())
    reach = np.quantile(np.abs(without_noise(rates + noise) - corrected), confidence_level)
    center = max(float(corrected), 0.0)
    return center, center - float(reach), center + float(reach)


def correction(rates: Rates, noise: Rates, gap: Gap) -> Gap:
    """Return a function that computes gaps without the part that this noise adds to them."""
    some = np.concatenate([noise[:64], -noise[:64]])
    of_noise = np.where(np.isnan(rates), 0.0, _spread(noise)[1]).var(0).sum()

    def without_noise(at: Rates) -> Rates:
        center, apart = _spread(at)
        size = np.square(np.nan_to_num(apart)).sum((-1, -2))
        true_part = np.clip(1 - of_noise / np.maximum(size, 1e-12), 0.0, 1.0)
        drawn_together = center + true_part[..., None, None] * apart
        added = np.mean([gap(drawn_together + shift) for shift in some], axis=0) - gap(drawn_together)
        return gap(at) - added

    return without_noise


def _spread(rates: Rates) -> tuple[Rates, Rates]:
    """Return the mean over the groups, and the difference of each group from it."""
    center = mean_of_defined(np.swapaxes(rates, -1, -2))[..., None, :]
    return center, rates - center
