"""Small graphs that most tests share; no network; one thread per process."""

import importlib.util
import os
import runpy
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from skdegfair import Graph
from skdegfair.datasets import make_degree_biased_graph

if importlib.util.find_spec("matplotlib"):
    import matplotlib as mpl

    mpl.use("Agg")  # figures without a screen

OFFLINE = Path(__file__).parent / "offline"
collect_ignore = [OFFLINE.name]  # holds no tests
runpy.run_path(str(OFFLINE / "sitecustomize.py"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # for processes that start from here, such as those of pytest-xdist
torch.set_num_threads(1)  # on small graphs threads only wait for each other, the more so on a busy machine


@pytest.fixture(scope="session")
def data():
    """A graph of 120 nodes: features, adjacency, labels."""
    return make_degree_biased_graph(120, n_features=6, mean_degree=6, random_state=0)


@pytest.fixture
def small():
    """Twelve nodes of very different degree, one of them isolated."""
    random = np.random.RandomState(3)
    A = np.zeros((12, 12))
    for i, j in [(0, k) for k in range(1, 8)] + [(1, 2), (3, 4), (8, 9), (9, 10), (2, 8)]:
        A[i, j] = A[j, i] = 1.0
    return Graph(random.normal(size=(12, 5)), sp.csr_array(A))


@pytest.fixture
def paper_data(monkeypatch):
    """Folder of the paper's archives, which fetchers then find; the test is skipped where it is missing."""
    folder = Path(os.environ.get("SKDEGFAIR_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "Chameleon.zip").exists():
        pytest.skip("the paper's data is not here; set SKDEGFAIR_DATA to its folder")
    monkeypatch.setenv("SKDEGFAIR_DATA", str(folder))
    return folder
