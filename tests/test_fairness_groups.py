"""The groups of the fairness loss, and the loss on them, against plain numpy."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import network_of, objective_of

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.graph import DegreeGroups, degree_groups
from skdegfair.mitigation import DegFair, FairGNN

GROUPS = ["threshold", 0.2, 0.5, 2, 3, 5]


def assessed(degree, groups, threshold):
    """The same groups by the functions of the assessment."""
    if groups == "threshold":
        return degree_groups(degree, threshold=threshold)
    if isinstance(groups, float):
        return degree_groups(degree, share=groups)
    return degree_groups(degree, n_groups=groups)


def expected_loss(p, y, group, kind):
    """Mean over pairs of groups of the squared differences of mean predictions, summed over the classes."""
    pairs = list(combinations(range(group.max() + 1), 2))
    total = 0.0
    for first, second in pairs:
        for c in range(p.shape[1]):
            for measure in ("dsp", "deo") if kind == "both" else (kind,):
                counted = np.ones(len(y), dtype=bool) if measure == "dsp" else y == c
                cells = [p[(group == side) & counted, c] for side in (first, second)]
                if all(map(len, cells)):
                    total += (cells[0].mean() - cells[1].mean()) ** 2
    return total / len(pairs)


@pytest.mark.parametrize("kind", ["dsp", "deo", "both"])
@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("groups", GROUPS)
def test_loss_on_any_groups_is_that_of_numpy(data, groups, hops, kind):
    train = np.flatnonzero(np.arange(120) % 3)
    mitigation = DegFair(fairness_groups=groups, fairness_hops=hops, fairness_loss=kind)
    mitigation.learn(data.graph, train)
    module, topology = network_of(data.graph, DegFair())
    batch = topology.batch(train, 2)
    output = module(batch)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(data.y[train]), batch)
    p = torch.softmax(output.logits, 1).detach().numpy()
    group = assessed(data.graph.degree(hops)[train], groups, data.graph.degree(hops).mean())
    np.testing.assert_allclose(terms["fairness"].item(), expected_loss(p, data.y[train], group, kind), rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=40),
    st.one_of(st.floats(0.01, 0.5), st.integers(2, 6), st.just("threshold")),
)
def test_groups_of_training_nodes_are_those_of_the_assessment(ends, groups):
    """Degrees with many ties: a star for each node."""
    degree = np.array(ends, dtype=float)

    class Nodes:
        def whole(self):
            return self

        def degree(self, hops=1):
            return degree

    nodes: Graph = Nodes()
    made = DegreeGroups.learn(nodes, np.arange(len(degree)), groups, threshold=2.5)
    assert np.array_equal(made.of(nodes), assessed(degree, groups, 2.5))


def test_groups_are_learned_from_the_training_nodes(data):
    hubs = np.argsort(-data.graph.degree(), kind="stable")[:60]
    learned = DegreeGroups.learn(data.graph, hubs, 0.2)
    low, high = np.percentile(data.graph.degree()[hubs], [20, 80])
    group = learned.of(data.graph)
    assert np.array_equal(group == 0, data.graph.degree() <= low)
    assert np.array_equal(group == 1, data.graph.degree() > high)


@pytest.mark.parametrize("groups", [0.2, 4])
def test_batches_have_the_groups_of_all_training_nodes(data, groups):
    mitigation = DegFair(fairness_groups=groups)
    mitigation.learn(data.graph, np.arange(120))
    module, topology = network_of(data.graph, DegFair())
    part = np.argsort(data.graph.degree(), kind="stable")[:80]
    batch = topology.batch(part, 2)
    output = module(batch)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(data.y[part]), batch)
    group = assessed(data.graph.degree(), groups, None)[part]
    p = torch.softmax(output.logits, 1).detach().numpy()
    all_pairs = len(list(combinations(range(len(mitigation.groups_)), 2)))
    pairs = len(list(combinations(range(group.max() + 1), 2))) if group.max() > 0 else 0
    expected = expected_loss(p, data.y[part], group, "dsp") * pairs / all_pairs if pairs else 0.0
    np.testing.assert_allclose(terms["fairness"].item(), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kind", ["dsp", "deo", "both"])
@pytest.mark.parametrize("groups", GROUPS)
def test_a_group_without_nodes_adds_nothing(kind, groups):
    """A graph without edges has one group only."""
    graph = Graph(np.random.RandomState(0).normal(size=(6, 2)), np.zeros((6, 6)))
    mitigation = DegFair(fairness_groups=groups, fairness_loss=kind)
    module, topology = network_of(graph, mitigation)
    batch = topology.batch(graph.nodes, 2)
    terms = objective_of(mitigation).terms(module(batch), torch.as_tensor([0, 1, 2, 0, 1, 2]), batch)
    assert terms["fairness"].item() == 0


@pytest.mark.parametrize(
    ("options", "ramp"),
    [
        ({}, 0.5),
        ({"fairness_ramp": 0.0}, 0.0),
        ({"fairness_ramp": 1.0}, 1.0),
        ({"fairness_groups": "threshold"}, 0.0),  # the paper's loss
        ({"fairness_groups": "threshold", "fairness_ramp": 0.25}, 0.25),
    ],
)
def test_the_weight_grows_in_training_and_not_in_validation(data, options, ramp):
    options = {"max_epochs": 12, "random_state": 0, "fairness_weight": 4.0} | options
    history = DegFairGNNClassifier(**options).fit(data.graph, data.y, validation_nodes=np.arange(30)).history_
    for part in ("train", "valid"):
        grown = np.minimum(history.index / (12 * ramp), 1) if ramp and part == "train" else 1.0
        rest = history[f"{part}_classification_loss"]
        rest += 1e-4 * (history[f"{part}_context_loss"] + history[f"{part}_scale_shift_loss"])
        expected = rest + 4.0 * grown * history[f"{part}_fairness_loss"]
        np.testing.assert_allclose(history[f"{part}_loss"], expected, rtol=1e-5)


def test_a_warm_start_does_not_begin_without_the_fairness_loss_again(data):
    clf = DegFairGNNClassifier(max_epochs=4, warm_start=True, random_state=0)
    history = clf.fit(data.graph, data.y).fit(data.graph, data.y).history_.iloc[4:]
    rest = history["train_classification_loss"] + 1e-4 * (
        history["train_context_loss"] + history["train_scale_shift_loss"]
    )
    np.testing.assert_allclose(history["train_loss"], rest + 2.5 * history["train_fairness_loss"], rtol=1e-5)


def test_a_large_weight_closes_the_gap_between_the_groups_it_was_given():
    """The lowest and highest share, not the groups at the threshold."""
    from skdegfair.datasets import make_degree_biased_graph

    for seed in range(2):
        made = make_degree_biased_graph(400, random_state=seed)
        G, y = made.graph, made.y
        gaps = []
        for weight in (0, 30):
            clf = DegFairGNNClassifier(fairness_weight=weight, fairness_groups=0.2, max_epochs=150, random_state=seed)
            p = clf.fit(G, y).predict_proba(G)
            group = degree_groups(G.degree(), share=0.2)
            gaps.append(np.abs(p[group == 0].mean(0) - p[group == 1].mean(0)).mean())
        assert gaps[1] < 0.2 * gaps[0]


@pytest.mark.parametrize("bad", [0.0, 0.6, 1, -2, "quantile", None, 1.0])
@pytest.mark.parametrize("method", [DegFair, FairGNN])
def test_bad_groups_are_refused(data, method, bad):
    with pytest.raises(ValueError, match="fairness_groups"):
        GNNClassifier(mitigation=method(fairness_groups=bad), max_epochs=1).fit(data.graph, data.y)


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_fairgnn_reads_only_nodes_with_a_group(data, share):
    mitigation = FairGNN(fairness_groups=share, fairness_hops=2)
    module, topology = network_of(data.graph, mitigation, threshold="mean")
    batch = topology.batch(np.arange(120), 2, all_nodes=True)
    output = module(batch)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(data.y), batch)
    group = degree_groups(data.graph.degree(2), share=share)
    inside = group >= 0
    p = torch.softmax(output.logits, 1).detach().numpy()[inside]
    covariance = sum(abs(np.cov(group[inside] == side, p[:, c], bias=True)[0, 1]) for side in (0, 1) for c in range(3))
    np.testing.assert_allclose(terms["covariance"].item(), covariance, rtol=1e-9)
    guess = torch.log_softmax(output.heads["adversary"], 1).detach().numpy()[inside]
    entropy = -guess[np.arange(inside.sum()), group[inside]].mean()
    np.testing.assert_allclose(terms["adversary"].item(), entropy, rtol=1e-9)
