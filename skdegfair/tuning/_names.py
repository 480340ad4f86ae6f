"""Names of parameters, and names of their values that are the same in every process."""

from __future__ import annotations

import re
import sys
from collections.abc import Container
from typing import Any

from sklearn import config_context
from sklearn.base import BaseEstimator


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
