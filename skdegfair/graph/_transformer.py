"""GraphTransformer: any scikit-learn transformer, applied to the features of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._alignment import check_row_labels
from ._graph import Graph
from ._sparse import canonical


def _stacked_rows(one: Any, other: Any, rows: Any) -> Any:
    """Stack two tables and select rows of the result."""
    if hasattr(one, "iloc"):
        return pd.concat([one, other]).iloc[rows].set_axis(one.index)
    return sp.vstack([one, other]).tocsr()[rows] if sp.issparse(one) else np.vstack([one, other])[rows]


def _copied_features(X: Any) -> Any:
    """Return the features of a graph, or a feature matrix, that a transformer with ``copy=False`` may write into."""
    features = X.features if isinstance(X, Graph) else X
    if sp.issparse(features):
        features = canonical(features, "X")
    is_copy = isinstance(X, Graph) and not X.is_whole  # a selection of rows
    return features.copy() if hasattr(features, "copy") and not is_copy else features


def _inner_has(name: str) -> Any:
    def check(self: GraphTransformer) -> bool:
        getattr(self.transformer, name)
        return True

    return check


class GraphTransformer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Transform the node features of a graph and keep its edges.

    The transformer is fitted on the selected nodes only, so a cross-validated
    pipeline learns nothing from its test nodes. It is then applied to the features
    of every node, because the model reads all of them. A plain feature matrix is
    transformed as it is. Neither is written into, even by a transformer with
    ``copy=False``.

    Parameters
    ----------
    transformer : scikit-learn transformer
        It is cloned before it is fitted.

    Attributes
    ----------
    transformer_ : the fitted transformer

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skdegfair import Graph, GraphTransformer
    >>> G = Graph(np.array([[0.0], [2.0], [5.0]]), np.ones((3, 3)))
    >>> GraphTransformer(StandardScaler()).fit(G[:2]).transform(G).X.ravel().tolist()
    [-1.0, 1.0, 4.0]
    """

    reads_graphs = True

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> GraphTransformer:
        """Fit the transformer on the features of the selected nodes.

        Parameters
        ----------
        X : Graph or feature matrix
        y : array-like of shape (n_selected,), default=None
        """
        self.transformer_ = self._checked(X, y).fit(_copied_features(X), y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit and transform. The selected nodes get the result of the transformer's ``fit_transform``.

        It differs from ``transform`` for transformers that use cross-fitting to avoid
        overfitting, such as scikit-learn's TargetEncoder.
        """
        transformer = self._checked(X, y)
        result = transformer.fit_transform(_copied_features(X), y)
        if isinstance(X, Graph):
            every = X.with_features(transformer.transform(_copied_features(X.whole()))).X
            rows = np.arange(X.n_nodes)
            rows[X.nodes] = X.n_nodes + np.arange(len(X))
            result = X.with_features(_stacked_rows(every, result, rows))
        self.transformer_ = transformer
        return result

    def transform(self, X: Any) -> Any:
        """Return the graph with transformed features, or the transformed matrix."""
        check_is_fitted(self)
        if isinstance(X, Graph):
            return X.with_features(self.transformer_.transform(_copied_features(X.whole())))
        return self.transformer_.transform(_copied_features(X))

    def _checked(self, X: Any, y: Any) -> Any:
        """Return a transformer to be fitted, if the input makes sense."""
        if not hasattr(self.transformer, "transform"):
            raise TypeError(f"transformer must have a method transform, got {self.transformer!r}.")
        check_row_labels(X, y=y)  # what comes later may get the features without their index
        return clone(self.transformer)

    @available_if(_inner_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the transformed features."""
        check_is_fitted(self)
        return self.transformer_.get_feature_names_out(input_features)

    @available_if(_inner_has("set_output"))
    def set_output(self, *, transform: str | None = None) -> GraphTransformer:
        """Set the container of the transformed features, as in the transformer itself."""
        for transformer in (self.transformer, getattr(self, "transformer_", None)):
            if transformer is not None:
                transformer.set_output(transform=transform)
        return self

    @property
    def n_features_in_(self) -> int:
        """Number of features seen by ``fit``."""
        check_is_fitted(self)
        return int(self.transformer_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features seen by ``fit``, if they had names."""
        return self.transformer_.feature_names_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.transformer)
        tags.input_tags = inner.input_tags
        tags.target_tags.required = inner.target_tags.required
        tags.requires_fit = True
        return tags
