"""Training in alternating phases: which parameters are updated, on which loss terms, how many times.

All phases share one optimizer, which skips parameters without a gradient: a phase updates its own parameters by giving
a gradient only to them. Everything that works with one optimizer (warm start, saving, schedules) works with phases.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..mitigation import Phase
from ..nn import GNN, Output


class Phases:
    """The phases of a network.

    Parameters
    ----------
    module : GNN
    phases : sequence of Phase
    """

    def __init__(self, module: GNN, phases: Sequence[Phase]) -> None:
        self.module = module
        named = {prefix for phase in phases for prefix in phase.parameters}
        self.steps = [(phase, _chosen(module, phase, named)) for phase in phases]

    def __iter__(self) -> Any:
        """Each optimizer step in order: the phase and its parameters."""
        for phase, parameters in self.steps:
            for _ in range(phase.steps):
                yield phase, parameters


def _chosen(module: nn.Module, phase: Phase, named: set[str]) -> list[nn.Parameter]:
    """The parameters of a phase: those that it names, or all that no phase names."""
    every = dict(module.named_parameters())
    if phase.parameters:
        chosen = [value for name, value in every.items() if _is_in(name, phase.parameters)]
    else:
        chosen = [value for name, value in every.items() if not _is_in(name, named)]
    if not chosen:
        raise ValueError(f"Phase {phase.name!r} has no parameters: the network has {', '.join(every)}.")
    return chosen


def _is_in(name: str, parts: Iterable[str]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def set_gradients(loss: Tensor, parameters: Sequence[nn.Parameter]) -> None:
    """Give a gradient only to these parameters; a parameter that the loss does not depend on gets none."""
    gradients = torch.autograd.grad(loss, list(parameters), allow_unused=True)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        # torch's fused optimizers take gradients to be contiguous, as those of backward() are
        parameter.grad = None if gradient is None else gradient.contiguous()


def heads_again(module: GNN, output: Output) -> Output:
    """The output with its heads applied again, to the hidden representation without gradient."""
    fixed = output.detached()
    return dataclasses.replace(fixed, heads=module.apply_heads(fixed.hidden))
