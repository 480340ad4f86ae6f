"""The README's examples run as printed."""

import re
import textwrap
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.rst").read_text(encoding="utf-8")


def blocks():
    return [textwrap.dedent(code) for code in re.findall(r"code-block:: python\n\n((?:    .*\n|\n)+)", README)]


@pytest.fixture(scope="module")
def names():
    """What the first block defines; the others go on from there."""
    return {}


def test_first_example_and_search(names, capsys):
    first, search, _, routed, tuned, objective, batches = blocks()
    exec(first, names)
    assert 0.5 < names["clf"].score(names["test"], names["y_test"]) <= 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Degree fairness of predictions for 125 nodes")
    exec(search, names)
    assert names["search"].best_params_["fairness_weight"] in (0, 1, 3)
    capsys.readouterr()
    exec(routed, names)
    assert "test_neg_delta_deo" in capsys.readouterr().out
    exec(tuned, names)
    assert capsys.readouterr().out.splitlines()[1].startswith("trial")
    assert len(names["search"].cv_results_["trial"]) == 6
    exec(objective, names)
    assert len(names["study"].trials) == 2
    exec(batches, names)
    assert names["clf"].score(names["X"], names["A"], names["y"]) > 0.5


def test_report_on_chameleon(names, capsys, tmp_path, monkeypatch, paper_data):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    exec("from skdegfair import DegFairGNNClassifier\nfrom skdegfair.metrics import DegreeFairnessReport", names)
    exec(blocks()[2], names)
    printed = capsys.readouterr().out.splitlines()
    shown = [line.strip() for line in README.splitlines()]
    same = [line for line in printed if line.strip() in shown]
    assert {"majority vote", "true labels", "Degree fairness"} <= {" ".join(line.split()[:2]) for line in same}
    accuracy = names["report"].scores.loc["predictions", "accuracy"]
    (claimed,) = (line.split()[1] for line in shown if line.startswith("predictions"))
    assert 100 * accuracy == pytest.approx(float(claimed), abs=4)  # to the digit with the same versions and processor


def test_commands_exist():
    makefile = (Path(__file__).parent.parent / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command
