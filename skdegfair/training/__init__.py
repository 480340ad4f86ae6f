"""How a module is fitted: the skorch net, its data and its callbacks."""

from ._callbacks import MONITORS, EpochLog, EpochProgress, StopTraining, epoch_callbacks
from ._data import NodeDataset, WholeGraph
from ._net import NodeNet

__all__ = [
    "MONITORS",
    "EpochLog",
    "EpochProgress",
    "NodeDataset",
    "NodeNet",
    "StopTraining",
    "WholeGraph",
    "epoch_callbacks",
]
