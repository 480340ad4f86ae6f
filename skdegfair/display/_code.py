"""Python code that makes an estimator."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

WIDTH = 72
MISSING = "..."


def code_of(estimator: Any, name: str = "clf") -> str:
    """Return code that makes an unfitted copy of an estimator, with imports.

    Only parameters that differ from their defaults are written. A value that has no code, such as a RandomState,
    becomes ``...``, and a comment says what it was. Classes of a script are not imported, and a comment says so.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skdegfair.display._code import code_of
    >>> print(code_of(LogisticRegression(C=0.5)))
    from sklearn.linear_model import LogisticRegression
    <BLANKLINE>
    clf = LogisticRegression(C=0.5)
    """
    writer = _Writer()
    line = f"{name} = {writer.expression(estimator)}"
    head = [*writer.comments, *writer.import_lines()]
    return "\n".join([*head, "", line] if head else [line])


def changed_params(estimator: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    params = estimator.get_params(deep=False)
    return {name: value for name, value in params.items() if not _is_default(value, defaults.get(name))}


def as_text(value: Any) -> str:
    """Return the code of a value, or its repr if it has none."""
    code = " ".join(line.strip() for line in _Writer().expression(value).splitlines())
    return repr(value) if MISSING in code else code.replace("( ", "(").replace(", )", ")").replace(",)", ")")


class _Writer:
    """Writes expressions, and collects the imports and comments that precede them."""

    def __init__(self) -> None:
        self.imports: dict[str, str] = {}
        self.modules: set[str] = set()
        self.comments: list[str] = []

    def import_lines(self) -> list[str]:
        by_module: dict[str, list[str]] = {}
        for name, module in self.imports.items():
            by_module.setdefault(module, []).append(name)
        named = [f"from {module} import {', '.join(sorted(by_module[module]))}" for module in sorted(by_module)]
        return [*(f"import {module}" for module in sorted(self.modules)), *named]

    def expression(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            return f'float("{value}")'
        if value is None or isinstance(value, bool | int | float | str | bytes):
            return repr(value)
        if isinstance(value, type) or inspect.isfunction(value) or inspect.isbuiltin(value):
            return self._imported(value) or self._unknown(value)
        if hasattr(value, "get_params"):
            arguments = (f"{name}={self.expression(each)}" for name, each in changed_params(value).items())
            called = self._imported(type(value)) or self._own(type(value))
            return _bracketed(f"{called}(", arguments, ")")
        if type(value) is list:
            return _bracketed("[", map(self.expression, value), "]")
        if type(value) is tuple:
            return _bracketed("(", map(self.expression, value), ",)" if len(value) == 1 else ")")
        if type(value) is dict:
            items = (f"{self.expression(key)}: {self.expression(each)}" for key, each in value.items())
            return _bracketed("{", items, "}")
        return self._unknown(value)

    def _imported(self, thing: Any) -> str | None:
        """Import a class or a function from the shortest public path; None if there is none."""
        name, module = thing.__name__, public_module(thing)
        if module is None:
            return None
        if module == "builtins":
            return str(name)
        if self.imports.setdefault(name, module) != module:  # another class has this name
            self.modules.add(module)
            return f"{module}.{name}"
        return str(name)

    def _own(self, cls: type) -> str:
        self._remark(f"# {cls.__name__} is a class of your own code.")
        return cls.__name__

    def _unknown(self, value: Any) -> str:
        self._remark(f"# Replace {MISSING}: there is no code for {' '.join(repr(value).split())}")
        return MISSING

    def _remark(self, comment: str) -> None:
        if comment not in self.comments:
            self.comments.append(comment)


def public_module(thing: Any) -> str | None:
    """Return the shortest module path that a class or a function can be imported from.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skdegfair.display._code import public_module
    >>> LogisticRegression.__module__, public_module(LogisticRegression)
    ('sklearn.linear_model._logistic', 'sklearn.linear_model')
    """
    parts = (getattr(thing, "__module__", None) or "__main__").split(".")
    if parts == ["__main__"]:
        return None
    paths = (".".join(parts[:n]) for n in range(1, len(parts) + 1))
    return next((path for path in paths if getattr(sys.modules.get(path), thing.__name__, None) is thing), None)


def _is_default(value: Any, parameter: inspect.Parameter | None) -> bool:
    if parameter is None or parameter.default is inspect.Parameter.empty:
        return False
    default = parameter.default
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _bracketed(opening: str, items: Iterable[str], closing: str) -> str:
    """Put items on one line, or each on a line of its own if they are long."""
    texts = list(items)
    line = f"{opening}{', '.join(texts)}{closing}"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    lines = "".join(f"    {text},\n".replace("\n", "\n    ").rstrip(" ") for text in texts)
    return f"{opening}\n{lines}{closing.removeprefix(',')}"
