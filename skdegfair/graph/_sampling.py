"""Draw random neighbors. What is drawn for a node does not depend on which other nodes are requested."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Keys = NDArray[np.uint64]


class Drawn(NamedTuple):
    """Neighbors drawn for several nodes.

    Attributes
    ----------
    counts : (n_nodes,), number of neighbors drawn for each node
    neighbors : neighbors of the first node, then of the second, and so on
    stands_for : number of neighbors that each of them represents; for a node they sum to all of its neighbors
    weight : edge weights of the drawn neighbors
    """

    counts: NDArray[np.intp]
    neighbors: NDArray[np.intp]
    stands_for: NDArray[np.float64]
    weight: NDArray[np.float64]


def hash_keys(*parts: Any) -> Keys:
    """Hash integers or arrays of integers to 64 pseudo-random bits, with the mixing steps of splitmix64.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.graph import hash_keys
    >>> bool((hash_keys(7, np.arange(3))[1:] == hash_keys(7, np.arange(1, 3))).all())
    True
    """
    key = np.zeros(1, dtype=np.uint64)
    for part in parts:
        key = key ^ np.asarray(part).astype(np.uint64)
        key = key + np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key = key ^ (key >> np.uint64(31))
    return key


def draw_neighbors(A: sp.csr_array, nodes: NDArray[np.intp], most: int | None, keys: Keys) -> Drawn:
    """Draw at most ``most`` different neighbors of each node.

    The neighbors of a node are divided into ``most`` parts of about equal size, and one
    neighbor is drawn from each part. Each drawn neighbor represents its part, so a sum
    over drawn neighbors, weighted by ``stands_for``, has the sum over all neighbors as its
    expectation.

    Parameters
    ----------
    A : CSR adjacency, possibly with memory-mapped arrays
    nodes : (n_nodes,)
    most : int or None, where None takes all neighbors
    keys : (n_nodes,), one random key per node
    """
    first = A.indptr[nodes].astype(np.intp)
    degree = A.indptr[nodes + 1] - first
    counts = degree if most is None else np.minimum(degree, most)
    row = np.repeat(np.arange(len(nodes)), counts)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    begin, end = place * degree[row] // counts[row], (place + 1) * degree[row] // counts[row]
    size = end - begin
    if most is not None:
        begin = begin + (_uniform(hash_keys(keys[row], place)) * size).astype(np.intp)
    entry = first[row] + begin
    return Drawn(counts, A.indices[entry].astype(np.intp), size.astype(np.float64), A.data[entry].astype(np.float64))


def draw_walks(A: sp.csr_array, nodes: NDArray[np.intp], hops: int, n_walks: int, keys: Keys) -> NDArray[np.intp]:
    """Draw the ends of random walks, (n_nodes, n_walks). A step goes to a neighbor or stays, all equally likely."""
    walk = np.arange(n_walks)
    at = np.repeat(nodes[:, None], n_walks, axis=1)
    for step in range(hops):
        first = A.indptr[at].astype(np.intp)
        degree = A.indptr[at + 1] - first
        choice = (_uniform(hash_keys(keys[:, None], walk, step)) * (degree + 1)).astype(np.intp)
        moves = choice < degree
        at[moves] = A.indices[(first + choice)[moves]]
    return at


def _uniform(keys: Keys) -> NDArray[np.float64]:
    """Convert keys to floats in [0, 1)."""
    return (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
