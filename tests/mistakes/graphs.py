"""Mistakes with features, adjacency, nodes and labels."""

from __future__ import annotations

from skdegfair import Graph

from .cases import Mistake

MISTAKES = [
    Mistake("A has another number of nodes", lambda w: Graph(w.X[:5], w.A), ValueError, ("A has 40 nodes", "X has 5")),
    Mistake("A is one-dimensional", lambda w: Graph(w.X, w.y), ValueError, ("A must be an adjacency matrix",)),
]
