"""Imports point one way, and light parts do not load heavy ones."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "skdegfair"
MAY_IMPORT = {  # packages and modules by name, "" is skdegfair/__init__.py; all may import BASICS
    "_version": set(),
    "exceptions": set(),
    "docstrings": set(),
    "fitting": set(),
    "parameters": set(),
    "resources": set(),
    "tensorfile": set(),
    "graph": set(),
    "datasets": {"graph"},
    "metrics": {"graph"},
    "display": {"graph", "metrics"},
    "nn": {"graph"},
    "mitigation": {"graph", "nn"},
    "training": {"graph", "metrics", "mitigation", "nn", "tensorfile"},
    "estimators": {"graph", "mitigation", "nn", "training"},
    "embedding": {"graph", "nn"},
    "postprocessing": {"graph"},
    "tuning": {"display", "estimators", "graph", "metrics", "mitigation"},  # a search writes its page
    "persistence": {"embedding", "estimators", "graph", "mitigation", "nn", "postprocessing", "tensorfile", "training"},
    "cli": {"", "display", "estimators", "graph", "metrics"},
    "__main__": {"cli"},
    "": {"embedding", "estimators", "graph", "metrics", "persistence", "postprocessing"},
}
BASICS = {"_version", "docstrings", "exceptions", "fitting", "parameters", "resources"}
MODULES = sorted(PACKAGE.rglob("*.py"))
every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_modules(tree, path, package=PACKAGE):
    """Files of the package that a module imports: at its top, in functions, and for type checking alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            assert folder.is_relative_to(package), f"an import in {path} leaves the package"
            base = folder.joinpath(*(node.module or "").split("."))
            yield from {as_file(base / alias.name) or as_file(base) for alias in node.names}
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert not any(name.split(".")[0] == package.name for name in names), f"absolute import in {path}"


def as_file(module):
    """The file of a module or a package, None if there is none."""
    return next((file for file in (module.with_suffix(".py"), module / "__init__.py") if file.exists()), None)


def part_of(path):
    """Name of the package inside skdegfair that a module is in, or of the module itself if it is in none."""
    name = path.relative_to(PACKAGE).parts[0]
    return "" if name == "__init__.py" else name.removesuffix(".py")


def cycle(package=PACKAGE):
    """Names of modules that import each other in a circle, empty if there are none."""
    arrows = {path: set(imported_modules(parsed(path), path, package)) for path in sorted(package.rglob("*.py"))}
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return [path.relative_to(package).as_posix() for path in error.args[1]]
    return []


def test_every_package_is_in_the_table():
    assert set(MAY_IMPORT) == {part_of(path) for path in MODULES}


@every_module
def test_arrows(path):
    part = part_of(path)
    imported = {part_of(module) for module in imported_modules(parsed(path), path)}
    assert imported <= MAY_IMPORT[part] | {part} | BASICS


def test_no_cycles():
    TopologicalSorter(MAY_IMPORT).prepare()
    assert cycle() == []


@pytest.mark.parametrize(
    "back",
    [
        "from .a import f",
        "from . import a",
        "def g():\n    from .a import f",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import f",
        "from . import f",  # from the package, which imports a
        "from ..lower.a import f",
    ],
)
def test_cycles_are_found(tmp_path, back):
    """Of modules that import each other when loaded, in a function, for type checking, or through their package."""
    lower = tmp_path / "lower"
    lower.mkdir()
    (tmp_path / "__init__.py").write_text("")
    (lower / "__init__.py").write_text("from .a import f\n")
    (lower / "a.py").write_text("from .b import g\n\ndef f(): ...\n")
    (lower / "b.py").write_text("def g(): ...\n")
    assert cycle(tmp_path) == []
    (lower / "b.py").write_text(f"{back}\n")
    assert {"lower/a.py", "lower/b.py"} <= set(cycle(tmp_path))


@every_module
def test_only_packages_import_for_type_checking(path):
    """A package may name what it imports at first use; a module has no imports that only a type checker sees."""
    blocks = [
        node for node in ast.walk(parsed(path)) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    assert not blocks or path.name == "__init__.py"


def test_names_imported_at_first_use_point_down():
    """Their homes are strings, which the tests above do not read."""
    import skdegfair

    assert {home.lstrip(".").split(".")[0] for home in skdegfair._HOMES.values()} <= MAY_IMPORT[""]
    assert set(skdegfair._HOMES) == set(skdegfair.__all__)


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
        ("skdegfair.persistence", ["matplotlib", "optuna", "networkx", "dask", "accelerate", "safetensors"]),
        ("skdegfair.estimators", ["matplotlib", "optuna", "networkx", "dask", "accelerate", "tqdm.notebook"]),
        ("skdegfair.training", ["matplotlib", "optuna", "networkx", "dask", "accelerate", "tqdm.notebook"]),
        ("skdegfair.mitigation", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch"]),
        ("skdegfair.nn", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch"]),
        ("skdegfair.metrics", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.display", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.tuning", ["torch_geometric", "matplotlib", "networkx", "skorch", "torch"]),
        ("skdegfair", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch", "safetensors"]),
        ("skdegfair.graph", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
        ("skdegfair.datasets", ["torch_geometric", "matplotlib", "optuna", "networkx", "skorch", "torch"]),
    ],
)
def test_what_an_import_does_not_load(module, absent):
    code = f"import {module}, sys; print([name for name in {absent!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@every_module
def test_torch_geometric_is_never_imported(path):
    """Not even by ``Graph.from_pyg``, which reads the tensors of the object that it is given."""
    for node in ast.walk(parsed(path)):
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
print("delta DSP" in str(report), "<table" in report._repr_html_(), "<table" in report.to_html())
try:
    skdegfair.display.report_page(report)
except ImportError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == ["True True True", 'Drawing needs matplotlib: pip install "skdegfair[plot]".']
