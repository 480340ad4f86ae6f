"""Class labels as users pass them: numbers or strings, some of them unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d


def as_labels(y: Any, name: str = "y") -> NDArray[Any]:
    """Return one label per node as an array that keeps missing labels missing."""
    if isinstance(y, pd.Series) and not isinstance(y.dtype, np.dtype):
        y = y.to_numpy(dtype=object)  # nullable or categorical: numpy would convert them to floats
    if isinstance(y, (list, tuple)):
        y = np.array(y, dtype=object)  # numpy would turn a missing label among strings into the class "nan"
    shape = np.asarray(y).shape
    if len(shape) != 1 and shape[1:] != (1,):
        raise ValueError(f"{name} should be a 1d array with one class per node, got an array of shape {shape} instead.")
    return column_or_1d(y, warn=True)


def as_typed_array(labels: NDArray[Any], name: str = "y") -> NDArray[Any]:
    """Return labels as an array of numbers or of strings instead of objects."""
    if labels.dtype != object:
        return labels
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1 and "str" in kinds:
        raise ValueError(f"{name} mixes labels of the types {', '.join(kinds)}. Convert them to one type.")
    return np.array(labels.tolist())


def is_unlabeled(y: NDArray[Any], placeholder: Any) -> NDArray[np.bool_]:
    """Return where y contains the placeholder for an unknown label."""
    missing = np.asarray(pd.isna(y))
    if placeholder is None or pd.isna(placeholder):
        return missing if placeholder is not None else np.zeros(len(y), dtype=bool)
    found = np.zeros(len(y), dtype=bool)
    found[~missing] = y[~missing] == placeholder
    return found
