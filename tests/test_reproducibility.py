"""The same seed gives the same bits, anywhere, and the caller's generators are left alone."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from joblib import Parallel, delayed

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import CFC, DSGCN, FairGNN, FairVGNN, RawlsGCN, TailGNN


def probabilities(cls, graph, y, **options):
    fitted = cls(max_epochs=10, random_state=3, early_stopping=True, **options).fit(graph, y)
    return fitted.predict_proba(graph)


@pytest.mark.parametrize(("cls", "backbone"), [(DegFairGNNClassifier, "gat"), (GNNClassifier, "gcn")])
def test_alone_and_in_threads(data, cls, backbone):
    expected = probabilities(cls, data.graph, data.y, backbone=backbone)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(probabilities, cls, data.graph, data.y, backbone=backbone) for _ in range(8)]
    for job in jobs:
        np.testing.assert_array_equal(job.result(), expected)


FORKED = """
import os, signal, sys, threading
import torch
from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph

data = make_degree_biased_graph(300, random_state=0)

def probabilities():
    clf = DegFairGNNClassifier(max_epochs=4, random_state=0).fit(data.graph, data.y)
    return clf.predict_proba(data.graph).tobytes()

expected, going = probabilities(), True

def fit_on():
    while going:
        probabilities()

thread = threading.Thread(target=fit_on)
thread.start()
try:
    for _ in range(5):
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # a child that hangs dies
            os._exit(0 if probabilities() == expected else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
finally:
    going = False
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_another_thread_fits():
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED]  # Python itself warns of forks
    assert subprocess.run(command, capture_output=True, text=True).stdout.split() == ["0"] * 5


def test_in_processes(data):
    cases = [(cls, backbone) for cls in (DegFairGNNClassifier, GNNClassifier) for backbone in ("gcn", "gat", "sage")]
    jobs = (delayed(probabilities)(cls, data.graph, data.y, backbone=backbone) for cls, backbone in cases)
    for (cls, backbone), result in zip(cases, Parallel(n_jobs=2)(jobs), strict=True):
        np.testing.assert_array_equal(result, probabilities(cls, data.graph, data.y, backbone=backbone))


SIZES = [(120, 6, 32), (121, 7, 20), (2003, 37, 28), (2003, 6, 36)]
QUICK = {("gcn", SIZES[2]), ("gat", SIZES[1]), ("sage", SIZES[0])}


def with_threads(function):
    """What a function returns with one, two and four threads of torch."""
    before = torch.get_num_threads()
    try:
        results = []
        for number in (1, 2, 4):
            torch.set_num_threads(number)
            results.append(function())
    finally:
        torch.set_num_threads(before)
    return results


@pytest.mark.parametrize(
    ("backbone", "n_nodes", "n_features", "hidden_dim"),
    [
        pytest.param(backbone, *size, marks=() if (backbone, size) in QUICK else pytest.mark.slow)
        for backbone in ("gcn", "gat", "sage")
        for size in SIZES
    ],
)
def test_whatever_the_number_of_torch_threads(backbone, n_nodes, n_features, hidden_dim):
    made = make_degree_biased_graph(n_nodes, n_features=n_features, random_state=0)
    options = {"backbone": backbone, "hidden_dim": hidden_dim}
    results = with_threads(lambda: probabilities(DegFairGNNClassifier, made.graph, made.y, **options))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize(
    "method",
    [FairGNN(fairness_groups=3), RawlsGCN(), RawlsGCN(form="gradient"), CFC(fairness_hops=[1, 2]), FairVGNN(),
     TailGNN(), TailGNN(translate="output"), DSGCN(), DSGCN(index="target")],
    ids=str,
)  # fmt: skip
def test_methods_whatever_the_number_of_torch_threads(method):
    made = make_degree_biased_graph(2003, n_features=37, random_state=0)
    results = with_threads(lambda: probabilities(GNNClassifier, made.graph, made.y, mitigation=method))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize("random_state", [None, 0])
def test_global_generators_are_untouched(data, random_state):
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(5)
    before = np.random.get_state()[1].copy(), torch.get_rng_state().clone()  # noqa: NPY002
    fitted = DegFairGNNClassifier(max_epochs=3, early_stopping=True, random_state=random_state)
    fitted.fit(data.graph, data.y).predict(data.graph)
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before[1])


def test_no_seed_means_a_new_one_each_time(data):
    one, two = (DegFairGNNClassifier(max_epochs=3).fit(data.graph, data.y).predict_proba(data.graph) for _ in range(2))
    assert not np.array_equal(one, two)


def test_a_random_state_moves_on(data):
    state = np.random.RandomState(0)
    clf = DegFairGNNClassifier(max_epochs=3, random_state=state)
    one, two = (clf.fit(data.graph, data.y).predict_proba(data.graph) for _ in range(2))
    assert not np.array_equal(one, two)
