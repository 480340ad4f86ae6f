"""DSGCN: degree-specific weights against numpy, their smoothness, and a graph in which degrees give meaning."""

import numpy as np
import pytest
import scipy.sparse as sp
from networks import network_of

from skdegfair import GNNClassifier, Graph
from skdegfair.mitigation import DSGCN
from skdegfair.mitigation.dsgcn import degree_bucket


def generated(recurrence, n):
    """The matrices V_k, one after the other."""
    start, weight, bias = (value.detach().numpy() for value in recurrence.parameters())
    states, width = [start], start.shape[1]
    for _ in range(n - 1):
        both = states[-1] @ weight + bias
        gate, candidate = 1 / (1 + np.exp(-both[:, :width])), np.tanh(both[:, width:])
        states.append((1 - gate) * states[-1] + gate * candidate)
    return states


@pytest.mark.parametrize("rank", [2, 100])
@pytest.mark.parametrize("index", ["source", "target"])
@pytest.mark.parametrize("backbone", ["gcn", "sage"])
def test_degree_specific_weights_against_numpy(small, backbone, index, rank):
    mitigation = DSGCN(index=index, n_buckets=4, rank=rank)
    module, topology = network_of(small, mitigation, backbone=backbone)
    output = module(topology.batch(np.arange(12), 2)).logits.detach().numpy()
    A, degree = small.A.toarray(), small.degree()
    bucket = [0 if d == 0 else 1 if d == 1 else 2 if d < 4 else 3 for d in degree]
    h = small.X
    for number, layer in enumerate(module.layers):
        h = h if number == 0 else np.where(h > 0, h, 0.01 * h)
        part = {name: value.detach().numpy() for name, value in layer.named_parameters()}
        U = part.get("factor", np.eye(h.shape[1]))
        W = [part["conv.weight"] + U @ V for V in generated(layer.recurrence, 4)]
        after = np.zeros((12, W[0].shape[1]))
        for i in range(12):
            members = [*np.flatnonzero(A[i])] + ([i] if backbone == "gcn" else [])
            for j in members:
                after[i] += h[j] @ W[bucket[j if index == "source" else i]] / len(members)
            if backbone == "sage":
                after[i] += h[i] @ part["conv.weight_self"]
        h = after + part["conv.bias"]
        specific = layer.weights().detach().numpy()
        np.testing.assert_allclose(specific[2], W[2] - part["conv.weight"], rtol=1e-9)
    np.testing.assert_allclose(output, h, rtol=1e-9)
    module.eval()
    np.testing.assert_allclose(module.infer(topology, np.arange(12)).numpy(), h, rtol=1e-9)


def test_buckets():
    degree = np.array([0.0, 0.3, 1, 1.9, 2, 3, 4, 7, 8, 15, 16, 1e9])
    assert degree_bucket(degree, 5).tolist() == [0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4]
    assert degree_bucket(degree, 40).tolist()[:10] == [0, 1, 1, 1, 2, 2, 3, 3, 4, 4]


def hubs_against_others(seed, n=800):
    """The class of a node: whether its hubs, or its ordinary neighbors, have the larger first feature."""
    random = np.random.RandomState(seed)
    is_hub = np.arange(n) % 20 == 0
    hubs, others = np.flatnonzero(is_hub), np.flatnonzero(~is_hub)
    A = np.zeros((n, n))
    for v in others:
        near = np.append(random.choice(hubs, 3, replace=False), random.choice(others, 2))
        A[v, near] = A[near, v] = 1
    np.fill_diagonal(A, 0)
    x = random.normal(size=(n, 4))
    means = [A @ (side * x[:, 0]) / np.maximum(A @ side, 1) for side in (is_hub.astype(float), 1.0 - is_hub)]
    return Graph(x, sp.csr_array(A)), (means[0] > means[1]).astype(int), others


def test_better_than_a_gcn_where_the_meaning_of_a_neighbor_depends_on_its_degree():
    scores = []
    for seed in range(3):
        graph, y, others = hubs_against_others(seed)
        train, test = others[::2], others[1::2]
        row = []
        for mitigation in (None, DSGCN()):
            clf = GNNClassifier(mitigation=mitigation, random_state=seed).fit(graph[train], y[train])
            row.append(clf.score(graph[test], y[test]))
        scores.append(row)
    plain, specific = np.mean(scores, axis=0)
    assert specific > plain + 0.05


def test_weights_differ_smoothly_with_the_degree():
    graph, y, others = hubs_against_others(0)
    clf = GNNClassifier(mitigation=DSGCN(), random_state=0).fit(graph[others], y[others])
    W = clf.module_.layers[0].weights().detach().numpy()
    distance = np.linalg.norm((W[:, None] - W).reshape(len(W), len(W), -1), axis=2)
    steps = np.diag(distance, 1)
    assert (steps > 0).all()
    assert steps.max() < distance[0, -1]  # no jump is as large as the whole way
    for k in range(len(W) - 2):
        assert distance[k, k + 1] < distance[k, k + 2]


def test_a_regular_graph(data):
    ring = Graph(data.X, sp.csr_array(np.roll(np.eye(120), 1, 1) + np.roll(np.eye(120), -1, 1)))
    with pytest.warns(UserWarning, match="DSGCN has no effect: .* all nodes have the degree 2"):
        clf = GNNClassifier(mitigation=DSGCN(), max_epochs=2).fit(ring, data.y)
    assert clf.n_iter_ == 2
