"""Node classifiers that mitigate degree bias, in the manner of scikit-learn.

Names are imported when they are first used: ``skdegfair.metrics`` and
``skdegfair.graph`` work without loading torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._classifier import DegFairGNNClassifier, GNNClassifier
    from .graph import Graph, GraphTransformer

__all__ = ["DegFairGNNClassifier", "GNNClassifier", "Graph", "GraphTransformer"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ".graph" if name.startswith("Graph") else "._classifier"
    return getattr(import_module(home, __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
