"""Plot of the accuracy and the fairness gap of many models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..metrics import ModelComparison, pareto_front
from ..metrics._assessed import AssessedModels, assess_models
from ..metrics._inputs import check_choice, describe
from ..metrics._refit import mean_scores
from ..metrics._scores import overall_scores
from ..metrics._table import table_of, warn_of_empty_groups
from ._style import COLORS, MAJORITY, MARKERS, axes_for, check_kind, in_percent, tidy

GAPS = {"dsp": "ΔDSP", "deo": "ΔDEO"}


class ParetoDisplay:
    """Plot of accuracy against a gap, for several models or the candidates of a search.

    Models further up and further left are better. The Pareto front joins the models that
    no other model dominates.

    Parameters
    ----------
    accuracy, gap : array-like of shape (n_models,)
    names : sequence of str, default=None
        Names of the models in the legend.
    accuracy_sd, gap_sd : array-like of shape (n_models,), default=None
        Standard deviations, drawn as error bars.
    chosen : int, default=None
        Position of the model to mark.
    majority : float, default=None
        Accuracy of a majority vote, whose gap is 0.
    gap_name : str, default="ΔDSP"

    Attributes
    ----------
    front : ndarray of shape (n_models,)
        Which models are on the Pareto front.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skdegfair.display import ParetoDisplay
    >>> ParetoDisplay([0.9, 0.8, 0.7], [0.3, 0.1, 0.2]).plot().front.tolist()
    [True, True, False]
    """

    def __init__(
        self,
        accuracy: ArrayLike,
        gap: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        accuracy_sd: ArrayLike | None = None,
        gap_sd: ArrayLike | None = None,
        chosen: int | None = None,
        majority: float | None = None,
        gap_name: str = "ΔDSP",
    ) -> None:
        self.accuracy, self.gap = np.asarray(accuracy, dtype=float), np.asarray(gap, dtype=float)
        per_model: dict[str, Any] = {"gap": gap, "names": names, "accuracy_sd": accuracy_sd, "gap_sd": gap_sd}
        for name, values in per_model.items():
            if values is not None and len(values) != len(self.accuracy):
                raise ValueError(f"{name} has {len(values)} entries, but there are {len(self.accuracy)} models.")
        check_choice("chosen", chosen, [None, *range(len(self.accuracy))])
        self.names = None if names is None else [str(name) for name in names]
        self.accuracy_sd, self.gap_sd, self.gap_name = accuracy_sd, gap_sd, gap_name
        self.chosen, self.majority = chosen, majority
        self.front = pareto_front(self.accuracy, self.gap)

    @classmethod
    def from_estimator(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        degree: Any = None,
        groups: ArrayLike | None = None,
        hops: int = 1,
        **options: Any,
    ) -> ParetoDisplay:
        """Draw fitted classifiers.

        Parameters
        ----------
        estimators : dict from names to fitted classifiers
        X : Graph or array-like of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            Nodes that are unlabeled for a classifier are left out.
        degree : array-like of shape (n_nodes,) or Graph, default=None
            Read from X if it is a Graph.
        groups : array-like of shape (n_nodes,), default=None
        hops : int, default=1
        **options
            As for :meth:`from_predictions`.
        """
        nodes = _assess("estimators", estimators, X, y, degree=degree, groups=groups, hops=hops)
        predictions = dict(zip(estimators, nodes.predictions, strict=True))
        options = {"degree": nodes.degree, "groups": nodes.groups, "labels": nodes.labels, **options}
        return cls.from_predictions(nodes.y_true, predictions, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        predictions: Mapping[str, ArrayLike],
        *,
        degree: Any = None,
        groups: ArrayLike | None = None,
        share: float | None = None,
        labels: ArrayLike | None = None,
        gap: str = "dsp",
        chosen: str | None = None,
        ax: Any = None,
    ) -> ParetoDisplay:
        """Draw the predictions of several models for the same nodes.

        Parameters
        ----------
        y_true : array-like of shape (n_nodes,)
        predictions : dict from names to array-like of shape (n_nodes,)
        degree, groups, share, labels
            As for :func:`~skdegfair.metrics.delta_dsp`.
        gap : {"dsp", "deo"}, default="dsp"
        chosen : str, default=None
            Name of the model to mark.
        ax : matplotlib Axes, default=None
        """
        check_choice("gap", gap, sorted(GAPS))
        nodes = _assess(
            "predictions", predictions, None, y_true, y_name="y_true", degree=degree, groups=groups, labels=labels
        )
        grouping: dict[str, Any] = {
            "degree": nodes.degree if groups is None else None,
            "groups": nodes.groups,
            "share": share,
        }
        tables = [table_of(nodes.y_true, each, labels=nodes.labels, **grouping) for each in nodes.predictions]
        warn_of_empty_groups(tables[0], by_degree=groups is None)
        scores = [overall_scores(table, "max") for table in tables]
        return cls(
            [table.loc["predictions", "accuracy"] for table in scores],
            [table.loc["predictions", f"delta_{gap}"] for table in scores],
            names=list(predictions),
            chosen=_position(chosen, predictions),
            majority=scores[0].loc["majority vote", "accuracy"],
            gap_name=GAPS[gap],
        ).plot(ax=ax)

    @classmethod
    def from_comparison(
        cls, comparison: ModelComparison, *, gap: str = "dsp", chosen: str | None = None, ax: Any = None
    ) -> ParetoDisplay:
        """Draw models that were compared with :func:`~skdegfair.metrics.compare_models`.

        Parameters
        ----------
        comparison : ModelComparison
        gap, chosen, ax
            As for :meth:`from_predictions`.
        """
        check_kind("comparison", comparison, ModelComparison, "compare_models")
        check_choice("gap", gap, sorted(GAPS))
        names, values = list(comparison.reports), comparison.table["value"]
        return cls(
            values.loc["accuracy"][names],
            values.loc[f"delta_{gap}"][names],
            names=names,
            chosen=_position(chosen, names),
            majority=values.loc["accuracy", "majority vote"],
            gap_name=GAPS[gap],
        ).plot(ax=ax)

    @classmethod
    def from_search(
        cls,
        search: Any,
        *,
        accuracy: str = "accuracy",
        gap: str | None = None,
        majority: float | None = None,
        ax: Any = None,
    ) -> ParetoDisplay:
        """Draw the candidates of a fitted search, with means and standard deviations over folds.

        Parameters
        ----------
        search : fitted search over several metrics
            Such as ParetoSearchCV, or GridSearchCV with ``scoring=fairness_scoring``. The
            selected candidate is marked.
        accuracy : str, default="accuracy"
            Name of the accuracy score.
        gap : {"dsp", "deo"}, default=None
            By default the gap that is an objective of the search, otherwise "dsp".
        majority : float, default=None
            Accuracy of a majority vote.
        ax : matplotlib Axes, default=None
        """
        objectives = getattr(search, "objectives_", ())
        if gap is None:
            gap = next((name for name in GAPS if f"neg_delta_{name}" in objectives), "dsp")
        check_choice("gap", gap, sorted(GAPS))
        if not hasattr(search, "cv_results_"):
            check_is_fitted(search)
            raise TypeError(f"search must be a fitted search over several metrics, got {describe(search)}.")
        results, fairness = search.cv_results_, f"neg_delta_{gap}"
        display = cls(
            mean_scores(results, accuracy),
            -mean_scores(results, fairness),
            accuracy_sd=results.get(f"std_test_{accuracy}"),
            gap_sd=results.get(f"std_test_{fairness}"),
            names=_settings(results["params"]),
            chosen=getattr(search, "best_index_", None),
            majority=majority,
            gap_name=GAPS[gap],
        )
        if set(objectives) == {accuracy, fairness}:  # its own front, which may exclude some candidates
            display.front = np.isin(results["trial"], search.pareto_.index)
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ParetoDisplay:
        """Draw the models.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into. A new figure by default.

        Returns
        -------
        self
        """
        (self.ax_,), new = axes_for(ax, 1)
        self.figure_ = self.ax_.figure
        tidy([self.ax_])
        order = np.flatnonzero(self.front)[np.argsort(self.gap[self.front])]
        self.ax_.plot(self.gap[order], self.accuracy[order], color="0.6", linewidth=1.2, zorder=1, label="front")
        self._draw_models()
        if self.chosen is not None:
            self.ax_.scatter(
                self.gap[self.chosen], self.accuracy[self.chosen], s=190, facecolor="none", edgecolor="black",
                linewidth=1.4, zorder=4, label="chosen",
            )  # fmt: skip
        if self.majority is not None:
            self.ax_.scatter(0, self.majority, marker="*", s=90, color=MAJORITY, zorder=3, label="majority vote")
        self.ax_.set(xlabel=f"{self.gap_name} (lower is fairer)", ylabel="Accuracy")
        self.ax_.set_xlim(left=min(0.0, self.ax_.get_xlim()[0]))
        in_percent(self.ax_.xaxis)
        in_percent(self.ax_.yaxis)
        if new:
            longest = max(len(label) for label in self.ax_.get_legend_handles_labels()[1])
            ncols = min(3, max(1, 68 // (longest + 8)))  # the figure is about 68 letters wide
            self.figure_.legend(loc="outside lower center", ncols=ncols, frameon=False)
        else:
            self.ax_.legend(fontsize="small")
        return self

    def _draw_models(self) -> None:
        sds = {"xerr": self.gap_sd, "yerr": self.accuracy_sd}
        if self.names is None:
            self.ax_.errorbar(self.gap, self.accuracy, **sds, fmt="none", ecolor="0.85", elinewidth=1, zorder=0)
            for which, color, label in ((self.front, COLORS[0], "on the front"), (~self.front, "0.6", "not on it")):
                self.ax_.scatter(self.gap[which], self.accuracy[which], c=color, s=28, zorder=2, label=label)
            return
        for number, name in enumerate(self.names):
            errors = {axis: None if sd is None else np.asarray(sd)[number] for axis, sd in sds.items()}
            self.ax_.errorbar(
                self.gap[number], self.accuracy[number], **errors, color=COLORS[number % len(COLORS)], markersize=7,
                fmt=MARKERS[(number + number // len(COLORS)) % len(MARKERS)], capsize=2, zorder=2,
                label=f" {name}" if name.startswith("_") else name,  # matplotlib omits names with a leading underscore
            )  # fmt: skip


def _assess(name: str, models: Any, X: Any, y: Any, **options: Any) -> AssessedModels:
    if not isinstance(models, Mapping) or not models:
        raise TypeError(f'{name} must be a dict from names to models, as in {{"GCN": ...}}, got {describe(models)}.')
    return assess_models({f"{name}[{key!r}]": model for key, model in models.items()}, X, y, **options)


def _position(chosen: str | None, names: Iterable[str]) -> int | None:
    if chosen is not None:
        check_choice("chosen", chosen, names)
    return None if chosen is None else list(names).index(chosen)


def _settings(params: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """Return names of candidates from their parameters, or None if there are too many for a legend."""
    if len(params) > len(COLORS):
        return None
    return [", ".join(f"{name.split('__')[-1]}={value}" for name, value in each.items()) for each in params]
