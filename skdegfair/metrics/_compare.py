"""Compare the fairness of two models on the same nodes, so that what is difficult for both cancels out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ._inference import MEASURES
from ._resampling import check_options, chunks
from ._table import Counts, accuracies, as_degrees, classes_of, gaps, group_numbers, mean_of_defined, table_of

Cells = NDArray[np.int64]


def compare_fairness(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_other: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    hops: int = 1,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
) -> pd.DataFrame:
    """Compare two models' predictions for the same nodes.

    Parameters
    ----------
    y_true, y_pred, y_other : array-like of shape (n_nodes,)
        True classes, and the predictions of the first and of the second model.
    degree, groups, hops, share, labels, pairs
        As for :func:`degree_fairness_report`.
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
    random_state : int, RandomState instance or None, default=0

    Returns
    -------
    DataFrame
        One row for the accuracy of all nodes and one for each gap between groups:
        ``first``, ``second``, ``difference`` (second minus first), its bootstrap interval
        ``ci_low``, ``ci_high``, and the ``p_value``: how often the absolute difference is
        at least this large if the predictions of the two models are swapped at random.

    Notes
    -----
    Nodes are treated as independent, and both fitted models as fixed. Differences vary
    more across other splits and seeds.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import compare_fairness
    >>> random = np.random.RandomState(0)
    >>> degree, y = random.poisson(5, size=500), random.randint(2, size=500)
    >>> biased = np.where(degree > 6, 1, y)
    >>> bool(compare_fairness(y, biased, y, degree=degree).loc["delta_dsp", "p_value"] < 0.05)
    True
    """
    check_options(pairs, confidence_level, n_resamples)
    degrees = None if degree is None else as_degrees(degree, hops)
    grouping: dict[str, Any] = {"degree": degrees if groups is None else None, "groups": groups, "share": share}
    columns = [classes_of(name, y) for name, y in (("y_true", y_true), ("y_pred", y_pred), ("y_other", y_other))]
    for predicted in columns[1:]:
        table_of(columns[0], predicted, labels=labels, **grouping)  # raises ValueError if they do not fit
    classes = np.unique(np.concatenate(columns) if labels is None else np.asarray(labels))
    numbers, names = group_numbers(**grouping)
    positions = [np.searchsorted(classes, column) for column in columns]
    cells, counts = np.unique(np.stack([numbers, *positions]), axis=1, return_counts=True)
    study = _Pairs(cells, counts, len(names), len(classes), pairs)
    rng = np.random.default_rng(int(check_random_state(random_state).randint(2**31 - 1)))
    observed = study.values(np.stack([counts, np.zeros_like(counts)], axis=1)[None])[0]
    sizes = list(chunks(n_resamples, 2 * (len(names) + 1) * len(classes) ** 2))
    bootstrap = np.concatenate([study.values(study.resampled(size, rng)) for size in sizes])
    swapped = np.concatenate([study.values(study.swapped(size, rng)) for size in sizes])
    difference = observed[1] - observed[0]
    drawn = bootstrap[:, 1] - bootstrap[:, 0]
    noise = np.nan_to_num(drawn - mean_of_defined(drawn.T))  # a class that is missing from a resample adds no noise
    reach = np.quantile(np.abs(noise), confidence_level, axis=0)
    as_large = (np.abs(swapped[:, 1] - swapped[:, 0]) >= np.abs(difference) - 1e-12).sum(0)
    return pd.DataFrame(
        {
            "first": observed[0],
            "second": observed[1],
            "difference": difference,
            "ci_low": difference - reach,
            "ci_high": difference + reach,
            "p_value": np.where(np.isnan(difference), np.nan, (1 + as_large) / (1 + n_resamples)),
        },
        index=pd.Index(["accuracy", *(GAP_NAMES.get(name, name) for name in MEASURES)], name="measure"),
    )


GAP_NAMES = {name: f"{name}_gap" for name in ("accuracy", "balanced_accuracy", "macro_f1")}


class _Pairs:
    """Counts of nodes by group, true class and both predictions: few distinct cells for any number of nodes."""

    def __init__(self, cells: Cells, counts: Cells, n_groups: int, n_classes: int, pairs: str) -> None:
        self.group, self.truth, self.one, self.other = cells
        self.counts, self.n_groups, self.n_classes, self.pairs = counts, n_groups, n_classes, pairs

    def resampled(self, size: int, rng: np.random.Generator) -> Cells:
        """Resample nodes within each group: (size, n_cells, 2), predictions kept or swapped."""
        drawn = np.zeros((size, len(self.counts), 2), dtype=np.int64)
        for group in np.unique(self.group):
            inside = np.flatnonzero(self.group == group)
            n = self.counts[inside]
            drawn[:, inside, 0] = rng.multinomial(n.sum(), n / n.sum(), size=size)
        return drawn

    def swapped(self, size: int, rng: np.random.Generator) -> Cells:
        """Swap the two predictions of each node at random: (size, n_cells, 2)."""
        away = rng.binomial(self.counts, 0.5, size=(size, len(self.counts)))
        return np.stack([self.counts - away, away], axis=-1)

    def values(self, drawn: Cells) -> NDArray[np.float64]:
        """Compute accuracy and gaps of both models: (size, 2, n_measures)."""
        both = []
        for predictions in ((self.one, self.other), (self.other, self.one)):
            flat = sum(drawn[..., part] @ self._cells(predicted) for part, predicted in enumerate(predictions))
            both.append(self._values(flat.reshape(len(drawn), self.n_groups + 1, self.n_classes, self.n_classes)))
        return np.stack(both, axis=1)

    def _cells(self, predicted: Cells) -> sp.csr_array:
        """Map each cell to its entry in the tables of counts. Nodes in no group are counted in the last table."""
        place = ((self.group % (self.n_groups + 1)) * self.n_classes + self.truth) * self.n_classes + predicted
        shape = (len(place), (self.n_groups + 1) * self.n_classes**2)
        return sp.csr_array((np.ones(len(place)), (np.arange(len(place)), place)), shape=shape)

    def _values(self, tables: Counts) -> NDArray[np.float64]:
        columns = [accuracies(tables.sum(1))]
        for measure in MEASURES.values():
            rates = measure.rates(tables[:, :-1])
            rates = rates if rates.ndim == 3 else rates[..., None]
            columns.append(mean_of_defined(gaps(np.swapaxes(rates, -1, -2), self.pairs)))
        return np.stack(columns, axis=-1)
