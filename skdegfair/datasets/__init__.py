"""Graphs to try things on."""

from ._synthetic import make_degree_biased_graph

__all__ = ["make_degree_biased_graph"]
