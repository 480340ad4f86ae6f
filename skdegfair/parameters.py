"""Checks of parameters that a classifier and a mitigation share: their values, and whether they have an effect."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

LARGEST = float(np.finfo(np.float32).max)
"""Upper bound of numbers that enter training, which is in single precision."""


class Unused(NamedTuple):
    """Parameters that have no effect under a condition, which is a function of the object that has them."""

    names: tuple[str, ...]
    condition: str  # as users write it
    holds: Callable[[Any], bool]


def unused_parameters(holder: Any, rules: Iterable[Unused]) -> Iterator[str]:
    """Yield a sentence for each parameter that differs from its default and has no effect.

    Those that are 0 or False are left out: they switch off something that is off already.
    """
    defaults = {name: each.default for name, each in inspect.signature(type(holder)).parameters.items()}
    found: set[str] = set()
    for rule in rules:
        if rule.holds(holder):
            for name in rule.names:
                value = getattr(holder, name)
                if value and name not in found and value != defaults[name]:
                    found.add(name)
                    yield f"{name}={value!r} has no effect with {rule.condition}."


def refuse_booleans(holder: Any) -> None:
    """Raise ValueError for True or False in place of a number, which scikit-learn's validation reads as 1 or 0."""
    for name, allowed in holder._parameter_constraints.items():
        value = getattr(holder, name)
        if isinstance(value, (bool, np.bool_)) and "boolean" not in allowed and allowed != "no_validation":
            raise ValueError(f"{name} of {type(holder).__name__} must not be a boolean, got {value!r}.")
