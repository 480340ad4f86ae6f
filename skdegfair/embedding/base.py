"""Base class of the embeddings, which are fitted on a graph and have one vector for each of its nodes only."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..exceptions import NoEdgesWarning, NoEffectWarning
from ..fitting import all_or_nothing
from ..graph import DegreeGroups, Graph, check_graph, check_row_labels, fingerprint
from ..parameters import Unused, refuse_booleans, unused_parameters

ANOTHER_GRAPH = (
    "{name} has vectors for the nodes of the graph that it was fitted on, but this graph has {difference}. Fit it to "
    "this graph. To predict for graphs not seen in fit, use GNNClassifier or DegFairGNNClassifier."
)
EDGES_MISSING = "{name} was fitted on a graph with edges, but this one has no edges. Pass the same Graph(X, A)."
NONE = "none"
NO_EDGES = "{name}.fit got features, but no edges. Pass Graph(X, A). If there are no edges, pass Graph(X)."


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the embeddings: transformers from a graph to one vector per node.

    They are transductive. ``fit`` computes vectors for all nodes of the whole graph, even if only some of them are
    selected, and uses no labels. ``transform`` returns the vectors of the selected nodes of the same graph. It raises
    ValueError for another graph, unless neither of the two has edges.

    Subclasses have the parameters ``n_components``, ``fairness_groups``, ``fairness_hops`` and ``degree_threshold``.

    Attributes
    ----------
    vectors_ : ndarray of shape (n_nodes, n_components)
        The vectors of all nodes.
    groups_ : DegreeGroups
        Boundaries between the degree groups.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X is a DataFrame with string column names.

    Examples
    --------
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.embedding import FairWalk, GraphEmbedding
    >>> embedding = FairWalk(n_components=8)
    >>> isinstance(embedding, GraphEmbedding)
    True
    >>> graph = make_degree_biased_graph(100, random_state=0).graph
    >>> embedding.fit(graph).transform(graph[:3]).shape
    (3, 8)
    """

    reads_graphs = True
    reads_features = False
    unused: tuple[Unused, ...] = ()
    _parameter_constraints: dict[str, Any] = {}

    n_components: int
    fairness_groups: Any
    fairness_hops: int
    degree_threshold: Any

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> GraphEmbedding:
        """Compute the vectors of all nodes.

        Parameters
        ----------
        X : Graph
            All of its edges are used, regardless of which nodes are selected. A feature matrix is a graph without
            edges.
        y : ignored
            Accepted for use in pipelines. Labels are never used.

        Returns
        -------
        self
        """
        refuse_booleans(self)
        with all_or_nothing(self):
            graph = check_graph(self, X, reset=True, reads_features=self.reads_features)
            check_row_labels(graph, y=y)  # in a pipeline, the next step gets vectors without labels
            whole = graph.whole()
            self.groups_ = DegreeGroups.learn(
                whole, whole.nodes, self.fairness_groups, threshold=self.degree_threshold, hops=self.fairness_hops
            )
            if not isinstance(X, Graph):
                warnings.warn(NO_EDGES.format(name=type(self).__name__), NoEdgesWarning, stacklevel=3)
            elif graph.n_edges:  # otherwise there is nothing that could have an effect
                for remark in self._remarks(whole):
                    warnings.warn(remark, NoEffectWarning, stacklevel=3)
            self._fitted_on = self._identity(whole)
            self.vectors_ = self._embed(whole)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the vectors of the selected nodes.

        Parameters
        ----------
        X : Graph
            The graph of ``fit``, or a part of it. After a fit without edges, any nodes without edges.

        Returns
        -------
        ndarray of shape (n_selected, n_components)
        """
        check_is_fitted(self)
        graph = check_graph(self, X, reset=False, reads_features=self.reads_features)
        before, now = self._fitted_on, self._identity(graph.whole())
        if before["edges"] == now["edges"] == NONE:
            return self._embed_isolated(graph)
        for what in before:
            if now[what] != before[what]:
                difference = f"other {what}" if what != "nodes" else f"{now[what]} nodes instead of {before[what]}"
                text = EDGES_MISSING if now["edges"] == NONE else ANOTHER_GRAPH
                raise ValueError(text.format(name=type(self).__name__, difference=difference))
        return self.vectors_[graph.nodes]

    # -- what a subclass defines -------------------------------------------------------------------

    def _embed(self, graph: Graph) -> NDArray[np.float64]:
        """Vectors of all nodes, (n_nodes, n_components)."""
        raise NotImplementedError

    def _embed_isolated(self, graph: Graph) -> NDArray[np.float64]:
        """Vectors of the selected nodes of a graph without edges; they do not depend on the other nodes."""
        return np.zeros((len(graph), self._n_features_out))

    def _remarks(self, graph: Graph) -> Iterator[str]:
        """Yield a sentence for each thing that has no effect."""
        yield from unused_parameters(self, self.unused)
        why = self.groups_.idle(graph, graph.nodes) if self._uses_groups else None
        if why:
            yield f"{type(self).__name__} treats all nodes alike: it balances degree groups, and {why}."

    @property
    def _uses_groups(self) -> bool:
        return True

    # -- helpers -----------------------------------------------------------------------------------

    def _group_numbers(self, graph: Graph) -> NDArray[np.intp]:
        """Number of the degree group of each node, from 0. Nodes between the groups are a group of their own."""
        numbers: NDArray[np.intp] = np.unique(self.groups_.of(graph), return_inverse=True)[1]
        return numbers

    def _identity(self, graph: Graph) -> dict[str, Any]:
        """Fingerprint of the data that the vectors were computed from."""
        A = edges_of(graph)
        parts = A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data
        identity = {"nodes": graph.n_nodes, "edges": fingerprint(parts) if A.nnz else NONE}
        if not self.reads_features:
            return identity
        X = graph.X.astype(np.float64) if sp.issparse(graph.X) else np.ascontiguousarray(graph.X, dtype=np.float64)
        return {**identity, "features": fingerprint(X)}

    @property
    def _n_features_out(self) -> int:
        return int(self.vectors_.shape[1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = tags.input_tags.string = not self.reads_features
        tags.transformer_tags.preserves_dtype = []
        return tags


def edges_of(graph: Graph) -> sp.csr_array:
    """The adjacency in double precision, empty for a graph without edges."""
    if graph.A is None:
        return sp.csr_array((graph.n_nodes, graph.n_nodes))
    return graph.A.astype(np.float64)
