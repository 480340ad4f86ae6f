"""Degree fairness of the predictions of any classifier, without torch.

scikit-learn does not know these scorers by name: pass ``scoring=get_scorer("neg_delta_dsp")`` instead of the string.
:func:`get_scorer_names` lists the names.
"""

from ..graph import degree_groups, generalized_degree
from ._assessed import Assessed, assess, placeholder_of
from ._codes import FINDING_CODES, FindingCode
from ._compare import compare_fairness, compare_models
from ._comparison import ModelComparison
from ._curve import degree_curve
from ._findings import Finding, Findings
from ._gaps import delta_deo, delta_dsp, group_scores
from ._model_card import model_card
from ._refit import FairestWithin, MostAccurateWithin, pareto_front, undominated
from ._report import DegreeFairnessReport, degree_fairness_report
from ._scorers import (
    SCORERS,
    DegreeScorer,
    FairnessScoring,
    Tradeoff,
    fairness_scoring,
    get_scorer,
    get_scorer_names,
    make_degree_scorer,
)
from ._table import gaps, group_counts, mean_of_defined, prediction_rates, recalls

__all__ = [
    "FINDING_CODES",
    "SCORERS",
    "Assessed",
    "DegreeFairnessReport",
    "DegreeScorer",
    "FairestWithin",
    "FairnessScoring",
    "Finding",
    "FindingCode",
    "Findings",
    "ModelComparison",
    "MostAccurateWithin",
    "Tradeoff",
    "assess",
    "compare_fairness",
    "compare_models",
    "degree_curve",
    "degree_fairness_report",
    "degree_groups",
    "delta_deo",
    "delta_dsp",
    "fairness_scoring",
    "gaps",
    "generalized_degree",
    "get_scorer",
    "get_scorer_names",
    "group_counts",
    "group_scores",
    "make_degree_scorer",
    "mean_of_defined",
    "model_card",
    "pareto_front",
    "placeholder_of",
    "prediction_rates",
    "recalls",
    "undominated",
]
