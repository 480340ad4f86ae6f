"""Columns of the table of nodes as features: which ones are used, and the transformer that encodes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ._errors import InputError, listed
from ._log import Log
from ._tables import row_of

MAX_CATEGORIES = 50
"""Columns per column of text; rare categories share one of them."""
RARE = 5
"""Categories with fewer training nodes are grouped."""
FREE_TEXT = 0.5
"""Number of different values, relative to all values, above which text is not used as categories."""
NO_CATEGORY, NO_VALUES, CONSTANT, DATES = (
    "text with nearly as many values as rows",
    "no values at all",
    "the same value in every row",
    "dates or durations, which must be converted to numbers first",
)


class Features(NamedTuple):
    """Features of all nodes, and the names of columns of each kind."""

    frame: pd.DataFrame
    numbers: list[str]
    categories: list[str]

    def transformer(self) -> ColumnTransformer:
        """Impute and scale numbers, and one-hot encode text, in which a missing value is a category of its own."""
        numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
        categories = make_pipeline(
            SimpleImputer(strategy="constant", fill_value="(missing)"),
            OneHotEncoder(
                min_frequency=RARE, max_categories=MAX_CATEGORIES, handle_unknown="infrequent_if_exist",
                sparse_output=False,
            ),
        )  # fmt: skip
        parts = [("numbers", numbers, self.numbers), ("categories", categories, self.categories)]
        return ColumnTransformer([part for part in parts if part[2]])


def read_features(path: str, frame: pd.DataFrame, left_out: Iterable[str], log: Log) -> Features:
    """Return the usable columns of a table of nodes. The others are named in a note.

    Parameters
    ----------
    path : str
        Of the table, for messages.
    frame : DataFrame
    left_out : iterable of str
        Columns that are not features, such as the target.
    log : Log
    """
    columns, numbers, categories = {}, [], []
    useless: dict[str, list[str]] = {}
    left_out = set(left_out)
    for name in frame.columns:
        if name in left_out:
            continue
        column = frame[name]
        reason = _reason_against(path, column)
        if reason is not None:
            useless.setdefault(reason, []).append(name)
        elif _is_number(column):
            columns[name] = _as_numbers(path, column)
            numbers.append(name)
        else:
            columns[name] = column.map(str, na_action="ignore").astype(object).where(column.notna(), np.nan)
            categories.append(name)
    for reason, names in useless.items():
        log.note(f"Not used as features ({reason}): {listed(names)}.")
    if not columns:
        raise InputError(
            f"{path} has no column that can be a feature. Besides the id and the target, it needs a column of "
            "numbers, or of text with few different values."
        )
    log.note(f"Features: {len(numbers)} columns of numbers, {len(categories)} columns of categories.")
    return Features(pd.DataFrame(columns), numbers, categories)


def _is_number(column: pd.Series) -> bool:
    dtype = column.dtype
    values = column.dropna()
    return bool(
        pd.api.types.is_numeric_dtype(dtype)
        or pd.api.types.is_bool_dtype(dtype)
        or (pd.api.types.is_object_dtype(dtype) and len(values) and all(isinstance(value, bool) for value in values))
    )


def _as_numbers(path: str, column: pd.Series) -> Any:
    numbers = column.astype(object).where(column.notna(), np.nan).astype(np.float64)
    endless = np.isinf(numbers)
    if endless.any():
        raise InputError(
            f"{path}: column {column.name!r} has an infinite value in row {row_of(endless)}. Replace it by a number, "
            "leave the cell empty, or pass --ignore with the column."
        )
    return numbers


def _reason_against(path: str, column: pd.Series) -> str | None:
    """Why a column cannot be a feature, None if it can. Raises InputError if it looks as if it should be one."""
    values = column.dropna()
    if not len(values):
        return NO_VALUES
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        return DATES
    if _is_number(column):
        return CONSTANT if values.nunique() == 1 else None
    _check_no_lists(path, column)
    texts = values.map(str)
    different = texts.nunique()
    if different == 1 and len(values) == len(column):
        return CONSTANT
    if different > MAX_CATEGORIES or different > max(2 * RARE, FREE_TEXT * len(texts)):
        _check_no_typos(path, column, texts)
    return NO_CATEGORY if different > max(2 * RARE, FREE_TEXT * len(texts)) else None


def _check_no_lists(path: str, column: pd.Series) -> None:
    def is_list(value: Any) -> bool:
        if isinstance(value, str):
            return value.strip()[:1] in "[{" and value.strip()[-1:] in "]}" and len(value.strip()) > 1
        return not pd.api.types.is_scalar(value)

    lists = column.map(is_list, na_action="ignore") == True  # noqa: E712  missing values are no lists
    if lists.any():
        raise InputError(
            f"{path}: column {column.name!r} has a list in row {row_of(lists)}. Make one column of each entry, or pass "
            f"--ignore {column.name}."
        )


def _check_no_typos(path: str, column: pd.Series, texts: pd.Series) -> None:
    """Raise InputError if nearly all values are numbers: the others would turn them into categories."""
    wrong = pd.to_numeric(texts, errors="coerce").isna()
    if 0 < wrong.sum() <= 0.1 * len(texts):
        row = int(texts.index[wrong.to_numpy().argmax()]) + 1
        raise InputError(
            f"{path}: column {column.name!r} has {texts.loc[row - 1]!r} in row {row}, but nearly all of its values are "
            f"numbers. Correct it, leave the cell empty, or pass --ignore {column.name}."
        )
