"""The README's example runs as printed."""

import re
import textwrap
from pathlib import Path

README = (Path(__file__).parent.parent / "README.rst").read_text(encoding="utf-8")


def test_example(capsys):
    block = re.search(r"code-block:: python\n\n((?:    .*\n|\n)+)", README)[1]
    names = {}
    exec(textwrap.dedent(block), names)
    assert 0.5 < names["clf"].score(names["test"], names["y_test"]) <= 1
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_commands_exist():
    makefile = (Path(__file__).parent.parent / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command
