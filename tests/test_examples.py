"""The scripts of the gallery run without an error or a warning, each in a process and a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
ORDER = (EXAMPLES / "order.txt").read_text(encoding="utf-8").split()
QUICK = {"plot_quickstart.py", "plot_own_csv.py", "plot_saving.py"}
STRICT = ["-W", "error", "-W", "ignore::DeprecationWarning:torch.jit._script"]  # as in pyproject.toml


def files_of(folder):
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ORDER]
)
def test_script_runs(name, tmp_path):
    before = files_of(EXAMPLES)
    here = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"} | here
    ended = subprocess.run(
        [sys.executable, *STRICT, EXAMPLES / name], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    assert ended.returncode == 0, ended.stderr
    assert "Warning" not in ended.stderr
    assert ended.stdout
    assert not list(tmp_path.iterdir())
    assert files_of(EXAMPLES) == before


def test_order_lists_every_script_once():
    assert sorted(ORDER) == sorted(path.name for path in EXAMPLES.glob("plot_*.py"))


@pytest.mark.parametrize("name", ORDER)
def test_form(name):
    """What sphinx-gallery needs: a title with its underline, cells, and a figure at the end."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    title, underline = re.match(r'"""\n(.+)\n(=+)\n\n', text).groups()
    assert len(title) == len(underline)
    assert text.count("\n# %%\n") >= 2
    assert text.endswith("plt.show()\n")


@pytest.mark.parametrize("name", ORDER)
def test_abbreviations_are_spelled_out(name):
    words = " ".join((EXAMPLES / name).read_text(encoding="utf-8").replace("\n#", " ").split())
    for short, full in {"DSP": "degree statistical parity", "DEO": "degree equal opportunity"}.items():
        assert short not in words or full in words
