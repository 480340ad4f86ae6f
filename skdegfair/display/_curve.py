"""Plot of a score of nodes by degree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..graph import check_row_labels
from ..metrics import assess, degree_curve
from ..metrics._assessed import name_of
from ..metrics._curve import is_correct
from ._style import CHANCE, COLORS, axes_for, check_columns, in_percent, tidy

COLUMNS = ("degree_min", "degree_max", "degree_mean", "n", "score", "ci_low", "ci_high")


class DegreeCurveDisplay:
    """Plot of accuracy, or any other score of nodes, by degree.

    Parameters
    ----------
    curve : DataFrame
        As from :func:`~skdegfair.metrics.degree_curve`.
    score_name, degree_name : str, default="Accuracy", "Degree"
        Labels of the axes.
    in_percent : bool, default=True
        Whether to show scores, which are fractions, as percentages.

    Attributes
    ----------
    ax_, counts_ax_ : matplotlib Axes
        The axes of the curve, and of the number of nodes (None if it is not shown).
    figure_ : matplotlib Figure
    line_, band_ : matplotlib artists

    Examples
    --------
    >>> from skdegfair.display import DegreeCurveDisplay
    >>> display = DegreeCurveDisplay.from_predictions([0, 1, 0, 1], [1, 1, 0, 1], degree=[1, 1, 5, 9], n_bins=2)
    >>> display.curve["score"].tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, curve: pd.DataFrame, *, score_name: str = "Accuracy", degree_name: str = "Degree", in_percent: bool = True
    ) -> None:
        check_columns("curve", curve, COLUMNS, "degree_curve")
        self.curve, self.score_name, self.degree_name, self.in_percent = curve, score_name, degree_name, in_percent

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
            Nodes that are unlabeled for the estimator are left out.
        degree : array-like of shape (n_nodes,), default=None
            Read from X if it is a Graph.
        hops : int, default=1
        **options
            As for :meth:`from_scores`.
        """
        nodes = assess(estimator, X, y, degree=degree, hops=hops)
        options.setdefault("name", name_of(estimator))
        options.setdefault("degree_name", "Degree" if hops == 1 else f"{hops}-hop degree")
        return cls.from_predictions(nodes.y_true, nodes.y_pred, degree=nodes.degree, **options)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, degree: Any, **options: Any
    ) -> DegreeCurveDisplay:
        """Draw the accuracy of predictions. Options are those of :meth:`from_scores`."""
        check_row_labels(y_true=y_true, y_pred=y_pred, degree=degree)
        return cls.from_scores(is_correct(y_true, y_pred), degree=degree, **options)

    @classmethod
    def from_scores(
        cls,
        score: ArrayLike,
        *,
        degree: Any,
        n_bins: int = 10,
        confidence_level: float = 0.95,
        score_name: str = "Accuracy",
        degree_name: str = "Degree",
        name: str | None = None,
        ax: Any = None,
        show_counts: bool = True,
        line_kwargs: dict[str, Any] | None = None,
    ) -> DegreeCurveDisplay:
        """Draw any score with one value per node.

        Parameters
        ----------
        score, degree : array-like of shape (n_nodes,)
        n_bins : int, default=10
            Number of bins, of about equal size.
        confidence_level : float, default=0.95
        score_name, degree_name : str, default="Accuracy", "Degree"
        name, ax, show_counts, line_kwargs
            As for :meth:`plot`.
        """
        curve = degree_curve(score, degree, n_bins=n_bins, confidence_level=confidence_level)
        parts = bool(np.isin(np.asarray(score, dtype=float), (0.0, 1.0)).all())
        display = cls(curve, score_name=score_name, degree_name=degree_name, in_percent=parts)
        return display.plot(ax=ax, name=name, show_counts=show_counts, line_kwargs=line_kwargs)

    def plot(
        self,
        *,
        ax: Any = None,
        name: str | None = None,
        show_counts: bool = True,
        line_kwargs: dict[str, Any] | None = None,
    ) -> DegreeCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into, as in ``other.plot(ax=display.ax_, show_counts=False)``.
        name : str, default=None
            Name in the legend.
        show_counts : bool, default=True
            Whether gray bars show the number of nodes of each point.
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
        style = {"color": COLORS[drawn % len(COLORS)], "marker": "o", "markersize": 5, "label": name, "zorder": 3}
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
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, SymmetricalLogLocator

        lowest, highest = self.curve["degree_min"].min(), self.curve["degree_max"].max()
        steps = (1, 2, 5) if highest < 1000 * max(lowest, 1) else (1,)
        if lowest >= 1:
            self.ax_.set_xscale("log")
            locator: Any = LogLocator(subs=steps)
        else:
            self.ax_.set_xscale("symlog", linthresh=1)  # shows isolated nodes, too
            locator = SymmetricalLogLocator(base=10, linthresh=1, subs=steps)
        self.ax_.xaxis.set_major_locator(locator)
        self.ax_.xaxis.set_minor_locator(NullLocator())
        self.ax_.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        self.ax_.set(xlabel=self.degree_name, ylabel=self.score_name)
        if self.in_percent:
            self.ax_.set_ylim(-0.02, 1.02)
            in_percent(self.ax_.yaxis)
