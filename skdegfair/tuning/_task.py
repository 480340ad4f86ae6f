"""A description of what a search does, by which a stored study is recognized."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

import joblib
from joblib.hashing import NumpyHasher
from optuna.distributions import distribution_to_json

from ._names import name_of

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
    own = {
        name: value
        for name, value in estimator.get_params(deep=True).items()
        if name.split("__")[-1] not in ("verbose", "n_jobs")
    }
    return {
        "estimator": {name: name_of(value) for name, value in own.items()},
        "estimator (class)": f"{type(estimator).__module__}.{type(estimator).__qualname__}",
        "estimator (functions)": {
            name: code_hash(each) for name, each in own.items() if isinstance(each, FunctionType)
        },
        "param_distributions": values,
        "param_distributions (code)": code_hash(space) if callable(space) else None,
        **{name: joblib.hash(value) for name, value in data.items()},
        "scoring": name_of(scoring),
        "scoring (code)": code_hash(scoring),
        "objectives": list(objectives),
        "min_accuracy": search.min_accuracy,
    }


def differences(task: Task, before: Mapping[str, Any]) -> list[str]:
    """Return the names of what differs. What an earlier version of this package did not describe does not differ."""
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
    """Hash functions by their code, and classes by name, also those that cannot be imported."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            cells = [_content(cell) for cell in value.__closure__ or ()]
            return tuple, (_code(value.__code__), value.__defaults__, value.__kwdefaults__, cells)
        if isinstance(value, type) and "<locals>" in value.__qualname__:
            return tuple, ([value.__module__, value.__qualname__],)
        return NotImplemented


def _code(code: CodeType) -> list[Any]:
    """Return what a function does, without the lines and the file that it is in."""
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, constants]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that has no value yet
        return None
