"""Read a CSV or Parquet file, or say what is wrong with it."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._errors import InputError, did_you_mean

PARQUET = b"PAR1"
SEPARATORS = ",\t;"
WHOLE = r"^([+-]?\d+)\.0+$"
"""A whole number that was stored as a decimal one, as pandas does where values are missing."""


class Table:
    """A file with a table. Its columns are known at once; a CSV file is read once it is known which are text.

    Parameters
    ----------
    path : str
    option : str
        The option that the path was given with, for messages.

    Attributes
    ----------
    path : str
    columns : list of str
    """

    def __init__(self, path: str, option: str) -> None:
        self.path, self.frame = path, None
        if not Path(path).is_file():
            kind = "is a folder" if Path(path).is_dir() else "does not exist"
            raise InputError(f"{path} {kind}. Pass the path of a CSV or Parquet file as {option}.")
        with open(path, "rb") as file:
            start = file.read(4096)
        if not start.strip():
            raise InputError(f"{path} is empty. The first line of a CSV file has the names of its columns.")
        if start.startswith(PARQUET):
            self.frame = _read_parquet(path)
            self.columns = list(self.frame.columns)
        else:
            _check_text(path, start)
            self.separator, self.columns = _header(path)
        twice = sorted({name for name in self.columns if self.columns.count(name) > 1})
        if twice:
            raise InputError(f"{path}: there is more than one column {twice[0]!r}. Rename or remove the others.")

    def check_column(self, name: str, option: str) -> None:
        """Raise InputError if there is no such column."""
        if name not in self.columns:
            raise InputError(f"{self.path}: there is no column {name!r} ({option}). {did_you_mean(name, self.columns)}")

    def read(self, texts: Collection[str] = ()) -> pd.DataFrame:
        """Return the table with the given columns as text, and the others as numbers where they are numbers."""
        frame = self._read_csv(texts) if self.frame is None else self.frame.copy()
        if not len(frame):
            raise InputError(f"{self.path} has a header, but no rows.")
        for name in texts:
            frame[name] = as_text(frame[name])
        return frame

    def _read_csv(self, texts: Collection[str]) -> pd.DataFrame:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows that are longer than the header
                return pd.read_csv(
                    self.path, sep=self.separator, encoding="utf-8-sig", index_col=False, skipinitialspace=True,
                    header=0, names=self.columns, dtype=dict.fromkeys(texts, str), low_memory=False,
                )  # fmt: skip
        except UnicodeDecodeError as error:
            raise InputError(_not_utf8(self.path, error)) from None
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            what = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
            raise InputError(
                f"{self.path} cannot be read as a CSV file: {what}. Every row needs as many fields as the first line; "
                "fields that contain a separator need quotes."
            ) from None


def as_text(column: pd.Series) -> pd.Series:
    """Values as text without spaces around them, so that ids of several types are the same: 1, 1.0 and " 1"."""
    texts = column.map(str, na_action="ignore").astype(object)
    texts = texts.astype("str").where(texts.notna())  # pandas 2 makes "nan" of missing values
    return texts.str.strip().str.replace(WHOLE, r"\1", regex=True).replace("", np.nan)


def row_of(bad: Any) -> int:
    """Number of the first row where a mask is true, counted from 1 without the header."""
    return int(np.argmax(np.asarray(bad))) + 1


def _read_parquet(path: str) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError:
        raise InputError(f"{path} is a Parquet file, which needs pyarrow: pip install pyarrow.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a Parquet file: {error}") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _check_text(path: str, start: bytes) -> None:
    if b"\0" in start or start.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        raise InputError(
            f"{path} is neither a CSV nor a Parquet file: it has bytes that are not text. Unpack it, or export it as "
            "CSV in UTF-8."
        )


def _header(path: str) -> tuple[str, list[str]]:
    """The separator, which is the most frequent one in the first line, and the names of the columns."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            line = next(line for line in file if line.strip())
            separator = max(SEPARATORS, key=line.count)
            file.seek(0)
            rows = csv.reader(file, delimiter=separator, skipinitialspace=True)
            names = next(row for row in rows if any(row))
    except UnicodeDecodeError as error:
        raise InputError(_not_utf8(path, error)) from None
    except csv.Error as error:
        raise InputError(f"{path} cannot be read as a CSV file: {error}.") from None
    return separator, [name.strip() or f"unnamed {number}" for number, name in enumerate(names, start=1)]


def _not_utf8(path: str, error: UnicodeDecodeError) -> str:
    with open(path, "rb") as file:  # pandas and the decoder read pieces, so their position says little
        content = file.read()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as exact:
        error = exact
    line = content.count(b"\n", 0, error.start) + 1
    return f"{path} is not in UTF-8 (line {line}). Save it as CSV in UTF-8 (for example with iconv -f latin1 -t utf-8)."


def same_file(one: str, other: str) -> bool:
    return Path(one).exists() and Path(other).exists() and os.path.samefile(one, other)
