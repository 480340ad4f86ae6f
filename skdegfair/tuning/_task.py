"""A description of what a search does, by which a stored study is recognized."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from numbers import Number
from types import CodeType, FunctionType
from typing import Any

import joblib
from joblib.hashing import NumpyHasher
from optuna.distributions import distribution_to_json

from ._names import has_params, name_of

Task = dict[str, Any]


def describe(search: Any, *, space: Any, data: Any, scoring: Any, objectives: Any) -> Task:
    """Describe what two searches must have in common for their trials to be comparable.

    The description is the same in every process: objects are described by name, functions also by their code, and
    ``data``, a dict, by hashes.
    """
    values: Any
    estimator = search.estimator
    if callable(space):
        values = name_of(getattr(space, "__qualname__", space))
    else:
        values = {name: distribution_to_json(getattr(each, "distribution", each)) for name, each in space.items()}
    own = estimator.get_params(deep=True).items()
    own = {name: value for name, value in own if name.split("__")[-1] not in ("verbose", "n_jobs")}
    return {
        "estimator": {name: name_of(value) for name, value in own.items()},
        "estimator (class)": f"{type(estimator).__module__}.{type(estimator).__qualname__}",
        "estimator (values)": {name: code_hash(value) for name, value in own.items()},
        "param_distributions": values,
        "param_distributions (code)": code_hash(space) if callable(space) else None,
        **{name: joblib.hash(value) for name, value in data.items()},
        "scoring": name_of(scoring),
        "scoring (code)": code_hash(scoring),
        "objectives": list(objectives),
        "min_accuracy": None if search.min_accuracy is None else float(search.min_accuracy),
    }


def differences(task: Task, before: Mapping[str, Any]) -> list[str]:
    """Return the names of what differs. Entries that an earlier version did not store are ignored."""
    differing = (key.partition(" (")[0] for key, value in task.items() if before.get(key, value) != value)
    return list(dict.fromkeys(differing))


def code_hash(value: Any) -> str | None:
    """Hash an object and the code of the functions in it, or return None for objects that cannot be pickled.

    Two lambdas have the same name, but different code. Functions that these functions call are not followed.
    """
    try:
        return str(_CodeHasher().hash(value))
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return None


class _CodeHasher(NumpyHasher):
    """Hash functions by their code, estimators by their parameters, and classes by name, also if they are local."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            code = _text_of(value.__code__, value.__doc__)
            cells = [cell.cell_contents for cell in value.__closure__ or () if _is_fixed(cell)]
            return tuple, ([code, value.__defaults__, value.__kwdefaults__, cells],)
        if isinstance(value, type) and "<locals>" in value.__qualname__:
            return tuple, ([value.__module__, value.__qualname__],)
        if isinstance(value, frozenset):
            return frozenset, (set(value),)  # joblib sorts sets, whose order depends on the process
        if has_params(value):
            return tuple, ([type(value), value.get_params(deep=False)],)
        return NotImplemented


def _text_of(constant: Any, doc: str | None = None) -> str:
    """Return a constant of a function as text that is the same in every process.

    Code is described by what it does, without its docstring, its lines and its file.
    """
    if isinstance(constant, CodeType):
        constants = [_text_of(each) for each in constant.co_consts if doc is None or each is not doc]
        return repr([constant.co_code, constant.co_names, constant.co_varnames, constants])
    if isinstance(constant, tuple):
        return f"({', '.join(map(_text_of, constant))})"
    if isinstance(constant, frozenset):
        return f"{{{', '.join(sorted(map(_text_of, constant)))}}}"
    return repr(constant)


def _is_fixed(cell: Any) -> bool:
    """Whether a variable around a function keeps its value. A list can be a log, which differs after each search."""
    try:
        return _is_immutable(cell.cell_contents)
    except ValueError:  # a variable that has no value yet
        return False


def _is_immutable(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_is_immutable, value))
    return value is None or isinstance(value, str | bytes | Number | FunctionType | type)
