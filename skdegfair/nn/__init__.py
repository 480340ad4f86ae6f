"""The model in torch alone: it knows nothing of scikit-learn or skorch."""

from ._aggregate import BACKBONES, GAT, GCN, SAGE
from ._context import DebiasingFunction
from ._film import degree_encoding
from ._loss import FAIRNESS_LOSSES, Objective, alone
from ._module import DegFairGNN, ModulatedLayer
from ._released import ReleasedGNN, ReleasedObjective
from ._sampled import NeighbourSampler, SampledBatch
from ._sparse import SparseOperator
from ._tensors import GraphRows, GraphTensors, NodeBatch

__all__ = [
    "BACKBONES",
    "FAIRNESS_LOSSES",
    "GAT",
    "GCN",
    "SAGE",
    "DebiasingFunction",
    "DegFairGNN",
    "GraphRows",
    "GraphTensors",
    "ModulatedLayer",
    "NeighbourSampler",
    "NodeBatch",
    "Objective",
    "ReleasedGNN",
    "ReleasedObjective",
    "SampledBatch",
    "SparseOperator",
    "alone",
    "degree_encoding",
]
