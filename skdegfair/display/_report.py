"""Page of a report with plots."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ..metrics import DegreeFairnessReport
from ..metrics._render import TITLE, write_page
from ._curve import DegreeCurveDisplay
from ._gap import DegreeGapDisplay
from ._style import check_kind


def report_page(report: DegreeFairnessReport, path: str | Path | None = None, *, title: str = TITLE) -> str:
    """Write a self-contained page with all tables and plots of a report.

    The plots are those of :func:`report_figures`. They need matplotlib;
    :meth:`DegreeFairnessReport.to_html() <skdegfair.metrics.DegreeFairnessReport.to_html>`
    writes the same page without them.

    Parameters
    ----------
    report : DegreeFairnessReport
    path : str or Path, default=None
        Where to write the page. If None, it is only returned.
    title : str, default="Degree fairness report"

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from skdegfair.display import report_page
    >>> from skdegfair.metrics import degree_fairness_report
    >>> report = degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 1], degree=[1, 2, 3, 4], share=0.5)
    >>> page = report_page(report)
    >>> page.count("<table"), page.count("<img")
    (4, 2)
    """
    return write_page(report, path, title, report_figures(report))


def report_figures(report: DegreeFairnessReport) -> dict[str, bytes]:
    """Return SVG plots of a report by title: rates by group, and accuracy by degree if degrees are known.

    Parameters
    ----------
    report : DegreeFairnessReport

    Returns
    -------
    dict from str to bytes

    Examples
    --------
    >>> from skdegfair.display import report_figures
    >>> from skdegfair.metrics import degree_fairness_report
    >>> report = degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 1], degree=[1, 2, 3, 4], share=0.5)
    >>> list(report_figures(report))
    ['Rates by class and group', 'Accuracy by degree']
    """
    check_kind("report", report, DegreeFairnessReport, "degree_fairness_report")
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
