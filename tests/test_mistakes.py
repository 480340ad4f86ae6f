"""Bad and clumsy input gets the documented error or warning, or the result of the right input. Never silence."""

import importlib
import pkgutil
import warnings

import mistakes
import numpy as np
import pytest
from mistakes.cases import World

TABLES = sorted(module.name for module in pkgutil.iter_modules(mistakes.__path__) if module.name != "cases")
MISTAKES = [each for name in TABLES for each in importlib.import_module(f"mistakes.{name}").MISTAKES]


def is_kind(outcome, base):
    return isinstance(outcome, type) and issubclass(outcome, base)


@pytest.mark.parametrize("mistake", [pytest.param(each, id=each.name) for each in MISTAKES])
def test_mistake(mistake, tmp_path):
    world = World(tmp_path)
    data, classifiers = world.data(), world.classifiers()
    if is_kind(mistake.outcome, Warning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mistake.act(world)
        messages = [str(each.message) for each in caught if issubclass(each.category, mistake.outcome)]
        assert len(messages) == 1, [f"{each.category.__name__}: {each.message}" for each in caught]
        assert all(words in messages[0] for words in mistake.says), messages[0]
    elif is_kind(mistake.outcome, Exception):
        with pytest.raises(mistake.outcome) as caught:
            mistake.act(world)
        message = str(caught.value)
        assert all(words in message for words in mistake.says), message
    else:
        np.testing.assert_array_equal(mistake.act(world), mistake.outcome(World(tmp_path)))
    assert world.data() == data
    if not is_kind(mistake.outcome, Warning):  # which does not stop a fit
        assert world.classifiers() == classifiers


def test_tables():
    """Every message is checked for words, and no input is there twice."""
    names = [each.name for each in MISTAKES]
    assert len(set(names)) == len(names)
    assert all(each.says for each in MISTAKES if isinstance(each.outcome, type))
