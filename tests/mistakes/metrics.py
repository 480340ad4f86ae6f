"""Mistakes: metrics."""

from __future__ import annotations

from .cases import Mistake

MISTAKES: list[Mistake] = []
