"""Residual2Vec (Kojaku et al., NeurIPS 2021): vectors of what a random graph with the same degrees does not explain."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from ..docstrings import documented
from ..graph import THRESHOLD_UNUSED
from ..parameters import Unused
from .base import GraphEmbedding
from .factorization import leading_vectors, positive_log_ratio
from .skipgram import Negatives
from .walk_embedding import WALK_UNUSED, WalkEmbedding
from .walks import transition_matrix, weighted_powers


@documented(WalkEmbedding, attributes=(WalkEmbedding, GraphEmbedding))
class Residual2Vec(WalkEmbedding):
    """Residual2Vec: vectors from random walks, without the part that the degrees explain.

    Walks visit nodes of high degree often, so vectors from walks reveal the degree of a node. Residual2Vec compares how
    often walks from i reach j with how often they would in a random graph with the same degrees, and keeps the
    difference [1]_. Features and labels are not used.

    Parameters
    ----------
    null : {"configuration", "groups"}, default="configuration"
        The random graph: each node keeps its degree; or it also keeps the number of edges between each two degree
        groups, which also removes the part that the groups explain.
    walk_length : int, default=40
        For "skipgram": number of nodes in a walk.

    Attributes
    ----------
    {attributes}

    See Also
    --------
    FairWalk : Balances the walks over degree groups.
    skdegfair.EmbeddingClassifier : A classifier on the vectors, for ``fit(X, A, y)``.

    Notes
    -----
    The factorization is that of max(R, 0), where R_ij = log P_d(j|i) - log P_0(j|i). P_d is the mean of P, P^2, ...,
    P^T with T = ``window`` and the probabilities P of one step. For the null "configuration", P_0(j|i) = d_j / vol,
    where d_j is the degree of j and vol the sum of all degrees. For "groups", P_0(j|i) = B_gh d_j / D_h, where i is in
    group g and j in h, B is the mean of the first T powers of the probabilities of steps between groups, and D_h the
    sum of the degrees in h. Where walks from i do not reach j, the matrix is 0. The matrix has n_nodes^2 entries in
    memory.

    Skip-gram has one negative example per pair, drawn from P_0(.|i).

    In a weighted graph, steps are proportional to weights and degrees are sums of weights. In a directed graph, walks
    go from a node to those in its row of A, and d_j is the sum of its column. Nodes without edges have the vector 0; a
    classifier on the vectors predicts the same class for all of them.

    References
    ----------
    .. [1] S. Kojaku, J. Yoon, I. Constantino and Y.-Y. Ahn, "Residual2Vec: Debiasing graph embedding with random
       graphs", NeurIPS 2021.

    Examples
    --------
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.embedding import Residual2Vec
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> Residual2Vec(n_components=8, null="groups").fit_transform(data.graph[:50]).shape
    (50, 8)
    """

    unused = (
        *WALK_UNUSED,
        Unused(("walk_length",), 'solver="factorization"', lambda own: own.solver == "factorization"),
        Unused(
            ("fairness_groups", "fairness_hops", "degree_threshold"),
            'null="configuration"',
            lambda own: own.null == "configuration",
        ),
        THRESHOLD_UNUSED,
    )
    _parameter_constraints: dict[str, Any] = {
        **WalkEmbedding._parameter_constraints,
        "null": [StrOptions({"configuration", "groups"})],
    }

    def __init__(
        self,
        *,
        n_components: int = 64,
        window: int = 10,
        null: str = "configuration",
        solver: str = "auto",
        walk_length: int = 40,
        n_walks: int = 5,
        fairness_groups: str | float = "threshold",
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.null = null
        self.solver = solver
        self.walk_length = walk_length
        self.n_walks = n_walks
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold
        self.random_state = random_state

    @property
    def _uses_groups(self) -> bool:
        return self.null == "groups"

    def _group_numbers(self, graph: Any) -> NDArray[np.intp]:
        """With the null "configuration", all nodes are in one group: the two null models are the same then."""
        numbers = super()._group_numbers(graph)
        return numbers if self._uses_groups else np.zeros_like(numbers)

    def _steps(self, A: sp.csr_array, group: NDArray[np.intp]) -> sp.csr_array:
        return transition_matrix(A)

    def _factorize(self, A: sp.csr_array, group: NDArray[np.intp]) -> NDArray[np.float64]:
        return leading_vectors(residuals(A, group, self.window), self.n_components)

    def _negatives(self, A: sp.csr_array, group: NDArray[np.intp], P: sp.csr_array) -> Negatives:
        between, share = null_model(A, group, self.window)
        order = np.argsort(group, kind="stable")  # of the nodes: those of a group are adjacent
        ends = np.cumsum(share[order])
        size = np.bincount(group, share)  # 1, or 0 for a group without edges
        begins = np.cumsum(size) - size
        reached = np.cumsum(between, axis=1)

        def draw(centers: NDArray[np.intp], random: np.random.Generator) -> NDArray[np.intp]:
            at = reached[group[centers]]
            to = (random.random((len(centers), 1)) * at[:, -1:] >= at).sum(axis=1)
            point = begins[to] + random.random(len(centers)) * size[to]
            return order[np.minimum(np.searchsorted(ends, point, side="right"), len(order) - 1)][:, None]

        return draw


def null_model(
    A: sp.csr_array, group: NDArray[np.intp], window: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P_0(j|i) as two factors: that of the groups of i and j, and the share of j in the degrees of its group."""
    n_groups = int(group.max(initial=0)) + 1
    member = sp.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(n_groups, len(group)))
    edges = (member @ A @ member.T).toarray()
    step = edges / np.maximum(edges.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    between = np.mean([np.linalg.matrix_power(step, t) for t in range(1, window + 1)], axis=0)
    degree = A.sum(axis=0)
    return between, degree / np.maximum(edges.sum(axis=0), np.finfo(float).tiny)[group]


def residuals(A: sp.csr_array, group: NDArray[np.intp], window: int) -> NDArray[np.float32]:
    """max(R, 0): the logarithm of how much more often walks reach a node than in the random graph."""
    walked = weighted_powers(transition_matrix(A), [np.full(len(group), 1 / window)] * window)
    between, share = null_model(A, group, window)
    null = between.astype(np.float32)[group][:, group]
    null *= share.astype(np.float32)
    np.maximum(null, np.finfo(np.float32).tiny, out=null)  # extreme weights
    return positive_log_ratio(walked, null)
