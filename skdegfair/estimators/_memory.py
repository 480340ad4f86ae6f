"""How much memory a training step on the whole graph takes, compared with what there is."""

from __future__ import annotations

import os
from pathlib import Path

import scipy.sparse as sp

from ..graph import Graph
from ..mitigation import Mitigation
from ..nn import Architecture

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
    """Raise MemoryError if a step on the whole graph cannot fit into memory; None: the network alone."""
    available = available_memory()
    if available is None:
        return
    need = weights_memory(architecture) if graph is None else needed_memory(graph, architecture, mitigation)
    if need > available:
        sizes = {} if graph is None else {"nodes": graph.n_nodes, "edges": graph.n_edges}
        text = TOO_WIDE if graph is None else TOO_LARGE
        raise MemoryError(text.format(need=_readable(need), available=_readable(available), **sizes))


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


def available_memory() -> int | None:
    """Memory that this process can still get, in bytes, as far as the system tells."""
    found = [_of_system(), _of_container()]
    return min((each for each in found if each is not None), default=None)


def _of_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        entries = {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
        return 1024 * (entries["MemAvailable"] + entries.get("SwapFree", 0))
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """What the control group of a container still allows; its files in the page cache can be given up."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        if limit == "max":
            return None
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        cached = sum(int(line.split()[1]) for line in lines if line.startswith(("active_file ", "inactive_file ")))
        return int(limit) - used + cached
    except (OSError, ValueError):
        return None


def _readable(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
