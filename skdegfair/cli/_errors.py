"""The error that ends a command."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(Exception):
    """A file or an option is wrong. The message says what is wrong, where, and what to do."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The most similar of the known names as a question, or all of them if none is similar."""
    names = {each.lower(): each for each in known}
    similar = get_close_matches(name.lower(), names, n=1)
    if similar:
        return f"Did you mean {names[similar[0]]!r}?"
    return f"The columns are {listed(list(names.values()))}."


def listed(names: list[str], most: int = 8) -> str:
    """The first few of some names."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
