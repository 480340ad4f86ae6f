"""The README's examples run as printed."""

import re
import textwrap
from pathlib import Path

README = (Path(__file__).parent.parent / "README.rst").read_text(encoding="utf-8")


def test_examples(capsys):
    names = {}
    blocks = re.findall(r"code-block:: python\n\n((?:    .*\n|\n)+)", README)
    for block in blocks:  # the second goes on where the first ends
        exec(textwrap.dedent(block), names)
    assert len(blocks) == 2
    assert 0.5 < names["clf"].score(names["test"], names["y_test"]) <= 1
    assert names["search"].best_params_["fairness_weight"] in (0, 1, 3)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Degree fairness of predictions for 125 nodes")
    assert len(printed) > 20


def test_commands_exist():
    makefile = (Path(__file__).parent.parent / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command
