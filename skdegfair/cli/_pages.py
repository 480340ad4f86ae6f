"""Pages and plots of a report. Plots need matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..display import DegreeCurveDisplay, DegreeGapDisplay, ParetoDisplay, report_page
from ..metrics import DegreeFairnessReport, ModelComparison
from ._log import Log

Files = dict[str, Callable[[Path], object]]


def can_draw(log: Log) -> bool:
    """Whether matplotlib is installed. Warns if it is not."""
    if find_spec("matplotlib") is None:
        log.warn('There will be no plots, which need matplotlib: pip install "skdegfair[plot]".')
        return False
    import matplotlib

    matplotlib.use("Agg")  # needs no screen
    return True


def page(report: DegreeFairnessReport, title: str, *, draw: bool) -> Files:
    """The page of a report, with plots or without."""
    if draw:
        return {"report.html": lambda path: report_page(report, path, title=title)}
    return {"report.html": lambda path: report.to_html(path, title=title)}


def plots(comparison: ModelComparison, name: str) -> Files:
    """Plots of the comparison, and of one model in it."""
    return {
        "gaps.png": lambda path: _write(DegreeGapDisplay.from_report(comparison.report(name)), path),
        "accuracy_by_degree.png": lambda path: _write(_curves(comparison), path),
        "comparison.png": lambda path: _write(ParetoDisplay.from_comparison(comparison), path),
    }


def _curves(comparison: ModelComparison) -> Any:
    """Accuracy by degree of all models in one plot."""
    display = None
    for name, report in comparison.reports.items():
        degree = "Degree" if report.hops == 1 else f"{report.hops}-hop degree"
        curve = DegreeCurveDisplay(report.curve, degree_name=degree)
        display = curve.plot(ax=None if display is None else display.ax_, name=name, show_counts=display is None)
    return display


def _write(display: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    display.figure_.savefig(path, dpi=150)
    plt.close(display.figure_)
