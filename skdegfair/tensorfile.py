"""Arrays and a JSON document in one file: safetensors with a checksum, written completely or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from .exceptions import ModelFileError

MARKS = {"format", "schema", "document", "sha256"}
"""Names in the metadata."""
MAX_HEADER = 2**23
"""Maximum number of bytes in the JSON part of a file. A list in JSON takes about 40 times its length in memory."""

NEEDED = 'Saving and loading models needs safetensors: pip install "skdegfair[save]".'
NOT_OURS = (
    "it is not a {kind} that skdegfair wrote. (Pickle and joblib files are not read here, because they can run code: "
    "use joblib.load if you trust them.)"
)
DAMAGED = "its checksum is wrong: the file is damaged or was changed. Copy it again, or save it again."
NEWER = "it has schema {found}, and this version of skdegfair reads up to {known}. Install a newer skdegfair."
TOO_LONG = (
    "There are too many names or other texts to be saved: {size} bytes, at most {limit} are allowed. Are there "
    "millions of feature names, or categories that differ between nodes?"
)


class Content(NamedTuple):
    """A JSON document, and the arrays that are stored with it."""

    document: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


class FileKind(NamedTuple):
    """The purpose of a file, and the version of its layout.

    The schema number increases when older versions cannot read new files. Files with smaller numbers can be read.
    """

    format: str
    noun: str
    schema: int


def write(path: Path, content: Content, kind: FileKind) -> None:
    """Write a file, completely or not at all: the earlier file stays as it is if something fails."""
    text = json.dumps(content.document, allow_nan=False, separators=(",", ":"))
    marks = {"format": kind.format, "schema": str(kind.schema), "document": text}
    marks["sha256"] = _checksum(marks, content.arrays)
    data = _safetensors().save(content.arrays, marks)
    if (size := _header_size(data)) > MAX_HEADER:
        raise ValueError(TOO_LONG.format(size=size, limit=MAX_HEADER))
    path = Path(os.path.realpath(path))  # what a link points to
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        if path.exists() and not path.is_file():
            raise IsADirectoryError(errno.EISDIR, "this is not a file")
        try:
            with part.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, part)
            os.replace(part, path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:  # its own message names the temporary file
        reason = f"the {kind.noun} could not be saved: {error.strerror or error}"
        raise OSError(error.errno or errno.EIO, reason, str(path)) from error


def read(path: Path, kind: FileKind) -> Content:
    """Read a file and verify it. Memory is in proportion to the size of the file."""
    if not path.is_file():  # also what would never end, such as a device
        what = "this is not a file" if path.exists() else "there is no such file"
        raise FileNotFoundError(errno.ENOENT, f"the {kind.noun} could not be loaded: {what}", str(path))
    with path.open("rb") as file:
        marks = _marks(file, kind)  # before the rest is read: it may be a large file of another kind
        file.seek(0)
        arrays = _safetensors().load(file.read())
    if marks["sha256"] != _checksum(marks, arrays):
        raise ModelFileError(DAMAGED)
    return Content(_parse(marks["document"]), arrays)


def _marks(file: BinaryIO, kind: FileKind) -> dict[str, str]:
    """The metadata of a file that this version can read."""
    not_ours = NOT_OURS.format(kind=kind.noun)
    size = _header_size(file.read(8))
    if not 2 <= size <= MAX_HEADER:
        raise ModelFileError(not_ours)
    marks = _parse(file.read(size)).get("__metadata__")
    if not isinstance(marks, dict) or set(marks) != MARKS or marks["format"] != kind.format:
        raise ModelFileError(not_ours)
    schema = marks["schema"]
    if not all(isinstance(mark, str) for mark in marks.values()) or not re.fullmatch("[1-9][0-9]{0,8}", schema):
        raise ModelFileError(not_ours)
    if int(schema) > kind.schema:
        raise ModelFileError(NEWER.format(found=schema, known=kind.schema))
    return marks


def _header_size(data: bytes) -> int:
    """Length of the JSON at the beginning of a safetensors file, which is in its first eight bytes."""
    return int.from_bytes(data[:8], "little")


def _checksum(marks: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """Checksum of everything that is read. It does not depend on the order in the file."""
    digest = hashlib.sha256(json.dumps([marks["format"], marks["schema"], marks["document"]]).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, str(array.dtype), array.shape]).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _parse(text: str | bytes) -> dict[str, Any]:
    """Read strict JSON: an object, no NaN, no name twice."""
    found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    if not isinstance(found, dict):
        raise ModelFileError("its header or its document is not a JSON object.")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("a name occurs twice in its header or its document.")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ModelFileError(f"its document contains {name}, which is not JSON.")


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError:
        raise ImportError(NEEDED) from None
    return safetensors.numpy
