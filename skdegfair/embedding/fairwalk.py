"""FairWalk (Rahman et al., IJCAI 2019): random walks that visit all degree groups, as vectors of nodes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ..docstrings import documented
from ..graph import THRESHOLD_UNUSED
from .base import GraphEmbedding
from .factorization import leading_vectors, positive_log_ratio
from .skipgram import Negatives
from .walk_embedding import WALK_UNUSED, WalkEmbedding
from .walks import expected_counts, expected_pairs, transition_matrix

NOISE_EXPONENT = 0.75
"""Negative examples are drawn in proportion to how often a node occurs in pairs, to this power, as in word2vec."""


@documented(WalkEmbedding, attributes=(WalkEmbedding, GraphEmbedding))
class FairWalk(WalkEmbedding):
    """FairWalk: vectors from random walks that go to each degree group in a neighborhood equally often.

    A step of an ordinary walk goes to any neighbor, so most steps go to the group that most neighbors belong to. A step
    of a fair walk chooses a group first: p(j|i) = 1 / (number of groups in the neighborhood of i) / (number of
    neighbors of i in the group of j) [1]_. Nodes that occur near each other in walks get similar vectors. Features and
    labels are not used.

    Parameters
    ----------
    n_negative : int, default=1
        Number of negative examples per pair; in the factorization, log(n_negative) is subtracted.

    Attributes
    ----------
    {attributes}

    See Also
    --------
    Residual2Vec : Removes the part that degrees explain, instead of balancing the walks.
    skdegfair.EmbeddingClassifier : A classifier on the vectors, for ``fit(X, A, y)``.

    Notes
    -----
    The factorization is that of the positive part of log(C_ij / (c_i q_j)) - log(n_negative), where C_ij is the
    expected number of times that i and j are at most ``window`` steps apart, c_i its sum over j, and q_j the
    probability of a negative example, proportional to c_j^0.75. Skip-gram factorizes the same matrix implicitly; here
    no walks are drawn. The matrix has n_nodes^2 entries in memory.

    In a weighted graph, a neighbor within a group is chosen in proportion to the weight of its edge. In a directed
    graph, walks go from a node to those in its row of A, and end at a node that has none. Nodes without edges have the
    vector 0; a classifier on the vectors predicts the same class for all of them.

    Adapted for degree: the sensitive attribute is the degree group. The parameters p and q of node2vec are left out;
    the paper sets them to 1.

    References
    ----------
    .. [1] T. Rahman, B. Surma, M. Backes and Y. Zhang, "Fairwalk: Towards Fair Graph Embedding", IJCAI 2019.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.embedding import FairWalk
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> FairWalk(n_components=8).fit_transform(data.graph).shape
    (200, 8)
    >>> cross_val_score(make_pipeline(FairWalk(), LogisticRegression()), data.graph, data.y, cv=3).shape
    (3,)
    """

    unused = (*WALK_UNUSED, THRESHOLD_UNUSED)
    _parameter_constraints: dict[str, Any] = {
        **WalkEmbedding._parameter_constraints,
        "n_negative": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_components: int = 64,
        window: int = 10,
        walk_length: int = 40,
        n_negative: int = 1,
        solver: str = "auto",
        n_walks: int = 5,
        fairness_groups: str | float = "threshold",
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.walk_length = walk_length
        self.n_negative = n_negative
        self.solver = solver
        self.n_walks = n_walks
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold
        self.random_state = random_state

    def _steps(self, A: sp.csr_array, group: NDArray[np.intp]) -> sp.csr_array:
        return transition_matrix(A, group)

    def _factorize(self, A: sp.csr_array, group: NDArray[np.intp]) -> NDArray[np.float64]:
        pairs = expected_pairs(self._steps(A, group), self.walk_length, self.window)
        count = pairs.sum(axis=1, dtype=np.float64)
        expected = np.outer(count.astype(np.float32), (self.n_negative * _noise(count)).astype(np.float32))
        return leading_vectors(positive_log_ratio(pairs, expected), self.n_components)

    def _negatives(self, A: sp.csr_array, group: NDArray[np.intp], P: sp.csr_array) -> Negatives:
        noise = _noise(expected_counts(P, self.walk_length, self.window))
        return lambda centers, random: random.choice(len(noise), size=(len(centers), self.n_negative), p=noise)


def _noise(count: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of each node as a negative example."""
    power = count**NOISE_EXPONENT
    return power / max(power.sum(), np.finfo(float).tiny)
