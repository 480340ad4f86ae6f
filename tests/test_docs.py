"""The site in docs/: the API reference lists every public name, each has an example, and its tables are true."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from skdegfair import DegreeParityClassifier, EmbeddingClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph

ROOT = Path(__file__).parent.parent
API = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
WHOLLY_PUBLIC = ["", ".datasets", ".display", ".embedding", ".metrics", ".mitigation", ".postprocessing", ".tuning"]
PARTLY_PUBLIC = [".graph", ".nn", ".training"]
"""Their ``__all__`` also lists what the other packages share; docs/api.rst says what is public."""


def listed():
    """The names in docs/api.rst, with their packages, in order."""
    module, names, inside = None, [], False
    for line in API.splitlines():
        if found := re.match(r"\.\. (?:current)?module:: (\S+)", line):
            module = found[1]
        elif not line.startswith(" ") and line:
            inside = line.startswith(".. autosummary::")
        elif inside and re.fullmatch(r"   \w+", line):
            names.append((module, line.strip()))
    return names


def resolve(module, name):
    return getattr(importlib.import_module(module), name)


LISTED = listed()


def is_documented_by_itself(each):
    return inspect.isclass(each) or inspect.isfunction(each)


def test_names_are_listed_once_and_are_exported():
    assert len({name for _, name in LISTED}) == len(LISTED) > 90
    public = {f"skdegfair{each}" for each in (*WHOLLY_PUBLIC, *PARTLY_PUBLIC, ".exceptions")}
    for module, name in LISTED:
        assert module in public
        package = importlib.import_module(module)
        assert name in (getattr(package, "__all__", None) or vars(package)), f"{module}.{name}"


@pytest.mark.parametrize("package", WHOLLY_PUBLIC)
def test_api_reference_is_complete(package):
    module = importlib.import_module(f"skdegfair{package}")
    known = [resolve(*each) for each in LISTED]
    for name in module.__all__:
        each = getattr(module, name)
        if is_documented_by_itself(each):
            assert any(each is other for other in known), f"docs/api.rst does not list {name}"
        else:
            assert re.search(rf"``{name}``|^   {name}$", API, flags=re.MULTILINE), f"docs/api.rst does not name {name}"


def test_exceptions_are_listed():
    module = importlib.import_module("skdegfair.exceptions")
    own = {name for name, each in vars(module).items() if isinstance(each, type)}
    assert own == {name for package, name in LISTED if package == module.__name__}


@pytest.mark.parametrize(("module", "name"), LISTED)
def test_every_public_name_has_a_docstring_with_an_example(module, name):
    text = inspect.getdoc(resolve(module, name)) or ""
    assert re.match(r"\S.{10,}\.", text), "the first line says what it is"
    assert re.search(r"^Examples\n-+$", text, flags=re.MULTILINE)
    assert ">>> " in text.partition("Examples\n")[2]


# -- tables of methods -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables():
    """docs/_ext/capabilities.py, which needs docutils."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install '.[docs]'")
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        yield importlib.import_module("capabilities")
    finally:
        sys.path.pop(0)


def by_name(rows):
    return {re.fullmatch(r":class:`~skdegfair\.(?:\w+\.)?(\w+)`", row["method"])[1]: row for row in rows}


def is_refused(check, **settings):
    usual = {"backbone": "gcn", "n_layers": 2, "batch_size": None, "distributed": False, "directed": False}
    try:
        check(**{**usual, **settings})
    except ValueError:
        return True
    return False


def test_the_page_of_methods_has_both_tables():
    page = (ROOT / "docs" / "mitigation.rst").read_text(encoding="utf-8")
    assert re.findall(r"^\.\. capabilities:: (\w+)$", page, flags=re.MULTILINE) == ["settings", "methods"]


def test_settings_are_refused_where_the_table_says_so(tables):
    rows = by_name(tables.settings_table())
    assert rows.keys() == tables.mitigations().keys() >= {"DegFair", "FairGNN", "RawlsGCN", "ReleasedDegFair"}
    for name, row in rows.items():
        check = tables.mitigations()[name]().check
        for backbone in ("gcn", "gat", "sage"):
            assert is_refused(check, backbone=backbone) == (backbone not in row["backbone"].split(", "))
        smallest = int(row["n_layers"].removesuffix(" or more"))
        assert [is_refused(check, n_layers=n) for n in (1, 2)] == [n < smallest for n in (1, 2)]
        found = [is_refused(check, **{each: 1}) for each in ("batch_size", "distributed", "directed")]
        assert found == [row[each] == "no" for each in ("batches", "several processes", "directed graphs")]


def test_methods_do_what_the_table_says(tables):
    """Each is fitted to three classes, with three degree groups if it has that many, and shown another graph."""
    data, other = (make_degree_biased_graph(80, random_state=seed) for seed in (0, 1))
    rows = by_name(tables.methods_table())
    methods = {**tables.mitigations(), **tables.embeddings()}
    assert rows.keys() == {*methods, "DegreeParityClassifier"}
    for name, method in methods.items():
        groups = {"fairness_groups": 3} if rows[name]["more than two degree groups"] == "yes" else {}
        assert groups or "fairness_groups" not in method().get_params()
        if rows[name]["kind"] == "mitigation":
            clf = GNNClassifier(mitigation=method(**groups), max_epochs=2, random_state=0)
        else:
            extra = {"null": "groups"} if name == "Residual2Vec" else {}
            clf = EmbeddingClassifier(method(**groups, **extra), LogisticRegression())
        assert_as_in_the_table(clf, rows[name], data, other)
    clf = DegreeParityClassifier(GNNClassifier(max_epochs=2, random_state=0), fairness_groups=3, random_state=0, cv=0.5)
    assert len(clf.fit(data.graph, data.y).classes_) == 3
    assert clf.predict(other.graph).shape == (80,)


def assert_as_in_the_table(clf, row, data, other):
    assert len(clone(clf).fit(data.graph, data.y).classes_) == 3
    clf.fit(data.graph, data.y)
    if row["graphs not seen in fit"] == "yes":
        assert clf.predict(other.graph).shape == (80,)
    else:
        with pytest.raises(ValueError, match="has vectors for the nodes of the graph"):
            clf.predict(other.graph)


def test_measured_costs_are_those_of_the_benchmark(tables):
    costs = tables.epoch_costs()
    assert costs.keys() <= tables.mitigations().keys()
    low, high = map(float, costs["DegFair"].split(" to "))
    assert 1 < low < high


# -- the site --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    """Without running the scripts of the gallery."""
    pytest.importorskip("sphinx_gallery", reason="Sphinx is not installed: pip install '.[docs]'")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-D",
        "plot_gallery=0",
        "-d",
        tmp_path / "doctrees",
    ]
    done = subprocess.run([*command, ROOT / "docs", tmp_path / "html"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    landing = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert "Findings" in landing
    assert "delta DSP 0." in landing
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "html").rglob("*.html")]
    remote = {
        link for page in pages for link in re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(https?:[^\"]+)", page)
    }
    assert not remote, "the site loads something from the network"
