"""The network and its losses against an independent transcription of the paper's equations."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from networks import K, degfair, objective_of
from reference import losses, network

from skdegfair import Graph
from skdegfair.mitigation import DegFair
from skdegfair.mitigation.degfair import degree_encoding
from skdegfair.nn import Architecture, SparseOperator
from skdegfair.nn.attention import AttentionPattern, attend

BACKBONES = ["gcn", "gat", "sage"]
ABLATIONS = {
    "full": {},
    "no scale and shift": {"scale_shift": False},
    "no contrast": {"contrast": False},
    "no modulation": {"modulation": False},
    "neither": {"scale_shift": False, "contrast": False},
}
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])


def reference(graph, module, *, backbone, hops=1, n_layers=2, switches=None):
    parameters = {name: value.detach().numpy() for name, value in module.named_parameters()}
    switches = {"scale_shift": True, "contrast": True, "modulation": True} | (switches or {})
    return network(
        graph.A.toarray(), graph.X if not sp.issparse(graph.X) else graph.X.toarray(), parameters,
        kind=backbone, n_layers=n_layers, n_heads=2, K=K, hops=hops, epsilon=0.7, **switches,
    )  # fmt: skip


@pytest.mark.parametrize("ablation", ABLATIONS)
@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize(("n_layers", "hops"), [(1, 1), (2, 1), (2, 2), (3, 3)])
@pytest.mark.parametrize("everyone", [False, True])
def test_network_and_losses_are_those_of_the_paper(small, backbone, ablation, n_layers, hops, everyone):
    options = {"backbone": backbone, "hops": hops, "n_layers": n_layers, "switches": ABLATIONS[ablation]}
    module, topology, mitigation = degfair(small, **options)
    batch = topology.batch(TRAIN, n_layers, all_nodes=everyone)
    logits, layers = reference(small, module, **options)
    output = module(batch)
    np.testing.assert_allclose(output.logits.detach().numpy(), logits[TRAIN], rtol=1e-10)
    np.testing.assert_allclose(output.everyone.detach().numpy(), logits[slice(None) if everyone else TRAIN], rtol=1e-10)
    contrast = ABLATIONS[ablation].get("contrast", True)
    for kind in ("dsp", "deo"):
        objective = objective_of(mitigation, fairness_weight=2.0, constraint_weight=0.3, fairness_loss=kind)
        terms = objective.terms(output, torch.as_tensor(Y[TRAIN]), batch)
        expected = losses(logits, layers, small.degree(), Y, TRAIN, K=K, kind=kind, contrast=contrast)
        if not ABLATIONS[ablation].get("scale_shift", True):
            assert expected.pop("scale_shift") == 0
        assert terms.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(terms[name].item(), value, rtol=1e-10, err_msg=name)
        total = expected["classification"] + 2.0 * expected["fairness"]
        total += 0.3 * (expected.get("context", 0) + expected.get("scale_shift", 0))
        np.testing.assert_allclose(objective.total(terms).item(), total, rtol=1e-10)


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("directed", [False, True])
def test_weighted_and_directed_edges(small, backbone, directed):
    random = np.random.RandomState(0)
    A = small.A.toarray() * random.uniform(0.2, 3.0, size=(12, 12))
    A = A * (random.uniform(size=A.shape) < 0.7) if directed else np.maximum(A, A.T)
    graph = Graph(small.X, A, directed=directed)
    module, topology, _ = degfair(graph, backbone=backbone)
    logits, _ = reference(graph, module, backbone=backbone)
    output = module(topology.batch(np.arange(12), 2))
    np.testing.assert_allclose(output.logits.detach().numpy(), logits, rtol=1e-10)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_sparse_features_give_the_same_and_stay_sparse(small, backbone):
    X = small.X * (np.abs(small.X) > 0.7)
    results = []
    for features in (X, sp.csr_array(X)):
        module, topology, _ = degfair(small.with_features(features), backbone=backbone)
        output = module(topology.batch(TRAIN, 2))
        (output.logits.square().sum() + sum(output.terms.values())).backward()
        results.append((output.logits.detach().numpy(), [p.grad.numpy() for p in module.parameters()]))
    assert isinstance(topology.inputs, SparseOperator)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-10)
    for dense, sparse in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(dense, sparse, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("backbone", "kind"), [("gcn", "dsp"), ("gat", "deo"), ("sage", "dsp")])
def test_gradient_of_the_objective(small, backbone, kind):
    module, topology, mitigation = degfair(small, backbone=backbone)
    batch, y = topology.batch(TRAIN, 2), torch.as_tensor(Y[TRAIN])
    objective = objective_of(mitigation, fairness_loss=kind)
    names = [name for name, _ in module.named_parameters()]

    def terms(*values):
        output = torch.func.functional_call(module, dict(zip(names, values, strict=True)), (batch,))
        return tuple(objective.terms(output, y, batch).values())

    assert torch.autograd.gradcheck(terms, tuple(module.parameters()), eps=1e-6, atol=1e-6)


def test_batches_of_one_graph_do_not_mix(data):
    """Training and validation nodes share a graph and what is cached of it: each gets its own penalties."""
    parts = np.arange(70), np.arange(70, 120)
    module, topology, mitigation = degfair(data.graph, n_layers=3)
    together = [topology.batch(part, 3) for part in parts]
    alone = [degfair(data.graph, n_layers=3)[1].batch(part, 3) for part in parts]
    objective = objective_of(mitigation)
    for one, other, part in zip(together * 2, alone * 2, parts * 2, strict=True):
        y = torch.as_tensor(data.y[part])
        torch.testing.assert_close(objective.terms(module(one), y, one), objective.terms(module(other), y, other))


def test_gradient_of_the_sparse_product():
    random = np.random.RandomState(0)
    M = sp.csr_array(random.normal(size=(7, 5)) * (random.uniform(size=(7, 5)) < 0.4))
    operator = SparseOperator(M, torch.float64)
    h = torch.randn(5, 3, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(0))
    np.testing.assert_allclose((operator @ h).detach().numpy(), M @ h.detach().numpy())
    assert torch.autograd.gradcheck(lambda h: operator @ h, (h,))


def test_long_rows_are_summed_up_in_pieces(monkeypatch):
    """As gradients have them that are sums over all nodes of a degree: pieces give the same, and round less."""
    random = np.random.RandomState(0)
    M = sp.csr_array(random.uniform(size=(200, 4)) * (random.uniform(size=(200, 4)) < [0.9, 0.1, 0, 0.5]))
    g = torch.as_tensor(random.normal(size=(200, 3)))
    for piece in (7, 1000):
        monkeypatch.setattr("skdegfair.nn.sparse.PIECE", piece)
        operator = SparseOperator(M, torch.float64)
        assert (operator._collect is None) == (piece == 1000)
        np.testing.assert_allclose(operator.transpose_times(g).numpy(), M.T @ g.numpy(), rtol=1e-12)
    monkeypatch.setattr("skdegfair.nn.sparse.LONG", 8)
    square = SparseOperator(M @ M.T, torch.float64)  # many rows, some of them long
    assert square._collect is not None
    np.testing.assert_allclose(square.transpose_times(g).numpy(), M @ (M.T @ g.numpy()), rtol=1e-12, atol=1e-12)
    monkeypatch.undo()
    ones = SparseOperator(np.full((300_000, 1), 0.1))
    assert ones.transpose_times(torch.ones(300_000, 1)).item() == pytest.approx(30_000, rel=1e-5)


def test_gradient_of_attention_on_an_asymmetric_pattern():
    random = np.random.RandomState(0)
    pattern = AttentionPattern(sp.csr_array(np.eye(6) + (random.uniform(size=(6, 6)) < 0.4)), torch.float64)
    draw = [torch.tensor(random.normal(size=shape), requires_grad=True) for shape in ((2, 6, 3), (2, 6), (2, 6))]
    assert torch.autograd.gradcheck(lambda *inputs: attend(*inputs, pattern), tuple(draw))


@pytest.mark.parametrize("width", [2, 5, 9])
@pytest.mark.parametrize("loudness", [1.0, 100.0])
def test_attention_is_a_softmax_over_neighbors(width, loudness, monkeypatch):
    """Whether heads are few columns or many, work together or alone, and scores are near each other or not."""
    random = np.random.RandomState(width)
    A = np.eye(6) + random.uniform(size=(6, 6)) * (random.uniform(size=(6, 6)) < 0.4)
    shapes = (3, 6, width), (3, 6), (3, 6)
    draw = [torch.tensor(random.normal(size=shape), requires_grad=True) for shape in shapes]
    weight = torch.tensor(random.normal(size=(3, 6, width)))
    h, target, source = draw[0], draw[1], loudness * draw[2]
    score = torch.nn.functional.leaky_relu(target[:, :, None] + source[:, None], 0.2) + torch.tensor(A).log()
    expected = score.softmax(2) @ h
    gradients = torch.autograd.grad((expected * weight).sum(), draw, retain_graph=True)
    for entries in (2**20, 1):  # all heads, or one
        monkeypatch.setattr("skdegfair.nn.attention.STACKED", entries)
        found = attend(h, target, source, AttentionPattern(sp.csr_array(A), torch.float64))
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)
        same = torch.autograd.grad((found * weight).sum(), draw, retain_graph=True)
        torch.testing.assert_close(same, gradients, rtol=1e-8, atol=1e-10)


def test_attention_survives_large_scores():
    pattern = AttentionPattern(sp.csr_array(np.ones((3, 3))))
    h = torch.eye(3)[None]
    out = attend(h, torch.zeros(1, 3), torch.tensor([[-2e4, 0.0, 1e4]]), pattern)
    assert out.isfinite().all()
    np.testing.assert_allclose(out[0].numpy(), [[0, 0, 1]] * 3)


@pytest.mark.parametrize("dim", [1, 2, 5, 8])
def test_degree_encoding(dim):
    from reference import encoding

    degrees = [0.0, 1.0, 2.5, 7.0, 1903.0]
    expected = [encoding(d, dim) for d in degrees]
    np.testing.assert_allclose(degree_encoding(torch.tensor(degrees), dim).numpy(), expected, atol=1e-12)


def test_degree_encoding_of_each_layers_width(small):
    module, topology, _ = degfair(small, degree_encoding_dim=None)
    shapes = [tuple(layer.film_weight.shape) for layer in module.layers]
    assert shapes == [(4, 8), (3, 6)]
    assert module(topology.batch(TRAIN, 2)).logits.shape == (len(TRAIN), 3)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_weights_of_the_base_gnn_do_not_depend_on_the_debiasing(small, backbone):
    architecture = Architecture(5, 3, backbone=backbone, n_heads=4, seed=7)
    states = []
    for modulation in (False, True):
        mitigation = DegFair(modulation=modulation)
        mitigation.learn(small, small.nodes)
        state = mitigation.build(architecture).state_dict()
        states.append(
            {name.replace("conv.", ""): value for name, value in state.items() if "conv." in name or not modulation}
        )
    plain, debiased = states
    assert plain.keys() == debiased.keys()
    assert all(torch.equal(value, debiased[name]) for name, value in plain.items())
