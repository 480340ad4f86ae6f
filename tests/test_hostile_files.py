"""A part of ``benchmarks/hostile_files.py``: mutated files are refused in good order, or are whole."""

import resource
import sys
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def hostile():
    """The benchmark, which is a script and not part of the package."""
    sys.path.insert(0, str(FOLDER))
    try:
        import hostile_files

        yield hostile_files
    finally:
        sys.path.remove(str(FOLDER))


@pytest.mark.parametrize(("run", "number"), [("run_models", 300), ("run_archives", 100)])
def test_mutated_files(hostile, run, number, tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts = Counter(getattr(hostile, run)(1, range(number), tmp_path))
    outcomes = {outcome for _, outcome in counts}
    assert outcomes <= hostile.FINE
    assert {(False, "refused"), (True, "refused"), (True, "read")} <= set(
        counts
    )  # mutations are neither trivial nor void
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 600 * (1024 if sys.platform != "darwin" else 2**20)


def test_files_that_were_not_changed(hostile, tmp_path):
    graph, originals = hostile.models()
    for content, expected in originals:
        (tmp_path / "model").write_bytes(content)
        assert hostile.digest(hostile.skdegfair.load(tmp_path / "model"), graph) == expected
    assert [read(content).A.shape for read, content in hostile.archives()] == [(60, 60), (60, 60)]


def test_the_result_on_file():
    """What the documentation says: all files were read or refused in good order, below 1 GB."""
    text = (FOLDER / "results" / "hostile_files.txt").read_text(encoding="utf-8")
    assert "Model files: 10000 files" in text
    assert "Data archives: 2000 files" in text
    assert text.count("neither read nor refused in good order: 0") == text.count("below 1 GB") == 2
