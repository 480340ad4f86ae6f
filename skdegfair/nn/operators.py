"""Kinds of matrices that layers multiply with, and request from a block.

An operator is a small value object. It says how to turn the neighborhoods of some nodes into a matrix; a block
makes the matrix once and returns it for the operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from .attention import AttentionPattern
from .neighborhoods import Neighborhoods
from .sparse import SparseOperator

Matrix = Any  # a SparseOperator, a Chain of them, or an AttentionPattern


class Operator:
    """Base of the kinds of matrices; two equal operators share one matrix in a block.

    Attributes
    ----------
    needs_whole_graph : bool
        Whether the matrix depends on the whole graph, so that it cannot be made for sampled neighbors.

    Examples
    --------
    >>> from skdegfair.nn import OpenMean, Operator, Reach
    >>> OpenMean() == OpenMean(), Reach(2) == Reach(3)
    (True, False)
    >>> isinstance(OpenMean(), Operator)
    True
    """

    needs_whole_graph = False

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        """Entries of the matrix, (n_after, n_before)."""
        raise NotImplementedError

    def of_graph(self, A: sp.csr_array) -> sp.csr_array:
        """Entries of the matrix for all nodes, in place of ``matrix``, if it needs the whole graph."""
        raise NotImplementedError

    def wrap(self, matrix: sp.csr_array, dtype: torch.dtype, *, gradient: bool) -> Matrix:
        """The matrix in torch; without ``gradient`` no transpose is kept."""
        return SparseOperator(matrix, dtype, gradient=gradient)


@dataclass(frozen=True)
class ClosedMean(Operator):
    """Weighted mean over a node and its neighbors, the node itself with weight 1.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import ClosedMean, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> block = Topology(graph, [ClosedMean()]).whole
    >>> (block[ClosedMean()] @ torch.tensor([[1.0], [2.0], [6.0]]))[:, 0].tolist()
    [1.5, 3.0, 4.0]
    """

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        return around.divided(around.with_self(around.weighted), around.degree + 1)


@dataclass(frozen=True)
class OpenMean(Operator):
    """Weighted mean over the neighbors alone, 0 for a node that has none.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import OpenMean, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> block = Topology(graph, [OpenMean()]).whole
    >>> (block[OpenMean()] @ torch.tensor([[1.0], [2.0], [6.0]]))[:, 0].tolist()
    [2.0, 3.5, 2.0]
    """

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        return around.divided(around.weighted, around.degree)


@dataclass(frozen=True)
class Attended(Operator):
    """The edges that attention uses: a node and its neighbors, with their weights.

    Examples
    --------
    >>> from skdegfair.nn import GAT, Attended
    >>> GAT(1, 4).operators == (Attended(),)
    True
    """

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        return around.with_self(around.weighted)

    def wrap(self, matrix: sp.csr_array, dtype: torch.dtype, *, gradient: bool) -> AttentionPattern:
        return AttentionPattern(matrix, dtype, gradient=gradient)


@dataclass(frozen=True)
class Reach(Operator):
    """Unweighted mean over the nodes within some hops of a node, including itself.

    Parameters
    ----------
    hops : int, default=1
    pool : {"set", "walk"}, default="set"
        The mean over the set of these nodes, or over the ends of walks with this number of steps, each to a neighbor
        or to the node itself. For one hop both are the same.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from skdegfair import Graph
    >>> from skdegfair.nn import Reach, Topology
    >>> graph = Graph(np.array([[1.0], [2.0], [6.0]]), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> block = Topology(graph, [Reach(2)]).whole
    >>> (block[Reach(2)] @ torch.tensor([[1.0], [2.0], [6.0]]))[:, 0].tolist()
    [3.0, 3.0, 3.0]
    """

    hops: int = 1
    pool: str = "set"

    @property
    def is_walk(self) -> bool:
        return self.pool == "walk" and self.hops > 1

    def matrix(self, around: Neighborhoods) -> sp.csr_array:
        if around.reached is not None and self.hops > 1 and (around.is_sampled or not self.is_walk):
            return around.reached
        return around.divided(
            around.with_self(around.counted), around.n_neighbors.astype(np.float64) + 1
        )  # of a walk, its last step
