"""Skip-gram with negative sampling: vectors such that nodes near each other in walks have a large product."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding, logsigmoid

LEARNING_RATE = 0.01
"""Learning rate of the optimizer Adam; it decreases to 0 over the training."""
BATCH = 8192
"""Number of pairs in a step, or the number of nodes if that is larger: a step costs as much as one vector per node."""

Negatives = Callable[[NDArray[np.intp], np.random.Generator], NDArray[np.intp]]


def train_skipgram(
    rounds: Iterable[NDArray[np.intp]],
    negatives: Negatives,
    *,
    n_rounds: int,
    n_nodes: int,
    n_components: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """Maximize log s(u_i v_j) + sum over k of log s(-u_i v_k), where s is the sigmoid, over pairs (i, j).

    Parameters
    ----------
    rounds : iterable of arrays of shape (n_pairs, 2)
        Pairs of nodes, which are used in random order.
    negatives : function of nodes and a random generator
        Draws negative examples k for each node, (n_pairs, n_negative).
    n_rounds, n_nodes, n_components : int
    random : random generator

    Returns
    -------
    ndarray of shape (n_nodes, n_components)
        u; v, the vectors of nodes as neighbors, are not returned.
    """
    start = random.random((n_nodes, n_components)).astype(np.float32)
    u = torch.from_numpy((start - 0.5) / n_components).requires_grad_()
    v = torch.zeros(n_nodes, n_components, requires_grad=True)
    optimizer = torch.optim.Adam([u, v], lr=LEARNING_RATE, fused=True)
    for number, pairs in enumerate(rounds):
        pairs = random.permutation(pairs)
        batches = np.array_split(pairs, max(len(pairs) // max(BATCH, n_nodes), 1)) if len(pairs) else []
        for k, batch in enumerate(batches):
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * (1 - (number + k / len(batches)) / n_rounds)
            others = np.column_stack([batch[:, 1], negatives(batch[:, 0], random)])
            optimizer.zero_grad()
            _loss(u, v, torch.from_numpy(batch[:, 0].copy()), torch.from_numpy(others)).backward()
            optimizer.step()
    return u.detach().double().numpy()


def _loss(u: Tensor, v: Tensor, center: Tensor, others: Tensor) -> Tensor:
    """The first of the other nodes belongs to the center, the rest do not."""
    product = (embedding(center, u)[:, None] * embedding(others, v)).sum(-1)
    sign = torch.ones(others.shape[1])
    sign[1:] = -1
    return -logsigmoid(product * sign).sum(1).mean()
