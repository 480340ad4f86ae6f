"""Plots of degree fairness, like scikit-learn's Display objects. matplotlib is only imported for drawing."""

from ._curve import DegreeCurveDisplay
from ._decision import decision_page
from ._gap import DegreeGapDisplay
from ._pareto import ParetoDisplay
from ._report import report_figures, report_page
from ._training import TrainingDisplay

__all__ = [
    "DegreeCurveDisplay",
    "DegreeGapDisplay",
    "ParetoDisplay",
    "TrainingDisplay",
    "decision_page",
    "report_figures",
    "report_page",
]
