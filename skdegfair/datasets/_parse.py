"""Read the files of the paper's data sets into arrays."""

from __future__ import annotations

import io
import zipfile
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class RawGraph(NamedTuple):
    """Content of an archive: features (CSR or dense), symmetric adjacency without self loops, classes."""

    X: Any
    A: sp.csr_array
    y: NDArray[np.int64]


def read_wikipedia(archive: bytes) -> RawGraph:
    """Read Chameleon or Squirrel: one line with features and label per node, and one line per link.

    Raises
    ------
    ValueError, KeyError, zipfile.BadZipFile
        If the archive does not have the expected content.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        lines = files.read(_member(files, "node_feature_label.txt")).split(b"\n")[1:]
        pairs = files.read(_member(files, "graph_edges.txt"))
    numbers, features, labels = zip(*(line.split(b"\t") for line in lines if line), strict=True)
    order = np.argsort(np.array(numbers, dtype=np.int64))
    columns = [_ones(features[node]) for node in order]
    indptr = np.cumsum([0, *map(len, columns)])
    shape = (len(columns), (len(features[0]) + 1) // 2)
    X = sp.csr_array((np.ones(indptr[-1]), np.concatenate(columns), indptr), shape=shape)
    y = np.array(labels, dtype=np.int64)[order]
    ends = np.array(pairs.split(), dtype=np.int64).reshape(-1, 2)
    return RawGraph(X, _symmetric(ends[:, 0], ends[:, 1], len(y)), y)


def read_emnlp(archive: bytes) -> RawGraph:
    """Read EMNLP: numpy and scipy matrices. Class 1 has at least the mean number of citations."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        parts = {
            name: io.BytesIO(files.read(_member(files, f"emnlp-{name}"))) for name in ("x.npy", "y.npy", "adj.npz")
        }
    citations = np.load(parts["y.npy"], allow_pickle=False).ravel()
    A = sp.coo_array(sp.load_npz(parts["adj.npz"]))
    X = np.load(parts["x.npy"], allow_pickle=False).astype(np.float64)
    return RawGraph(X, _symmetric(A.row, A.col, len(citations)), (citations >= citations.mean()).astype(np.int64))


def _member(files: zipfile.ZipFile, name: str) -> str:
    """Return the full name of a file in any folder of the archive."""
    found = [member for member in files.namelist() if member.split("/")[-1] == name]
    if not found:
        raise KeyError(f"the archive has no file {name}")
    return found[0]


def _ones(features: bytes) -> NDArray[np.intp]:
    """Return the positions of ones in b"0,1,0,...". Reading every other byte is 100 times faster than splitting."""
    digits = np.frombuffer(features, dtype=np.uint8)[::2]
    return np.flatnonzero(digits == ord("1"))


def _symmetric(source: Any, target: Any, n_nodes: int) -> sp.csr_array:
    """Return links in both directions, each once, without self loops."""
    apart = source != target
    ends = np.concatenate([source[apart], target[apart]]), np.concatenate([target[apart], source[apart]])
    A = sp.csr_array((np.ones(len(ends[0])), ends), shape=(n_nodes, n_nodes))
    A.data[:] = 1.0
    return A
