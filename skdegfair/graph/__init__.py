"""Graphs: node features, edges, degrees, and how users hand them over. Independent of any model."""

from ._adjacency import check_adjacency, check_weights
from ._alignment import check_row_labels
from ._cached import cached_property
from ._call_forms import accepts_graph, reads_graphs
from ._clusters import CLUSTER_KINDS, graph_clusters
from ._degree import DEFAULT_SHARE, check_degrees, degree_groups, generalized_degree
from ._fingerprint import fingerprint
from ._graph import Graph
from ._groups import GROUP_CONSTRAINTS, THRESHOLD_UNUSED, DegreeGroups, learn_threshold
from ._input import accuracy, check_graph
from ._labels import as_labels, as_typed_array, is_unlabeled
from ._sampling import Drawn, draw_neighbors, draw_walks, hash_keys
from ._scale import root_mean_square
from ._targets import Positions, Targets, check_labels, check_selection, check_targets, hold_out, node_weights
from ._transformer import GraphTransformer
from ._validation import check_features, check_nodes, check_numeric

__all__ = [
    "CLUSTER_KINDS",
    "DEFAULT_SHARE",
    "GROUP_CONSTRAINTS",
    "THRESHOLD_UNUSED",
    "DegreeGroups",
    "Drawn",
    "Graph",
    "GraphTransformer",
    "Positions",
    "Targets",
    "accepts_graph",
    "accuracy",
    "as_labels",
    "as_typed_array",
    "cached_property",
    "check_adjacency",
    "check_degrees",
    "check_features",
    "check_graph",
    "check_labels",
    "check_nodes",
    "check_numeric",
    "check_row_labels",
    "check_selection",
    "check_targets",
    "check_weights",
    "degree_groups",
    "draw_neighbors",
    "draw_walks",
    "fingerprint",
    "generalized_degree",
    "graph_clusters",
    "hash_keys",
    "hold_out",
    "is_unlabeled",
    "learn_threshold",
    "node_weights",
    "reads_graphs",
    "root_mean_square",
]
