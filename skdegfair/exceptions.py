"""Exceptions and warnings of skdegfair, so that they can be caught or filtered by class."""

from __future__ import annotations


class NoEdgesWarning(UserWarning):
    """A graph classifier was fitted without edges, and nothing says that this is meant."""


class RepeatedEdgesWarning(UserWarning):
    """A list of edges without weights has the same edge more than once."""


class NoEffectWarning(UserWarning):
    """A parameter, a loss term or a monitor has no effect in the given combination."""


class FeatureScaleWarning(UserWarning):
    """The columns of the features have very different scales, which slows training down."""


class EmptyGroupWarning(UserWarning):
    """A degree group has no nodes, or none of some class, so a gap is not defined or leaves out the class."""


class VersionWarning(UserWarning):
    """A model was stored by another version of skdegfair."""


class ModelFileError(ValueError):
    """A model file or a checkpoint is damaged, incompatible, or not one of skdegfair."""
