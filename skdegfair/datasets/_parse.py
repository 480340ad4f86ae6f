"""Read the files of the paper's data sets into arrays.

The archives are verified before they come here. Still, nothing in them is trusted: they are read in memory, members
have a maximum size, sizes in headers are compared with the bytes that are there, and all content is checked.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

MAX_BYTES = 2**25
MAX_LINKS_BYTES = 2**23  # a number of one digit takes some 25 times its size in memory while it is parsed
MAX_LINES = 2**17
NPY_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class RawGraph(NamedTuple):
    """Content of an archive: features (CSR or dense), symmetric adjacency without self loops, classes."""

    X: Any
    A: sp.csr_array
    y: NDArray[np.int64]


@contextmanager
def _damage_as_value_error() -> Iterator[None]:
    try:
        yield
    except ValueError:
        raise
    except Exception as error:  # zipfile and zlib have many ways to fail
        raise ValueError(f"The archive is damaged: {error}") from error


@_damage_as_value_error()
def read_wikipedia(archive: bytes) -> RawGraph:
    """Read Chameleon or Squirrel: one line with features and label per node, and one line per link.

    Raises
    ------
    ValueError
        If the archive does not have the expected content.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        table = _member(files, "node_feature_label.txt")
        links = _member(files, "graph_edges.txt", limit=MAX_LINKS_BYTES)
    if table.count(b"\n") > MAX_LINES:
        raise ValueError(f"node_feature_label.txt has more than {MAX_LINES} lines.")
    rows = [line.split(b"\t", 3) for line in table.split(b"\n")[1:] if line]
    if not rows or {len(row) for row in rows} != {3}:
        raise ValueError("node_feature_label.txt must have lines of a number, features and a label.")
    numbers, features, labels = zip(*rows, strict=True)
    order = np.argsort(_integers(numbers))
    if not np.array_equal(_integers(numbers)[order], np.arange(len(rows))):
        raise ValueError(f"node_feature_label.txt must number its {len(rows)} nodes from 0, each once.")
    columns = [_ones(features[node]) for node in order]
    indptr = np.cumsum([0, *map(len, columns)])
    shape = (len(columns), (len(features[0]) + 1) // 2)
    if {len(each) for each in features} != {len(features[0])}:
        raise ValueError("node_feature_label.txt must have the same number of features in all lines.")
    X = sp.csr_array((np.ones(indptr[-1]), np.concatenate(columns), indptr), shape=shape)
    ends = _integers(links.split()).reshape(-1, 2)
    return _checked(X, ends[:, 0], ends[:, 1], _integers(labels)[order])


@_damage_as_value_error()
def read_emnlp(archive: bytes) -> RawGraph:
    """Read EMNLP: numpy and scipy matrices. Class 1 has at least the mean number of citations.

    Raises
    ------
    ValueError
        If the archive does not have the expected content.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        x, y, adjacency = (_member(files, f"emnlp-{name}") for name in ("x.npy", "y.npy", "adj.npz"))
    citations, X = _array(y, "iuf").ravel(), _array(x, "iuf").astype(np.float64)
    if not np.isfinite(X).all() or not np.isfinite(citations).all():
        raise ValueError("emnlp-x.npy and emnlp-y.npy must not contain NaN or infinite numbers.")
    source, target = _links(adjacency)
    return _checked(X, source, target, (citations >= citations.mean()).astype(np.int64))


def _member(files: zipfile.ZipFile, name: str, *, limit: int = MAX_BYTES) -> bytes:
    """Content of a file in any folder of the archive."""
    found = [member for member in files.infolist() if member.filename.split("/")[-1] == name]
    if len(found) != 1:
        raise ValueError(f"The archive must have one file {name}, found {len(found)}.")
    with files.open(found[0]) as file:
        content = file.read(limit + 1)  # whatever size the archive claims
    if len(content) > limit:
        raise ValueError(f"{name} has more than {limit} bytes.")
    return content


def _integers(tokens: Any) -> NDArray[np.int64]:
    return np.array(tokens, dtype=np.int64)


def _ones(features: bytes) -> NDArray[np.intp]:
    """Return the positions of ones in b"0,1,0,...". Reading every other byte is 100 times faster than splitting."""
    characters = np.frombuffer(features, dtype=np.uint8)
    ones = characters[::2] == ord("1")
    if not (ones | (characters[::2] == ord("0"))).all() or not (characters[1::2] == ord(",")).all():
        raise ValueError("node_feature_label.txt must have features of zeros and ones, with commas between them.")
    return np.flatnonzero(ones)


def _array(content: bytes, kinds: str) -> NDArray[Any]:
    """Read a .npy file whose entries are of one of these kinds; the size in its header must be its true size."""
    file = io.BytesIO(content)
    shape, is_fortran, dtype = NPY_HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.kind not in kinds or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"A .npy file has dtype {dtype} and shape {shape}, which its content does not fit.")
    return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape, order="F" if is_fortran else "C")


def _links(content: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and columns of the entries of a compressed matrix that scipy saved."""
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        form, indices, indptr = (_member(files, f"{name}.npy") for name in ("format", "indices", "indptr"))
    minor, steps = _array(indices, "iu").astype(np.int64), _array(indptr, "iu").astype(np.int64)
    kind = str(_array(form, "SU").astype(str))
    grows = minor.ndim == steps.ndim == 1 and steps[0] == 0 and (steps[:-1] <= steps[1:]).all()
    if kind not in ("csr", "csc") or not grows or steps[-1] != len(minor):
        raise ValueError("emnlp-adj.npz must be a compressed sparse matrix: its indptr does not fit its indices.")
    major = np.repeat(np.arange(len(steps) - 1), np.diff(steps))
    return (major, minor) if kind == "csr" else (minor, major)


def _checked(X: Any, source: NDArray[Any], target: NDArray[Any], y: NDArray[np.int64]) -> RawGraph:
    """Put the parts together: links in both directions, each once, without self loops."""
    n_nodes = len(y)
    if X.ndim != 2 or X.shape[0] != n_nodes or n_nodes == 0 or y.min() < 0:
        raise ValueError(f"The archive has features of shape {X.shape} for {n_nodes} nodes, or a class below 0.")
    ends = np.concatenate([source, target])
    if len(ends) and not 0 <= ends.min() <= ends.max() < n_nodes:
        raise ValueError(f"A link refers to node {ends.min()} or {ends.max()}, but nodes are 0 to {n_nodes - 1}.")
    apart = source != target
    pairs = np.concatenate([source[apart], target[apart]]), np.concatenate([target[apart], source[apart]])
    A = sp.csr_array((np.ones(len(pairs[0])), pairs), shape=(n_nodes, n_nodes))
    A.data[:] = 1.0
    return RawGraph(X, A, y)
