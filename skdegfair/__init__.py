"""Node classifiers that mitigate degree bias, in the manner of scikit-learn.

Names are imported when they are first used: ``skdegfair.metrics`` and ``skdegfair.graph`` do not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from .embedding import EmbeddingClassifier
    from .estimators import DegFairGNNClassifier, GNNClassifier
    from .graph import Graph, GraphTransformer
    from .metrics import model_card
    from .persistence import load, save
    from .postprocessing import DegreeParityClassifier

_HOMES = {
    "DegFairGNNClassifier": ".estimators",
    "DegreeParityClassifier": ".postprocessing",
    "EmbeddingClassifier": ".embedding",
    "GNNClassifier": ".estimators",
    "Graph": ".graph",
    "GraphTransformer": ".graph",
    "load": ".persistence",
    "model_card": ".metrics",
    "save": ".persistence",
}
__all__ = [
    "DegFairGNNClassifier",
    "DegreeParityClassifier",
    "EmbeddingClassifier",
    "GNNClassifier",
    "Graph",
    "GraphTransformer",
    "load",
    "model_card",
    "save",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
