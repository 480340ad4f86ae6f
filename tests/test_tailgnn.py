"""Tail-GNN: its equations against numpy, the forged graph, and the accuracy of low-degree nodes."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from networks import network_of, objective_of

from skdegfair import GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import TailGNN
from skdegfair.mitigation.tailgnn import ForgedSum

Y = np.arange(12) % 3
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])


def leaky(x, slope):
    return np.where(x > 0, x, slope * x)


def layer_in_numpy(x, A, tail, conv, *, is_sage):
    """One layer and the missing information, for a matrix of edges and a mask of the nodes that are completed."""
    part = {name: value.detach().numpy() for name, value in conv.named_parameters()}
    W, b, n = part["conv.weight"], part["conv.bias"], len(x)
    z = x @ W if conv.is_wide else x
    d_out, output, missing = W.shape[1], np.zeros((n, W.shape[1])), np.zeros_like(z)
    for v in range(n):
        neighbors = np.flatnonzero(A[v])
        u = z[neighbors].mean(0) if len(neighbors) else np.zeros(z.shape[1])
        local = leaky(z[v] @ part["of_self"] + u @ part["of_neighbors"], 0.2)
        gamma, beta = 1 + local[: z.shape[1]], local[z.shape[1] :]
        missing[v] = z[v] + gamma * part["translation"] + beta - u
        members = [*z[neighbors]] if is_sage else [*z[neighbors], z[v]]
        if tail[v]:
            members.append(missing[v])
        pooled = np.mean(members, axis=0) if members else np.zeros(z.shape[1])
        output[v] = (pooled if conv.is_wide else pooled @ W) + b
        if is_sage:
            output[v] += x[v] @ part["conv.weight_self"]
    assert output.shape[1] == d_out
    return output, missing


@pytest.mark.parametrize("translate", ["input", "output"])
@pytest.mark.parametrize("backbone", ["gcn", "sage"])
def test_both_views_against_numpy(small, backbone, translate):
    mitigation = TailGNN(translate=translate)
    module, topology = network_of(small, mitigation, backbone=backbone)
    batch = topology.batch(TRAIN, 2)
    output = module(batch)
    A, tail = small.A.toarray(), small.degree() <= 2.0
    forged = ForgedSum(2.0, 0).of_graph(small.A).toarray()
    found, norms = {}, []
    for name, edges, completed in (("given", A, tail), ("forged", forged, np.ones(12, dtype=bool))):
        h = small.X
        for number, conv in enumerate(module.layers):
            h = h if number == 0 else leaky(h, 0.01)
            h, missing = layer_in_numpy(h, edges, completed, conv, is_sage=backbone == "sage")
            if name == "given":
                norms.append(np.linalg.norm(missing[TRAIN][~tail[TRAIN]], axis=1).mean())
        found[name] = h[TRAIN]
    np.testing.assert_allclose(output.logits.detach().numpy(), found["given"], rtol=1e-9)
    np.testing.assert_allclose(output.hidden.detach().numpy(), np.vstack(list(found.values())), rtol=1e-9)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(Y[TRAIN]), batch)
    assert terms["missing"].item() == pytest.approx(np.sum(norms), rel=1e-6)
    losses = [
        torch.nn.functional.cross_entropy(torch.as_tensor(each), torch.as_tensor(Y[TRAIN])).item()
        for each in found.values()
    ]
    assert terms["classification"].item() == pytest.approx(np.mean(losses), rel=1e-9)
    heads = np.flatnonzero(~tail[TRAIN])
    guess = module.heads["adversary"](torch.as_tensor(np.vstack([each[heads] for each in found.values()])))
    truth = torch.as_tensor(np.repeat([0, 1], len(heads)))
    expected = torch.nn.functional.cross_entropy(guess, truth).item()
    assert terms["adversary"].item() == pytest.approx(expected, rel=1e-9)
    module.eval()
    everything = module.infer(topology, np.arange(12)).numpy()
    np.testing.assert_allclose(everything[TRAIN], found["given"], rtol=1e-9)


@pytest.mark.parametrize("threshold", [1.0, 3.0, 5.5])
def test_the_forged_graph(threshold):
    A = sp.csr_array(make_degree_biased_graph(400, random_state=0).A)
    forged = ForgedSum(threshold, 7).of_graph(A)
    before, after = np.diff(A.indptr), np.diff(forged.indptr)
    high = before > threshold
    np.testing.assert_array_equal(after[~high], before[~high])
    assert set(after[high]) == set(range(1, int(threshold) + 1))
    assert (forged.toarray() <= A.toarray()).all()
    assert (forged != ForgedSum(threshold, 7).of_graph(A)).nnz == 0
    assert (forged != ForgedSum(threshold, 8).of_graph(A)).nnz > 0


def test_forged_neighbors_are_uniform():
    """Each of the ten neighbors of a hub is kept equally often."""
    star = np.zeros((11, 11))
    star[0, 1:] = star[1:, 0] = 1
    kept = sum(ForgedSum(2.0, seed).of_graph(sp.csr_array(star)).toarray()[0, 1:] for seed in range(2000))
    assert kept.sum() == pytest.approx(1.5 * 2000, rel=0.05)
    np.testing.assert_allclose(kept, 300, atol=70)


def accuracy_of_tail(seed, mitigation):
    made = make_degree_biased_graph(1000, n_features=64, mean_degree=8, random_state=seed)
    train, test = np.arange(0, 1000, 2), np.arange(1, 1000, 2)
    clf = GNNClassifier(mitigation=mitigation, random_state=seed).fit(made.graph[train], made.y[train])
    low = test[made.graph.degree()[test] <= 5]
    return clf.score(made.graph[low], made.y[low])


@pytest.mark.slow
def test_low_degree_nodes_are_classified_better_than_by_a_gcn():
    plain, tail = (np.mean([accuracy_of_tail(seed, each) for seed in range(4)]) for each in (None, TailGNN()))
    assert tail > plain + 0.01


def test_predictions_of_high_degree_nodes_far_from_others_are_plain(data):
    """With a threshold below all degrees nothing is completed, and the layers are those of a GCN."""
    ring = Graph(data.X, sp.csr_array(np.roll(np.eye(120), 1, 1) + np.roll(np.eye(120), -1, 1)))
    mitigation = TailGNN(degree_threshold=1)
    with pytest.warns(UserWarning, match="TailGNN has no effect on the predictions"):
        clf = GNNClassifier(mitigation=mitigation, max_epochs=3, random_state=0).fit(ring, data.y)
    P = (ring.A.toarray() + np.eye(120)) / 3
    h = data.X / clf.feature_scale_
    for number, layer in enumerate(clf.module_.layers):
        h = h if number == 0 else leaky(h, 0.01)
        h = P @ h @ layer.conv.weight.detach().numpy() + layer.conv.bias.detach().numpy()
    p = np.exp(h) / np.exp(h).sum(1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(ring), p, atol=1e-6)


def test_no_training_node_of_high_degree(data):
    with pytest.warns(UserWarning, match="TailGNN learns no translation"):
        clf = GNNClassifier(mitigation=TailGNN(degree_threshold=1000), max_epochs=2).fit(data.graph, data.y)
    assert np.isfinite(clf.history_.to_numpy()).all()
