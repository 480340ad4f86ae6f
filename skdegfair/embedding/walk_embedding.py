"""Base class of the embeddings by random walks: a factorization for small graphs, skip-gram for large ones."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..fitting import draw_seed
from ..graph import GROUP_CONSTRAINTS, Graph
from ..nn.settings import own_settings
from ..parameters import Unused
from ..resources import available_memory, readable_bytes
from .base import GraphEmbedding, edges_of
from .skipgram import Negatives, train_skipgram
from .walks import draw_walks, pairs_of

FACTORIZED_NODES = 10_000
"""Largest graph that ``solver="auto"`` factorizes."""
MATRICES = 3.3
"""Number of matrices of shape (n_nodes, n_nodes) that a factorization holds at a time, in 32-bit floats."""
PAIRS = 2_000_000
"""Number of pairs that are drawn before training on them."""
TOO_LARGE = (
    'solver="factorization" takes {need} for {n_nodes} nodes, and {available} are available. Use solver="skipgram".'
)
WALK_UNUSED = (
    Unused(
        ("n_walks", "random_state"),
        'solver="factorization", which draws nothing',
        lambda own: own.solver == "factorization",
    ),
)


class WalkEmbedding(GraphEmbedding):
    """Base of the embeddings by random walks.

    Parameters
    ----------
    n_components : int, default=64
        Length of the vectors. In a graph with fewer nodes, the rest of a vector is 0.
    window : int, default=10
        Largest number of steps between two nodes of a walk that count as a pair.
    walk_length : int, default=40
        Number of nodes in a walk.
    solver : {"auto", "factorization", "skipgram"}, default="auto"
        "factorization" computes expected numbers of pairs and decomposes a matrix of shape (n_nodes, n_nodes). Its
        result is deterministic. "skipgram" draws walks and trains the vectors on their pairs, in memory that grows with
        the number of edges. "auto" uses the factorization up to 10,000 nodes, and skip-gram for larger graphs.
    n_walks : int, default=5
        For "skipgram": number of walks from each node.
    fairness_groups : "threshold", float or int, default="threshold"
        The degree groups: nodes with a degree of at most ``degree_threshold`` and the others; a share such as 0.2, for
        the nodes of lowest and of highest degree, with those in between as a third group; or this number of groups
        between quantiles of the degrees of all nodes.
    fairness_hops : int, default=1
        Number of hops of the generalized degree by which the groups are made.
    degree_threshold : {"mean", "median"} or float, default="mean"
        Threshold between the two groups.
    random_state : int, RandomState instance or None, default=None
        For "skipgram": determines walks, negative examples and initial vectors. None draws a new seed without using
        numpy's global generator.

    Attributes
    ----------
    solver_ : {"factorization", "skipgram"}
        The solver that was used.
    """

    _parameter_constraints: dict[str, Any] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "window": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions({"auto", "factorization", "skipgram"})],
        "walk_length": [Interval(Integral, 2, None, closed="left")],
        "n_walks": [Interval(Integral, 1, None, closed="left")],
        **GROUP_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    window: int
    walk_length: int
    solver: str
    n_walks: int
    random_state: Any

    def _embed(self, graph: Graph) -> NDArray[np.float64]:
        A, group = edges_of(graph), self._group_numbers(graph)
        is_small = graph.n_nodes <= FACTORIZED_NODES
        self.solver_ = self.solver if self.solver != "auto" else "factorization" if is_small else "skipgram"
        if self.solver_ == "factorization":
            _check_memory(graph.n_nodes)
            vectors = self._factorize(A, group)
        else:
            with own_settings("cpu"):
                vectors = self._train(A, group)
        isolated = (np.diff(A.indptr) == 0) & (np.bincount(A.indices, minlength=graph.n_nodes) == 0)
        vectors[isolated] = 0
        return vectors

    def _train(self, A: sp.csr_array, group: NDArray[np.intp]) -> NDArray[np.float64]:
        P = self._steps(A, group)
        random = np.random.default_rng(draw_seed(self.random_state))
        linked = np.flatnonzero(np.diff(P.indptr))
        at_once = max(PAIRS // (2 * self.window * self.walk_length), 1)
        n_parts = -(-len(linked) // at_once)

        def rounds() -> Iterator[NDArray[np.intp]]:
            for _ in range(self.n_walks):
                for starts in np.array_split(random.permutation(linked), n_parts) if n_parts else []:
                    yield pairs_of(draw_walks(P, starts, self.walk_length, random), self.window)

        return train_skipgram(
            rounds(),
            self._negatives(A, group, P),
            n_rounds=self.n_walks * n_parts,
            n_nodes=len(group),
            n_components=self.n_components,
            random=random,
        )

    # -- what a subclass defines -------------------------------------------------------------------

    def _steps(self, A: sp.csr_array, group: NDArray[np.intp]) -> sp.csr_array:
        """Probabilities of the steps of a walk."""
        raise NotImplementedError

    def _factorize(self, A: sp.csr_array, group: NDArray[np.intp]) -> NDArray[np.float64]:
        """Vectors from expected numbers of pairs."""
        raise NotImplementedError

    def _negatives(self, A: sp.csr_array, group: NDArray[np.intp], P: sp.csr_array) -> Negatives:
        """How to draw negative examples for skip-gram."""
        raise NotImplementedError


def _check_memory(n_nodes: int) -> None:
    need, available = MATRICES * 4 * n_nodes**2, available_memory()
    if available is not None and need > available:
        sizes = {"need": readable_bytes(need), "available": readable_bytes(available)}
        raise MemoryError(TOO_LARGE.format(n_nodes=n_nodes, **sizes))
