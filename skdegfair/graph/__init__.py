"""Graphs: node features, edges and degrees. Independent of any model."""

from ._degree import degree_groups, generalized_degree
from ._graph import Graph, row_labels
from ._labels import as_labels, as_typed_array, is_unlabeled
from ._sampling import Drawn, draw_neighbors, draw_walks, hash_keys
from ._transformer import GraphTransformer
from ._validation import check_adjacency, check_features, check_nodes, check_row_labels

__all__ = [
    "Drawn",
    "Graph",
    "GraphTransformer",
    "as_labels",
    "as_typed_array",
    "check_adjacency",
    "check_features",
    "check_nodes",
    "check_row_labels",
    "degree_groups",
    "draw_neighbors",
    "draw_walks",
    "generalized_degree",
    "hash_keys",
    "is_unlabeled",
    "row_labels",
]
