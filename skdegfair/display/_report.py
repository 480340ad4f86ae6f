"""The plots of a report's page."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from ..metrics import DegreeFairnessReport
from ._curve import DegreeCurveDisplay
from ._gap import DegreeGapDisplay


def report_figures(report: DegreeFairnessReport) -> dict[str, bytes]:
    """SVG pictures of a report by title: rates by group, and accuracy by degree where degrees are known."""
    displays: dict[str, Any] = {"Rates by class and group": DegreeGapDisplay.from_report(report)}
    if report.curve is not None:
        displays["Accuracy by degree"] = DegreeCurveDisplay(report.curve).plot()
    return {title: _as_svg(display.figure_) for title, display in displays.items()}


def _as_svg(figure: Any) -> bytes:
    import matplotlib
    import matplotlib.pyplot as plt

    picture = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "skdegfair"}):  # the same report gives the same bytes
        figure.savefig(picture, format="svg", metadata={"Date": None})
    plt.close(figure)
    return picture.getvalue()
