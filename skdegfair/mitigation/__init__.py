"""Methods that make a graph neural network fairer, as objects for ``GNNClassifier(mitigation=...)``."""

from .base import Mitigation, Phase
from .degfair import DegFair
from .fairgnn import FairGNN
from .rawlsgcn import RawlsGCN
from .released import ReleasedDegFair

__all__ = ["DegFair", "FairGNN", "Mitigation", "Phase", "RawlsGCN", "ReleasedDegFair"]
