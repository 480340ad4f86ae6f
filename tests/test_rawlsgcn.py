"""RawlsGCN: the doubly stochastic scaling, the gradient, and the spread of the loss over degrees."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from networks import network_of

from skdegfair import GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import RawlsGCN
from skdegfair.mitigation.rawlsgcn import DoublyStochastic, balance
from skdegfair.nn import Topology

Y = np.arange(12) % 3
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])


def graphs():
    random = np.random.RandomState(0)
    star = np.zeros((501, 501))
    star[0, 1:] = star[1:, 0] = 1
    triangles = sp.block_diag([np.ones((3, 3)) - np.eye(3)] * 2 + [np.zeros((1, 1))]).toarray()  # and an isolated node
    weighted = np.triu(random.pareto(1.0, size=(60, 60)) * (random.uniform(size=(60, 60)) < 0.1), 1)
    path = np.eye(300, k=1)
    made = make_degree_biased_graph(2000, mean_degree=8, random_state=0).A
    return {
        "star": star,
        "triangles": triangles,
        "weighted": weighted + weighted.T,
        "path": path + path.T,
        "made": made,
        "no edges": np.zeros((4, 4)),
    }


@pytest.mark.parametrize("name", list(graphs()))
def test_rows_and_columns_sum_to_one(name):
    A = sp.csr_array(graphs()[name])
    S = DoublyStochastic().of_graph(A)
    np.testing.assert_allclose(S.sum(0), 1, atol=1e-5)
    np.testing.assert_allclose(S.sum(1), 1, atol=1e-5)
    pattern = (A + sp.eye_array(A.shape[0])).toarray() > 0
    np.testing.assert_array_equal(S.toarray() > 0, pattern)  # the same edges
    ratio = S.toarray()[pattern] / (A.toarray() + np.eye(A.shape[0]))[pattern]
    x = np.sqrt(S.diagonal())
    np.testing.assert_allclose(ratio, np.outer(x, x)[pattern], rtol=1e-6)  # rows and columns are scaled, nothing else


def test_the_scaling_is_that_of_sinkhorn_and_knopp(small):
    M = small.A.toarray() + np.eye(12)
    S = M.copy()
    for _ in range(5000):
        S /= S.sum(1, keepdims=True)
        S /= S.sum(0, keepdims=True)
    x = balance(sp.csr_array(M))
    np.testing.assert_allclose(x[:, None] * M * x, S, atol=1e-6)


def test_weights_too_different_to_balance_are_an_error():
    A = np.zeros((40, 40))
    A[0, 1:] = A[1:, 0] = 10.0 ** np.linspace(-12, 12, 39)
    with pytest.raises(ValueError, match=r"did not converge.* rescale or clip"):
        balance(sp.csr_array(A + np.eye(40)), max_iter=3)
    x = balance(sp.csr_array(A + np.eye(40)))
    np.testing.assert_allclose((x[:, None] * (A + np.eye(40)) * x).sum(0), 1, atol=1e-5)


def gradients(module, topology):
    batch = topology.batch(TRAIN, 2)
    output = module(batch)
    loss = torch.nn.functional.cross_entropy(output.logits, torch.as_tensor(Y[TRAIN]))
    names = [name for name, _ in module.named_parameters()]
    return dict(zip(names, torch.autograd.grad(loss, list(module.parameters())), strict=True)), output


@pytest.mark.parametrize("features", ["dense", "sparse", "wide"])
def test_gradient_form_against_numpy(small, features):
    """Gradient of a weight: H' S G with S doubly stochastic, G the gradient of the layer's output."""
    random = np.random.RandomState(0)
    X = random.normal(size=(12, 40)) if features == "wide" else small.X
    graph = small.with_features(sp.csr_array(X) if features == "sparse" else X)
    module, topology = network_of(graph, RawlsGCN(form="gradient"))
    found, output = gradients(module, topology)
    p = {name: value.detach().numpy() for name, value in module.named_parameters()}
    M = small.A.toarray() + np.eye(12)
    x = balance(sp.csr_array(M))
    degree = M.sum(1)
    S, M = x[:, None] * M * x, M / np.sqrt(np.outer(degree, degree))
    before = M @ X @ p["layers.0.weight"] + p["layers.0.bias"]
    hidden = np.where(before > 0, before, 0.01 * before)
    logits = M @ hidden @ p["layers.1.weight"] + p["layers.1.bias"]
    np.testing.assert_allclose(output.logits.detach().numpy(), logits[TRAIN], rtol=1e-10)
    e = np.exp(logits - logits.max(1, keepdims=True))
    G2 = np.zeros((12, 3))
    G2[TRAIN] = (e / e.sum(1, keepdims=True) - np.eye(3)[Y])[TRAIN] / len(TRAIN)
    G1 = M.T @ G2 @ p["layers.1.weight"].T * np.where(before > 0, 1, 0.01)
    expected = {
        "layers.0.weight": X.T @ S @ G1,
        "layers.0.bias": G1.sum(0),
        "layers.1.weight": hidden.T @ S @ G2,
        "layers.1.bias": G2.sum(0),
    }
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name].numpy(), value, rtol=1e-6, atol=1e-9, err_msg=name)


def test_graph_form_against_numpy(small):
    module, topology = network_of(small, RawlsGCN())
    p = {name: value.detach().numpy() for name, value in module.named_parameters()}
    M = small.A.toarray() + np.eye(12)
    x = balance(sp.csr_array(M))
    S = x[:, None] * M * x
    before = S @ small.X @ p["layers.0.weight"] + p["layers.0.bias"]
    logits = S @ np.where(before > 0, before, 0.01 * before) @ p["layers.1.weight"] + p["layers.1.bias"]
    output = module(topology.batch(TRAIN, 2)).logits.detach().numpy()
    np.testing.assert_allclose(output, logits[TRAIN], rtol=1e-5)


def test_predictions_of_the_gradient_form_need_no_scaling(small):
    module, _ = network_of(small, RawlsGCN(form="gradient"))
    assert DoublyStochastic() in module.train().operators
    assert DoublyStochastic() not in module.eval().operators
    topology = Topology(small, module.operators, dtype=torch.float64)
    assert module.infer(topology, small.nodes).shape == (12, 3)


def spread(form, seed):
    """Standard deviation over degrees of the mean training loss, as the paper's authors measure it."""
    made = make_degree_biased_graph(800, bias=0, random_state=seed)
    clf = GNNClassifier(mitigation=None if form is None else RawlsGCN(form=form), max_epochs=100, random_state=seed)
    p = clf.fit(made.graph, made.y).predict_proba(made.graph)
    loss, degree = -np.log(p[np.arange(800), made.y]), made.graph.degree()
    return np.std([loss[degree == each].mean() for each in np.unique(degree)])


def test_the_loss_varies_less_over_degrees_than_with_a_plain_gcn():
    plain, *forms = ([spread(form, seed) for seed in range(4)] for form in (None, "graph", "gradient"))
    for found in forms:
        assert np.mean(found) < np.mean(plain)
        assert np.sum(np.array(found) < np.array(plain)) >= 3


def test_another_graph_is_scaled_anew(data):
    clf = GNNClassifier(mitigation=RawlsGCN(), max_epochs=5, random_state=0).fit(data.graph, data.y)
    part = data.graph[:50].induced()
    again = Graph(data.X[:50], data.A.tocsr()[:50, :50])
    np.testing.assert_array_equal(clf.predict_proba(part), clf.predict_proba(again))
