"""Methods that make a graph neural network fairer, as objects for ``GNNClassifier(mitigation=...)``."""

from .base import Mitigation, Phase
from .cfc import CFC
from .degfair import DegFair
from .dsgcn import DSGCN
from .fairgnn import FairGNN
from .fairvgnn import FairVGNN
from .rawlsgcn import RawlsGCN
from .released import ReleasedDegFair
from .tailgnn import TailGNN

__all__ = [
    "CFC",
    "DSGCN",
    "DegFair",
    "FairGNN",
    "FairVGNN",
    "Mitigation",
    "Phase",
    "RawlsGCN",
    "ReleasedDegFair",
    "TailGNN",
]
