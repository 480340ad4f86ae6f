"""Imports point one way, and light parts do not load heavy ones."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "skdegfair"
MAY_IMPORT = {
    "graph": set(),
    "datasets": {"graph"},
    "metrics": {"graph"},
    "display": {"graph", "metrics"},
    "nn": {"graph"},
    "training": {"graph", "metrics", "nn"},
    "tuning": {"", "graph", "metrics"},
    "": {"graph", "metrics", "nn", "training"},
}


LATE = {"metrics/_render.py": {"display"}}  # a report's page has plots, which are made when it is


def imported_parts(path):
    """Top-level parts of the package that a module imports from."""
    inside = path.relative_to(PACKAGE).parts[:-1]
    module = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        node for function in ast.walk(module) if isinstance(function, ast.FunctionDef) for node in ast.walk(function)
    }
    allowed_late = LATE.get(path.relative_to(PACKAGE).as_posix(), set())
    for node in ast.walk(module):
        if node in late and isinstance(node, ast.ImportFrom) and set((node.module or "").split(".")) & allowed_late:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = inside[: len(inside) - node.level + 1]
            target = [*base, *(node.module or "").split(".")]
            yield target[0] if (PACKAGE / target[0]).is_dir() else ""
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert not any(name.split(".")[0] == "skdegfair" for name in names), f"absolute import in {path}"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_arrows(path):
    part = path.relative_to(PACKAGE).parts[0] if path.parent != PACKAGE else ""
    assert set(imported_parts(path)) <= MAY_IMPORT[part] | {part}


def test_names_of_the_package():
    import skdegfair

    assert set(skdegfair.__all__) <= set(dir(skdegfair))
    assert all(getattr(skdegfair, name).__name__ == name for name in skdegfair.__all__)
    with pytest.raises(AttributeError, match="no attribute 'GNN'"):
        skdegfair.GNN  # noqa: B018


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        # torch_geometric is missing here: skorch imports it wherever it is installed, see the next two tests
        ("skdegfair._degfair", ["matplotlib", "optuna", "networkx", "dask", "accelerate", "tqdm.notebook"]),
        ("skdegfair.nn", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch"]),
        ("skdegfair.metrics", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.display", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.tuning", ["torch_geometric", "matplotlib", "networkx", "skorch", "torch"]),
        ("skdegfair.graph", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.datasets", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
    ],
)
def test_what_an_import_does_not_load(module, absent):
    code = f"import {module}, sys; print([name for name in {absent!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_torch_geometric_is_never_imported(path):
    """Not even by ``Graph.from_pyg``, which reads the tensors of the object that it is given."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(name.split(".")[0] == "torch_geometric" for name in names)


def test_everything_works_without_torch_geometric():
    """As on a machine that does not have it."""
    code = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch_geometric":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from types import SimpleNamespace
import torch
from skdegfair import DegFairGNNClassifier, Graph, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import DegreeFairnessReport
data = make_degree_biased_graph(60, random_state=0)
for backbone in ("gcn", "gat", "sage"):
    clf = DegFairGNNClassifier(backbone=backbone, max_epochs=2, random_state=0).fit(data.graph, data.y)
    print(len(clf.predict(data.graph)))
print(len(GNNClassifier(max_epochs=2).fit(data.X, data.A, data.y).predict(data.X, data.A)))
print("delta DSP" in str(DegreeFairnessReport.from_estimator(clf, data.graph, data.y)))
stand_in = SimpleNamespace(x=torch.ones(3, 1), edge_index=torch.tensor([[0], [1]]))
print(Graph.from_pyg(stand_in).degree().tolist())
print([name for name in sys.modules if name.split(".")[0] == "torch_geometric"])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert out.stdout.splitlines() == ["60", "60", "60", "60", "True", "[1.0, 1.0, 0.0]", "[]"]


def test_metrics_and_displays_without_torch_and_matplotlib():
    """As on a machine that has neither: what does not draw works, and what draws says what is missing."""
    code = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "skorch", "optuna", "matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import skdegfair.metrics, skdegfair.display
report = skdegfair.metrics.degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 1], degree=[1, 2, 3, 4], share=0.5)
print("delta DSP" in str(report), "<table" in report._repr_html_())
try:
    report.to_html()
except ImportError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == ["True True", 'Drawing needs matplotlib: pip install "skdegfair[plot]".']
