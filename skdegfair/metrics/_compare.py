"""Compare the accuracy and the fairness of models on the same nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ._assessed import assess_models
from ._comparison import BASELINES, ModelComparison
from ._inference import MEASURES, by_group, wilson_interval
from ._inputs import check_choice, check_options
from ._paired import GAP_NAMES, predicted_by, resample_models
from ._report import DegreeFairnessReport
from ._report_parts import report_parts
from ._table import mean_gap, table_of, warn_of_empty_groups

NOT_MODELS = (
    'models must be a dict from names to fitted classifiers or predictions, as in {"GCN": gcn, "DegFair": fair}.'
)


def compare_models(
    models: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    reference: str | None = None,
    degree: Any = None,
    groups: ArrayLike | None = None,
    hops: int = 1,
    share: float | None = None,
    labels: ArrayLike | None = None,
    pairs: str = "max",
    clusters: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    mute: str | Iterable[str] = (),
) -> ModelComparison:
    """Compare the accuracy and the fairness of models on the same nodes.

    Parameters
    ----------
    models : dict from names to fitted classifiers or array-like of shape (n_nodes,)
        Classifiers predict X; arrays are predictions for the nodes in X.
    X : Graph or array-like of shape (n_nodes, n_features)
        The nodes to assess, as in ``G[test]``. May be None if there are only predictions.
    y : array-like of shape (n_nodes,)
        True classes. Nodes that are unlabeled for one of the classifiers are left out.
    reference : str, default=None
        Name of the model that the others are compared with, by default the first.
    degree : array-like of shape (n_nodes,) or Graph, default=None
        Degrees of the nodes, read from X if it is a Graph.
    groups, hops, share, pairs, clusters, confidence_level, n_resamples, random_state, mute
        As for :func:`degree_fairness_report`.
    labels : array-like, default=None
        Classes to average over, by default all classes of the classifiers, and those in y
        and in the predictions.

    Returns
    -------
    ModelComparison

    Notes
    -----
    Resamples contain the same nodes for all models, so what is difficult for all of them
    cancels out. The fitted models are treated as fixed; differences vary more across other
    splits and seeds. The p-value of a difference is for equal accuracy or equal gaps, not for
    equal predictions: two models with the same gap in favor of different groups do not differ.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.metrics import compare_models
    >>> random = np.random.RandomState(0)
    >>> degree, y = random.poisson(5, size=500), random.randint(2, size=500)
    >>> fair = np.where(random.rand(500) < 0.1, 1 - y, y)
    >>> comparison = compare_models({"biased": np.where(degree > 6, 1, y), "fair": fair}, None, y, degree=degree)
    >>> bool(comparison.table.loc[("delta_dsp", "fair"), "p_value"] < 0.05)
    True
    """
    check_options(pairs, confidence_level, n_resamples)
    reference = _check_names(models, reference)
    nodes = assess_models(
        {f"models[{name!r}]": model for name, model in models.items()},
        X, y, degree=degree, groups=groups, hops=hops, labels=labels, clusters=clusters,
    )  # fmt: skip
    predictions = dict(zip(models, nodes.predictions, strict=True))
    by_degree = nodes.degree if groups is None else None
    grouping: dict[str, Any] = {"degree": by_degree, "groups": nodes.groups, "share": share}
    state = random_state if isinstance(random_state, Integral) else check_random_state(random_state).randint(2**31 - 1)
    seed = int(check_random_state(state).randint(2**31 - 1))  # the same as in a report with this state
    options: dict[str, Any] = {
        "labels": nodes.labels, "pairs": pairs, "confidence_level": confidence_level, "n_resamples": n_resamples
    }  # fmt: skip
    reports = {}
    for name, predicted in predictions.items():
        parts = report_parts(
            nodes.y_true,
            predicted,
            **{**grouping, "degree": nodes.degree},
            hops=hops,
            clusters=nodes.clusters,
            random_state=state,
            reference=None if name == reference else predictions[reference],
            **options,
        )
        reports[name] = DegreeFairnessReport(**parts, name=name, mute=mute)
    warn_of_empty_groups(reports[reference].table, by_degree=groups is None)  # the same for all models
    classes = reports[reference].classes
    numbered = predicted_by(nodes.y_true, nodes.predictions, classes, grouping=grouping, clusters=nodes.clusters)
    differences = resample_models(numbered, pairs=pairs, n_resamples=n_resamples, seed=seed)
    level = 1 - confidence_level
    reach = None if clusters is None else differences.accuracy_reach(level)
    values = pd.concat([_values(reports, reach), _baselines(nodes.y_true, grouping, classes, pairs)])
    compared = differences.frame(list(models).index(reference), level)
    compared.index = compared.index.set_levels(list(models), level="model")
    measures, rows = ["accuracy", *GAP_NAMES.values()], [*models, *BASELINES]
    table = values.join(compared).reindex(pd.MultiIndex.from_product([measures, rows], names=["measure", "model"]))
    return ModelComparison(table, reports=reports, reference=reference)


def compare_fairness(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_other: ArrayLike,
    *,
    degree: Any = None,
    groups: ArrayLike | None = None,
    hops: int = 1,
    labels: ArrayLike | None = None,
    clusters: Any = None,
    **options: Any,
) -> pd.DataFrame:
    """Compare two models' predictions for the same nodes.

    Parameters
    ----------
    y_true, y_pred, y_other : array-like of shape (n_nodes,)
        True classes, and the predictions of the first and of the second model.
    degree, groups, hops, labels, clusters, **options
        As for :func:`compare_models`.

    Returns
    -------
    DataFrame
        One row for the accuracy of all nodes and one for each gap between groups:
        ``first``, ``second``, ``difference`` (second minus first), ``corrected``, its
        interval ``ci_low``, ``ci_high``, and the ``p_value``, as in
        ``ModelComparison.table``.

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
    nodes = assess_models(
        {"y_pred": y_pred, "y_other": y_other},
        None, y_true, y_name="y_true", degree=degree, groups=groups, hops=hops, labels=labels, clusters=clusters,
    )  # fmt: skip
    table = compare_models(
        dict(zip(("y_pred", "y_other"), nodes.predictions, strict=True)),
        None, nodes.y_true, reference="y_pred", degree=nodes.degree, groups=nodes.groups, hops=hops,
        labels=nodes.labels, clusters=nodes.clusters, **options,
    ).table  # fmt: skip
    names = {"corrected_difference": "corrected", "difference_low": "ci_low", "difference_high": "ci_high"}
    second = table.xs("y_other", level="model")
    frame = second.loc[:, "difference":].rename(columns=names)
    frame.insert(0, "first", table.xs("y_pred", level="model")["value"])
    frame.insert(1, "second", second["value"])
    return frame


def _check_names(models: Mapping[str, Any], reference: str | None) -> str:
    """Return the name of the reference."""
    if not isinstance(models, Mapping) or not models:
        raise TypeError(NOT_MODELS)
    taken = set(models) & set(BASELINES)
    if taken:
        raise ValueError(f"The name {taken.pop()!r} is used for a baseline. Rename the model.")
    if reference is None:
        return next(iter(models))
    check_choice("reference", reference, models)
    return reference


def _values(reports: dict[str, DegreeFairnessReport], reach: NDArray[np.float64] | None) -> pd.DataFrame:
    """Return the accuracy and the gaps of each model, with their intervals."""
    rows = {}
    for number, (name, report) in enumerate(reports.items()):
        accuracy = report.scores.loc["predictions", "accuracy"]
        low, high = (
            wilson_interval(accuracy, report.table.n_nodes, report.confidence_level)
            if reach is None
            else np.clip([accuracy - reach[number], accuracy + reach[number]], 0.0, 1.0)
        )
        rows["accuracy", name] = [accuracy, accuracy, float(low), float(high)]
        for measure, gap in report.gaps.iterrows():
            rows[GAP_NAMES[measure], name] = gap[["gap", "corrected", "ci_low", "ci_high"]].tolist()
    return _frame(rows)


def _baselines(y_true: NDArray[Any], grouping: dict[str, Any], labels: list[Any], pairs: str) -> pd.DataFrame:
    """Return the accuracy and the gaps of a majority vote and of the true labels, without intervals."""
    classes, counts = np.unique(y_true, return_counts=True)
    vote = np.full(len(y_true), classes[counts.argmax()])
    rows = {}
    for name, predicted in zip(BASELINES, (vote, y_true), strict=True):
        rows["accuracy", name] = [float((predicted == y_true).mean())] + 3 * [np.nan]
        table = table_of(y_true, predicted, labels=labels, **grouping)
        for measure, (rates, _) in MEASURES.items():
            gap = mean_gap(by_group(rates(table.counts), 2), pairs)
            rows[GAP_NAMES[measure], name] = [float(gap)] + 3 * [np.nan]
    return _frame(rows)


def _frame(rows: dict[tuple[str, str], list[float]]) -> pd.DataFrame:
    index = pd.MultiIndex.from_tuples(rows, names=["measure", "model"])
    return pd.DataFrame(list(rows.values()), index=index, columns=["value", "corrected", "ci_low", "ci_high"])
