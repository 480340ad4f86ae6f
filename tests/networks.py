"""Networks with random weights everywhere, and the graphs they read, in double precision."""

import torch

from skdegfair.mitigation import DegFair
from skdegfair.nn import Architecture, Objective, Topology

K = 2.0


def network_of(graph, mitigation, *, threshold=K, n_layers=2, n_heads=2, hidden_dim=4, backbone="gcn"):
    """The network of a mitigation, and the topology it reads."""
    if hasattr(mitigation, "degree_threshold"):
        mitigation.set_params(degree_threshold=threshold)
    mitigation.learn(graph, graph.nodes)
    sizes = {"n_layers": n_layers, "n_heads": n_heads, "hidden_dim": hidden_dim, "dropout": 0.0}
    module = mitigation.build(Architecture(graph.shape[1], 3, backbone=backbone, **sizes)).double()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 2)
    return module, Topology(graph, module.operators, dtype=torch.float64)


def degfair(graph, *, hops=1, pool="set", context_weight=0.7, degree_encoding_dim=5, switches=None, **sizes):
    """A network of DegFair with the paper's loss, its topology and its mitigation."""
    mitigation = DegFair(
        fairness_groups="threshold",
        context_hops=hops,
        context_pool=pool,
        context_weight=context_weight,
        degree_encoding_dim=degree_encoding_dim,
        **(switches or {}),
    )
    return *network_of(graph, mitigation, **sizes), mitigation


def objective_of(mitigation, **weights):
    """The objective of a mitigation that has learned from its graph."""
    mitigation.set_params(**weights)
    return Objective(mitigation.weights(), mitigation.terms(), mitigation.unfairness)
