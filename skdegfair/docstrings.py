"""Docstrings put together when a class is made: each parameter is described in one place."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def documented(*sources: type, attributes: tuple[type, ...] | None = None) -> Callable[[C], C]:
    """Fill ``{parameters}`` and ``{attributes}`` in a class's docstring.

    Parameters are described in the order of the constructor. An entry comes from the class's own docstring or from the
    first of ``sources`` that has it. Shared attributes, by default those of the first source, come after the class's
    own.
    """

    def fill(cls: C) -> C:
        text = inspect.cleandoc(cls.__doc__ or "")
        known: dict[str, str] = {}
        for described in (text, *(inspect.getdoc(each) or "" for each in sources)):
            known = {**entries(described, "Parameters"), **known}
        names = [name for name in inspect.signature(cls).parameters if name != "self"]
        parameters = "\n".join(known[name] for name in names)
        shared: dict[str, str] = {}
        for described in (inspect.getdoc(each) or "" for each in attributes or sources[:1]):
            shared = {**entries(described, "Attributes"), **shared}
        text = section_pattern("Parameters").sub(lambda match: f"{match[1]}{parameters}\n\n", text)
        cls.__doc__ = text.replace("{attributes}", "\n".join(shared.values()))
        return cls

    return fill


def section_pattern(title: str) -> re.Pattern[str]:
    """The heading of a section, and its body up to the next heading."""
    return re.compile(rf"({title}\n-+\n)(.*?\n)(?=\n\S[^\n]*\n-+\n|\Z)", re.DOTALL)


def entries(text: str, title: str) -> dict[str, str]:
    """Entries of a numpydoc section by name, each with its description."""
    found = section_pattern(title).search(text + "\n")
    parts: Any = re.split(r"\n(?=\S)", found[2].rstrip()) if found else []
    return {part.split(" :")[0].split("\n")[0]: part for part in parts if part and part != "{parameters}"}
