"""Plot of the rates of each class for nodes of low and of high degree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..metrics import DegreeFairnessReport, degree_fairness_report
from ._style import CHANCE, MARKERS, axes_for, check_columns, check_kind, group_colors, in_percent, shorten, tidy

RATES = ["n", "rate", "ci_low", "ci_high", "null_low", "null_high"]
GAPS = ["gap", "ci_low", "ci_high", "null_95"]
PANELS = {
    "predicted": ("Predicted as the class", "delta_dsp", "ΔDSP"),
    "recall": ("Recall of the class", "delta_deo", "ΔDEO"),
}


class DegreeGapDisplay:
    """Plot of how often each class is predicted (DSP), and of its recall (DEO), in each degree group.

    Points are rates with confidence intervals. The gray bar behind each point is the range
    of the rate under chance, if degree played no role, at the same confidence level.

    Parameters
    ----------
    rates, gaps : DataFrame
        As in a :class:`~skdegfair.metrics.DegreeFairnessReport`.
    confidence_level : float, default=0.95

    Attributes
    ----------
    axes_ : list of matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skdegfair.display import DegreeGapDisplay
    >>> display = DegreeGapDisplay.from_predictions(
    ...     [0, 1, 0, 1, 0, 1], [0, 1, 0, 0, 1, 1], degree=[1, 1, 1, 5, 6, 7], share=0.5
    ... )
    >>> display.gaps.loc["delta_deo", "gap"].round(2)
    np.float64(0.75)
    """

    def __init__(self, rates: pd.DataFrame, gaps: pd.DataFrame, *, confidence_level: float = 0.95) -> None:
        check_columns("rates", rates, RATES, "DegreeFairnessReport.rates")
        check_columns("gaps", gaps, GAPS, "DegreeFairnessReport.gaps")
        self.rates, self.gaps, self.confidence_level = rates, gaps, confidence_level

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        panels: str | Sequence[str] = ("predicted", "recall"),
        ax: Any = None,
        **options: Any,
    ) -> DegreeGapDisplay:
        """Draw the predictions of a fitted classifier.

        Parameters
        ----------
        estimator, X, y, **options
            As for :meth:`~skdegfair.metrics.DegreeFairnessReport.from_estimator`.
        panels, ax
            As for :meth:`plot`.
        """
        report = DegreeFairnessReport.from_estimator(estimator, X, y, **options)
        return cls.from_report(report, panels=panels, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        panels: str | Sequence[str] = ("predicted", "recall"),
        ax: Any = None,
        **options: Any,
    ) -> DegreeGapDisplay:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred, **options
            As for :func:`~skdegfair.metrics.degree_fairness_report`.
        panels, ax
            As for :meth:`plot`.
        """
        return cls.from_report(degree_fairness_report(y_true, y_pred, **options), panels=panels, ax=ax)

    @classmethod
    def from_report(
        cls, report: DegreeFairnessReport, *, panels: str | Sequence[str] = ("predicted", "recall"), ax: Any = None
    ) -> DegreeGapDisplay:
        """Draw a report."""
        check_kind("report", report, DegreeFairnessReport, "degree_fairness_report")
        display = cls(report.rates, report.gaps, confidence_level=report.confidence_level)
        return display.plot(panels=panels, ax=ax)

    def plot(self, *, panels: str | Sequence[str] = ("predicted", "recall"), ax: Any = None) -> DegreeGapDisplay:
        """Draw the rates.

        Parameters
        ----------
        panels : {"predicted", "recall"} or a sequence of them
            Which rates to show, side by side.
        ax : matplotlib Axes, or one for each panel, default=None
            Axes to draw into. A new figure by default.

        Returns
        -------
        self
        """
        panels = [panels] if isinstance(panels, str) else panels
        if not panels or not set(panels) <= set(PANELS):
            raise ValueError(f"panels must be a subset of {list(PANELS)}, got {panels}.")
        classes = self.rates.index.unique("class")
        self.axes_, new = axes_for(ax, len(panels), height=max(4.0, 1.6 + 0.4 * len(classes)))
        self.figure_ = self.axes_[0].figure
        tidy(self.axes_)
        for axes, panel in zip(self.axes_, panels, strict=True):
            self._draw(axes, panel)
            axes.set_yticks(range(len(classes)), [shorten(label) for label in classes])
            axes.set_ylim(len(classes) - 0.45, -0.55)
        self.axes_[0].set_ylabel("Class")
        handles, labels = self.axes_[0].get_legend_handles_labels()
        if new:
            self.figure_.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5), frameon=False)
        else:
            self.axes_[-1].legend(handles, labels, fontsize="small", framealpha=0.6)
        return self

    def _draw(self, ax: Any, panel: str) -> None:
        title, gap, symbol = PANELS[panel]
        rates = self.rates.loc[panel]
        groups = rates.index.unique("group")
        height = 0.8 / len(groups)
        place = np.repeat(np.arange(len(rates) / len(groups)), len(groups))
        place += (np.tile(np.arange(len(groups)), len(rates) // len(groups)) + 0.5) * height - 0.4
        chance = f"{100 * self.confidence_level:g} % by chance"
        bands = {"left": rates["null_low"], "height": 0.75 * height, "color": CHANCE, "label": chance}
        ax.barh(place, rates["null_high"] - rates["null_low"], **bands, zorder=1)
        for number, (group, color) in enumerate(zip(groups, group_colors(len(groups)), strict=True)):
            part = rates.iloc[number :: len(groups)]
            reach = np.maximum([part["rate"] - part["ci_low"], part["ci_high"] - part["rate"]], 0)
            style = {"fmt": MARKERS[number % len(MARKERS)], "color": color, "markersize": 5, "capsize": 2}
            ax.errorbar(part["rate"], place[number :: len(groups)], xerr=reach, **style, label=_name(group), zorder=2)
        row = 100 * self.gaps.loc[gap, GAPS].astype(float)
        note = f"{symbol} not defined"
        if row.notna().all():
            note = "{} {:.1f} [{:.1f}, {:.1f}]\nby chance up to {:.1f}".format(symbol, *row)
        ax.set_title(f"{title}\n{note}", fontsize=9)
        ax.set_xlabel("Fraction of the nodes" if panel == "predicted" else "Recall")
        in_percent(ax.xaxis)


def _name(group: Any) -> str:
    if group in ("low", "high"):
        return f"{group} degree"
    return shorten(group) if isinstance(group, str) else f"group {group}"
