"""Random walks on a graph: their steps, their expected numbers, and walks that are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def transition_matrix(A: sp.csr_array, group: NDArray[np.intp] | None = None) -> sp.csr_array:
    """Probability p(j|i) that a walk goes from node i to node j.

    A step goes to a neighbor, with a probability proportional to the weight of the edge. With groups, it goes to one
    of the groups in the neighborhood first, each equally likely, and then to a neighbor in that group. A node without
    neighbors has an empty row: walks end there.

    Parameters
    ----------
    A : CSR adjacency
    group : (n_nodes,), default=None
        Number of each node's group, from 0.
    """
    n_nodes = A.shape[0]
    row = np.repeat(np.arange(n_nodes), np.diff(A.indptr))
    group = np.zeros(n_nodes, dtype=np.intp) if group is None else group
    n_groups = int(group.max(initial=0)) + 1
    part = row * n_groups + group[A.indices]  # the neighbors of a node in a group
    weight = np.bincount(part, A.data, minlength=n_nodes * n_groups)
    n_present = (weight.reshape(n_nodes, n_groups) > 0).sum(axis=1)
    return sp.csr_array((A.data / weight[part] / n_present[row], A.indices, A.indptr), shape=A.shape)


def weighted_powers(P: sp.csr_array, weights: Sequence[NDArray[np.float64]]) -> NDArray[np.float32]:
    """Sum over t = 1, ..., T of diag(weights[t - 1]) P^t, as a dense matrix.

    Computed from the inside out as P^T (W_1 + P^T (W_2 + ...)), transposed: T products with a sparse matrix.
    """
    step = sp.csr_array(P.T, dtype=np.float32)
    total = np.zeros(P.shape, dtype=np.float32)
    for weight in reversed(weights):
        total.flat[:: P.shape[0] + 1] += weight.astype(np.float32)
        total = step @ total
    return total.T


def expected_pairs(P: sp.csr_array, length: int, window: int) -> NDArray[np.float32]:
    """Expected number of times that two nodes are at most ``window`` steps apart in walks, in either order.

    There is one walk of ``length`` nodes from each node.
    """
    forward = weighted_powers(P, _begun_pairs(P, length, window))
    return forward + forward.T


def expected_counts(P: sp.csr_array, length: int, window: int) -> NDArray[np.float64]:
    """Row sums of :func:`expected_pairs`, without the matrix."""
    forward, backward = np.zeros(P.shape[0]), np.zeros(P.shape[0])
    survived = np.ones(P.shape[0])
    begun = _begun_pairs(P, length, window)
    for weight in begun:
        survived = P @ survived  # probability that a walk has not ended after t steps
        forward += weight * survived
    for weight in reversed(begun):
        backward = P.T @ (weight + backward)
    return forward + backward


def _begun_pairs(P: sp.csr_array, length: int, window: int) -> list[NDArray[np.float64]]:
    """For t = 1, 2, ...: expected number of visits to each node that are followed by t further nodes of a walk."""
    visits = [np.ones(P.shape[0])]
    for _ in range(length - 1):
        visits.append(P.T @ visits[-1])
    until = np.cumsum(visits, axis=0)
    return [until[length - 1 - t] for t in range(1, min(window, length - 1) + 1)]


def draw_walks(P: sp.csr_array, starts: NDArray[np.intp], length: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw a walk from each start, all of them at once: (n_starts, length). After the end of a walk there is -1."""
    ends = np.cumsum(P.data)  # each entry of P has an interval of this line, as long as its probability
    begins = np.append(0.0, ends)[P.indptr]
    walks = np.full((len(starts), length), -1)
    walks[:, 0] = at = starts
    going = np.arange(len(starts))
    for step in range(1, length):
        leaving = P.indptr[at] < P.indptr[at + 1]
        going, at = going[leaving], at[leaving]
        point = begins[at] + random.random(len(at)) * (begins[at + 1] - begins[at])
        entry = np.searchsorted(ends, point, side="right")
        at = P.indices[np.clip(entry, P.indptr[at], P.indptr[at + 1] - 1)].astype(np.intp)
        walks[going, step] = at
    return walks


def pairs_of(walks: NDArray[np.intp], window: int) -> NDArray[np.intp]:
    """The pairs of nodes that are at most ``window`` steps apart in a walk, in both orders: (n_pairs, 2)."""
    pairs = [
        np.stack([walks[:, :-t], walks[:, t:]], axis=-1).reshape(-1, 2)
        for t in range(1, min(window, walks.shape[1] - 1) + 1)
    ]
    forward = np.concatenate(pairs)
    forward = forward[forward[:, 1] >= 0]  # a walk that has not ended at the second node has not at the first
    return np.concatenate([forward, forward[:, ::-1]])
