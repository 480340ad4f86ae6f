"""A plain, fast graph neural network in torch. It contains no method and does not depend on scikit-learn or skorch."""

from .block import Batch, Block
from .conv import BACKBONES, GAT, GCN, SAGE, Conv
from .gnn import GNN, Architecture, Output, Terms
from .objective import CLASSIFICATION, Objective, Term
from .operators import Attended, ClosedMean, OpenMean, Operator, Reach
from .sampling import NeighborSampler
from .sparse import SparseOperator
from .topology import Topology
from .weights import Linear

__all__ = [
    "BACKBONES",
    "CLASSIFICATION",
    "GAT",
    "GCN",
    "GNN",
    "SAGE",
    "Architecture",
    "Attended",
    "Batch",
    "Block",
    "ClosedMean",
    "Conv",
    "Linear",
    "NeighborSampler",
    "Objective",
    "OpenMean",
    "Operator",
    "Output",
    "Reach",
    "SparseOperator",
    "Term",
    "Terms",
    "Topology",
]
