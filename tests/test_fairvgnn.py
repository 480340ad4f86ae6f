"""FairVGNN: the masked product, the clamp, its phases, and which channels it masks."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from networks import network_of, objective_of

from skdegfair import GNNClassifier, Graph
from skdegfair.mitigation import FairVGNN

Y = np.arange(12) % 3


@pytest.mark.parametrize("features", ["dense", "sparse"])
@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_all_masks_in_one_product_equal_masked_features(small, backbone, features):
    """The network reads X * m for each mask m; its plain layers on masked features say the same."""
    graph = small if features == "dense" else Graph(sp.csr_array(small.X * (small.X > 0)), small.A)
    mitigation = FairVGNN(n_masks=3)
    module, topology = network_of(graph, mitigation, backbone=backbone)
    module.eval()
    masks = module.masks.hard()
    X = graph.X.toarray() if sp.issparse(graph.X) else graph.X
    each, hidden = [], []
    for mask in masks:
        masked = topology.__class__(Graph(X * mask.numpy(), graph.A), module.operators, dtype=torch.float64)
        block = masked.whole
        z = torch.nn.functional.leaky_relu(module.layers[0](masked.inputs, block), 0.01)
        hidden.append(z)
        each.append(module.layers[1](z, block))
    batch = topology.batch(np.arange(12), 2)
    output = module(batch)
    torch.testing.assert_close(output.logits, torch.stack(each).mean(0))
    torch.testing.assert_close(output.hidden, torch.cat(hidden))
    torch.testing.assert_close(module.infer(topology, np.arange(12)), torch.stack(each).mean(0))
    terms = objective_of(mitigation).terms(output, torch.as_tensor(Y), batch)
    losses = [torch.nn.functional.cross_entropy(logits, torch.as_tensor(Y)) for logits in each]
    torch.testing.assert_close(terms["classification"], torch.stack(losses).mean())
    group = (small.degree() > 2.0).astype(int)
    weight, bias = (value.detach().numpy() for value in module.heads["adversary"].parameters())
    confusion, entropy = [], []
    for z in hidden:
        e = np.exp(z.detach().numpy() @ weight + bias)
        p = e / e.sum(1, keepdims=True)
        confusion.append(((p - np.bincount(group) / 12) ** 2).mean())
        entropy.append(-np.log(p[np.arange(12), group]).mean())
    assert terms["confusion"].item() == pytest.approx(np.mean(confusion), rel=1e-9)
    assert terms["adversary"].item() == pytest.approx(np.mean(entropy), rel=1e-9)
    assert terms["masks"].item() == pytest.approx(((masks.numpy() - 1) ** 2).mean())


def test_masks_follow_their_probabilities():
    module = FairVGNN(n_masks=400)
    graph = Graph(np.ones((4, 3)), sp.csr_array(np.ones((4, 4)) - np.eye(4)))
    network, _ = network_of(graph, module)
    logit = torch.tensor([-2.0, 0.0, 3.0], dtype=torch.float64)
    with torch.no_grad():
        network.masks.logit.copy_(logit)
    np.testing.assert_allclose(network.masks.hard().mean(0).numpy(), logit.sigmoid().numpy(), atol=0.08)
    soft = network.masks.soft()
    assert soft.min() > 0
    assert soft.max() < 1
    np.testing.assert_allclose((soft > 0.5).double().mean(0).numpy(), logit.sigmoid().numpy(), atol=0.08)
    assert torch.equal(network.masks.hard(), network.masks.hard())
    assert not torch.equal(network.masks.soft(), network.masks.soft())


@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_the_clamp(data, backbone):
    clip = 0.05
    clf = GNNClassifier(mitigation=FairVGNN(clip=clip), backbone=backbone, max_epochs=20, random_state=0)
    clf.fit(data.graph, data.y)
    first, kept = clf.module_.layers[0], clf.module_.masks.kept.detach().numpy()
    weights = [first.weight, first.weight_self] if backbone == "sage" else [first.weight]
    for weight in weights:
        largest = np.abs(weight.detach().numpy()).max(1)
        assert (largest <= clip * kept + 1e-7).all()
        np.testing.assert_allclose(largest.max(), clip * kept[largest.argmax()], rtol=1e-4)  # it acts
    free = GNNClassifier(mitigation=FairVGNN(clip=1e6), backbone=backbone, max_epochs=20, random_state=0)
    assert np.abs(free.fit(data.graph, data.y).module_.layers[0].weight.detach().numpy()).max() > clip


def leaking_graph(seed, n=600):
    """Two groups of very different degree, of the same classes; the last four of twelve channels reveal the group."""
    random = np.random.RandomState(seed)
    high, y = (np.arange(n) // 2) % 2 == 1, random.randint(3, size=n)
    together = np.where(high[:, None], 48, 12) / n * np.where(y[:, None] == y, 2.2, 0.4)
    chance = np.where(high[:, None] == high, together, 0.2 / n)
    upper = np.triu(random.rand(n, n) < chance, 1)
    classes = np.eye(3)[y]
    useful = classes[:, random.randint(3, size=8)] + random.normal(size=(n, 8))
    leaking = np.where(high, 1, -1)[:, None] + 0.5 * classes[:, random.randint(3, size=4)]
    X = np.hstack([useful, leaking + 0.5 * random.normal(size=(n, 4))])
    return Graph(X, sp.csr_array((upper | upper.T).astype(float))), y


def test_the_channels_that_carry_the_group_are_masked():
    kept = {}
    for weight in (0.0, 3.0):
        found = []
        for seed in range(3):
            graph, y = leaking_graph(seed)
            clf = GNNClassifier(mitigation=FairVGNN(adversary_weight=weight), random_state=seed)
            probability = clf.fit(graph[::2], y[::2]).module_.masks.kept.detach().numpy()
            found.append([probability[:8].mean(), probability[8:].mean()])
            assert clf.score(graph[1::2], y[1::2]) > 0.9
        kept[weight] = np.mean(found, axis=0)
    assert kept[0.0].min() > 0.95
    useful, leaking = kept[3.0]
    assert useful > 0.9
    assert leaking < 0.7


def test_phases_move_their_own_parameters(data):
    options = {"max_epochs": 1, "random_state": 0, "weight_decay": 0.0, "net_params": {"optimizer": torch.optim.SGD}}
    start = GNNClassifier(mitigation=FairVGNN(), learning_rate=1e-30, **options).fit(data.graph, data.y).module_
    moved = GNNClassifier(mitigation=FairVGNN(), learning_rate=0.1, **options).fit(data.graph, data.y).module_
    still = GNNClassifier(
        mitigation=FairVGNN(adversary_weight=0.0, keep_weight=0.0), learning_rate=0.1, **options
    ).fit(data.graph, data.y)  # fmt: skip
    before, after = dict(start.named_parameters()), dict(moved.named_parameters())
    assert all(not torch.equal(before[name], after[name]) for name in before)
    assert torch.equal(before["masks.logit"], still.module_.masks.logit)
    assert torch.equal(after["layers.0.weight"], still.module_.layers[0].weight)  # the masks' phase leaves layers alone


def test_predictions_are_always_the_same(data):
    clf = GNNClassifier(mitigation=FairVGNN(), max_epochs=5, random_state=0).fit(data.graph, data.y)
    np.testing.assert_array_equal(clf.predict_proba(data.graph), clf.predict_proba(data.graph))
    other = GNNClassifier(mitigation=FairVGNN(n_masks=9), max_epochs=5, random_state=0).fit(data.graph, data.y)
    assert len(other.module_.masks.hard()) == 9
