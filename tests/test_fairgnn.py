"""FairGNN: its terms against numpy, its alternating phases, and what the adversary can still read."""

import numpy as np
import pytest
import torch
from networks import network_of, objective_of

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import FairGNN, Mitigation, Phase
from skdegfair.nn import GNN, Linear, Output, Topology

Y = np.arange(12) % 3
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.mark.parametrize("groups", ["threshold", 3])
@pytest.mark.parametrize("backbone", ["gcn", "gat", "sage"])
def test_covariance_and_adversary_are_those_of_the_paper(small, groups, backbone):
    mitigation = FairGNN(fairness_groups=groups)
    module, topology = network_of(small, mitigation, backbone=backbone)
    batch = topology.batch(TRAIN, 2, all_nodes=True)
    output = module(batch)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(Y[TRAIN]), batch)
    degree = small.degree()
    if groups == "threshold":
        group = (degree > 2.0).astype(int)
    else:
        cuts = np.quantile(degree, [1 / 3, 2 / 3])
        group = np.sum([degree >= cut for cut in np.unique(cuts[cuts > degree.min()])], axis=0)
    p = softmax(output.everyone.detach().numpy())
    covariance = 0.0
    for k in np.unique(group):
        for c in range(3):
            covariance += abs(np.mean((group == k) * p[:, c]) - np.mean(group == k) * np.mean(p[:, c]))
    np.testing.assert_allclose(terms["covariance"].item(), covariance, rtol=1e-10)
    weight, bias = (value.detach().numpy() for value in module.heads["adversary"].parameters())
    guess = softmax(output.hidden.detach().numpy() @ weight + bias)
    entropy = -np.mean(np.log(guess[np.arange(12), group]))
    np.testing.assert_allclose(terms["adversary"].item(), entropy, rtol=1e-10)
    shares = np.bincount(group)[np.bincount(group) > 0] / 12
    beyond = entropy > -(shares * np.log(shares)).sum()  # worse than a constant guess: nothing more to gain
    assert terms["adversary"].requires_grad != beyond
    labeled = softmax(output.logits.detach().numpy())
    np.testing.assert_allclose(
        terms["classification"].item(), -np.mean(np.log(labeled[np.arange(len(TRAIN)), Y[TRAIN]])), rtol=1e-10
    )


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
@pytest.mark.parametrize(("seed", "is_beyond_a_guess"), [(0, True), (1, False)])
def test_one_training_step_against_two_plain_ones(data, optimizer, seed, is_beyond_a_guess):
    """The network descends on L_C + alpha L_R - beta L_A, then the adversary on L_A of the same hidden values."""
    mitigation = FairGNN(covariance_weight=3.0, adversary_weight=0.5, adversary_rate=2.0)
    options = {"max_epochs": 1, "dropout": 0.0, "learning_rate": 0.1, "weight_decay": 0.0, "random_state": seed}
    chosen = {"optimizer": optimizer}
    clf = GNNClassifier(mitigation=mitigation, net_params=chosen, **options).fit(data.graph, data.y)
    after = {name: value.detach().numpy() for name, value in clf.module_.named_parameters()}
    start = GNNClassifier(mitigation=mitigation, net_params=chosen, **options | {"learning_rate": 1e-30})
    start.fit(data.graph, data.y)
    module = start.module_.double().train()
    topology = Topology(data.graph, module.operators, feature_scale=start.feature_scale_, dtype=torch.float64)
    batch, y = topology.batch(np.arange(120), 2, all_nodes=True), torch.as_tensor(data.y)
    output = module(batch)
    terms = objective_of(start.mitigation_).terms(output, y, batch)
    group = torch.as_tensor(data.graph.degree() > data.graph.degree().mean()).long()
    adversary = torch.nn.functional.cross_entropy(output.heads["adversary"], group)
    shares = group.double().mean(), 1 - group.double().mean()
    loss = terms["classification"] + 3.0 * terms["covariance"]
    assert (adversary > -sum(share * share.log() for share in shares)) == is_beyond_a_guess
    if not is_beyond_a_guess:
        loss = loss - 0.5 * adversary
    for name, parameter in module.named_parameters():
        objective = adversary if name.startswith("heads.") else loss
        gradient = torch.autograd.grad(objective, parameter, retain_graph=True)[0]
        if optimizer is torch.optim.Adam:  # the first step of Adam is the sign of the gradient
            gradient = gradient / (gradient.abs() + 1e-8)
        rate = 0.2 if name.startswith("heads.") else 0.1
        expected = (parameter - rate * gradient).detach().numpy()
        np.testing.assert_allclose(after[name], expected, atol=1e-4, err_msg=name)


def readable(weight, seed):
    """Balanced accuracy of the adversary on held-out nodes."""
    made = make_degree_biased_graph(600, random_state=seed)
    train, test = np.arange(0, 600, 2), np.arange(1, 600, 2)
    mitigation = FairGNN(covariance_weight=0.0, adversary_weight=weight)
    clf = GNNClassifier(mitigation=mitigation, max_epochs=150, random_state=seed)
    clf.fit(made.graph[train], made.y[train])
    hidden, group = clf.embed(made.graph), made.graph.degree() > made.graph.degree().mean()
    adversary = clf.module_.heads["adversary"]
    with torch.no_grad():
        guess = adversary(torch.as_tensor(hidden, dtype=torch.float32)).argmax(1).numpy()[test] == 1
    return np.mean([np.mean(guess[group[test] == side] == side) for side in (False, True)])


def test_the_adversary_falls_towards_chance_as_its_weight_grows():
    accuracy = np.array([[readable(weight, seed) for seed in range(4)] for weight in (0.0, 0.1, 1.0, 3.0)])
    without, little, some, much = accuracy.mean(1)
    assert without > 0.65
    assert without > little > some > much
    assert much - 0.5 < 0.6 * (without - 0.5)


def test_more_weight_on_the_covariance_makes_predictions_independent_of_the_group():
    found = []
    for weight in (0.0, 4.0, 20.0):
        made = make_degree_biased_graph(400, random_state=1)
        clf = GNNClassifier(mitigation=FairGNN(covariance_weight=weight), max_epochs=150, random_state=0)
        p = clf.fit(made.graph, made.y).predict_proba(made.graph)
        high = made.graph.degree() > made.graph.degree().mean()
        found.append(np.abs(p[high].mean(0) - p[~high].mean(0)).mean())
    assert found[0] > found[1] > found[2]
    assert found[2] < 0.3 * found[0]


def test_warm_start_and_the_optimizer_of_phases(data):
    options = {"mitigation": FairGNN(), "max_epochs": 5, "random_state": 0, "warm_start": True}
    clf = GNNClassifier(**options).fit(data.graph, data.y)
    state = clf.net_.optimizer_.state_dict()["state"]
    assert {int(each["step"]) for each in state.values()} == {5}  # every parameter once an epoch
    clf.fit(data.graph, data.y)
    assert clf.n_iter_ == 10
    assert {int(each["step"]) for each in clf.net_.optimizer_.state_dict()["state"].values()} == {10}
    assert list(clf.history_.index) == list(range(1, 11))


def test_weights_optimizer_and_history_are_saved(data, tmp_path):
    options = {"mitigation": FairGNN(), "max_epochs": 3, "warm_start": True}
    one, other = (GNNClassifier(random_state=seed, **options).fit(data.graph, data.y) for seed in (0, 1))
    files = {name: str(tmp_path / name) for name in ("f_params", "f_optimizer", "f_history")}
    one.net_.save_params(**files)
    other.net_.load_params(**files)
    np.testing.assert_array_equal(other.predict_proba(data.graph), one.predict_proba(data.graph))
    state, same = (clf.net_.optimizer_.state_dict()["state"] for clf in (one, other))
    assert state.keys() == same.keys()
    assert all(torch.equal(state[key]["exp_avg"], same[key]["exp_avg"]) for key in state)
    assert other.fit(data.graph, data.y).n_iter_ == 6


class Slow(Mitigation):
    """A head that is trained several times an epoch on representations computed anew."""

    min_layers = 2

    def build(self, architecture):
        return GNN(
            architecture.convs(),
            dropout=architecture.dropout,
            seed=architecture.seed,
            heads={"size": Linear(architecture.hidden_dim, 1)},
        )

    def terms(self):
        return {"size": lambda output, y, batch: (output.heads["size"] - 1).square().mean()}

    def weights(self):
        return {"size": 0.0}

    def phases(self):
        return [Phase("network"), Phase("head", parameters=("heads.size",), weights={"size": 1.0}, steps=3)]


def test_phases_of_several_steps(data):
    clf = GNNClassifier(mitigation=Slow(), max_epochs=4, random_state=0, warm_start=True).fit(data.graph, data.y)
    steps = {
        name: int(clf.net_.optimizer_.state[parameter]["step"]) for name, parameter in clf.module_.named_parameters()
    }
    assert {value for name, value in steps.items() if name.startswith("heads.")} == {12}
    assert {value for name, value in steps.items() if not name.startswith("heads.")} == {4}
    assert clf.history_["train_size_loss"].is_monotonic_decreasing


@pytest.mark.parametrize("rates", [(5.0, 1.0), (1.0, 5.0), (5.0, 2.0)])
def test_warm_start_with_another_rate_of_the_adversary(data, rates):
    """The optimizer's state belongs to parameters, whose order depends on the rates."""
    clf = GNNClassifier(mitigation=FairGNN(), max_epochs=3, random_state=0, warm_start=True)
    for rate in rates:
        clf.set_params(mitigation__adversary_rate=rate).fit(data.graph, data.y)
    state = clf.net_.optimizer_.state
    for name, parameter in clf.module_.named_parameters():
        assert state[parameter]["exp_avg"].shape == parameter.shape, name
        assert int(state[parameter]["step"]) == 6
    groups = {group["lr"] for group in clf.net_.optimizer_.param_groups}
    assert groups == {0.01, 0.01 * rates[1]}


def test_rates_stand_beside_the_users_groups(data):
    groups = {"optimizer__param_groups": [("layers.0.*", {"lr": 0.001})]}
    clf = GNNClassifier(mitigation=FairGNN(), net_params=groups, max_epochs=2).fit(data.graph, data.y)
    assert sorted(group["lr"] for group in clf.net_.optimizer_.param_groups) == [0.001, 0.01, 0.05]


def test_the_order_of_phases_does_not_change_their_losses(data):
    class HeadFirst(Slow):
        def phases(self):
            return super().phases()[::-1]

    clf = GNNClassifier(mitigation=HeadFirst(), max_epochs=10, random_state=0).fit(data.graph, data.y)
    assert clf.history_["train_size_loss"].iloc[-1] < 0.8 * clf.history_["train_size_loss"].iloc[0]


def test_a_misspelled_weight_of_a_phase_is_an_error(data):
    class Misspelled(Slow):
        def phases(self):
            return [Phase("network"), Phase("head", parameters=("heads.size",), weights={"size": 1.0, "sise": 1.0})]

    with pytest.raises(ValueError, match="The loss term 'sise' has no weight"):
        GNNClassifier(mitigation=Misspelled(), max_epochs=2).fit(data.graph, data.y)


def test_heads_of_torch_and_networks_without_hidden_layers(data):
    class Plain(Slow):
        def build(self, architecture):
            heads = {"size": torch.nn.Linear(architecture.hidden_dim, 1)}
            return GNN(architecture.convs(), dropout=architecture.dropout, seed=architecture.seed, heads=heads)

    state = torch.get_rng_state()
    one, two = (
        GNNClassifier(mitigation=Plain(), max_epochs=2, random_state=0).fit(data.graph, data.y).module_.heads["size"]
        for _ in range(2)
    )
    assert torch.equal(one.weight, two.weight)
    assert torch.equal(state, torch.get_rng_state())
    with pytest.raises(ValueError, match="the network needs at least 2 layers"):
        GNN([one], heads={"size": one})


def test_the_network_stops_at_a_constant_guess(small):
    """L_A has a gradient for the network as long as the adversary is better than a guess."""
    mitigation = FairGNN()
    _, topology = network_of(small, mitigation)
    batch = topology.batch(np.arange(12), 2)
    group = torch.as_tensor(small.degree() > 2.0).long()
    term, hidden = mitigation.terms()["adversary"], torch.ones(12, 1, requires_grad=True)
    for sign, has_gradient in ((1.0, True), (-1.0, False)):
        guess = sign * hidden * torch.nn.functional.one_hot(group, 2)
        loss = term(Output(torch.zeros(12, 3), {}, hidden, {"adversary": guess}), group, batch)
        assert loss.requires_grad is has_gradient
        assert loss.item() == pytest.approx(torch.nn.functional.cross_entropy(guess, group).item())


def test_a_phase_without_parameters_is_an_error(data):
    class Misspelled(Slow):
        def phases(self):
            return [Phase("network"), Phase("head", parameters=("head.size",), weights={"size": 1.0})]

    with pytest.raises(ValueError, match=r"Phase 'head' has no parameters: the network has layers.0.weight"):
        GNNClassifier(mitigation=Misspelled(), max_epochs=2).fit(data.graph, data.y)


def test_a_batch_without_a_node_of_any_group(data):
    """Most nodes have no group if the share is small."""
    clf = GNNClassifier(mitigation=FairGNN(fairness_groups=0.05), batch_size=8, max_epochs=3, random_state=0)
    history = clf.fit(data.graph, data.y).history_
    assert np.isfinite(history.to_numpy()).all()
