"""Training in batches: what is drawn, that it is right in expectation, and what it costs in memory."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from networks import degfair, objective_of
from skorch.callbacks import EpochScoring

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.graph import draw_neighbors, draw_walks, hash_keys
from skdegfair.metrics import delta_dsp, make_degree_scorer
from skdegfair.nn import ClosedMean, NeighborSampler, OpenMean, Reach, Topology
from skdegfair.nn.dropout import Dropout

BACKBONES = ["gcn", "gat", "sage"]


@pytest.fixture(scope="module")
def star():
    """A node with forty neighbours, some of which know each other, and one that knows nobody."""
    random = np.random.RandomState(0)
    A = np.zeros((42, 42))
    A[0, 1:41] = 1
    A[1:21, 1:21] = random.uniform(size=(20, 20)) < 0.2
    A = np.triu(A, 1)
    return Graph(random.normal(size=(42, 5)), sp.csr_array(A + A.T))


def close_mean(estimates, expected):
    """Whether the mean of independent estimates is as expected, up to five standard errors."""
    error = estimates.std(0, ddof=1) / np.sqrt(len(estimates))
    return (np.abs(estimates.mean(0) - expected) <= 5 * error + 1e-12).all()


# -- what is drawn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, 7, 39, 40, 100, None])
def test_different_neighbours_that_stand_for_all(star, most):
    nodes = np.arange(42)
    drawn = draw_neighbors(star.A, nodes, most, hash_keys(0, nodes))
    degree = star.degree().astype(int)
    np.testing.assert_array_equal(drawn.counts, degree if most is None else np.minimum(degree, most))
    for node, found, size in zip(
        nodes,
        np.split(drawn.neighbors, np.cumsum(drawn.counts)[:-1]),
        np.split(drawn.stands_for, np.cumsum(drawn.counts)[:-1]),
        strict=True,
    ):
        assert len(set(found)) == len(found)
        assert set(found) <= set(star.A[[node]].indices)
        assert size.sum() == degree[node]


def test_a_draw_hangs_on_node_and_key_alone(star):
    all_nodes = np.arange(42)
    everyone = draw_neighbors(star.A, all_nodes, 4, hash_keys(5, all_nodes))
    alone = draw_neighbors(star.A, np.array([0]), 4, hash_keys(5, np.array([0])))
    np.testing.assert_array_equal(everyone.neighbors[:4], alone.neighbors)
    draws = {tuple(draw_neighbors(star.A, np.array([0]), 4, hash_keys(k, np.array([0]))).neighbors) for k in range(20)}
    assert len(draws) > 15


def test_every_neighbour_is_as_likely_to_be_heard(star):
    heard = np.zeros((3000, 42))
    for step in range(3000):
        drawn = draw_neighbors(star.A, np.array([0]), 7, hash_keys(step, np.array([0])))
        heard[step, drawn.neighbors] = drawn.stands_for
    assert close_mean(heard, star.A[[0]].toarray()[0])


def test_walks_end_where_they_should(star):
    closed = star.A.toarray() + np.eye(42)
    step = closed / closed.sum(1, keepdims=True)
    nodes = np.array([0, 3, 41])
    ends = draw_walks(star.A, nodes, 2, 20_000, hash_keys(1, nodes))
    for node, row in zip(nodes, ends, strict=True):
        expected = np.linalg.matrix_power(step, 2)[node]
        share = np.bincount(row, minlength=42) / 20_000
        assert (np.abs(share - expected) <= 5 * np.sqrt(expected / 20_000) + 1e-12).all()
    assert (ends[2] == 41).all()


# -- the same model --------------------------------------------------------------------------------


def gradient(module, batch, y, objective):
    module.zero_grad()
    terms = objective.terms(module(batch), y, batch)
    objective.total(terms).backward()
    return np.concatenate([p.grad.numpy().ravel() for p in module.parameters()]), terms


def variants(star):
    random = np.random.RandomState(1)
    weighted = star.A.toarray() * random.uniform(0.5, 2, size=star.A.shape)
    directed = weighted * (random.uniform(size=weighted.shape) < 0.7)
    return {
        "plain": star,
        "sparse features": star.with_features(sp.csr_array(star.X * (star.X > 0))),
        "weighted": Graph(star.X, np.maximum(weighted, weighted.T)),
        "directed": Graph(star.X, directed, directed=True),
    }


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("kind", ["plain", "sparse features", "weighted", "directed"])
@pytest.mark.parametrize(("n_layers", "hops"), [(1, 1), (2, 1), (3, 2)])
def test_all_neighbours_give_the_gradient_of_the_whole_graph(star, backbone, kind, n_layers, hops):
    graph = variants(star)[kind]
    module, topology, mitigation = degfair(graph, backbone=backbone, n_layers=n_layers, hops=hops, threshold=3.0)
    nodes, y = np.array([0, 1, 5, 30, 41, 5]), torch.tensor([0, 1, 2, 0, 1, 2])
    objective = objective_of(mitigation, fairness_weight=2.0, constraint_weight=0.3)
    whole, terms = gradient(module, topology.batch(nodes, n_layers), y, objective)
    sampler = NeighborSampler(topology, [None] * n_layers, 0)
    sampled, same_terms = gradient(module, sampler.batch(nodes), y, objective)
    np.testing.assert_allclose(sampled, whole, rtol=1e-9, atol=1e-12)
    assert terms.keys() == same_terms.keys()
    many = NeighborSampler(topology, [100] * n_layers, 3)
    sampled, _ = gradient(module, many.batch(nodes, 7), y, objective)  # more than any node has
    np.testing.assert_allclose(sampled, whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_batches_of_an_epoch_have_the_whole_gradient_as_their_mean(star, backbone):
    module, topology, mitigation = degfair(star, backbone=backbone, threshold=3.0)
    nodes, y = np.arange(40), torch.arange(40) % 3
    # without the fairness loss, which is a square of means and not a mean
    objective = objective_of(mitigation, fairness_weight=0.0, constraint_weight=0.3)
    whole = gradient(module, topology.batch(nodes, 2), y, objective)[0]
    sampler = NeighborSampler(topology, [None, None], 0)
    parts = [gradient(module, sampler.batch(nodes[k::4]), y[k::4], objective)[0] for k in range(4)]
    np.testing.assert_allclose(np.mean(parts, axis=0), whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pool", ["set", "walk"])
@pytest.mark.parametrize("backbone", ["gcn", "sage"])
def test_drawn_neighbours_are_right_in_expectation(star, backbone, pool):
    """The output of a layer is linear in what is drawn: its mean, and its gradient's, must be the whole graph's."""
    module, topology, _ = degfair(star, backbone=backbone, n_layers=1, threshold=3.0, hops=2, pool=pool)
    nodes = np.array([0, 1, 30, 41])
    weights = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def linear(batch):
        module.zero_grad()
        out = module(batch).logits
        (out * weights).sum().backward()
        own = module.layers[0].conv.weight.grad, module.layers[0].weight.grad
        return np.concatenate([out.detach().numpy().ravel(), *(g.numpy().ravel() for g in own)])

    whole = linear(topology.batch(nodes, 1))
    sampler = NeighborSampler(topology, [5], 0)
    assert close_mean(np.array([linear(sampler.batch(nodes, step)) for step in range(600)]), whole)


def test_walks_are_powers_of_the_mean(star):
    closed = star.A.toarray() + np.eye(42)
    step = closed / closed.sum(1, keepdims=True)
    walk = Reach(3, "walk")
    for operators in ({ClosedMean(), walk}, {OpenMean(), walk}):
        topology = Topology(star, operators, dtype=torch.float64)
        pooled = topology.whole[walk] @ torch.as_tensor(star.X)
        np.testing.assert_allclose(pooled.numpy(), np.linalg.matrix_power(step, 3) @ star.X)
        some = topology.block(np.array([4, 0]))[walk] @ torch.as_tensor(star.X)
        np.testing.assert_allclose(some.numpy(), pooled.numpy()[[4, 0]])


def test_contexts_over_the_budget_are_refused(star, monkeypatch):
    clf = DegFairGNNClassifier(context_hops=2, max_epochs=2, random_state=0)
    y = np.arange(42) % 3
    expected = clf.fit(star, y).predict_proba(star)
    size = int((np.linalg.matrix_power(star.A.toarray() + np.eye(42), 2) > 0).sum())
    monkeypatch.setattr("skdegfair.nn.neighborhoods.REACH_BUDGET", size)  # just enough
    np.testing.assert_array_equal(clf.fit(star, y).predict_proba(star), expected)
    monkeypatch.setattr("skdegfair.nn.neighborhoods.REACH_BUDGET", size - 1)
    with pytest.raises(ValueError, match=r'exceeds the budget of .* Use context_pool="walk"'):
        clf.fit(star, y)
    light = Graph(star.X, star.A * 0.01)  # the budget is about numbers of nodes, whatever the weights
    with pytest.raises(ValueError, match="exceeds the budget"):
        clf.fit(light, y)
    assert clf.set_params(context_pool="walk").fit(star, y).n_iter_ == 2


# -- predictions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("backbone", "hops", "pool"), [("gcn", 1, "set"), ("gat", 2, "set"), ("sage", 3, "walk")])
def test_predictions_in_slices_are_the_same(data, monkeypatch, backbone, hops, pool):
    clf = DegFairGNNClassifier(
        backbone=backbone, context_hops=hops, context_pool=pool, max_epochs=3, hidden_dim=8, n_layers=3, random_state=0
    ).fit(data.graph, data.y)
    expected, embedded = clf.predict_proba(data.graph), clf.embed(data.graph)
    shuffled = np.random.RandomState(0).permutation(120)
    shuffled.setflags(write=False)  # as arrays that joblib hands to workers
    for entries in (1, 200):
        monkeypatch.setattr("skdegfair.nn.infer.ENTRIES", entries)
        np.testing.assert_allclose(clf.predict_proba(data.graph), expected, rtol=1e-10)
        np.testing.assert_allclose(clf.predict_proba(data.graph[shuffled]), expected[shuffled], rtol=1e-10)
        np.testing.assert_allclose(clf.embed(data.graph[shuffled]), embedded[shuffled], rtol=1e-10, atol=1e-12)


# -- the classifier --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "backbone"), [(DegFairGNNClassifier, "gat"), (DegFairGNNClassifier, "sage"), (GNNClassifier, "gcn")]
)
def test_one_batch_of_all_nodes_is_training_on_the_whole_graph(data, cls, backbone):
    options = {"backbone": backbone, "max_epochs": 5, "dropout": 0.0, "random_state": 0}
    whole = cls(**options).fit(data.graph, data.y)
    batch = cls(**options, batch_size=120).fit(data.graph, data.y)
    np.testing.assert_allclose(batch.predict_proba(data.graph), whole.predict_proba(data.graph), rtol=1e-3)
    names = [name for name in whole.history_ if name != "seconds"]
    np.testing.assert_allclose(batch.history_[names], whole.history_[names], rtol=1e-3)


def test_batches_learn_as_well():
    made = make_degree_biased_graph(1500, random_state=0)
    train, test = np.arange(0, 1500, 2), np.arange(1, 1500, 2)
    scores = {}
    for name, options in {"whole": {"max_epochs": 150}, "batches": {"max_epochs": 15, "batch_size": 100}}.items():
        fitted = DegFairGNNClassifier(random_state=0, n_neighbors=8 if name == "batches" else None, **options)
        scores[name] = fitted.fit(made.graph[train], made.y[train]).score(made.graph[test], made.y[test])
    assert scores["batches"] > scores["whole"] - 0.05


def test_validation_in_batches(data):
    train, valid = np.arange(0, 120, 2), np.arange(1, 120, 2)
    fitted = DegFairGNNClassifier(
        batch_size=16, early_stopping=True, patience=5, max_epochs=40, learning_rate=0.05, random_state=0
    )
    fitted.fit(data.graph, data.y, nodes=train, validation_nodes=valid)
    history = fitted.history_
    assert fitted.best_epoch_ == history["valid_score"].idxmax()
    score = fitted.score(data.graph[valid], data.y[valid])  # all neighbours were read, so this is the same
    assert score == history["valid_accuracy"][fitted.best_epoch_]
    gap = delta_dsp(data.y[valid], fitted.predict(data.graph[valid]), degree=data.graph[valid])
    assert gap == pytest.approx(history["valid_delta_dsp"][fitted.best_epoch_])


@pytest.mark.filterwarnings("ignore:The loss term 'fairness' was 0 in every epoch")  # in batches of one node
def test_the_fairness_of_validation_nodes_does_not_hang_on_the_batches(data):
    train, valid = np.arange(0, 120, 2), np.arange(1, 120, 2)
    rows = []
    for batch_size in (None, 60, 7, 1):
        fitted = DegFairGNNClassifier(max_epochs=1, learning_rate=1e-9, batch_size=batch_size, random_state=0)
        history = fitted.fit(data.graph, data.y, nodes=train, validation_nodes=valid).history_
        rows.append(history[[name for name in history if name.startswith("valid_")]].iloc[0])
    assert rows[0]["valid_fairness_loss"] > 0
    for row in rows[1:]:
        pd.testing.assert_series_equal(row, rows[0], rtol=1e-4)


@pytest.mark.parametrize("caching", [True, False])
def test_scoring_of_training_nodes_knows_their_order(data, caching):
    scoring = EpochScoring(make_degree_scorer("dsp"), on_train=True, name="own", use_caching=caching)
    fitted = DegFairGNNClassifier(max_epochs=3, batch_size=17, dropout=0.0, learning_rate=1e-9, callbacks=[scoring])
    history = fitted.set_params(random_state=0).fit(data.graph, data.y).history_
    np.testing.assert_allclose(-history["own"], history["train_delta_dsp"])


def test_dropout_does_not_hang_on_what_is_drawn():
    n = 2001
    graph = Graph(np.ones((n, 1)), sp.csr_array(np.ones((n, n)) - np.eye(n)))
    sampler = NeighborSampler(Topology(graph, {OpenMean()}), [1], 0)
    block = sampler.batch(np.arange(n), 1).blocks[0]
    drawn = np.asarray(block[OpenMean()].forward.col_indices())
    kept = Dropout(0.5, 0)(torch.ones(n, 8), block.keys).numpy()
    assert max(abs(np.corrcoef(drawn, column)[0, 1]) for column in kept.T) < 0.12
    assert abs(kept.mean() - 1) < 0.05


def test_batches_are_reproducible(data):
    options = {"batch_size": 30, "n_neighbors": [3, 2], "max_epochs": 3}
    one, two, other = (
        DegFairGNNClassifier(random_state=seed, **options).fit(data.graph, data.y).predict_proba(data.graph)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 3}, "set batch_size too"),
        ({"distributed": True}, "set batch_size too"),
        ({"batch_size": 9, "n_neighbors": [3]}, "2 positive numbers, one per layer"),
        ({"batch_size": 9, "n_neighbors": [3, 0]}, "2 positive numbers, one per layer"),
        ({"batch_size": 9, "context_hops": 2, "context_pool": "walk"}, "set n_neighbors as well"),
        ({"batch_size": 9, "distributed": True, "random_state": None}, "same random_state in all processes"),
        ({"net_params": {"batch_size": 9}}, "Use batch_size="),
    ],
)
def test_options_that_do_not_go_together(data, options, message):
    clf = DegFairGNNClassifier(**{"random_state": 0, "max_epochs": 1} | options)
    with pytest.raises(ValueError, match=message):
        clf.fit(data.graph, data.y)
    assert not hasattr(clf, "net_")


# -- memory and processes --------------------------------------------------------------------------

MAPPED = """
import resource, sys
import numpy as np
import scipy.sparse as sp
import torch
from skdegfair import DegFairGNNClassifier, Graph

torch.set_num_threads(1)
folder, n = sys.argv[1], int(sys.argv[2])
DegFairGNNClassifier(max_epochs=1, batch_size=50, random_state=0).fit(np.eye(50), np.arange(50) % 2)  # all is loaded
now = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()  # data and stack
resource.setrlimit(resource.RLIMIT_DATA, (now + int(sys.argv[3]),) * 2)
X = np.load(f"{folder}/X.npy", mmap_mode="r")
parts = [np.load(f"{folder}/{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
graph = Graph(X, sp.csr_array(tuple(parts), shape=(n, n)))
train = np.arange(0, n, n // 500)
clf = DegFairGNNClassifier(max_epochs=1, batch_size=100, n_neighbors=5, random_state=0)
print(clf.fit(graph[train], np.arange(len(train)) % 2).predict(graph[:10]).shape)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_files_larger_than_the_memory_allowed(tmp_path):
    n, width = 40_000, 2500  # 400 MB of features
    X = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(n, width))
    X[:] = np.random.default_rng(0).normal(size=width).astype(np.float32)
    X.flush()
    A = make_degree_biased_graph(n, n_features=1, mean_degree=5, random_state=0).A
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(A, name))
    allowed = 250 * 2**20
    assert (tmp_path / "X.npy").stat().st_size > 1.5 * allowed
    command = [sys.executable, "-c", MAPPED, str(tmp_path), str(n), str(allowed)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # threads have memory of their own
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    assert done.stdout.strip() == "(10,)", done.stderr


TOGETHER = """
import os, pickle, sys
import numpy as np
import torch
from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph

torch.set_num_threads(1)
data = make_degree_biased_graph(150, random_state=0)
shared = "RANK" in os.environ
clf = DegFairGNNClassifier(
    batch_size=20 if shared else 40, n_neighbors=4, distributed=shared, backbone=sys.argv[2], fairness_weight=3.0,
    constraint_weight=0.01, max_epochs=4, early_stopping=True, random_state=0,
)
name = f"{sys.argv[1]}/{os.environ.get('RANK', 'alone')}"
clf.set_params(warm_start=True).fit(data.graph, data.y).fit(data.graph, data.y)
np.save(f"{name}.npy", clf.predict_proba(data.graph))
clf.history_.drop(columns="seconds").to_csv(f"{name}.csv")
with open(f"{name}.pkl", "wb") as file:
    pickle.dump(clf, file)
"""


@pytest.mark.parametrize("backbone", ["gcn", pytest.param("gat", marks=pytest.mark.slow)])
def test_two_processes_make_the_model_of_one_with_twice_the_batch(tmp_path, backbone):
    pytest.importorskip("accelerate")
    script = tmp_path / "together.py"
    script.write_text(TOGETHER)
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "0", "--rdzv-backend", "c10d"]
    launch += ["--rdzv-endpoint", "localhost:0"]
    for command in ([str(script)], [*launch, str(script)]):
        done = subprocess.run(
            [sys.executable, *command, str(tmp_path), backbone], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    alone, *others = (np.load(tmp_path / f"{name}.npy") for name in ("alone", "0", "1"))
    np.testing.assert_array_equal(*others)
    np.testing.assert_allclose(others[0], alone, atol=1e-5)
    histories = [pd.read_csv(tmp_path / f"{name}.csv") for name in ("alone", "0", "1")]
    assert len(histories[0]) == 8
    for history in histories[1:]:  # of all of the nodes, not of one process's
        pd.testing.assert_frame_equal(history, histories[0], rtol=1e-3, atol=1e-5)
    kept = (tmp_path / "0.pkl").read_bytes()
    assert b"accelerate" not in kept
    data = make_degree_biased_graph(150, random_state=0)
    np.testing.assert_allclose(pickle.loads(kept).predict_proba(data.graph), others[0])


def test_alone_is_not_together(data):
    pytest.importorskip("accelerate")
    clf = DegFairGNNClassifier(batch_size=9, distributed=True, random_state=0)
    with pytest.raises(ValueError, match="torchrun"):
        clf.fit(data.graph, data.y)
