"""How well connected a node is, and which nodes that makes the low and the high group."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray


def generalized_degree(A: sp.csr_array, hops: int = 1) -> NDArray[np.float64]:
    """Count the walks of length ``hops`` that start at each node, A^r 1 (Eq. 1).

    Parameters
    ----------
    A : sparse array of shape (n_nodes, n_nodes)
        Adjacency, weighted or not.
    hops : int, default=1
        The paper's r. One hop gives the ordinary degree.

    Returns
    -------
    ndarray of shape (n_nodes,)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from skdegfair.graph import generalized_degree
    >>> path = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> generalized_degree(path, hops=2).tolist()
    [2.0, 2.0, 2.0]
    """
    if hops < 1:
        raise ValueError(f"hops must be at least 1, got {hops}.")
    walks = np.ones(A.shape[0])
    for _ in range(hops):  # r matrix-vector products, never a power of A
        walks = A @ walks
    return walks


def degree_groups(degree: ArrayLike, *, share: float = 0.2) -> NDArray[np.int8]:
    """Tell the worst connected nodes from the best connected ones.

    The tie rule is that of the paper's authors: a node is in the low group if its
    degree is at most the lower percentile, in the high group if it is above the
    upper one. Many nodes of equal degree can thus make a group larger than
    ``share`` (or leave the high one empty).

    Parameters
    ----------
    degree : array-like of shape (n_nodes,)
        Degrees of the nodes that are assessed.
    share : float, default=0.2
        Part of the nodes wanted in either group.

    Returns
    -------
    ndarray of shape (n_nodes,)
        0 for the low group, 1 for the high group, -1 for the nodes in between.

    Examples
    --------
    >>> from skdegfair.graph import degree_groups
    >>> degree_groups([0, 1, 2, 3, 9]).tolist()
    [0, -1, -1, -1, 1]
    """
    if not 0 < share <= 0.5:
        raise ValueError(f"share must be in (0, 0.5], got {share}.")
    degree = np.asarray(degree, dtype=np.float64)
    low, high = np.percentile(degree, [100 * share, 100 * (1 - share)])
    groups = np.full(degree.shape, -1, dtype=np.int8)
    groups[degree > high] = 1
    groups[degree <= low] = 0
    return groups
