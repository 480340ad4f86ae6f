"""How a module is fitted: the skorch net, its data and its callbacks."""

from ._callbacks import DIVERGED, MONITORS, EpochLog, EpochProgress, StopTraining, epoch_callbacks
from ._data import NodeDataset, SampledNodes, WholeGraph
from ._net import NodeNet
from .memory import memory_kept

__all__ = [
    "DIVERGED",
    "MONITORS",
    "EpochLog",
    "EpochProgress",
    "NodeDataset",
    "NodeNet",
    "SampledNodes",
    "StopTraining",
    "WholeGraph",
    "epoch_callbacks",
    "memory_kept",
]
