"""Node classifiers that mitigate degree bias, in the manner of scikit-learn.

Names are imported when they are first used: ``skdegfair.metrics`` and ``skdegfair.graph`` do not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimators import DegFairGNNClassifier, GNNClassifier
    from .graph import Graph, GraphTransformer

_HOMES = {
    "DegFairGNNClassifier": ".estimators",
    "GNNClassifier": ".estimators",
    "Graph": ".graph",
    "GraphTransformer": ".graph",
}
__all__ = ["DegFairGNNClassifier", "GNNClassifier", "Graph", "GraphTransformer"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
