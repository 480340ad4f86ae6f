"""Searches for the trade-off between accuracy and fairness, with Optuna's samplers and scikit-learn's interface.

They work for any classifier, and load torch only for classifiers that need it.
"""

from typing import TYPE_CHECKING, Any

from ._objective import FairnessObjective
from ._search import ParetoSearchCV
from ._space import search_space, suggest_params

if TYPE_CHECKING:
    from ._pruning import TrialPruning

__all__ = ["FairnessObjective", "ParetoSearchCV", "TrialPruning", "search_space", "suggest_params"]


def __getattr__(name: str) -> Any:
    if name != "TrialPruning":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._pruning import TrialPruning

    return TrialPruning


def __dir__() -> list[str]:
    return [*globals(), *__all__]
