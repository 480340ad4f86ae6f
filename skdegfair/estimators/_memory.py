"""Memory that a training step on the whole graph needs, compared with the memory available."""

from __future__ import annotations

import scipy.sparse as sp

from ..graph import Graph
from ..mitigation import Mitigation
from ..nn import Architecture
from ..resources import available_memory, readable_bytes

TOO_LARGE = (
    "Training on the whole graph of {nodes} nodes and {edges} edges takes at least {need}, and {available} are "
    "available. Train in batches, for example with batch_size=1024 and n_neighbors=10, or use fewer hidden units or "
    "layers."
)
TOO_WIDE = (
    "The weights of the network take {need} in training, and {available} are available. Use a smaller hidden_dim."
)
FLOAT = 4  # bytes


def check_memory(graph: Graph | None, architecture: Architecture, mitigation: Mitigation) -> None:
    """Raise MemoryError if a step on the whole graph, or without a graph the weights, do not fit into memory."""
    available = available_memory()
    if available is None:
        return
    need = weights_memory(architecture) if graph is None else needed_memory(graph, architecture, mitigation)
    if need > available:
        sizes = {} if graph is None else {"nodes": graph.n_nodes, "edges": graph.n_edges}
        text = TOO_WIDE if graph is None else TOO_LARGE
        raise MemoryError(text.format(need=readable_bytes(need), available=readable_bytes(available), **sizes))


def weights_memory(architecture: Architecture) -> float:
    """Memory of the weights, their gradients and both moments of Adam, in bytes."""
    return 4 * FLOAT * sum(d_in * d_out for d_in, d_out in architecture.widths)


def needed_memory(graph: Graph, architecture: Architecture, mitigation: Mitigation) -> float:
    """Lower bound of the memory that a step takes in addition to the graph itself, in bytes.

    The factors are below those that ``benchmarks/memory.py`` measures.
    """
    n_links = 0 if graph.A is None else graph.A.nnz
    n_layers = architecture.n_layers
    hidden = architecture.hidden_dim * n_layers if n_layers > 1 else 0  # with the gradient of one layer
    features = graph.X.nnz if sp.issparse(graph.X) else graph.n_nodes * graph.shape[1]
    need = 1.5 * FLOAT * (features + mitigation.memory_factor * graph.n_nodes * hidden)
    need += weights_memory(architecture)
    need += 4 * FLOAT * n_links  # values and columns, also of the transposed matrix
    if architecture.backbone == "gat":
        need += 4 * FLOAT * n_links * architecture.n_heads
    return need
