"""The graphs of the paper, a synthetic graph, and splits of nodes."""

from ._paper import fetch_chameleon, fetch_emnlp, fetch_squirrel
from ._splits import Split, authors_split, random_split
from ._synthetic import make_degree_biased_graph

__all__ = [
    "Split",
    "authors_split",
    "fetch_chameleon",
    "fetch_emnlp",
    "fetch_squirrel",
    "make_degree_biased_graph",
    "random_split",
]
