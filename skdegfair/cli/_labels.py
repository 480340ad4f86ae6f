"""Columns with classes: the target, and predictions of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._errors import InputError
from ._tables import row_of

MAX_CLASSES = 100
"""More values are most likely a quantity, ids or free text."""
FEW_VALUES = 10
"""Numbers with more values than this, some of them rare, are most likely a quantity, too."""


def read_labels(path: str, column: pd.Series) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return one class per row, numbers or text, and which rows have one. Classes of other rows have no meaning."""
    known = column.notna().to_numpy()
    if not known.any():
        raise InputError(f"{path}: column {column.name!r} is empty. Some nodes need a class to learn from.")
    values = column[known]
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=np.float64)
        broken = ~(np.isfinite(numbers) & (numbers == np.floor(numbers)))
        if broken.any():
            raise InputError(
                f"{path}: column {column.name!r} has the number {numbers[broken][0]:g} in row "
                f"{np.flatnonzero(known)[broken][0] + 1}, so it holds a quantity, not classes. Group it into classes "
                "first, such as low and high."
            )
        labels = np.zeros(len(column), dtype=np.int64)
        labels[known] = numbers.astype(np.int64)
        return labels, known
    odd = [isinstance(value, (list, tuple, dict, np.ndarray)) for value in values]
    if any(odd):
        row = np.flatnonzero(known)[np.argmax(odd)] + 1
        raise InputError(f"{path}: column {column.name!r} has a list in row {row}. Every node needs a single class.")
    texts = np.full(len(column), "", dtype=object)
    texts[known] = [str(value) for value in values]
    return texts.astype(str), known


def check_classes(path: str, name: str, labels: NDArray[Any], folds: int) -> None:
    """Raise InputError if labels are not classes, or some class is too rare to be in every fold."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) == 1:
        raise InputError(
            f"{path}: column {name!r} has one class only, {classes[0]!s}. A classifier needs at least two classes."
        )
    rare = int(counts.min()) < folds
    quantity = labels.dtype.kind == "i" and len(classes) > FEW_VALUES and rare
    if len(classes) > MAX_CLASSES or quantity:
        kind = "a quantity" if labels.dtype.kind == "i" else "ids or free text"
        raise InputError(
            f"{path}: column {name!r} has {len(classes)} different values in {len(labels)} rows, so it seems to hold "
            f"{kind}, not classes. Group them into at most {MAX_CLASSES} classes, or name another column with --target."
        )
    if rare:
        few = int(counts.min())
        advice = f"use --folds {few}, " if few >= 2 else ""
        raise InputError(
            f"{path}: class {classes[counts.argmin()]!s} of column {name!r} has {few} node{'s' * (few > 1)}, but each "
            f"of the {folds} folds needs one. Label more nodes, {advice}merge classes, or remove the label."
        )


def check_predictions(path: str, target: str, name: str, labels: NDArray[Any], column: pd.Series) -> NDArray[Any]:
    """Return the predictions for labeled nodes, or raise InputError if they do not fit the true classes.

    Parameters
    ----------
    path, target, name : the file, and the names of both columns
    labels : true classes
    column : predictions for the same nodes; its index counts all rows of the file
    """
    if column.isna().any():
        row = int(column.index[column.isna().to_numpy().argmax()]) + 1
        raise InputError(f"{path}: column {name!r} has no prediction in row {row}, but the class is known there.")
    predicted, _ = read_labels(path, column)
    if predicted.dtype.kind != labels.dtype.kind:
        kinds = {"i": "numbers", "U": "text"}
        raise InputError(
            f"{path}: column {name!r} has {kinds[predicted.dtype.kind]}, such as {predicted[0]!s}, but column "
            f"{target!r} has {kinds[labels.dtype.kind]}, such as {labels[0]!s}. Use the same names of classes in both."
        )
    unknown = ~np.isin(predicted, labels)
    if unknown.all():
        raise InputError(
            f"{path}: no class in column {name!r}, such as {predicted[0]!s}, is in column {target!r}, such as "
            f"{labels[0]!s}. Use the same names of classes in both."
        )
    if len(np.unique(predicted)) > MAX_CLASSES:
        row = int(column.index[row_of(unknown) - 1]) + 1
        raise InputError(
            f"{path}: column {name!r} has {len(np.unique(predicted))} different values, such as "
            f"{column.loc[row - 1]!s} in row {row}. It must have a class in every row."
        )
    return predicted
