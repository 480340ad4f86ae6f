"""The released arithmetic against an independent transcription, and as an option of the classifier."""

import numpy as np
import pytest
import torch
from networks import network_of, objective_of
from reference import losses
from released_reference import fairness, network

from skdegfair import GNNClassifier
from skdegfair.mitigation import DegFair, ReleasedDegFair
from skdegfair.mitigation.released import ReleasedConv
from skdegfair.nn import Architecture

Y = np.arange(12) % 3
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])
SWITCHES = [{}, {"scale_shift": False}, {"contrast": False}, {"modulation": False}]


@pytest.mark.parametrize("switch", SWITCHES, ids=str)
@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_network_and_objective(small, backbone, switch):
    mitigation = ReleasedDegFair(context_weight=0.7, degree_encoding_dim=5, **switch)
    module, topology = network_of(small, mitigation, hidden_dim=8, backbone=backbone)
    module.eval()
    batch = topology.batch(TRAIN, 2, all_nodes=True)
    output = module(batch)
    logits = output.logits
    parameters = {name: value.detach().numpy() for name, value in module.named_parameters()}
    A, degree = small.A.toarray(), small.degree()
    expected, (context, film) = network(
        A, small.X, parameters, kind=backbone, n_heads=2, low=degree < 2, train=TRAIN, epsilon=0.7, dim=5, **switch
    )
    np.testing.assert_allclose(logits.detach().numpy(), expected[TRAIN], rtol=1e-10)
    terms = objective_of(mitigation).terms(output, torch.as_tensor(Y[TRAIN]), batch)
    classification = losses(expected, [], degree, Y, TRAIN, K=2, kind="dsp", contrast=True)["classification"]
    np.testing.assert_allclose(terms["classification"].item(), classification, rtol=1e-10)
    np.testing.assert_allclose(terms["fairness"].item(), fairness(expected, degree, TRAIN), rtol=1e-10)
    if switch.get("modulation", True):
        if switch.get("contrast", True):
            np.testing.assert_allclose(terms["context"].item(), context, rtol=1e-10)
        if switch.get("scale_shift", True):
            np.testing.assert_allclose(terms["scale_shift"].item(), film, rtol=1e-10)
    else:
        assert terms.keys() == {"classification", "fairness"}


def built(n_features, n_classes, **sizes):
    mitigation = ReleasedDegFair()
    mitigation.degree_threshold_ = 2.0
    return mitigation.build(Architecture(n_features, n_classes, **sizes))


def test_number_of_parameters_is_the_released_one():
    """Counted in the released code, which also has two unused square matrices per layer."""
    unused = 4 * 32 * 32
    for n_features, n_classes, total in ((2325, 5, 88069), (2089, 5, 80517)):
        module = built(n_features, n_classes)
        assert sum(p.numel() for p in module.parameters()) == total - unused
    module = built(8, 2, hidden_dim=16)
    assert sum(p.numel() for p in module.parameters()) == 4610 - 4 * 16 * 16


@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_in_a_classifier(data, backbone):
    weights = {"context_weight": 0.01, "fairness_weight": 1e-3}
    clf = GNNClassifier(mitigation=ReleasedDegFair(**weights), backbone=backbone, max_epochs=30, random_state=0)
    clf.fit(data.graph, data.y)
    loss = clf.history_["train_classification_loss"]
    assert loss.iloc[-1] < 0.9 * loss.iloc[0]
    assert clf.embed(data.graph).shape[0] == 120
    assert clf.feature_scale_ == 1.0
    first = clf.predict_proba(data.graph)
    np.testing.assert_array_equal(first, clf.fit(data.graph, data.y).predict_proba(data.graph))
    some = [7, 3, 100]
    np.testing.assert_allclose(clf.predict_proba(data.graph[some]), first[some], rtol=1e-10)
    paper = clf.set_params(mitigation=DegFair(**weights)).fit(data.graph, data.y)
    assert not np.allclose(first, paper.predict_proba(data.graph))


def test_low_means_below_the_threshold(small):
    """A threshold that nodes have exactly counts them as high, just as a slightly lower one does."""
    degree = small.degree()
    threshold = 2.0
    assert (degree == threshold).any()

    def logits(value):
        module, topology = network_of(small, ReleasedDegFair(), threshold=value, hidden_dim=8)
        return module.eval()(topology.batch(TRAIN, 2, all_nodes=True)).logits

    assert torch.equal(logits(threshold), logits(1.5))
    assert not torch.allclose(logits(threshold), logits(2.5))


def test_the_released_code_has_no_batches(data):
    with pytest.raises(ValueError, match="ReleasedDegFair trains on the whole graph only"):
        GNNClassifier(mitigation=ReleasedDegFair(), batch_size=10).fit(data.graph, data.y)


def test_no_two_heads_drop_the_same_edges():
    module = built(4, 3, backbone="gat", hidden_dim=8, n_layers=3, n_heads=2)
    heads = [part for part in module.modules() if isinstance(part, ReleasedConv)]
    drawn = {int(head.edge_dropout.random.random_raw()) for head in heads}
    assert len(drawn) == len(heads) == 5
