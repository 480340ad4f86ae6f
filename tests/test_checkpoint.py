"""A fit with a checkpoint goes on after it was stopped, and ends with the same bits."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from skorch.callbacks import Callback

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.mitigation import CFC, DSGCN, FairGNN, FairVGNN, RawlsGCN, ReleasedDegFair, TailGNN
from skdegfair.training import read_checkpoint

EPOCHS = 12


class Power(Callback):
    """Cuts the power at the beginning of an epoch. This is no parameter: those belong to the identity of a fit."""

    cut_at = None

    def on_epoch_begin(self, net, **kwargs):
        if len(net.history) == Power.cut_at:
            raise RuntimeError("no power")

    def state_dict(self):
        return {"cut_at": Power.cut_at}

    def load_state_dict(self, state):
        self.restored = state


@pytest.fixture(autouse=True)
def power():
    """The switch."""
    yield Power
    Power.cut_at = None


def interrupted_at(epoch, data, model, error=RuntimeError):
    """Fit until the power is cut, and leave it on."""
    Power.cut_at = epoch
    with pytest.raises(error):
        model.set_params(callbacks=[("power", Power())]).fit(data.graph, data.y)
    Power.cut_at = None
    return model


def model(cls=DegFairGNNClassifier, **params):
    return cls(**{"max_epochs": EPOCHS, "random_state": 0, "hidden_dim": 8, **params})


def weights(clf):
    return {name: value.numpy() for name, value in clf.module_.state_dict().items()}


def assert_same_fit(one, other):
    assert weights(one).keys() == weights(other).keys()
    for name, value in weights(one).items():
        np.testing.assert_array_equal(value, weights(other)[name])
    pd.testing.assert_frame_equal(one.history_.drop(columns="seconds"), other.history_.drop(columns="seconds"))
    assert (one.stop_reason_, one.n_iter_, one.best_epoch_) == (other.stop_reason_, other.n_iter_, other.best_epoch_)


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (DegFairGNNClassifier, {}),
        (DegFairGNNClassifier, {"batch_size": 25, "n_neighbors": 3}),
        (DegFairGNNClassifier, {"early_stopping": True, "patience": 3, "fairness_ramp": 0.2}),
        (DegFairGNNClassifier, {"early_stopping": True, "batch_size": 40, "monitor": "valid_loss"}),
        (DegFairGNNClassifier, {"backbone": "gat"}),
        (GNNClassifier, {"mitigation": FairGNN()}),
        (GNNClassifier, {"mitigation": RawlsGCN()}),
        (GNNClassifier, {"mitigation": CFC(fairness_hops=[1, 2])}),
        (GNNClassifier, {"mitigation": FairVGNN(n_masks=2)}),
        (GNNClassifier, {"mitigation": TailGNN()}),
        (GNNClassifier, {"mitigation": DSGCN()}),
        (GNNClassifier, {"mitigation": ReleasedDegFair(), "backbone": "gat"}),
        (GNNClassifier, {"net_params": {"optimizer": torch.optim.SGD, "optimizer__momentum": 0.9}}),
    ],
    ids=str,
)
@pytest.mark.parametrize("cut_at", [2, 7])
def test_same_weights_as_without_interruption(data, tmp_path, cls, params, cut_at):
    path = tmp_path / "checkpoint"
    expected = model(cls, **params).fit(data.graph, data.y)
    resumed = interrupted_at(cut_at, data, model(cls, checkpoint=path, **params))
    assert 1 <= read_checkpoint(path).document["n_epochs"] < cut_at
    resumed.fit(data.graph, data.y)
    assert_same_fit(resumed, expected)
    np.testing.assert_array_equal(resumed.predict_proba(data.graph), expected.predict_proba(data.graph))


@pytest.mark.parametrize("params", [{}, {"early_stopping": True, "patience": 2}], ids=str)
def test_a_finished_fit_is_not_repeated(data, tmp_path, params):
    path = tmp_path / "checkpoint"
    first = model(checkpoint=path, **params).fit(data.graph, data.y)
    untouched = path.stat().st_mtime_ns
    assert_same_fit(model(checkpoint=str(path), **params).fit(data.graph, data.y), first)
    assert path.stat().st_mtime_ns == untouched


def test_without_random_state_the_seed_is_that_of_the_checkpoint(data, tmp_path):
    params = {"random_state": None, "early_stopping": True, "checkpoint": tmp_path / "checkpoint"}
    first = model(**params).fit(data.graph, data.y)
    assert_same_fit(model(**params).fit(data.graph, data.y), first)


def test_a_callback_with_a_state_gets_it_back(data, tmp_path):
    resumed = interrupted_at(5, data, model(checkpoint=tmp_path / "checkpoint")).fit(data.graph, data.y)
    assert dict(resumed.net_.callbacks_)["power"].restored == {"cut_at": 5}
    assert len(pickle.dumps(resumed)) < 1.1 * len(pickle.dumps(model(callbacks=[Power()]).fit(data.graph, data.y)))


def test_an_interrupted_fit_leaves_its_checkpoint(data, tmp_path, monkeypatch):
    """Ctrl-C ends the fit; what it has learned so far is in the file."""

    def ctrl_c(self, net, **kwargs):
        if len(net.history) == Power.cut_at:
            raise KeyboardInterrupt

    monkeypatch.setattr(Power, "on_epoch_begin", ctrl_c)
    path = tmp_path / "checkpoint"
    clf = interrupted_at(4, data, model(checkpoint=path), KeyboardInterrupt)
    assert not hasattr(clf, "classes_")
    assert read_checkpoint(path).document["stop_reason"] is None
    assert_same_fit(clf.fit(data.graph, data.y), model().fit(data.graph, data.y))


def test_what_scipy_notes_about_a_matrix_does_not_matter(data, tmp_path):
    path = tmp_path / "checkpoint"
    graph = Graph(data.X, data.A)
    first = model(checkpoint=path).fit(graph, data.y)
    graph.A.has_sorted_indices  # noqa: B018
    graph.A.sum_duplicates()
    assert_same_fit(model(checkpoint=path).fit(graph, data.y), first)


KILLED = """
import os, signal, sys
from test_checkpoint import Power, model
from skdegfair.datasets import make_degree_biased_graph

def kill(self, net, **kwargs):
    if len(net.history) == 6:
        os.kill(os.getpid(), signal.SIGKILL)

Power.on_batch_end = kill
data = make_degree_biased_graph(120, n_features=6, mean_degree=6, random_state=0)
model(checkpoint=sys.argv[1], callbacks=[Power()], batch_size=30).fit(data.graph, data.y)
"""


def test_kill(data, tmp_path):
    path = tmp_path / "checkpoint"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ["PYTHONPATH"]])}
    run = subprocess.run([sys.executable, "-c", KILLED, str(path)], env=environment, check=False)
    assert run.returncode == -signal.SIGKILL
    resumed = model(checkpoint=path, callbacks=[Power()], batch_size=30).fit(data.graph, data.y)
    assert_same_fit(resumed, model(batch_size=30).fit(data.graph, data.y))
