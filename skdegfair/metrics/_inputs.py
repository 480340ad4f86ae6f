"""Classes, degrees, groups and options as users pass them to metrics. Each error names the input."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..graph import as_labels, as_typed_array, degree_groups

MAX_GROUPS = 100
"""More groups are most likely degrees, or one group per node."""

MISSING = (
    "{name} holds {n} missing labels. Assess only nodes whose class is known, as in y_true[known], y_pred[known] and "
    "degree[known]."
)
NOT_CLASSES = (
    "{name} should be a 1d array with one class per node, got {what}. Pass classes, as in clf.predict(G), instead of "
    "probabilities, regression targets or a model."
)
TWO_TYPES = "{one} holds {type_one} and {other} holds {type_other}. Convert both to the same type."
NOT_DEGREES = "degree must contain one finite number per node, or be a Graph of the nodes, got {what}."
TWO_GROUPS = (
    "groups must contain the group of each node, with at least two groups and at most "
    f"{MAX_GROUPS}: integers that increase with the degree, negative for no group, or names; "
    "got {what}. For groups of equal size, pass degree_groups(degree, n_groups=4)."
)


def classes_of(name: str, y: Any) -> NDArray[Any]:
    """Return one class per node. Raises ValueError if classes are missing, of different types, or not classes."""
    shape = np.shape(y)
    if hasattr(y, "predict") or (len(shape) != 1 and shape[1:] != (1,)):
        raise ValueError(NOT_CLASSES.format(name=name, what=describe(y)))
    labels = as_labels(y, name)
    missing = int(pd.isna(labels).sum())
    if missing:
        raise ValueError(MISSING.format(name=name, n=missing))
    labels = as_typed_array(labels, name)
    if labels.dtype.kind == "f":
        whole = np.isfinite(labels) & (labels == np.floor(labels))
        if not whole.all():
            raise ValueError(NOT_CLASSES.format(name=name, what=f"the number {labels[whole.argmin()]:.4g}"))
    if labels.ndim != 1 or labels.dtype.kind not in "biufUST":
        raise ValueError(NOT_CLASSES.format(name=name, what=f"labels of the type {type(np.ravel(y)[0]).__name__}"))
    return labels


def check_same_type(**columns: NDArray[Any]) -> None:
    """Raise ValueError if some classes are numbers and others strings: no two of them would be equal."""
    (one, first), *others = columns.items()
    for other, column in others:
        if _family(first) != _family(column):
            types = {"type_one": _type_name(first), "type_other": _type_name(column)}
            raise ValueError(TWO_TYPES.format(one=one, other=other, **types))


def _family(column: NDArray[Any]) -> str:
    return {"U": "strings", "T": "strings", "S": "bytes"}.get(column.dtype.kind, "numbers")


def _type_name(column: NDArray[Any]) -> str:
    family = _family(column)
    return column.dtype.name if family == "numbers" else family


def as_degrees(degree: Any, hops: int = 1) -> NDArray[np.float64]:
    """Return degrees as numbers; for a Graph, or the data set that skorch gets, they are computed."""
    check_hops(hops)
    values = np.asarray(degree.degree(hops) if callable(getattr(degree, "degree", None)) else degree)
    if values.ndim != 1:
        raise ValueError(NOT_DEGREES.format(what=describe(degree)))
    if values.dtype.kind not in "biuf":
        raise ValueError(NOT_DEGREES.format(what=f"an array of the type {values.dtype.name}"))
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        raise ValueError(NOT_DEGREES.format(what=f"{values[wrong.argmax()]} at position {wrong.argmax()}"))
    return values


def as_groups(groups: Any) -> pd.Series:
    """Return one group per node. Negative numbers stand for no group, so they are missing in the result."""
    if np.ndim(groups) != 1:
        raise ValueError(TWO_GROUPS.format(what=describe(groups)))
    given = pd.Series(groups).reset_index(drop=True).infer_objects()
    if isinstance(given.dtype, pd.CategoricalDtype):
        names = given.cat.categories
        return given.cat.remove_categories(names[names < 0] if pd.api.types.is_numeric_dtype(names) else [])
    if pd.api.types.is_numeric_dtype(given) and not pd.api.types.is_bool_dtype(given):
        if (given.dropna() % 1 != 0).any():
            raise ValueError(TWO_GROUPS.format(what="numbers that are not whole"))
        return given.where(given >= 0)
    as_typed_array(given.dropna().to_numpy(dtype=object), "groups")  # names of several types have no order
    return given


def group_numbers(degree: Any, groups: Any, share: float | None) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the group number of each node, -1 for no group, and the names of the groups."""
    if (degree is None) == (groups is None):
        raise ValueError("Pass either degree, as in degree=graph.degree(), or groups.")
    check_share(share)
    if degree is not None:
        return degree_groups(as_degrees(degree), share=share), ["low", "high"]
    if share is not None:
        raise ValueError("share is for groups by degree, but groups is given. Pass only one of them.")
    named = pd.Categorical(as_groups(groups))  # ordered by number or name, or as in a categorical; missing for no group
    names = named.categories.tolist()
    if not 2 <= len(names) <= MAX_GROUPS:
        raise ValueError(TWO_GROUPS.format(what=f"{len(names)} groups" if len(names) != 1 else f"only {names[0]!r}"))
    return named.codes.astype(np.intp), [int(name) if isinstance(name, float) else name for name in names]


def check_options(pairs: str, confidence_level: float, n_resamples: int) -> None:
    """Raise ValueError if an option is out of range."""
    check_pairs(pairs)
    check_confidence_level(confidence_level)
    check_integer("n_resamples", n_resamples, at_least=1)


def check_confidence_level(confidence_level: float) -> None:
    if not is_number(confidence_level) or not 0 < confidence_level < 1:
        raise ValueError(f"confidence_level must be between 0 and 1, such as 0.95, got {confidence_level!r}.")


def check_pairs(pairs: str) -> None:
    if pairs not in ("max", "mean"):
        raise ValueError(f'pairs must be "max" or "mean", got {pairs!r}.')


def check_hops(hops: int) -> None:
    check_integer("hops", hops, at_least=1)


def check_share(share: float | None) -> None:
    if share is not None and (not is_number(share) or not 0 < share <= 0.5):
        raise ValueError(f"share must be a number in (0, 0.5], such as 0.2, got {share!r}.")


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def check_integer(name: str, value: int, *, at_least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        kind = "a positive integer" if at_least == 1 else f"an integer of at least {at_least}"
        raise ValueError(f"{name} must be {kind}, got {value!r}.")


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise ValueError if a value is not one of the choices, and suggest the most similar one."""
    known = list(choices)
    if value not in known:
        similar = get_close_matches(value, map(str, known), n=1) if isinstance(value, str) else []
        hint = f" Did you mean {similar[0]!r}?" if similar else ""
        raise ValueError(f"{name} must be one of {known}, got {value!r}.{hint}")


def describe(value: Any) -> str:
    """Describe briefly what was passed instead of an array."""
    if value is None or isinstance(value, (str, bytes, Real)):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    if isinstance(value, (np.ndarray, list, tuple)):
        return f"an array of shape {np.shape(value)}"
    return f"{article} {name}" + (f" of shape {value.shape}" if hasattr(value, "shape") else "")
