"""Class labels as users pass them: numbers or strings, some of them unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from ._validation import as_array, kind_of


def as_labels(y: Any, name: str = "y") -> NDArray[Any]:
    """Return one label per node as an array that keeps missing labels missing."""
    if isinstance(y, pd.api.extensions.ExtensionArray):
        y = pd.Series(y)
    dtypes = y.dtypes if isinstance(y, pd.DataFrame) else [getattr(y, "dtype", None)]
    if any(isinstance(dtype, pd.api.extensions.ExtensionDtype) for dtype in dtypes):
        y = y.to_numpy(dtype=object)  # nullable or categorical: numpy would convert them to floats
    if isinstance(y, (list, tuple)):
        y = np.array(y, dtype=object)  # numpy would turn a missing label among strings into the class "nan"
    shape = as_array(y, name).shape
    if len(shape) != 1 and shape[1:] != (1,):
        raise ValueError(f"{name} should be a 1d array with one class per node, got {kind_of(y)} instead.")
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
    if not (placeholder is None or pd.api.types.is_scalar(placeholder)):
        raise ValueError(
            f"unlabeled must be one value, got {placeholder!r}. Replace the others in y by it, as in "
            "np.where(np.isin(y, values), values[0], y)."
        )
    missing = np.asarray(pd.isna(y))
    if placeholder is None or pd.isna(placeholder):
        return missing if placeholder is not None else np.zeros(len(y), dtype=bool)
    labels, found = y[~missing], np.zeros(len(y), dtype=bool)
    found[~missing] = labels == placeholder
    if len(labels) and isinstance(placeholder, str) != isinstance(labels[0], str) and not found.any():
        alike = labels[labels.astype(str) == str(placeholder)].tolist()
        if alike:
            raise ValueError(
                f"unlabeled={placeholder!r} is not in y, but {alike[0]!r} is. Did you mean unlabeled={alike[0]!r}?"
            )
    return found
