"""What a graph is: features, edges, degrees. Knows nothing of models."""

from ._degree import degree_groups, generalized_degree
from ._graph import Graph, row_labels
from ._labels import as_labels, is_unlabelled, properly_typed
from ._sampling import Drawn, draw_neighbours, draw_walks, mixed
from ._transformer import GraphTransformer
from ._validation import check_adjacency, check_features, check_nodes, check_row_labels

__all__ = [
    "Drawn",
    "Graph",
    "GraphTransformer",
    "as_labels",
    "check_adjacency",
    "check_features",
    "check_nodes",
    "check_row_labels",
    "degree_groups",
    "draw_neighbours",
    "draw_walks",
    "generalized_degree",
    "is_unlabelled",
    "mixed",
    "properly_typed",
    "row_labels",
]
