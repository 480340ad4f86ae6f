"""Names of parameters, and names of their values that are the same in every process."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable
from difflib import get_close_matches
from typing import Any

from sklearn import config_context
from sklearn.base import BaseEstimator


def check_estimator(estimator: Any) -> None:
    """Raise TypeError if this is not an estimator, or a class instead of an object."""
    if isinstance(estimator, type):
        raise TypeError(f"estimator must be an object, got a class. Pass {estimator.__name__}().")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise TypeError(f"estimator must be a classifier with fit and get_params, got {estimator!r}.")


def check_names(estimator: BaseEstimator, names: Iterable[str], replaced: Container[str]) -> None:
    """Raise ValueError if the estimator has no parameter of one of these names.

    Objects in ``replaced`` can have other parameters than those of the estimator.
    """
    own = estimator.get_params(deep=True)
    for name in names:
        if name in own or parent_of(name, replaced) is not None:
            continue
        inside = [each for each in own if each.endswith(f"__{name}")]
        similar = inside or get_close_matches(name, own, n=1)
        hint = f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""
        raise ValueError(f"{type(estimator).__name__} has no parameter {name!r}.{hint}")


def has_params(value: Any) -> bool:
    """Whether a value is an object with parameters, such as a mitigation."""
    return hasattr(value, "get_params") and not isinstance(value, type)


def name_of(value: Any) -> str:
    """Return the repr of a value on one line, without memory addresses.

    It does not depend on scikit-learn's display settings and is not shortened.
    """
    if isinstance(value, str):
        return value
    with config_context(print_changed_only=True):
        is_plain = type(value).__repr__ is BaseEstimator.__repr__
        text = BaseEstimator.__repr__(value, N_CHAR_MAX=sys.maxsize) if is_plain else repr(value)
    lines = (line.strip() for line in text.splitlines())
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(lines))


def parent_of(name: str, names: Container[str]) -> str | None:
    """Return the nearest of the names that contains this one, such as "mitigation" for "mitigation__form"."""
    parts = name.split("__")
    prefixes = ("__".join(parts[:n]) for n in range(len(parts) - 1, 0, -1))
    return next((prefix for prefix in prefixes if prefix in names), None)
