"""Searches for the trade-off between accuracy and fairness: Optuna's samplers, scikit-learn's manners."""

from ._objective import FairnessObjective
from ._pruning import TrialPruning
from ._search import ParetoSearchCV
from ._space import search_space, suggest_params

__all__ = ["FairnessObjective", "ParetoSearchCV", "TrialPruning", "search_space", "suggest_params"]
