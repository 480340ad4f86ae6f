"""Save fitted classifiers to files and load them again, without pickle: no file can run code.

``skdegfair.tensorfile`` is the file, ``_values`` turns plain values into JSON, ``_estimators`` lists the classes that
can be saved, and ``_classifier`` is about graph classifiers.
"""

from ._model import load, save

__all__ = ["load", "save"]
