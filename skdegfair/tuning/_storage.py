"""Open the database of a study."""

from __future__ import annotations

import random
import re
import time
from typing import Any

import optuna
from optuna.exceptions import StorageInternalError
from sqlalchemy import create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, SQLAlchemyError

CANNOT_OPEN = (
    "The storage {url} cannot be opened: {reason}. Check the address, the access rights and whether the file is a "
    "database; a damaged file can be replaced by a copy or by a new path."
)
NOT_A_STORAGE = (
    "storage must be the URL of a database, such as 'sqlite:///study.db', or an optuna storage, got {got}. For a "
    "journal file, pass optuna.storages.JournalStorage(JournalFileBackend(path))."
)


def check_storage(storage: Any) -> None:
    """Raise an error if this is neither a URL nor a storage. Passwords are not repeated."""
    if isinstance(storage, str):
        if "://" not in storage:
            raise ValueError(NOT_A_STORAGE.format(got=repr(re.sub(".*@", "***@", storage))))
        try:
            make_url(storage)
        except (ArgumentError, ValueError):
            raise ValueError(NOT_A_STORAGE.format(got="a URL that cannot be read")) from None
    elif storage is not None and not isinstance(storage, optuna.storages.BaseStorage):
        raise TypeError(NOT_A_STORAGE.format(got=repr(storage)))


def opened(storage: Any, attempts: int = 10) -> Any:
    """Open a database and create Optuna's tables if they are missing. None is a storage in memory.

    Workers that start at the same time may all try to create the tables. All but one fail and try again. Raises OSError
    if the database cannot be read.
    """
    if not isinstance(storage, str):
        return optuna.storages.get_storage(storage)
    for attempt in range(attempts):
        try:
            return optuna.storages.get_storage(storage)
        except (ArgumentError, ImportError) as error:  # no such kind of database, or no driver for it
            raise _cannot_open(storage, error) from None
        except (DatabaseError, StorageInternalError):
            _check_readable(storage)
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0, 0.2 * (attempt + 1)))


def shown(url: str) -> str:
    """Return a URL without its password and without its options, which can have one as well."""
    return make_url(url).set(query={}).render_as_string(hide_password=True)


def how_to_resume(search: Any, done: int) -> str:
    """Return the message of a search that was interrupted."""
    kept = f"The search was stopped; {done} of {search.n_trials} trials are finished and stored in study_."
    if search.storage is None:
        return f"{kept} To be able to resume a search, pass a storage and a study_name."
    where = f"storage={shown(search.storage)!r}" if isinstance(search.storage, str) else "the same storage"
    return f"{kept} Fit again with {where}, study_name={search.study_name!r} to continue with them."


def _check_readable(url: str) -> None:
    engine = create_engine(url)
    try:
        inspect(engine).get_table_names()
    except SQLAlchemyError as error:
        raise _cannot_open(url, getattr(error, "orig", None) or error) from None
    finally:
        engine.dispose()


def _cannot_open(url: str, reason: object) -> OSError:
    return OSError(CANNOT_OPEN.format(url=shown(url), reason=str(reason).splitlines()[0].rstrip(".")))
