"""The parts of a report: counts and what else its tables are computed from."""

from __future__ import annotations

from typing import Any

import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..graph import DEFAULT_SHARE, check_row_labels
from ._clusters import cluster_numbers, table_by_cluster
from ._curve import degree_curve, is_correct
from ._evidence import all_classes, fifths_of, with_reference
from ._inputs import as_degrees, check_options, group_numbers
from ._table import table_of


def report_parts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    degree: Any,
    groups: ArrayLike | None,
    hops: int,
    share: float | None,
    labels: ArrayLike | None,
    pairs: str,
    clusters: Any,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
    reference: ArrayLike | None,
) -> dict[str, Any]:
    """Return the parameters of a DegreeFairnessReport. Raises ValueError if the inputs do not fit.

    The parameters are those of :func:`degree_fairness_report`. Empty groups are left to the caller to warn about, once
    for all reports on the same nodes.
    """
    check_options(pairs, confidence_level, n_resamples)
    given = {"degree": degree, "groups": groups, "clusters": clusters, "reference": reference}
    check_row_labels(y_true=y_true, y_pred=y_pred, **given)
    degrees = None if degree is None else as_degrees(degree, hops)
    grouping: dict[str, Any] = {"degree": degrees if groups is None else None, "groups": groups, "share": share}
    if labels is None and reference is not None:
        labels = all_classes(y_true, y_pred, reference)
    table = table_of(y_true, y_pred, labels=labels, **grouping)
    numbers, _ = group_numbers(**grouping)
    ranges = curve = by_cluster = compared = fifths = None
    if degrees is not None:
        curve = degree_curve(is_correct(y_true, y_pred), degrees, confidence_level=confidence_level)
        ranges = pd.Series(degrees).groupby(numbers).agg(degree_min="min", degree_max="max")
        ranges = ranges.reindex(range(len(table.groups)))
        fifths = fifths_of(y_true, y_pred, degrees, table.classes) if groups is None else None
    drawn_together = cluster_numbers(clusters, degree)
    if drawn_together is not None:
        by_cluster = table_by_cluster(table, y_true, y_pred, numbers, drawn_together)
    if reference is not None:
        options: dict[str, Any] = {"classes": table.classes, "grouping": grouping, "clusters": drawn_together}
        compared = with_reference(y_true, y_pred, reference, **options)
    return {
        "table": table,
        "ranges": ranges,
        "curve": curve,
        "by_cluster": by_cluster,
        "compared": compared,
        "fifths": fifths,
        "share": (DEFAULT_SHARE if share is None else share) if groups is None else None,
        "seed": int(check_random_state(random_state).randint(2**31 - 1)),
        "hops": hops,
        "pairs": pairs,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
    }
