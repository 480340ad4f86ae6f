"""Find, download, verify and cache the archives of the paper's data sets."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import fetch_file, get_data_home

from ._parse import RawGraph

SOURCE = "https://raw.githubusercontent.com/ntkien1904/DegFairGNN/5afdf60b2c3c9557b85b2fecd135e97c79470ea2/data/"
FOLDER_VARIABLE = "SKDEGFAIR_DATA"
MISSING = (
    "{file} was not found in {folders}, and download_if_missing is False. Put the file there, or pass "
    "download_if_missing=True to download it from {url}."
)
WRONG_FILE = (
    "{path} is not the {file} that the paper's authors released (its sha256 is {found}, not {expected}). {aside}"
)
NOT_DOWNLOADED = (
    "{file} could not be downloaded from {url}: {error}. Put the file into {folder}, or set the environment variable "
    "{variable} to the folder that contains it."
)
NO_FOLDER = "The environment variable {variable} is set to {folder}, which is not a readable folder."


class Archive(NamedTuple):
    """A released file, and how to read it."""

    file: str
    sha256: str
    read: Callable[[bytes], RawGraph]


def load(archive: Archive, data_home: Any, download_if_missing: bool) -> RawGraph:
    """Load the graph of an archive from the cache, from a local copy of the archive, or from the web."""
    home = _home(data_home)
    cache = home / f"{Path(archive.file).stem.lower()}-{archive.sha256[:12]}.npz"
    found = _read_cache(cache)
    if found is None:
        found = archive.read(_content(archive, home, download_if_missing))
        _write_cache(cache, found)
    return found


def _home(data_home: Any) -> Path:
    if data_home is not None:
        return Path(data_home).expanduser()
    try:
        return Path(get_data_home()) / "skdegfair"
    except OSError:  # it cannot be created; there may still be a local copy elsewhere
        return Path(os.environ.get("SCIKIT_LEARN_DATA", Path.home() / "scikit_learn_data")) / "skdegfair"


def _content(archive: Archive, home: Path, download_if_missing: bool) -> bytes:
    """Return the verified archive from the first folder that has it, or from the web."""
    folders = [home]
    if os.environ.get(FOLDER_VARIABLE):
        folders.append(Path(os.environ[FOLDER_VARIABLE]).expanduser())
        if not os.access(folders[1], os.R_OK | os.X_OK):
            warnings.warn(NO_FOLDER.format(variable=FOLDER_VARIABLE, folder=folders[1]), stacklevel=4)
    damaged = ""
    for folder in folders:
        path = folder / archive.file
        content = _read(path)
        found = hashlib.sha256(content or b"").hexdigest()
        if content is not None and found == archive.sha256:
            if damaged:
                warnings.warn(damaged, stacklevel=4)
            return content
        if content is not None:
            facts = {"path": path, "file": archive.file, "expected": archive.sha256, "found": found}
            if folder is home:
                damaged = WRONG_FILE.format(**facts, aside=_set_aside(path))
            else:  # the user's own folder: nothing is moved there
                warnings.warn(WRONG_FILE.format(**facts, aside="It is not used."), stacklevel=4)
    if damaged:
        raise ValueError(f"{damaged} Call again to download it, or put the right file there.")
    return _download(archive, home, folders, download_if_missing)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:  # missing, or not readable
        return None


def _set_aside(path: Path) -> str:
    """Rename a wrong file to make room for the right one. No file is overwritten."""
    names = (path.with_name(f"{path.name}.damaged{number or ''}") for number in count())
    aside = next(name for name in names if not name.exists())
    try:
        os.replace(path, aside)
    except OSError:
        return "It could not be renamed."
    return f"It was renamed to {aside}."


def _download(archive: Archive, home: Path, folders: list[Path], allowed: bool) -> bytes:
    url = SOURCE + archive.file
    if not allowed:
        raise OSError(MISSING.format(file=archive.file, folders=[str(folder) for folder in folders], url=url))
    try:
        home.mkdir(parents=True, exist_ok=True)
        path = fetch_file(url, folder=home, local_filename=archive.file, sha256=archive.sha256)
        return Path(path).read_bytes()
    except OSError as error:
        facts = {"file": archive.file, "url": url, "error": error, "folder": home, "variable": FOLDER_VARIABLE}
        raise OSError(NOT_DOWNLOADED.format(**facts)) from error


def _read_cache(path: Path) -> RawGraph | None:
    """Return the parsed graph from the cache, or None if it is not available."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
            X = _csr(parts, "X") if "X_data" in parts else parts["X"]
            return RawGraph(X, _csr(parts, "A"), parts["y"])
    except Exception:  # a damaged file can fail in many ways, and the archive can be parsed again
        return None


def _write_cache(path: Path, graph: RawGraph) -> None:
    """Write the parsed graph to the cache, completely or not at all. Ignored if the folder is not writable."""
    parts: dict[str, Any] = {"y": graph.y}
    for name, matrix in (("X", graph.X), ("A", graph.A)):
        if sp.issparse(matrix):
            parts |= {f"{name}_{field}": getattr(matrix, field) for field in ("data", "indices", "indptr", "shape")}
        else:
            parts[name] = matrix
    part = path.with_name(f"{path.stem}-{uuid4().hex[:8]}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            np.savez(file, **parts)
        os.replace(part, path)
    except OSError:
        return
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _csr(parts: Any, name: str) -> sp.csr_array:
    data, indices, indptr, shape = (parts[f"{name}_{field}"] for field in ("data", "indices", "indptr", "shape"))
    matrix = sp.csr_array((data, indices, indptr), shape=tuple(shape))
    matrix.check_format(full_check=True)  # scipy's loops trust it
    return matrix
