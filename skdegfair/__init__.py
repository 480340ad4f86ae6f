"""Node classifiers that mitigate degree bias, in the manner of scikit-learn."""

from ._classifier import DegFairGNNClassifier, GNNClassifier
from .graph import Graph, GraphTransformer

__all__ = ["DegFairGNNClassifier", "GNNClassifier", "Graph", "GraphTransformer"]
__version__ = "0.1.0"
