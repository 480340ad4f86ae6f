"""Plain GNNs of torch_geometric to compare with, written as in its documentation."""

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from torch.nn.functional import cross_entropy, dropout, relu

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv
    from torch_geometric.nn.conv.gcn_conv import gcn_norm


def pyg_epoch(backbone, graph, y, form):
    """A function that makes one step of a plain two-layer GNN; ``form`` of the adjacency is "csr" or "edge_index"."""
    x = torch.tensor(graph.X.toarray() if sp.issparse(graph.X) else graph.X, dtype=torch.float32)
    n_classes, labels = int(y.max()) + 1, torch.as_tensor(y)
    A = graph.A.tocoo()
    edges = torch.tensor(np.stack([A.col, A.row]), dtype=torch.int64)
    csr = form == "csr"
    if backbone == "gcn":
        if csr:  # normalised once, as cached=True does it for edge_index
            ends, weight = gcn_norm(edges, None, graph.n_nodes)
            A = sp.coo_array((weight.numpy(), (ends[1].numpy(), ends[0].numpy())), shape=A.shape)
        layers = [GCNConv(d_in, d_out, cached=not csr, normalize=not csr) for d_in, d_out in _widths(x, n_classes)]
    elif backbone == "sage":
        layers = [SAGEConv(d_in, d_out) for d_in, d_out in _widths(x, n_classes)]
    else:
        layers = [GATConv(x.shape[1], 8, heads=4), GATConv(32, n_classes, heads=4, concat=False)]
    adjacency = _csr(A) if csr else edges
    train = torch.arange(0, len(y), 2)
    optimizer = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.01, weight_decay=5e-4)

    def epoch():
        optimizer.zero_grad()
        h = dropout(relu(layers[0](x, adjacency)), 0.5, training=True)
        cross_entropy(layers[1](h, adjacency)[train], labels[train]).backward()
        optimizer.step()

    return epoch


def _widths(x, n_classes):
    return [(x.shape[1], 32), (32, n_classes)]


def _csr(A):
    A = A.tocsr()
    parts = torch.tensor(A.indptr.astype(np.int64)), torch.tensor(A.indices.astype(np.int64))
    return torch.sparse_csr_tensor(*parts, torch.tensor(A.data, dtype=torch.float32), size=A.shape)
