"""Scores of nodes as a function of their degree."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..graph import check_row_labels, degree_groups
from ._inference import wilson_interval
from ._inputs import as_degrees, check_confidence_level, check_integer, check_same_type, classes_of, describe


def is_correct(y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.bool_]:
    """Return which nodes are classified correctly."""
    truth, predicted = classes_of("y_true", y_true), classes_of("y_pred", y_pred)
    check_same_type(y_true=truth, y_pred=predicted)
    if len(truth) != len(predicted):
        raise ValueError(f"y_true and y_pred must have the same length, got {len(truth)} and {len(predicted)}.")
    return np.asarray(truth == predicted)


def degree_curve(score: ArrayLike, degree: Any, *, n_bins: int = 10, confidence_level: float = 0.95) -> pd.DataFrame:
    """Compute the mean score of nodes in degree bins of about equal size.

    Parameters
    ----------
    score : array-like of shape (n_nodes,)
        One number per node, such as ``y_true == y_pred`` for accuracy.
    degree : array-like of shape (n_nodes,) or Graph
    n_bins : int, default=10
        Nodes of equal degree are in the same bin, so there can be fewer bins.
    confidence_level : float, default=0.95

    Returns
    -------
    DataFrame
        One row per bin: degree_min, degree_max, degree_mean, n, score, ci_low, ci_high.
        The interval is Wilson's if all scores are 0 or 1, otherwise that of a normal mean.

    Examples
    --------
    >>> from skdegfair.metrics import degree_curve
    >>> degree_curve([0, 0, 1, 1], [1, 1, 5, 9], n_bins=2)["score"].tolist()
    [0.0, 1.0]
    """
    check_row_labels(score=score, degree=degree)
    check_integer("n_bins", n_bins, at_least=2)
    check_confidence_level(confidence_level)
    values, degrees = np.asarray(score), as_degrees(degree).astype(np.float64)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"score must contain one finite number per node, got {describe(score)}.")
    values = values.astype(np.float64)
    if values.shape != degrees.shape:
        raise ValueError(f"score and degree must have the same length, got shapes {values.shape} and {degrees.shape}.")
    if not np.isfinite(values).all():
        raise ValueError("score must contain one finite number per node.")
    nodes = pd.DataFrame({"degree": degrees, "score": values})
    bins = nodes.groupby(degree_groups(degrees, n_groups=n_bins))
    curve = bins["degree"].agg(degree_min="min", degree_max="max", degree_mean="mean")
    curve["n"], curve["score"] = bins.size(), bins["score"].mean()
    if np.isin(values, (0.0, 1.0)).all():
        curve["ci_low"], curve["ci_high"] = wilson_interval(
            curve["score"].to_numpy(), curve["n"].to_numpy(), confidence_level
        )
    else:
        z = NormalDist().inv_cdf((1 + confidence_level) / 2)
        reach = z * bins["score"].std() / np.sqrt(curve["n"])
        curve["ci_low"], curve["ci_high"] = curve["score"] - reach, curve["score"] + reach
    return curve.reset_index(drop=True).rename_axis("bin")
