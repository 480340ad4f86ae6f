"""Splits of nodes for training, validation and testing."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state


class Split(NamedTuple):
    """Positions of the training, validation and test nodes.

    Parameters
    ----------
    train, valid, test : ndarray of int

    Examples
    --------
    >>> from skdegfair.datasets import random_split
    >>> train, valid, test = random_split(10, random_state=0)
    >>> len(train), len(valid), len(test)
    (6, 2, 2)
    """

    train: NDArray[np.intp]
    valid: NDArray[np.intp]
    test: NDArray[np.intp]


def authors_split(n_nodes: int) -> Split:
    """Return the split of the paper's authors: 60 % training, 20 % validation and 20 % test nodes.

    Their code shuffles with numpy's seed 0 whatever the seed of the run, so all runs of
    the paper share this split.

    Parameters
    ----------
    n_nodes : int

    Returns
    -------
    Split
        With ``train``, ``valid`` and ``test``.

    Examples
    --------
    >>> from skdegfair.datasets import authors_split
    >>> [len(part) for part in authors_split(2277)]
    [1366, 455, 456]
    """
    return random_split(n_nodes, random_state=0)


def random_split(n_nodes: int, *, random_state: Any = None) -> Split:
    """Split nodes at random: 60 % training, 20 % validation and 20 % test nodes.

    Parameters
    ----------
    n_nodes : int
        At least 5.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    Split

    Examples
    --------
    >>> from skdegfair.datasets import random_split
    >>> random_split(10, random_state=0).test
    array([0, 5])
    """
    if not isinstance(n_nodes, Integral) or isinstance(n_nodes, bool) or n_nodes < 5:
        raise ValueError(f"n_nodes must be an integer of at least 5, so that no part is empty, got {n_nodes!r}.")
    order = np.arange(n_nodes)
    check_random_state(random_state).shuffle(order)
    return Split(*np.split(order, [int(n_nodes * 0.6), int(n_nodes * 0.8)]))
