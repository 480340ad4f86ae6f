"""The classifiers: from user input to a trained net, and from a net to predictions."""

from .base import BaseGNNClassifier
from .degfair import DegFairGNNClassifier
from .gnn import GNNClassifier

__all__ = ["BaseGNNClassifier", "DegFairGNNClassifier", "GNNClassifier"]
