"""What is installed: the declared requirements agree with each other, and the built archives are complete."""

import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from itertools import chain
from pathlib import Path

import pytest
import setuptools
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LEFTOVERS = {  # names of folders that git ignores
    "__pycache__", "_build", "auto_examples", "build", "demo_output", "dist", "generated", "partial", "quick",
}  # fmt: skip
NOT_OURS = {"pyparsing"}  # versions in constraints-oldest.txt of what only other packages require


@pytest.fixture
def declared(monkeypatch):
    """The arguments of setup()."""
    arguments = {}
    monkeypatch.setattr(setuptools, "setup", arguments.update)
    runpy.run_path(str(ROOT / "setup.py"))
    return arguments


def oldest_versions():
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line.split("==") for line in lines if not line.startswith("#")]
    assert len(dict(pinned)) == len(pinned)
    return {canonicalize_name(name): Version(version) for name, version in pinned}


def test_extras_are_those_in_the_readme(declared):
    readme = (ROOT / "README.rst").read_text(encoding="utf-8")
    table = re.search(r"^(=+ =+)\n((?:``.*\n)+)\1$", readme, flags=re.MULTILINE)[2]
    assert set(re.findall(r"^``(\w+)``", table, flags=re.MULTILINE)) == set(declared["extras_require"])
    assert all(declared["extras_require"].values())


def test_lower_bounds_are_the_oldest_versions_tested(declared):
    """Except those of the documentation, which is not built by the tests."""
    extras = declared["extras_require"]
    oldest, seen = oldest_versions(), set()
    for text in chain(declared["install_requires"], *(extras[name] for name in set(extras) - {"docs"})):
        requirement = Requirement(text)
        (bound,) = requirement.specifier
        assert bound.operator == ">=", text
        name = canonicalize_name(requirement.name)
        assert oldest[name] == Version(bound.version), text
        seen.add(name)
    assert set(oldest) - seen == NOT_OURS


def test_what_the_extras_need_is_there_for_the_tests(declared):
    extras = declared["extras_require"]
    assert all(set(extras[name]) <= set(extras["test"]) for name in set(extras) - {"docs"})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder of a wheel and a source archive, built from a copy of the tree."""
    copy, folder = tmp_path_factory.mktemp("tree") / "copy", tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "*.egg-info", *LEFTOVERS))
    build = f"from setuptools.build_meta import *; build_sdist({str(folder)!r}); build_wheel({str(folder)!r})"
    run = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder


def in_the_tree(*folders):
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {
        path.relative_to(ROOT).as_posix() for path in paths if not LEFTOVERS.intersection(path.relative_to(ROOT).parts)
    }


@pytest.mark.slow
def test_the_wheel_is_the_package_alone(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert "skdegfair/py.typed" in names
    assert names == in_the_tree("skdegfair")


@pytest.mark.slow
def test_the_source_archive_has_what_the_tests_need(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    files = "CHANGES.rst CITATION.cff LICENSE Makefile README.rst SECURITY.md constraints.txt constraints-oldest.txt"
    assert names.issuperset([*files.split(), "pyproject.toml", "setup.py"])
    wanted = in_the_tree("benchmarks", "docs", "examples", "skdegfair", "tests")
    assert wanted <= names, sorted(wanted - names)
