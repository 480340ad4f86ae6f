"""Plain values as JSON and back: numbers, texts, containers of them, arrays. Bits, types and dtypes are kept.

What JSON has is written as it is. Everything else is an object with a single name, which says what it is:
``{"tuple": [1, 2]}``. Large arrays are kept outside of the JSON, under the name of the place where they belong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..exceptions import ModelFileError
from ..graph import DegreeGroups

SMALL = 100
"""Arrays with at most this number of entries are in the JSON."""
MAX_TEXT = 2**27
"""Bytes of all arrays of texts together, whose entries have the size of the longest."""
PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "U": str}
CANNOT = (
    "{where} cannot be saved: {value} is not a plain value. What can be saved are numbers, texts, None, lists, tuples, "
    "dicts, numeric arrays, and the estimators that docs/saving.rst lists. List columns by name, not by a selector."
)

Describe = Callable[[Any, "Encoder", str], dict[str, Any] | None]
Restore = Callable[[Any, "Decoder", str], Any]


class Encoder:
    """Turn values into JSON.

    Parameters
    ----------
    describe : function of an estimator, this encoder and the name of the place
        Returns what JSON can hold, or None for any other object.

    Attributes
    ----------
    arrays : dict from the names of places to large arrays
    """

    def __init__(self, describe: Describe) -> None:
        self.describe = describe
        self.arrays: dict[str, NDArray[Any]] = {}

    def __call__(self, value: Any, where: str) -> Any:
        """JSON for the value at some place; raises TypeError if there is none."""
        if value is None or type(value) in (bool, int):
            return value
        if isinstance(value, str):
            return str(value)
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        tag, parts = _taken_apart(value)
        if tag is not None:
            encoded = [self(part, f"{where}[{number}]") for number, part in enumerate(parts)]
            return encoded if tag == "list" else {tag: encoded}
        described = self.describe(value, self, where)
        if described is None:
            raise TypeError(CANNOT.format(where=where, value=repr(value)[:200]))
        return {"estimator": described}

    def named(self, values: dict[str, Any], where: str) -> dict[str, Any]:
        """JSON for each of several named values."""
        return {name: self(value, f"{where}.{name}") for name, value in values.items()}

    def _array(self, array: NDArray[Any], where: str) -> dict[str, Any]:
        if array.ndim == 2 and array.strides[0] < array.strides[1]:  # the order in memory decides how sums are rounded
            return {"transposed": [self._array(array.T, f"{where}[0]")]}
        kind = array.dtype.kind
        numeric = kind in "biuf" and array.dtype.itemsize <= 8
        if numeric and array.size > SMALL:
            self.arrays[where] = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
            return {"tensor": where}
        if not numeric and kind not in "UO":
            raise TypeError(CANNOT.format(where=where, value=f"an array of {array.dtype}"))
        values = self(array.ravel().tolist(), where)
        return {"array": {"dtype": array.dtype.newbyteorder("=").str, "shape": list(array.shape), "values": values}}


def _taken_apart(value: Any) -> tuple[str | None, list[Any]]:
    """What a value is, and the values that it consists of; None for what is not plain."""
    kind = type(value)
    if kind in (list, tuple):
        return kind.__name__, list(value)
    if kind is dict:
        return "dict", [list(item) for item in value.items()]
    if kind is slice:
        return "slice", [value.start, value.stop, value.step]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        return "scalar", [value.dtype.str, value.item()]
    if isinstance(value, np.dtype):
        return "dtype", [value.str]
    if isinstance(value, type) and issubclass(value, np.number | np.bool_):
        return "type", [np.dtype(value).str]
    if isinstance(value, torch.device):
        return "device", [str(value)]
    if isinstance(value, DegreeGroups):
        return "degree_groups", [value.boundaries, value.hops, value.codes]
    return None, []


class Decoder:
    """Turn JSON into values again.

    Parameters
    ----------
    arrays : dict from the names of places to arrays
        Each of them is used once.
    restore : function of what ``describe`` returned, this decoder and the name of the place
    """

    def __init__(self, arrays: dict[str, NDArray[Any]], restore: Restore) -> None:
        self.arrays, self.restore = dict(arrays), restore
        self.text_left = MAX_TEXT

    def __call__(self, encoded: Any, where: str) -> Any:
        """The value; raises ModelFileError, ValueError or TypeError if there is none."""
        if isinstance(encoded, list):
            return [self(part, f"{where}[{number}]") for number, part in enumerate(encoded)]
        if not isinstance(encoded, dict):
            return encoded
        if len(encoded) != 1:
            raise ModelFileError(f"{where} has {len(encoded)} kinds, instead of one.")
        ((tag, content),) = encoded.items()
        if tag == "estimator":
            return self.restore(content, self, where)
        if tag == "float" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag == "tensor" and content == where:
            return self.take(where)
        if tag == "array":
            return self._array(**mapping(content, where), where=where)
        if tag in ASSEMBLED and isinstance(content, list):
            return ASSEMBLED[tag](*self(content, where))
        raise ModelFileError(f"{where} is of the unknown kind {tag!r}.")

    def named(self, encoded: Any, where: str) -> dict[str, Any]:
        """Several named values."""
        return {name: self(value, f"{where}.{name}") for name, value in mapping(encoded, where).items()}

    def take(self, where: str) -> NDArray[Any]:
        """The array that was kept outside of the JSON; it can be taken once."""
        if where not in self.arrays:
            raise ModelFileError(f"the array {where} is missing.")
        return self.arrays.pop(where)

    def _array(self, *, dtype: Any, shape: Any, values: Any, where: str) -> NDArray[Any]:
        kind, entries = _dtype(dtype), self(values, where)
        if not isinstance(entries, list) or len(entries) != math.prod(self(shape, where)):
            raise ModelFileError(f"{where} does not have as many values as its shape says.")
        if kind.hasobject:
            array = np.empty(len(entries), dtype=object)
            array[:] = entries
            return array.reshape(shape)
        if not all(type(entry) is PYTHON_TYPES[kind.kind] for entry in entries):
            raise ModelFileError(f"{where} contains values that are not of its dtype {dtype}.")
        self.text_left -= len(entries) * kind.itemsize if kind.kind == "U" else 0
        if self.text_left < 0:
            raise ModelFileError(f"{where} is an array of texts that takes too much memory.")
        return np.array(entries, dtype=kind).reshape(shape)


def mapping(content: Any, where: str) -> dict[str, Any]:
    """The content if it is an object of JSON."""
    if not isinstance(content, dict):
        raise ModelFileError(f"{where} must be a JSON object with names.")
    return content


def _dtype(name: Any) -> np.dtype[Any]:
    if not isinstance(name, str) or not re.fullmatch(r"[<>|=]?(b1|[iu][1248]|f[248]|U\d{1,7}|O8?)", name):
        raise ModelFileError(f"{str(name)[:40]!r} is not a dtype that a model has.")
    return np.dtype(name)


def _degree_groups(boundaries: Any, hops: Any, codes: Any) -> DegreeGroups:
    fits = (
        isinstance(boundaries, np.ndarray)
        and isinstance(codes, np.ndarray)
        and boundaries.dtype == np.float64
        and codes.dtype.kind == "i"
        and boundaries.ndim == codes.ndim == 1
        and len(codes) == len(boundaries) + 1
        and np.isfinite(boundaries).all()
        and (np.diff(boundaries) >= 0).all()
        and -1 <= codes.min() <= codes.max() < len(codes)
    )
    if not fits or not isinstance(hops, Integral) or hops < 1:
        raise ModelFileError("its degree groups have boundaries, hops or codes that do not fit together.")
    return DegreeGroups(boundaries, hops=int(hops), codes=codes)


ASSEMBLED: dict[str, Callable[..., Any]] = {
    "tuple": lambda *parts: parts,
    "dict": lambda *items: {key: value for key, value in items},
    "slice": slice,
    "scalar": lambda dtype, value: _dtype(dtype).type(value),
    "dtype": _dtype,
    "type": lambda dtype: _dtype(dtype).type,
    "device": torch.device,
    "degree_groups": _degree_groups,
    "transposed": np.transpose,
}
