"""A classifier on the vectors of nodes, called like the other graph classifiers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from ..exceptions import NoEdgesWarning
from ..fitting import all_or_nothing
from ..graph import Graph, accepts_graph, accuracy, check_graph, check_row_labels, check_selection, check_targets
from ..parameters import refuse_booleans
from .base import GraphEmbedding

NO_EMBEDDING = (
    "embedding must be an embedding from skdegfair.embedding, such as FairWalk(), or a pipeline that ends with one, "
    "got {given!r}."
)
NO_CLASSIFIER = "classifier must be a classifier of scikit-learn, such as LogisticRegression(), got {given!r}."
WEIGHTS_REFUSED = "sample_weight is given, but fit of {name} does not accept it. Use a classifier that does."
NO_EDGES = (
    "EmbeddingClassifier.fit got features and labels, but no edges. Pass A, as in fit(X, A, y), or a Graph(X, A), "
    'which cross-validation and searches need. If there are no edges, pass A="none" or Graph(X).'
)


def _last_step(embedding: Any) -> Any:
    return embedding.steps[-1][1] if getattr(embedding, "steps", None) else embedding


def _has(name: str) -> Any:
    def check(self: EmbeddingClassifier) -> bool:
        getattr(self.classifier_ if hasattr(self, "classifier_") else self._make_classifier(), name)
        return True

    return check


class EmbeddingClassifier(ClassifierMixin, BaseEstimator):
    """Node classifier on an embedding: vectors of nodes first, then any classifier of scikit-learn.

    It is the same model as ``make_pipeline(embedding, classifier)``, and can also be called as ``fit(X, A, y)``.

    Parameters
    ----------
    embedding : embedding
        An object from :mod:`skdegfair.embedding`, such as ``FairWalk()``. Its parameters can be searched as
        ``embedding__<name>``.
    classifier : scikit-learn classifier, default=None
        Fitted to the vectors of the training nodes. None: ``LogisticRegression(max_iter=1000)``.
    unlabeled : scalar, default=None
        Value of y that stands for an unknown label, such as -1; NaN also stands for None and pandas' NA. These nodes
        have vectors, but they are neither trained on nor scored by ``score``. None: every label is a class.
    directed : bool, default=False
        Whether A may differ from its transpose. A Graph has its own setting.

    Attributes
    ----------
    embedding_ : the fitted embedding
    classifier_ : the fitted classifier
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X is a DataFrame with string column names.

    See Also
    --------
    skdegfair.embedding.FairWalk, skdegfair.embedding.Residual2Vec, skdegfair.embedding.FairAdj : The embeddings.
    GNNClassifier : Also predicts for graphs not seen in ``fit``.

    Notes
    -----
    Embeddings are transductive: predictions are for nodes of the graph of ``fit``. For another graph ``predict``
    raises ValueError.

    Examples
    --------
    >>> from skdegfair import EmbeddingClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.embedding import FairWalk
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = EmbeddingClassifier(FairWalk(n_components=16)).fit(X, A, y)
    >>> clf.predict(X, A).shape
    (200,)
    """

    reads_graphs = True
    _parameter_constraints: dict[str, Any] = {
        "embedding": "no_validation",
        "classifier": "no_validation",
        "unlabeled": "no_validation",
        "directed": ["boolean"],
    }
    __metadata_request__fit = {"nodes": UNUSED}
    __metadata_request__score = {"nodes": UNUSED}

    def __init__(
        self, embedding: Any, classifier: Any = None, *, unlabeled: Any = None, directed: bool = False
    ) -> None:
        self.embedding = embedding
        self.classifier = classifier
        self.unlabeled = unlabeled
        self.directed = directed

    @accepts_graph
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any = None, A: Any = None, *, nodes: Any = None, sample_weight: Any = None
    ) -> EmbeddingClassifier:
        """Fit the embedding to the graph, and the classifier to the labeled nodes.

        All of these give the same model: ``fit(X, A, y)``, ``fit(X, A, y=y)``, ``fit(X, y, A=A)`` and
        ``fit(Graph(X, A), y)``; so do ``fit(X, A, y, nodes=train)`` and ``fit(G[train], y[train])``.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            One class per node, or per selected node of a Graph.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency. Without it the nodes have no edges; pass ``A="none"`` if this is intended.
        nodes : mask or array of positions, default=None
            Nodes to train on; default: all. With a part of a graph, as in ``fit(G[part], y[part])``, only a mask is
            accepted.
        sample_weight : array-like of shape (n_nodes,), default=None
            Weight of each node, for the classifier.

        Returns
        -------
        self
        """
        refuse_booleans(self)
        if not isinstance(_last_step(self.embedding), GraphEmbedding):
            raise TypeError(NO_EMBEDDING.format(given=self.embedding))
        with all_or_nothing(self):
            graph = check_graph(self, X, A, reset=True, reads_features=False)
            check_row_labels(graph, y=y, nodes=nodes, sample_weight=sample_weight)
            check_selection(graph, nodes=nodes)
            targets = check_targets(y, graph.nodes, nodes, None, self.unlabeled)
            if not isinstance(X, Graph) and A is None:
                warnings.warn(NO_EDGES, NoEdgesWarning, stacklevel=4)
            self._fitted_with_edges = graph.A is not None
            self.embedding_ = clone(self.embedding).fit(graph.whole())
            trained = graph[targets.train]
            weights = {}
            classifier = self._make_classifier()
            if sample_weight is not None:
                if not has_fit_parameter(classifier, "sample_weight"):
                    raise ValueError(WEIGHTS_REFUSED.format(name=type(classifier).__name__))
                checked = _check_sample_weight(sample_weight, graph, dtype=np.float64)
                weights["sample_weight"] = checked[targets.train]
            labels = targets.classes[targets.codes[targets.train]]
            self.classifier_ = classifier.fit(self.embedding_.transform(trained), labels, **weights)
            self.classes_ = targets.classes
        return self

    def predict(self, X: Any, A: Any = None) -> NDArray[Any]:
        """Most probable class.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
            The graph of ``fit``, or a part of it.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency; required if the model was fitted with edges and X is not a Graph.

        Returns
        -------
        ndarray of shape (n_nodes,)
        """
        vectors = self._vectors(X, A)
        return np.asarray(self.classifier_.predict(vectors))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any, A: Any = None) -> NDArray[np.float64]:
        """Probability of each class, if the classifier has probabilities.

        Parameters
        ----------
        X, A : as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_nodes, n_classes)
        """
        vectors = self._vectors(X, A)
        return np.asarray(self.classifier_.predict_proba(vectors))

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any, A: Any = None) -> NDArray[np.float64]:
        """Scores of the classes, if the classifier has scores.

        Parameters
        ----------
        X, A : as for :meth:`predict`
        """
        vectors = self._vectors(X, A)
        return np.asarray(self.classifier_.decision_function(vectors))

    @accepts_graph
    def score(self, X: Any, y: Any = None, A: Any = None, *, nodes: Any = None, sample_weight: Any = None) -> float:
        """Accuracy.

        Parameters
        ----------
        X, y, A : as for :meth:`fit`, in any order that ``fit`` accepts
        nodes : mask or array of positions, default=None
            Nodes to score; default: all. Unlabeled nodes are ignored.
        sample_weight : array-like of shape (n_nodes,), default=None
        """
        check_is_fitted(self)
        graph = check_graph(self, X, A, reset=False, reads_features=False)
        predicted = self.predict(graph)
        return accuracy(graph, y, predicted, nodes=nodes, sample_weight=sample_weight, unlabeled=self.unlabeled)

    def _make_classifier(self) -> Any:
        if self.classifier is None:
            return LogisticRegression(max_iter=1000)
        if (
            not hasattr(self.classifier, "fit")
            or isinstance(self.classifier, type)
            or not is_classifier(self.classifier)
        ):
            raise TypeError(NO_CLASSIFIER.format(given=self.classifier))
        return clone(self.classifier)

    def _vectors(self, X: Any, A: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.embedding_.transform(check_graph(self, X, A, reset=False, reads_features=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        blind = not getattr(self.embedding, "reads_features", True)
        tags.input_tags.allow_nan = tags.input_tags.string = blind
        tags.classifier_tags.poor_score = blind  # without edges, as in scikit-learn's checks, all vectors are 0
        return tags
