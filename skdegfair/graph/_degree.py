"""Generalized degrees of nodes, and groups of nodes by degree."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ._adjacency import check_weights
from ._validation import kind_of

DEFAULT_SHARE = 0.2
"""Fraction of the nodes in the low and in the high degree group."""
NOT_DEGREES = "degree must contain one finite number of at least 0 per node"
OVERFLOW = "The number of walks of length {hops} is too large for a float. Use fewer hops or smaller weights."


def generalized_degree(A: Any, hops: int = 1) -> NDArray[np.float64]:
    """Count the walks of length ``hops`` that start at each node, A^r 1 (Eq. 1).

    Parameters
    ----------
    A : sparse matrix or array, ndarray or DataFrame of shape (n_nodes, n_nodes)
        Adjacency, with or without weights.
    hops : int, default=1
        The paper's r. One hop gives the ordinary degree.

    Returns
    -------
    ndarray of shape (n_nodes,)
        In double precision for any type of A, because the number of walks can exceed the
        range of integers.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from skdegfair.graph import generalized_degree
    >>> path = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> generalized_degree(path, hops=2).tolist()
    [2.0, 2.0, 2.0]
    """
    check_hops(hops)
    return count_walks(check_weights(A), hops)


def check_hops(hops: Any) -> None:
    """Raise an error unless hops is an integer of at least 1."""
    _check_number(hops, Integral, "hops")
    if hops < 1:
        raise ValueError(f"hops must be at least 1, got {hops}.")


def count_walks(A: sp.csr_array, hops: int) -> NDArray[np.float64]:
    """The generalized degree for a checked adjacency."""
    walks = np.ones(A.shape[0])
    with np.errstate(over="ignore"):
        for _ in range(hops):  # r matrix-vector products, never a power of A
            walks = A @ walks
    if not np.isfinite(walks).all():
        raise ValueError(OVERFLOW.format(hops=hops))
    return walks


def check_degrees(degree: Any, n_nodes: int) -> NDArray[np.float64]:
    """Return the degrees of nodes that a user passed, one finite number of at least 0 per node."""
    degrees = _as_numbers(degree, NOT_DEGREES)
    if len(degrees) != n_nodes:
        raise ValueError(f"degree has {len(degrees)} entries, but there are {n_nodes} nodes.")
    if (degrees < 0).any():
        raise ValueError(f"{NOT_DEGREES}, got {degrees.min()} at position {degrees.argmin()}.")
    return degrees


def _check_number(value: Any, kind: type, name: str) -> None:
    """Raise TypeError for booleans, and for text and the like, for which numpy's own message would be unclear."""
    if not isinstance(value, kind) or isinstance(value, (bool, np.bool_)):
        what = "an integer" if kind is Integral else "a number"
        raise TypeError(f"{name} must be {what}, got {value!r}.")


def degree_groups(
    degree: ArrayLike,
    *,
    share: float | None = None,
    n_groups: int | None = None,
    boundaries: ArrayLike | None = None,
    threshold: float | None = None,
) -> NDArray[np.intp]:
    """Divide nodes into groups by degree.

    Parameters
    ----------
    degree : array-like of shape (n_nodes,)
        Degrees of the nodes that are assessed.
    share : float, default=None
        Make two groups, the nodes of lowest and of highest degree, each with about this
        fraction of all nodes. Ties follow the rule of the paper's authors: a node is in
        the low group if its degree is at most the lower percentile, and in the high group
        if its degree is above the upper percentile. If many nodes have the same degree,
        the low group can be larger, or the high group empty. This is the default, with a
        share of 0.2.
    n_groups : int, default=None
        Make this many groups of about equal size, separated by quantiles of the degrees.
        There can be fewer groups if many nodes have the same degree.
    boundaries : array-like, default=None
        The paper's inner boundaries d_2 < ... < d_m: group i contains the nodes with
        d_i <= degree < d_i+1 (Eq. 2).
    threshold : float, default=None
        Make two groups as in training: degree at most this value, and degree above it.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Group of each node: 0 for the lowest degrees, -1 for nodes in no group.

    Examples
    --------
    >>> from skdegfair.graph import degree_groups
    >>> degree_groups([0, 1, 2, 3, 9]).tolist()
    [0, -1, -1, -1, 1]
    >>> degree_groups([0, 1, 2, 3, 9], boundaries=[1, 3]).tolist()
    [0, 1, 1, 2, 2]
    >>> degree_groups([0, 1, 2, 3, 9], threshold=2).tolist()
    [0, 0, 0, 1, 1]
    """
    degree = _as_numbers(degree, "degree must contain one finite number per node")
    if sum(option is not None for option in (share, n_groups, boundaries, threshold)) > 1:
        raise ValueError("Pass only one of share, n_groups, boundaries and threshold.")
    if threshold is not None:
        _check_number(threshold, Real, "threshold")
        if np.isnan(threshold):
            raise ValueError("threshold must be a number, got nan.")
        return (degree > threshold).astype(np.intp)
    if n_groups is not None:
        _check_number(n_groups, Integral, "n_groups")
        if n_groups < 2:
            raise ValueError(f"n_groups must be at least 2, got {n_groups}.")
        inner = np.unique(np.quantile(degree, np.arange(1, n_groups) / n_groups))
        return np.searchsorted(inner[inner > degree.min()], degree, side="right")
    if boundaries is not None:
        inner = _as_numbers(boundaries, "boundaries must be a list of finite numbers")
        if (np.diff(inner) <= 0).any():
            raise ValueError(f"boundaries must be strictly increasing, got {boundaries!r}.")
        return np.searchsorted(inner, degree, side="right")
    share = DEFAULT_SHARE if share is None else share
    _check_number(share, Real, "share")
    if not 0 < share <= 0.5:
        raise ValueError(f"share must be in (0, 0.5], got {share}.")
    low, high = np.percentile(degree, [100 * share, 100 * (1 - share)])
    groups = np.full(degree.shape, -1, dtype=np.intp)
    groups[degree > high] = 1
    groups[degree <= low] = 0
    return groups


def _as_numbers(values: Any, rule: str) -> NDArray[np.float64]:
    kind = kind_of(values)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except ValueError:
        raise ValueError(f"{rule}, got {kind} with other values.") from None
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"{rule}, got {kind}.")
    if not np.isfinite(numbers).all():
        position = int((~np.isfinite(numbers)).argmax())
        raise ValueError(f"{rule}, got {numbers[position]} at position {position}.")
    return numbers
