"""Predictions of a fitted graph classifier."""

from __future__ import annotations

import copy
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..graph import Graph, accepts_graph, accuracy
from ..nn import GNN, Topology
from ..nn.settings import own_settings
from ..training import NodeNet

NOT_FINITE = (
    "The network's output is infinite or NaN for {n} of {of} nodes, first for node {node}. Its features or "
    "edge weights, or the weights of the network, are too large: scale the features, for example with "
    "GraphTransformer(StandardScaler()), and fit again with a lower learning_rate."
)


class GraphPredictor:
    """Methods for predictions, for an estimator that can check a graph."""

    unlabeled: Any
    feature_scale_: float
    classes_: NDArray[Any]
    net_: NodeNet

    def _check_graph(self, X: Any, A: Any, *, reset: bool) -> Graph:
        raise NotImplementedError

    def predict_proba(self, X: Any, A: Any = None) -> NDArray[np.float64]:
        """Probability of each class.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
            The graph of ``fit`` or another one with the same features.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency; required if the model was fitted with edges and X is not a Graph. ``A="none"`` for nodes without
            edges.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes)
            One row for each node, or each selected node of a Graph.
        """
        return self._logits(X, A).softmax(1).numpy()

    def decision_function(self, X: Any, A: Any = None) -> NDArray[np.float64]:
        """Logits: one column per class, or for two classes their difference.

        Parameters
        ----------
        X, A : as for :meth:`predict_proba`
        """
        logits = self._logits(X, A).numpy()
        return logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits

    def predict(self, X: Any, A: Any = None) -> NDArray[Any]:
        """Most probable class.

        Parameters
        ----------
        X, A : as for :meth:`predict_proba`

        Returns
        -------
        ndarray of shape (n_nodes,)
        """
        logits = self._logits(X, A)
        return self.classes_[logits.argmax(1).numpy()]

    def embed(self, X: Any, A: Any = None) -> Any:
        """Hidden representation, the input of the last layer.

        Parameters
        ----------
        X, A : as for :meth:`predict_proba`

        Returns
        -------
        ndarray of shape (n_nodes, hidden_dim)
            With ``n_layers=1`` there is no hidden layer, and this is a copy of the features.
        """
        check_is_fitted(self)
        graph = self._check_graph(X, A, reset=False)
        if len(self.module_.layers) == 1:
            return graph.features.copy()
        return self._infer(graph, len(self.module_.layers) - 1).numpy()

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
        graph = self._check_graph(X, A, reset=False)
        predicted = self.classes_[self._infer(graph).argmax(1).numpy()]
        return accuracy(graph, y, predicted, nodes=nodes, sample_weight=sample_weight, unlabeled=self.unlabeled)

    @property
    def module_(self) -> GNN:
        """The fitted torch module."""
        return cast(GNN, self.net_.module_)

    def _logits(self, X: Any, A: Any) -> torch.Tensor:
        check_is_fitted(self)
        return self._infer(self._check_graph(X, A, reset=False))

    def _infer(self, graph: Graph, n_layers: int | None = None) -> torch.Tensor:
        """Compute in double precision, so that a prediction does not depend on which other nodes are requested."""
        device = next(self.module_.parameters()).device
        with own_settings(device):
            module = copy.deepcopy(self.module_).double()
            topology = Topology(
                graph, module.operators, feature_scale=self.feature_scale_, dtype=torch.float64, device=device
            )
            output = module.infer(topology, graph.nodes, n_layers).cpu()
        undefined = ~output.isfinite().all(1)
        if undefined.any():
            node = graph.nodes[int(undefined.nonzero()[0])]
            raise ValueError(NOT_FINITE.format(n=int(undefined.sum()), of=len(output), node=node))
        return output
