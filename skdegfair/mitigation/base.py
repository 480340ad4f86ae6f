"""The interface between a graph neural network and a method that makes it fairer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..graph import Graph
from ..nn import BACKBONES, GNN, Architecture, Term
from ..parameters import Unused, refuse_booleans, unused_parameters


@dataclass(frozen=True)
class Phase:
    """One phase of a training step: which parameters are updated, on which loss terms, how many times.

    Parameters
    ----------
    name : str
    parameters : tuple of str, default=()
        Parts of the network to update, such as "heads.adversary". Empty: all parts that no other phase names.
    weights : dict from names of terms to floats, default=None
        The loss of this phase. None: the weights of the objective.
    steps : int, default=1
        Optimizer steps in a row.
    rate : float, default=1.0
        Learning rate of the named parameters, as a multiple of the classifier's.
    reuse : bool, default=False
        Whether the heads are applied to the hidden representation of the phase before, without gradient for the
        layers, instead of running the whole network again.

    Examples
    --------
    >>> from skdegfair.mitigation import FairGNN, Phase
    >>> [phase.name for phase in FairGNN().phases()]
    ['network', 'adversary']
    >>> Phase("adversary", parameters=("heads.adversary",), weights={"adversary": 1.0}).steps
    1
    """

    name: str
    parameters: tuple[str, ...] = ()
    weights: Mapping[str, float] | None = None
    steps: int = 1
    rate: float = 1.0
    reuse: bool = False

    def __post_init__(self) -> None:
        if self.rate != 1 and not self.parameters:
            raise ValueError(f"Phase {self.name!r} has a rate but names no parameters.")


class Mitigation(BaseEstimator):
    """Base class of the methods that change a plain graph neural network to mitigate degree bias.

    A mitigation holds hyper-parameters in the manner of scikit-learn (``get_params``, ``set_params``, ``clone``). It
    may change four things; each method here has a default that leaves the plain network as it is:

    1. :meth:`learn`: what is computed from the graph before training, stored in attributes that end in ``_``;
    2. :meth:`build`: the network, with other layers, or with heads on the hidden representation;
    3. :meth:`terms`, :meth:`weights` and :meth:`ramps`: further loss terms by name;
    4. :meth:`phases`: which parameters are updated on which terms.

    The class attributes say what a method needs, so that the classifier can raise a clear error if it does not fit.

    Attributes
    ----------
    backbones : tuple of str
        Base networks that the method works with.
    min_layers : int
        Smallest number of layers.
    supports_batches, supports_distributed, supports_directed : bool
    all_nodes : bool
        Whether training on the whole graph computes the output of every node, not only of the training nodes, for loss
        terms that use all of them.
    scales_features : bool
        Whether features are divided by their root mean square first.
    memory_factor : float
        Lower bound of the memory of hidden representations in training, relative to the plain network.
    unfairness : tuple of str
        Terms that measure unfairness; early stopping on ``valid_score`` subtracts them, weighted, from the accuracy.
    unused : tuple of Unused
        Conditions under which parameters have no effect. The classifier warns if such a parameter was changed.

    Examples
    --------
    A mitigation that changes only the number of layers that it accepts:

    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import Mitigation
    >>> class Deep(Mitigation):
    ...     min_layers = 3
    >>> data = make_degree_biased_graph(50, random_state=0)
    >>> GNNClassifier(mitigation=Deep(), n_layers=2).fit(data.graph, data.y)
    Traceback (most recent call last):
        ...
    ValueError: Deep needs n_layers of at least 3, got 2.
    """

    backbones: tuple[str, ...] = tuple(BACKBONES)
    min_layers: int = 1
    supports_batches: bool = True
    supports_distributed: bool = True
    supports_directed: bool = True
    all_nodes: bool = False
    scales_features: bool = True
    memory_factor: float = 1.0
    unfairness: tuple[str, ...] = ()
    unused: tuple[Unused, ...] = ()
    _parameter_constraints: dict[str, Any] = {}

    def check(self, *, backbone: str, n_layers: int, batch_size: int | None, distributed: bool, directed: bool) -> None:
        """Raise ValueError if the parameters are invalid or cannot be combined with those of the classifier."""
        self._validate_params()
        refuse_booleans(self)
        name = type(self).__name__
        if backbone not in self.backbones:
            supported = " or ".join(f'backbone="{each}"' for each in self.backbones)
            raise ValueError(f"{name} does not support backbone={backbone!r}. Use {supported}.")
        if n_layers < self.min_layers:
            raise ValueError(f"{name} needs n_layers of at least {self.min_layers}, got {n_layers}.")
        if batch_size is not None and not self.supports_batches:
            raise ValueError(f"{name} trains on the whole graph only. Set batch_size=None, got {batch_size}.")
        if distributed and not self.supports_distributed:
            raise ValueError(f"{name} does not support distributed=True. Train it in one process.")
        self.check_directed(directed)

    def check_directed(self, directed: bool) -> None:
        """Raise ValueError if the method is not defined for a graph, in training or in predictions."""
        if directed and not self.supports_directed:
            name = type(self).__name__
            raise ValueError(f"{name} is defined for undirected graphs. Pass A.maximum(A.T) to ignore directions.")

    def learn(self, graph: Graph, nodes: NDArray[np.intp]) -> None:
        """Compute what is fixed before training, such as a degree threshold.

        Parameters
        ----------
        graph : Graph
            The whole graph.
        nodes : (n_train,)
            The training nodes.
        """

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        """Yield a sentence for each thing that has no effect, if that is known before training. They become warnings.

        Parameters
        ----------
        graph, nodes : as for :meth:`learn`, which was called before
        """
        yield from unused_parameters(self, self.unused)

    def build(self, architecture: Architecture) -> GNN:
        """Make the network."""
        return GNN(architecture.convs(), dropout=architecture.dropout, seed=architecture.seed)

    def terms(self) -> dict[str, Term]:
        """Loss terms in addition to the classification loss and those of the layers."""
        return {}

    def weights(self) -> dict[str, float]:
        """Weight of each further loss term, including those of the layers."""
        return {}

    def ramps(self) -> dict[str, float]:
        """Fraction of the epochs over which the weight of a term grows linearly from 0; other weights are constant."""
        return {}

    def phases(self) -> list[Phase]:
        """Phases of a training step. Empty: one step of all parameters on the weighted sum of all terms."""
        return []
