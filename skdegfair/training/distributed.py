"""Training in several processes at once, with Hugging Face Accelerate and torch.distributed."""

from __future__ import annotations

from typing import Any

import torch
from skorch.hf import AccelerateMixin
from torch import Tensor

from .net import NodeNet, logits_alone

NEEDED = "distributed=True needs Accelerate: pip install 'skdegfair[cluster]'."
NOT_TOGETHER = (
    "distributed=True, but this process was not started together with others. Run the script with torchrun or "
    "accelerate launch, for example: torchrun --nproc-per-node 2 script.py"
)


class SharedNodeNet(AccelerateMixin, NodeNet):
    """A net whose gradients are averaged over the processes, each with a part of the batch."""

    accelerator: Any
    optimizer_: Any

    @property
    def plain_module(self) -> Any:
        return self.accelerator.unwrap_model(self.module_)

    def _forget_processes(self) -> None:
        """A fitted model does not depend on the processes that fitted it."""
        self._unwrap_accelerator()
        self.optimizer_ = getattr(self.optimizer_, "optimizer", self.optimizer_)
        for name in ("accelerator", "unwrap_after_train", "callbacks__print_log__sink", "_wrapped_with_accelerator"):
            self.__dict__.pop(name, None)
        self.device = str(next(self.module_.parameters()).device)
        self.__class__ = NodeNet

    def train_step_single(self, batch: Any, **fit_params: Any) -> dict[str, Any]:
        return logits_alone(AccelerateMixin.train_step_single(self, batch, **fit_params))

    def evaluation_step(self, batch: Any, training: bool = False) -> Any:
        return NodeNet.evaluation_step(self, batch, training=training)  # each process evaluates all of the nodes

    def of_all_processes(self, value: Any) -> list[Any]:
        values: list[Any] = [None] * self.accelerator.num_processes
        torch.distributed.all_gather_object(values, value)
        return values

    def get_iterator(self, dataset: Any, training: bool = False) -> Any:
        return NodeNet.get_iterator(self, dataset, training=training)  # it takes this process's part by itself


def shared_net(device: Any) -> tuple[type[SharedNodeNet], dict[str, Any]]:
    """The net for this process, and its further parameters."""
    try:
        from accelerate import Accelerator
    except ImportError:
        raise ImportError(NEEDED) from None
    accelerator = Accelerator(cpu=str(device).startswith("cpu"))
    if accelerator.num_processes == 1 and not torch.distributed.is_initialized():
        raise ValueError(NOT_TOGETHER)
    return SharedNodeNet, {
        "accelerator": accelerator,
        "device": None,
        "unwrap_after_train": False,
        "iterator_train__rank": accelerator.process_index,
        "iterator_train__n_processes": accelerator.num_processes,
        "iterator_train__reduce": summed,
    }


def summed(value: Tensor) -> Tensor:
    """The sum over all processes."""
    total: Tensor = _Sum.apply(value)
    return total


class _Sum(torch.autograd.Function):
    """A sum over processes. All have the same loss, and their gradients are averaged: backward undoes the division."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        total = value.clone()
        torch.distributed.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * torch.distributed.get_world_size()
