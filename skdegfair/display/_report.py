"""Plots for the page of a report."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from ..metrics import DegreeFairnessReport
from ._curve import DegreeCurveDisplay
from ._gap import DegreeGapDisplay


def report_figures(report: DegreeFairnessReport) -> dict[str, bytes]:
    """Return SVG plots of a report by title: rates by group, and accuracy by degree if degrees are known."""
    figures = {"Rates by class and group": DegreeGapDisplay.from_report(report).figure_}
    if report.curve is not None:
        name = "Degree" if report.hops == 1 else f"{report.hops}-hop degree"
        figures["Accuracy by degree"] = DegreeCurveDisplay(report.curve, degree_name=name).plot().figure_
    return {title: _as_svg(figure) for title, figure in figures.items()}


def _as_svg(figure: Any) -> bytes:
    import matplotlib
    import matplotlib.pyplot as plt

    picture = BytesIO()
    try:
        with matplotlib.rc_context({"svg.hashsalt": "skdegfair"}):  # the same report gives the same bytes
            figure.savefig(picture, format="svg", metadata={"Date": None})
    finally:
        plt.close(figure)
    return picture.getvalue()
