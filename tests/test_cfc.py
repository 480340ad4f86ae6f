"""CFC: the composition of filters, the sign of the adversaries' gradient, and what they can still read."""

import numpy as np
import pytest
import torch
from networks import network_of, objective_of

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import CFC
from skdegfair.nn import Topology

Y = np.arange(12) % 3


def leaky(x, slope):
    return np.where(x > 0, x, slope * x)


def perceptron(x, part):
    w1, b1, w2, b2 = (value.detach().numpy() for value in part.parameters())
    return leaky(x @ w1 + b1, 0.2) @ w2 + b2


def closed_mean(graph):
    A = graph.A.toarray() + np.eye(graph.n_nodes)
    return A / A.sum(1, keepdims=True)


def cross_entropy(logits, classes):
    shifted = logits - logits.max(1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return -log_p[np.arange(len(classes)), classes].mean()


def test_the_composition_of_filters_against_numpy(small):
    mitigation = CFC(fairness_hops=[1, 2], random_subsets=False)
    module, topology = network_of(small, mitigation)
    batch = topology.batch(np.arange(12), 2, all_nodes=True)
    output = module(batch)
    P = closed_mean(small)
    first, last = module.layers
    z = leaky(P @ small.X @ first.conv.weight.detach().numpy() + first.conv.bias.detach().numpy(), 0.01)
    filtered = np.mean([perceptron(z, each) for each in first.filters.each], axis=0)
    hidden = leaky(filtered, 0.01)
    logits = P @ hidden @ last.weight.detach().numpy() + last.bias.detach().numpy()
    np.testing.assert_allclose(output.hidden.detach().numpy(), hidden, rtol=1e-10)
    np.testing.assert_allclose(output.logits.detach().numpy(), logits, rtol=1e-10)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(Y), batch)
    expected = 0.0
    for k, hops in enumerate((1, 2)):
        group = (small.degree(hops) > 2.0).astype(int)
        expected += cross_entropy(perceptron(hidden, module.heads[f"adversary_{k}"]), group)
    assert terms["adversary"].item() == pytest.approx(expected, rel=1e-10)


def test_subsets_are_random_in_training_and_complete_in_predictions(small):
    module, topology = network_of(small, CFC(fairness_hops=[1, 2], fairness_groups=["threshold", 3]))
    batch = topology.batch(np.arange(12), 2, all_nodes=True)
    seen = [tuple(module(batch).heads) for _ in range(60)]
    counts = {each: seen.count(each) for each in set(seen)}
    assert set(counts) == {("adversary_0",), ("adversary_1",), ("adversary_0", "adversary_1")}
    assert min(counts.values()) >= 8  # 20 expected of each
    module.eval()
    assert {tuple(module(batch).heads) for _ in range(5)} == {("adversary_0", "adversary_1")}


@pytest.mark.parametrize("attributes", [1, 2])
def test_one_step_moves_both_sides_against_each_other(data, attributes):
    """The network descends on L_C - lambda L_A, the adversaries on L_A of the same hidden values."""
    mitigation = CFC(adversary_weight=0.5, adversary_rate=2.0, fairness_hops=[1, 2][:attributes], random_subsets=False)
    options = {"max_epochs": 1, "dropout": 0.0, "weight_decay": 0.0, "random_state": 3}
    chosen = {"optimizer": torch.optim.SGD}
    after, start = (
        GNNClassifier(mitigation=mitigation, net_params=chosen, learning_rate=rate, **options).fit(data.graph, data.y)
        for rate in (0.1, 1e-30)
    )
    module = start.module_.train()
    topology = Topology(data.graph, module.operators, feature_scale=start.feature_scale_)
    batch = topology.batch(np.arange(120), 2, all_nodes=True)
    output = module(batch)
    y, loss, bounded = torch.as_tensor(data.y), 0.0, 0.0
    for k in range(attributes):
        degree = data.graph.degree(k + 1)
        group = torch.as_tensor(degree > degree.mean()).long()
        each = torch.nn.functional.cross_entropy(output.heads[f"adversary_{k}"], group)
        share = group.double().mean()
        guess = -(share * share.log() + (1 - share) * (1 - share).log())
        loss = loss + each
        bounded = bounded + (each if each < guess else each.detach())
    network = torch.nn.functional.cross_entropy(output.logits, y) - 0.5 * bounded
    moved = dict(after.module_.named_parameters())
    for name, parameter in module.named_parameters():
        is_head = name.startswith("heads.")
        gradient = torch.autograd.grad(loss if is_head else network, parameter, retain_graph=True)[0]
        expected = parameter - (0.2 if is_head else 0.1) * gradient
        torch.testing.assert_close(moved[name], expected, atol=1e-5, rtol=1e-4, msg=name)


def readable(weight, seed):
    """Balanced accuracy of the adversary on held-out nodes, and accuracy of the classifier."""
    made = make_degree_biased_graph(600, random_state=seed)
    train, test = np.arange(0, 600, 2), np.arange(1, 600, 2)
    clf = GNNClassifier(mitigation=CFC(adversary_weight=weight), max_epochs=150, random_state=seed)
    clf.fit(made.graph[train], made.y[train])
    hidden, group = clf.embed(made.graph[test]), made.graph[test].degree() > made.graph.degree().mean()
    with torch.no_grad():
        guess = clf.module_.heads["adversary_0"](torch.as_tensor(hidden, dtype=torch.float32)).argmax(1).numpy() == 1
    return np.mean([np.mean(guess[group == side] == side) for side in (False, True)])


def test_the_adversary_falls_to_chance_as_its_weight_grows():
    without, little, much = np.array([[readable(weight, seed) for seed in range(4)] for weight in (0, 0.1, 3)]).mean(1)
    assert without > 0.65
    assert without > little > much
    assert much < 0.55


def test_several_attributes_are_hidden_together(data):
    clf = GNNClassifier(mitigation=CFC(fairness_hops=(1, 2)), max_epochs=5, random_state=0).fit(data.graph, data.y)
    assert [groups.hops for groups in clf.mitigation_.groups_] == [1, 2]
    assert sorted(clf.module_.heads) == ["adversary_0", "adversary_1"]
    one = GNNClassifier(mitigation=CFC(), max_epochs=5, random_state=0).fit(data.graph, data.y)
    assert not np.allclose(one.predict_proba(data.graph), clf.predict_proba(data.graph))
