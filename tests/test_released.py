"""The released arithmetic against an independent transcription, and as an option of the classifier."""

import numpy as np
import pytest
import torch
from reference import losses
from released_reference import fairness, network

from skdegfair import DegFairGNNClassifier
from skdegfair.nn import GraphTensors, NodeBatch, ReleasedGNN, ReleasedObjective
from skdegfair.nn._released import ReleasedLayer

Y = np.arange(12) % 3
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])
SWITCHES = [{}, {"scale_shift": False}, {"contrast": False}, {"modulation": False}]


@pytest.mark.parametrize("switch", SWITCHES, ids=str)
@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_network_and_objective(small, backbone, switch):
    options = {"hidden_dim": 8, "n_heads": 2, "context_weight": 0.7, "degree_encoding_dim": 5, "dropout": 0.0}
    module = ReleasedGNN(small.shape[1], 3, backbone=backbone, **options, **switch).double().eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 3)
    threshold = np.nextafter(2.0, -np.inf)
    tensors = GraphTensors(small, module.operators, degree_threshold=threshold, dtype=torch.float64)
    batch = NodeBatch(tensors, TRAIN)
    logits, penalties = module(batch)
    parameters = {name: value.detach().numpy() for name, value in module.named_parameters()}
    A, degree = small.A.toarray(), small.degree()
    expected, (context, film) = network(
        A, small.X, parameters, kind=backbone, n_heads=2, low=degree < 2, train=TRAIN, epsilon=0.7, dim=5, **switch
    )
    np.testing.assert_allclose(logits.detach().numpy(), expected[TRAIN], rtol=1e-10)
    terms = ReleasedObjective(1.0, 0.1).terms((logits, penalties), torch.as_tensor(Y[TRAIN]), batch)
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


def test_number_of_parameters_is_the_released_one():
    """Counted in the released code, which holds two unused square matrices per layer beside."""
    unused = 4 * 32 * 32
    for n_features, n_classes, total in ((2325, 5, 88069), (2089, 5, 80517)):
        module = ReleasedGNN(n_features, n_classes)
        assert sum(p.numel() for p in module.parameters()) == total - unused
    module = ReleasedGNN(8, 2, hidden_dim=16)
    assert sum(p.numel() for p in module.parameters()) == 4610 - 4 * 16 * 16


@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_as_an_option(data, backbone):
    settings = {"context_weight": 0.01, "fairness_weight": 1e-3, "max_epochs": 30, "random_state": 0}
    clf = DegFairGNNClassifier(arithmetic="released", backbone=backbone, **settings).fit(data.graph, data.y)
    loss = clf.history_["train_classification_loss"]
    assert loss.iloc[-1] < 0.9 * loss.iloc[0]
    assert clf.embed(data.graph).shape[0] == 120
    assert clf.feature_scale_ == 1.0
    first = clf.predict_proba(data.graph)
    np.testing.assert_array_equal(first, clf.fit(data.graph, data.y).predict_proba(data.graph))
    paper = clf.set_params(arithmetic="paper").fit(data.graph, data.y)
    assert not np.allclose(first, paper.predict_proba(data.graph))


def test_low_means_below_the_threshold(data):
    degree = data.graph.degree()
    threshold = float(np.median(degree))
    assert (degree == threshold).any()
    clf = DegFairGNNClassifier(arithmetic="released", degree_threshold=threshold, max_epochs=1).fit(data.graph, data.y)
    tensors = clf._tensors(data.graph, clf.module_)
    np.testing.assert_array_equal(tensors.low.numpy().ravel(), degree < threshold)
    assert clf.degree_threshold_ == threshold


@pytest.mark.parametrize("options", [{"context_hops": 2}, {"fairness_loss": "deo"}])
def test_what_the_released_code_lacks(data, options):
    with pytest.raises(ValueError, match="one hop, the fairness loss"):
        DegFairGNNClassifier(arithmetic="released", **options).fit(data.graph, data.y)


def test_no_two_heads_drop_the_same_edges():
    module = ReleasedGNN(4, 3, backbone="gat", hidden_dim=8, n_layers=3, n_heads=2)
    heads = [part for part in module.modules() if isinstance(part, ReleasedLayer)]
    drawn = {int(head.edge_dropout.random.random_raw()) for head in heads}
    assert len(drawn) == len(heads) == 5
