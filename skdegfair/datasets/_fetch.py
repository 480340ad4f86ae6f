"""Find, download, check and remember the archives of the paper's data sets."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import fetch_file, get_data_home

from ._parse import RawGraph

SOURCE = "https://raw.githubusercontent.com/ntkien1904/DegFairGNN/5afdf60b2c3c9557b85b2fecd135e97c79470ea2/data/"
FOLDER_VARIABLE = "SKDEGFAIR_DATA"
MISSING = (
    "{file} is in none of {folders}, and download_if_missing is False. Put it there, or let it be downloaded from "
    "{url}."
)
WRONG_FILE = (
    "{path} is not the {file} that the paper's authors released (its sha256 is {found}, not {expected}). {aside} "
    "Call again to download it, or put the right file there."
)
NOT_DOWNLOADED = (
    "{file} could not be downloaded from {url}: {error}. Put it into {folder} by hand, or set {variable} to its folder."
)


class Archive(NamedTuple):
    """A released file, and how to read it."""

    file: str
    sha256: str
    read: Callable[[bytes], RawGraph]


def load(archive: Archive, data_home: Any, download_if_missing: bool) -> RawGraph:
    """The graph in an archive: from the cache, a local copy of the archive, or the web."""
    home = _home(data_home)
    cache = home / f"{Path(archive.file).stem.lower()}-{archive.sha256[:12]}.npz"
    found = _read_cache(cache)
    if found is None:
        path = _find(archive, home, download_if_missing)
        found = archive.read(_checked(archive, path))
        _write_cache(cache, found)
    return found


def _home(data_home: Any) -> Path:
    return Path(data_home).expanduser() if data_home is not None else Path(get_data_home()) / "skdegfair"


def _find(archive: Archive, home: Path, download_if_missing: bool) -> Path:
    folders = [home]
    if os.environ.get(FOLDER_VARIABLE):
        folders.append(Path(os.environ[FOLDER_VARIABLE]).expanduser())
    for folder in folders:
        if (folder / archive.file).is_file():
            return folder / archive.file
    url = SOURCE + archive.file
    if not download_if_missing:
        raise OSError(MISSING.format(file=archive.file, folders=[str(folder) for folder in folders], url=url))
    home.mkdir(parents=True, exist_ok=True)
    try:
        return Path(fetch_file(url, folder=home, local_filename=archive.file, sha256=archive.sha256))
    except OSError as error:
        facts = {"file": archive.file, "url": url, "error": error, "folder": home, "variable": FOLDER_VARIABLE}
        raise OSError(NOT_DOWNLOADED.format(**facts)) from error


def _checked(archive: Archive, path: Path) -> bytes:
    """Content of an archive; one with another checksum is set aside."""
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found == archive.sha256:
        return content
    aside = path.with_name(f"{path.name}.damaged")
    try:
        os.replace(path, aside)
        done = f"It is now {aside}."
    except OSError:
        done = "It could not be moved out of the way."
    facts = {"path": path, "file": archive.file, "found": found, "expected": archive.sha256, "aside": done}
    raise ValueError(WRONG_FILE.format(**facts))


def _read_cache(path: Path) -> RawGraph | None:
    """What was parsed before, or None if that is not to be had."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
            X = _csr(parts, "X") if "X_data" in parts else parts["X"]
            return RawGraph(X, _csr(parts, "A"), parts["y"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _write_cache(path: Path, graph: RawGraph) -> None:
    """Keep what was parsed; whole or not at all, and not where it is not allowed to write."""
    parts: dict[str, Any] = {"y": graph.y}
    for name, matrix in (("X", graph.X), ("A", graph.A)):
        if sp.issparse(matrix):
            parts |= {f"{name}_{field}": getattr(matrix, field) for field in ("data", "indices", "indptr", "shape")}
        else:
            parts[name] = matrix
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
            np.savez(file, **parts)
        os.replace(file.name, path)
    except OSError:
        return


def _csr(parts: Any, name: str) -> sp.csr_array:
    data, indices, indptr, shape = (parts[f"{name}_{field}"] for field in ("data", "indices", "indptr", "shape"))
    return sp.csr_array((data, indices, indptr), shape=tuple(shape))
