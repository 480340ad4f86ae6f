"""Predictions of a classifier, adjusted afterwards so that degree groups are treated alike."""

from .parity import DegreeParityClassifier

__all__ = ["DegreeParityClassifier"]
