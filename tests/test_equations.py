"""The network and its losses against an independent transcription of the paper's equations."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from reference import losses, network

from skdegfair import Graph
from skdegfair.nn import DegFairGNN, GraphTensors, NodeBatch, Objective, SparseOperator, _context, degree_encoding
from skdegfair.nn._attention import AttentionPattern, attend

BACKBONES = ["gcn", "gat", "sage"]
ABLATIONS = {
    "full": {},
    "no scale and shift": {"scale_shift": False},
    "no contrast": {"contrast": False},
    "no modulation": {"modulation": False},
    "neither": {"scale_shift": False, "contrast": False},
}
K = 2.0
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
TRAIN = np.array([0, 1, 2, 3, 5, 6, 8, 9, 10, 11])


def make(graph, *, hops=1, n_layers=2, **options):
    """A module with random weights everywhere, in double precision, and the graph it reads."""
    options = {"hidden_dim": 4, "n_heads": 2, "context_weight": 0.7, "degree_encoding_dim": 5} | options
    module = DegFairGNN(graph.shape[1], 3, n_layers=n_layers, dropout=0.0, **options).double()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 2)
    tensors = GraphTensors(graph, module.operators, context_hops=hops, degree_threshold=K, dtype=torch.float64)
    return module, tensors


def reference(graph, module, *, hops=1, n_layers=2, **options):
    parameters = {name: value.detach().numpy() for name, value in module.named_parameters()}
    switches = {"scale_shift": True, "contrast": True, "modulation": True} | {
        name: value for name, value in options.items() if isinstance(value, bool)
    }
    return network(
        graph.A.toarray(), graph.X if not sp.issparse(graph.X) else graph.X.toarray(), parameters,
        kind=options["backbone"], n_layers=n_layers, n_heads=2, K=K, hops=hops, epsilon=0.7, **switches,
    )  # fmt: skip


@pytest.fixture(params=["by node", "by degree"])
def way(request, monkeypatch):
    """Both ways to debias fixed features, whichever is faster."""
    monkeypatch.setattr(_context, "pays", lambda *sizes: request.param == "by degree")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ablation", ABLATIONS)
@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize(("n_layers", "hops"), [(1, 1), (2, 1), (2, 2), (3, 3)])
def test_network_and_losses_are_those_of_the_paper(small, backbone, ablation, n_layers, hops):
    options = {"backbone": backbone, **ABLATIONS[ablation]}
    module, tensors = make(small, hops=hops, n_layers=n_layers, **options)
    batch = NodeBatch(tensors, TRAIN)
    logits, layers = reference(small, module, hops=hops, n_layers=n_layers, **options)
    output = module(batch)
    np.testing.assert_allclose(output[0].detach().numpy(), logits[TRAIN], rtol=1e-10)
    for kind in ("dsp", "deo"):
        objective = Objective(2.0, 0.3, fairness_loss=kind)
        terms = objective.terms(output, torch.as_tensor(Y[TRAIN]), batch)
        expected = losses(
            logits, layers, small.degree(), Y, TRAIN, K=K, kind=kind, contrast=options.get("contrast", True)
        )
        if not options.get("scale_shift", True):
            assert expected.pop("scale_shift") == 0
        assert terms.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(terms[name].item(), value, rtol=1e-10, err_msg=name)
        total = expected["classification"] + 2.0 * expected["fairness"]
        total += 0.3 * (expected.get("context", 0) + expected.get("scale_shift", 0))
        np.testing.assert_allclose(objective.total(terms).item(), total, rtol=1e-10)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("directed", [False, True])
def test_weighted_and_directed_edges(small, backbone, directed):
    random = np.random.RandomState(0)
    A = small.A.toarray() * random.uniform(0.2, 3.0, size=(12, 12))
    A = A * (random.uniform(size=A.shape) < 0.7) if directed else np.maximum(A, A.T)
    graph = Graph(small.X, A, directed=directed)
    module, tensors = make(graph, backbone=backbone)
    logits, _ = reference(graph, module, backbone=backbone)
    np.testing.assert_allclose(module(NodeBatch(tensors, np.arange(12)))[0].detach().numpy(), logits, rtol=1e-10)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_sparse_features_give_the_same_and_stay_sparse(small, backbone):
    X = small.X * (np.abs(small.X) > 0.7)
    results = []
    for features in (X, sp.csr_array(X)):
        module, tensors = make(small.with_features(features), backbone=backbone)
        output, penalties = module(NodeBatch(tensors, TRAIN))
        (output.square().sum() + sum(penalties.values())).backward()
        results.append((output.detach().numpy(), [p.grad.numpy() for p in module.parameters()]))
    assert isinstance(tensors.x, SparseOperator)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-10)
    for dense, sparse in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(dense, sparse, rtol=1e-8, atol=1e-12)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("backbone", "kind"), [("gcn", "dsp"), ("gat", "deo"), ("sage", "dsp")])
def test_gradient_of_the_objective(small, backbone, kind):
    module, tensors = make(small, backbone=backbone)
    batch, y = NodeBatch(tensors, TRAIN), torch.as_tensor(Y[TRAIN])
    objective = Objective(1.0, 0.1, fairness_loss=kind)
    names = [name for name, _ in module.named_parameters()]

    def terms(*values):
        output = torch.func.functional_call(module, dict(zip(names, values, strict=True)), (batch,))
        return tuple(objective.terms(output, y, batch).values())

    assert torch.autograd.gradcheck(terms, tuple(module.parameters()), eps=1e-6, atol=1e-6)


@pytest.mark.parametrize("ablation", ABLATIONS)
@pytest.mark.parametrize("backbone", BACKBONES)
def test_slices_change_nothing(small, backbone, ablation, monkeypatch):
    """Few nodes are one slice, whose intermediate results are remembered; of several slices they are computed anew."""
    results = []
    for size in (2**17, 8):  # entries; 8 are two nodes of the hidden layer
        monkeypatch.setattr("skdegfair.nn._modulate.SLICE", size)
        module, tensors = make(small, backbone=backbone, **ABLATIONS[ablation])
        batch, objective = NodeBatch(tensors, TRAIN), Objective(1.0, 0.1)
        total = objective.total(objective.terms(module(batch), torch.as_tensor(Y[TRAIN]), batch))
        results.append([total, *torch.autograd.grad(total, list(module.parameters()))])
    for whole, sliced in zip(*results, strict=True):
        torch.testing.assert_close(whole, sliced, rtol=1e-10, atol=1e-12)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ablation", ABLATIONS)
def test_gradient_where_no_loss_is_asked_for(small, ablation):
    """A block without shares gives no penalties, and the same output with the same gradient."""
    module, tensors = make(small, **ABLATIONS[ablation])
    results = []
    for block in (tensors, NodeBatch(tensors, range(len(Y))).whole):
        output, penalties = module.layers[0](tensors.inputs, block)
        weights = [each for each in module.layers[0].parameters() if each.requires_grad]
        results.append([output, *torch.autograd.grad(output.square().sum(), weights, allow_unused=True)])
        assert not penalties or block is not tensors
    torch.testing.assert_close(*results)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((1000, 100, 9, 32), True), ((1000, 101, 9, 32), False), ((10_000, 100, 32, 64), True),
     ((10_000, 100, 33, 64), False), ((1000, 10, 8, 8), False)],
)  # fmt: skip
def test_where_by_degree_pays(sizes, expected):
    """Nodes, distinct degrees, features, outputs."""
    assert _context.pays(*sizes) is expected


@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize(("hops", "pool"), [(1, "set"), (2, "walk")])
def test_by_degree_batches_of_one_graph_do_not_mix(data, n_layers, hops, pool, monkeypatch):
    """Training and validation nodes share a graph and what is remembered of it: each gets its own penalties."""
    parts = np.arange(70), np.arange(70, 120)
    results = []
    for way in (True, False):
        monkeypatch.setattr(_context, "pays", lambda *sizes, way=way: way)
        module = make(data.graph, n_layers=n_layers)[0]
        options = {"context_hops": hops, "context_pool": pool, "degree_threshold": K, "dtype": torch.float64}
        tensors = GraphTensors(data.graph, module.operators, **options)
        batches = [NodeBatch(tensors, part) for part in parts]
        for batch, part in zip(batches * 2, parts * 2, strict=True):
            objective = Objective(1.0, 0.1)
            terms = objective.terms(module(batch), torch.as_tensor(data.y[part]), batch)
            gradients = torch.autograd.grad(objective.total(terms), list(module.parameters()))
            results.append([*terms.values(), *gradients])
    for one, other in zip(results[:4], results[4:], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n_features", "hidden_dim", "expected"), [(3, 8, True), (3, 3, False), (40, 48, False)])
def test_by_degree_where_features_are_few_and_nodes_are_many(data, n_features, hidden_dim, expected, monkeypatch):
    """Few enough for each degree to have weights of its own; both ways give the same, and the same gradient."""
    graph = data.graph.with_features(np.random.RandomState(0).normal(size=(len(data.y), n_features)))
    used, results = [], []
    by_degree = _context.DebiasingFunction.by_degree
    monkeypatch.setattr(
        _context.DebiasingFunction, "by_degree", lambda self, *inputs: used.append(self) or by_degree(self, *inputs)
    )
    for pays in (_context.pays, lambda *sizes: False):
        monkeypatch.setattr(_context, "pays", pays)
        module, tensors = make(graph, hidden_dim=hidden_dim)
        batch, objective = NodeBatch(tensors, np.arange(0, len(data.y), 2)), Objective(1.0, 0.1)
        total = objective.total(objective.terms(module(batch), torch.as_tensor(data.y[::2]), batch))
        results.append([total, *torch.autograd.grad(total, list(module.parameters()))])
    assert used == ([used[0]] if expected else [])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


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
        monkeypatch.setattr("skdegfair.nn._sparse.PIECE", piece)
        operator = SparseOperator(M, torch.float64)
        assert (operator._collect is None) == (piece == 1000)
        np.testing.assert_allclose(operator.transpose_times(g).numpy(), M.T @ g.numpy(), rtol=1e-12)
    monkeypatch.setattr("skdegfair.nn._sparse.LONG", 8)
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
def test_attention_is_a_softmax_over_neighbours(width, loudness, monkeypatch):
    """Whether heads are few columns or many, work together or alone, and scores are near each other or not."""
    random = np.random.RandomState(width)
    A = np.eye(6) + random.uniform(size=(6, 6)) * (random.uniform(size=(6, 6)) < 0.4)
    shapes = (3, 6, width), (3, 6), (3, 6)
    draw = [torch.tensor(random.normal(size=shape), requires_grad=True) for shape in shapes]
    weight = torch.tensor(random.normal(size=(3, 6, width)))
    h, listening, speaking = draw[0], draw[1], loudness * draw[2]
    score = torch.nn.functional.leaky_relu(listening[:, :, None] + speaking[:, None], 0.2) + torch.tensor(A).log()
    expected = score.softmax(2) @ h
    gradients = torch.autograd.grad((expected * weight).sum(), draw, retain_graph=True)
    for entries in (2**20, 1):  # all heads, or one
        monkeypatch.setattr("skdegfair.nn._attention.STACKED", entries)
        found = attend(h, listening, speaking, AttentionPattern(sp.csr_array(A), torch.float64))
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
    module, tensors = make(small, degree_encoding_dim=None)
    shapes = [tuple(layer.debias.film_weight.shape) for layer in module.layers]
    assert shapes == [(4, 8), (3, 6)]
    assert module(NodeBatch(tensors, TRAIN))[0].shape == (len(TRAIN), 3)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_weights_of_the_base_gnn_do_not_depend_on_the_debiasing(backbone):
    plain = DegFairGNN(5, 3, backbone=backbone, modulation=False, seed=7).state_dict()
    debiased = DegFairGNN(5, 3, backbone=backbone, seed=7).state_dict()
    assert all(torch.equal(value, debiased[name]) for name, value in plain.items())


def test_empty_groups_and_cells_add_nothing():
    objective = Objective(1.0, fairness_loss="dsp")
    logits, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])

    class Batch:
        low = torch.ones(4, dtype=torch.bool)

    for kind in ("dsp", "deo"):
        objective.fairness_loss = kind
        assert objective.terms((logits, {}), y, Batch)["fairness"].item() == 0
