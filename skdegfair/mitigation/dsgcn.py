"""DSGCN, degree-specific graph convolutions (Tang et al., CIKM 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from torch import Tensor, nn

from ..graph import Graph
from ..nn import GNN, Architecture, Block, Conv
from ..nn.conv import Propagate
from ..nn.dense import row_by_row
from ..nn.features import Features, rounded, transform
from ..nn.weights import glorot_, parameter
from .base import Mitigation


def degree_bucket(degree: NDArray[np.float64], n_buckets: int) -> NDArray[np.intp]:
    """Log-spaced buckets of degrees: 0, 1, 2 to 3, 4 to 7, and so on; the last bucket has all larger degrees.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair.mitigation.dsgcn import degree_bucket
    >>> degree_bucket(np.array([0.0, 1, 2, 3, 4, 7, 8, 900]), 5).tolist()
    [0, 1, 2, 2, 3, 3, 4, 4]
    """
    exponent = np.floor(np.log2(np.maximum(degree, 1))).astype(np.intp)
    bucket: NDArray[np.intp] = np.where(degree > 0, np.minimum(exponent + 1, n_buckets - 1), 0)
    return bucket


class Recurrence(nn.Module):
    """A gated recurrence without input, from the weights of one bucket to those of the next.

    V_k+1 = (1 - u) V_k + u tanh(V_k C + c), with the gate u = sigmoid(V_k B + b).

    Shapes: () -> (n_steps, n_rows, width).
    """

    def __init__(self, n_rows: int, width: int, n_steps: int) -> None:
        super().__init__()
        self.n_steps = n_steps
        self.start = parameter(n_rows, width)  # V_0
        self.weight, self.bias = parameter(width, 2 * width), parameter(2 * width)  # [B | C], [b | c]

    def reset_parameters(self, generator: torch.Generator) -> None:
        glorot_(self.start, generator)
        for part in self.weight.chunk(2, dim=1):
            glorot_(part, generator)
        nn.init.zeros_(self.bias)

    def forward(self) -> Tensor:
        state: Tensor = self.start
        states = [state]
        for _ in range(self.n_steps - 1):
            gate, candidate = (row_by_row(state, self.weight) + self.bias).chunk(2, dim=1)
            state = torch.lerp(state, candidate.tanh(), gate.sigmoid())
            states.append(state)
        return torch.stack(states)


class DegreeSpecificConv(nn.Module):
    """A convolution with weights W + U V_k for nodes of degree bucket k, where the V_k come from a recurrence.

    Parameters
    ----------
    conv : GCN or SAGE
    d_in : int
    n_buckets : int
    rank : int
        Number of columns of U. With at most that many features, U is the identity.
    index : {"source", "target"}
        Whose degree counts: that of the neighbor, or that of the node that reads it.

    Shapes: (n_before, d_in) -> (n_after, d_out).
    """

    def __init__(self, conv: Conv, d_in: int, *, n_buckets: int, rank: int, index: str) -> None:
        super().__init__()
        self.conv, self.index, self.n_buckets = conv, index, n_buckets
        self.operators, self.d_out = conv.operators, conv.d_out
        self.factor = parameter(d_in, rank) if d_in > rank else None  # U
        self.recurrence = Recurrence(min(d_in, rank), conv.d_out, n_buckets)

    def reset_parameters(self, generator: torch.Generator) -> None:
        if self.factor is not None:
            glorot_(self.factor, generator)

    def weights(self) -> Tensor:
        """U V_k of each bucket: (n_buckets, d_in, d_out)."""
        factors: Tensor = self.recurrence()
        return factors if self.factor is None else torch.stack([self.factor @ each for each in factors])

    def forward(self, h: Features, block: Block) -> Tensor:
        return self.gather(self.project(h), block)

    def project(self, h: Features) -> Tensor:
        shared = self.conv.projection()
        factor = torch.eye(len(shared)).to(shared) if self.factor is None else self.factor
        return rounded(lambda weight: transform(h, weight), torch.cat([shared, factor], dim=1))

    def between(self, projected: Tensor, propagate: Propagate) -> Tensor:
        return projected

    def gather(self, projected: Tensor, block: Block) -> Tensor:
        specific: Tensor = self.recurrence()  # V_k
        shared, factor = projected.split([projected.shape[1] - specific.shape[1], specific.shape[1]], dim=1)
        if self.index == "source":
            buckets = block.derived(("sources", self.n_buckets), lambda: self._buckets(block.degree_before()))
            messages = shared[:, -self.d_out :] + buckets.times(factor, specific)
            return self.conv.gather(torch.cat([shared[:, : -self.d_out], messages], dim=1), block)
        buckets = block.derived(("targets", self.n_buckets), lambda: self._buckets(block.degree()))
        pooled = block[self.conv.operators[0]] @ factor
        times = buckets.times_row_by_row if block.share is None else buckets.times
        return self.conv.gather(shared, block) + times(pooled, specific)

    def _buckets(self, degree: NDArray[np.float64]) -> Buckets:
        return Buckets(degree_bucket(degree, self.n_buckets), self.n_buckets, self.recurrence.start.device)


class Buckets:
    """Nodes in buckets. Each bucket is multiplied by its own matrix.

    Parameters
    ----------
    bucket : (n,), number of each node's bucket
    n_buckets : int
    device : torch device
    """

    def __init__(self, bucket: NDArray[np.intp], n_buckets: int, device: Any) -> None:
        order, sizes = np.argsort(bucket, kind="stable"), np.bincount(bucket, minlength=n_buckets)
        within = np.arange(len(bucket)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        padded = np.zeros((n_buckets, sizes.max()), dtype=np.intp)  # short buckets are filled up with node 0
        padded[bucket[order], within] = order
        place = np.empty(len(bucket), dtype=np.intp)
        place[order] = bucket[order] * sizes.max() + within
        self.padded, self.place = (torch.from_numpy(each).to(device) for each in (padded, place))
        self.nodes = torch.from_numpy(order).to(device).split(sizes.tolist())

    def times(self, h: Tensor, matrices: Tensor) -> Tensor:
        """Each row times the matrix of its bucket: (n, d_in), (n_buckets, d_in, d_out) -> (n, d_out)."""
        rows = h.index_select(0, self.padded.flatten()).view(*self.padded.shape, -1)
        return torch.bmm(rows, matrices).flatten(0, 1).index_select(0, self.place)

    def times_row_by_row(self, h: Tensor, matrices: Tensor) -> Tensor:
        """The same without a gradient. The bits of a row do not depend on the other rows."""
        product = h.new_empty(len(h), matrices.shape[2])
        for nodes, matrix in zip(self.nodes, matrices, strict=True):
            product[nodes] = row_by_row(h[nodes], matrix)
        return product


class DSGCN(Mitigation):
    """DSGCN: convolutions whose weights depend on the degree.

    Each layer adds a degree-specific part to its shared weights. A recurrent network generates these
    parts one degree after the other, so that nodes of similar degree have similar weights [1]_.

    Parameters
    ----------
    index : {"source", "target"}, default="source"
        Whose degree counts: that of the neighbor that a message comes from, or that of the node that receives it.
    n_buckets : int, default=8
        Number of degree buckets: 0, 1, 2 to 3, 4 to 7, and so on by powers of two. The last one has all larger degrees,
        by default from 64.
    rank : int, default=16
        Rank of the degree-specific weights of a layer with more inputs than this.

    Notes
    -----
    A layer computes the mean over the neighbors j and the node i itself of (W + W_k) h_j, where k is the bucket of the
    degree of j (or of i). W_k = U V_k, with V_1, V_2, ... generated by a gated recurrence, starting with a
    learned V_0. For "sage", the weights of the neighbors are degree-specific, those of the node itself are not.

    Adapted: one set of weights for each power of two instead of each degree, since degrees reach into the thousands;
    and, for wide features, weights of low rank, since the recurrence over full matrices would cost more than the rest
    of the network. Uncertain: no implementation is public, and the equations follow the abstract of the paper and works
    that cite it. Left out: the paper's second part (SL-DSGCN), which trains on pseudo-labels of unlabeled nodes. It is
    meant for few labels, and the comparisons with DegFairGNN name only DSGCN.

    Use it when the meaning of a neighbor depends on its degree, for example if hubs are read differently from
    ordinary neighbors. It has no fairness loss and no weight that trades accuracy for fairness: it may narrow or widen
    the gaps. On small graphs, buckets with few training nodes overfit; use fewer of them.

    References
    ----------
    .. [1] X. Tang, H. Yao, Y. Sun, Y. Wang, J. Tang, C. Aggarwal, P. Mitra and S. Wang, "Investigating and Mitigating
       Degree-Related Biases in Graph Convolutional Networks", CIKM 2020.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.mitigation import DSGCN
    >>> X, A, y = make_degree_biased_graph(200, random_state=0, return_X_A_y=True)
    >>> clf = GNNClassifier(mitigation=DSGCN(n_buckets=6), max_epochs=20, random_state=0).fit(X, A, y)
    >>> tuple(clf.module_.layers[0].weights().shape) == (6, X.shape[1], 32)
    True
    """

    backbones = ("gcn", "sage")
    supports_distributed = False
    memory_factor = 2.0
    _parameter_constraints: dict[str, Any] = {
        "index": [StrOptions({"source", "target"})],
        "n_buckets": [Interval(Integral, 2, 64, closed="both")],
        "rank": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, index: str = "source", n_buckets: int = 8, rank: int = 16) -> None:
        self.index = index
        self.n_buckets = n_buckets
        self.rank = rank

    def remarks(self, graph: Graph, nodes: NDArray[np.intp]) -> Iterator[str]:
        yield from super().remarks(graph, nodes)
        degree = graph.whole().degree()
        if len(np.unique(degree_bucket(degree, self.n_buckets))) == 1:
            which = f"the degree {degree[0]:g}" if degree.min() == degree.max() else "degrees of the same bucket"
            yield f"DSGCN has no effect: its weights depend on the degree, and all nodes have {which}."

    def build(self, architecture: Architecture) -> GNN:
        options: dict[str, Any] = {"n_buckets": int(self.n_buckets), "rank": int(self.rank), "index": self.index}
        pairs = zip(architecture.convs(), architecture.widths, strict=True)
        layers = [DegreeSpecificConv(conv, d_in, **options) for conv, (d_in, _) in pairs]
        return GNN(layers, dropout=architecture.dropout, seed=architecture.seed)
