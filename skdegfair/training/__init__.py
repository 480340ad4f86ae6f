"""How a module is fitted: the skorch net, its phases, its data and its callbacks."""

from .callbacks import DIVERGED, MONITORS, EpochLog, EpochProgress, StopTraining, epoch_callbacks
from .checkpoint import Checkpoint, read_checkpoint
from .data import NodeDataset, SampledNodes, WholeGraph
from .memory import memory_kept
from .net import NodeNet

__all__ = [
    "DIVERGED",
    "MONITORS",
    "Checkpoint",
    "EpochLog",
    "EpochProgress",
    "NodeDataset",
    "NodeNet",
    "SampledNodes",
    "StopTraining",
    "WholeGraph",
    "epoch_callbacks",
    "memory_kept",
    "read_checkpoint",
]
