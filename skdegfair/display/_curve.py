"""How well nodes fare, against their degree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..graph import Graph, is_unlabelled
from ..metrics import degree_curve
from ._style import CHANCE, COLOURS, axes_for, in_percent, tidy


class DegreeCurveDisplay:
    """Accuracy, or any other score of nodes, by degree.

    Parameters
    ----------
    curve : DataFrame
        As from :func:`~skdegfair.metrics.degree_curve`.
    score_name : str, default="Accuracy"

    Attributes
    ----------
    ax_, counts_ax_ : matplotlib Axes
        The curve, and the numbers of nodes behind it (None if they are not shown).
    figure_ : matplotlib Figure
    line_, band_ : matplotlib artists

    Examples
    --------
    >>> from skdegfair.display import DegreeCurveDisplay
    >>> display = DegreeCurveDisplay.from_predictions([0, 1, 0, 1], [1, 1, 0, 1], degree=[1, 1, 5, 9], n_bins=2)
    >>> display.curve["score"].tolist()
    [0.5, 1.0]
    """

    def __init__(self, curve: pd.DataFrame, *, score_name: str = "Accuracy") -> None:
        self.curve, self.score_name = curve, score_name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, degree: Any = None, hops: int = 1, **options: Any
    ) -> DegreeCurveDisplay:
        """Draw the accuracy of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X : Graph or array-like of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            Nodes that the estimator takes for unlabelled are left out.
        degree : array-like of shape (n_nodes,), default=None
            Read from X if it is a Graph.
        hops : int, default=1
        **options
            As for :meth:`from_scores`.
        """
        if degree is None and not isinstance(X, Graph):
            raise TypeError("Degrees are read from a Graph. For any other X pass degree=.")
        degrees = X.degree(hops) if degree is None else np.asarray(degree)
        truth = np.asarray(y)
        known = ~is_unlabelled(truth, getattr(estimator, "unlabelled", None))
        predicted = np.asarray(estimator.predict(X))
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(truth[known], predicted[known], degree=degrees[known], **options)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, degree: ArrayLike, **options: Any
    ) -> DegreeCurveDisplay:
        """Draw the accuracy of predictions; options as for :meth:`from_scores`."""
        return cls.from_scores(np.asarray(y_true) == np.asarray(y_pred), degree=degree, **options)

    @classmethod
    def from_scores(
        cls,
        score: ArrayLike,
        *,
        degree: ArrayLike,
        n_bins: int = 10,
        confidence_level: float = 0.95,
        score_name: str = "Accuracy",
        name: str | None = None,
        ax: Any = None,
        show_counts: bool = True,
        line_kwargs: dict[str, Any] | None = None,
    ) -> DegreeCurveDisplay:
        """Draw any score that there is one of per node.

        Parameters
        ----------
        score, degree : array-like of shape (n_nodes,)
        n_bins : int, default=10
            Nodes are put into bins of about equal size.
        confidence_level : float, default=0.95
        score_name : str, default="Accuracy"
        name, ax, show_counts, line_kwargs
            As for :meth:`plot`.
        """
        curve = degree_curve(score, degree, n_bins=n_bins, confidence_level=confidence_level)
        display = cls(curve, score_name=score_name)
        return display.plot(ax=ax, name=name, show_counts=show_counts, line_kwargs=line_kwargs)

    def plot(
        self,
        *,
        ax: Any = None,
        name: str | None = None,
        show_counts: bool = True,
        line_kwargs: dict[str, Any] | None = None,
    ) -> DegreeCurveDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Draw into these, as in ``other.plot(ax=display.ax_, show_counts=False)``.
        name : str, default=None
            For the legend.
        show_counts : bool, default=True
            Whether grey bars show how many nodes each point stands for.
        line_kwargs : dict, default=None
            Passed to matplotlib's ``plot``.

        Returns
        -------
        self
        """
        (self.ax_,), _ = axes_for(ax, 1)
        self.figure_ = self.ax_.figure
        tidy([self.ax_])
        curve, x = self.curve, self.curve["degree_mean"]
        self.counts_ax_ = self._draw_counts(x) if show_counts else None
        drawn = sum(line.get_gid() == "degree_curve" for line in self.ax_.lines)
        style = {"color": COLOURS[drawn % len(COLOURS)], "marker": "o", "markersize": 5, "label": name, "zorder": 3}
        (self.line_,) = self.ax_.plot(x, curve["score"], **(style | (line_kwargs or {})))
        self.line_.set_gid("degree_curve")
        self.band_ = self.ax_.fill_between(
            x, curve["ci_low"], curve["ci_high"], color=self.line_.get_color(), alpha=0.18, linewidth=0, zorder=2
        )
        self._format_axes()
        if name is not None:
            self.ax_.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, frameon=False)
        return self

    def _draw_counts(self, x: pd.Series) -> Any:
        axes = self.ax_.twinx()
        axes.vlines(x, 0, self.curve["n"], color=CHANCE, linewidth=7)
        most = int(self.curve["n"].max())
        axes.set_ylim(0, 5 * most)  # the bars stay below the curve
        axes.set_yticks([0, most])
        axes.set_ylabel("Nodes", loc="bottom", color="0.45")
        axes.tick_params(colors="0.45")
        axes.spines[["top", "right", "left"]].set_visible(False)
        self.ax_.set_zorder(axes.get_zorder() + 1)
        self.ax_.patch.set_visible(False)
        return axes

    def _format_axes(self) -> None:
        from matplotlib.ticker import FuncFormatter, NullLocator

        if self.curve["degree_min"].min() >= 1:
            self.ax_.set_xscale("log")
        else:
            self.ax_.set_xscale("symlog", linthresh=1)  # isolated nodes have a place too
        self.ax_.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        self.ax_.xaxis.set_minor_locator(NullLocator())
        self.ax_.set(xlabel="Degree", ylabel=self.score_name)
        if self.curve[["ci_low", "ci_high"]].stack().between(0, 1).all():
            self.ax_.set_ylim(-0.02, 1.02)
            in_percent(self.ax_.yaxis)
