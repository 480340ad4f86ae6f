"""The arithmetic of the authors' released code once more, node by node in plain numpy."""

import numpy as np
from reference import encoding, leaky


def layer(A, x, p, q, *, kind, epsilon, low, dim, scale_shift=True, contrast=True, modulation=True):
    """Output of one layer, the context in use and gamma, beta of every node."""
    n, degree = len(A), A.sum(1)
    W, b = p[q + "weight"], p[q + "bias"]
    h = np.array([(x[v] @ W + b) * np.sqrt(dim) for v in range(n)])
    d = h.shape[1]
    used, gamma, beta = np.zeros((n, d)), np.zeros((n, d)), np.zeros((n, d))
    out = []
    for v in range(n):
        neighbors = np.flatnonzero(A[v])
        pooled = h[neighbors].mean(0) if len(neighbors) else np.zeros(d)
        bias = np.zeros(d)
        if modulation:
            if scale_shift:
                film = leaky(encoding(degree[v], dim) @ p[q + "film_weight"] + p[q + "film_bias"], 0.01)
                gamma[v], beta[v] = film[:d], film[d:]
            part = slice(d, 2 * d) if contrast and not low[v] else slice(0, d)
            used[v] = (gamma[v] + 1) * (pooled @ p[q + "context"][:, part]) + beta[v]
            bias = epsilon * used[v] * (1 if low[v] or not contrast else -1)
        if kind == "gcn":
            out.append((h[neighbors].sum(0) + h[v] + bias) / (degree[v] + 1))
        elif kind == "sage":
            summed = x[neighbors].sum(0) @ W + b
            out.append(np.concatenate([h[v], (summed + bias) / (degree[v] + 1)]))
        else:
            a = p[q + "attention"]
            e = [np.exp(-leaky(a[0] @ h[v] + a[1] @ h[u], 0.01)) for u in neighbors]
            total = sum((w * h[u] for w, u in zip(e, neighbors, strict=True)), np.zeros(d))
            out.append((total + bias) / (sum(e) + 1e-5 + 1))
    return leaky(np.array(out), 0.01), used, gamma, beta


def network(A, x, p, *, kind, n_heads, low, train, **options):
    """Logits and the two penalties for two layers."""
    penalties = np.zeros(2)

    def norms(used, gamma, beta):
        return np.array(
            [
                np.mean([np.linalg.norm(used[v]) for v in train]),
                np.mean([np.linalg.norm(gamma[v]) + np.linalg.norm(beta[v]) for v in train]),
            ]
        )

    if kind == "gat":
        heads = [layer(A, x, p, f"layers.0.heads.{k}.", kind=kind, low=low, **options) for k in range(n_heads)]
        penalties += np.mean([norms(*rest) for _, *rest in heads], axis=0)
        h = np.concatenate([out for out, *_ in heads], axis=1)
        logits, *rest = layer(A, h, p, "layers.1.", kind=kind, low=low, **options)
        return logits, penalties + norms(*rest)
    h = x
    for number in range(2):
        h, *rest = layer(A, h, p, f"layers.{number}.", kind=kind, low=low, **options)
        penalties += norms(*rest)
    return h @ p["layers.2.weight"] + p["layers.2.bias"], penalties


def fairness(logits, degree, train):
    """Mean over classes of the squared gap of mean log probabilities, split at the mean degree of training nodes."""
    log_p = logits - logits.max(1, keepdims=True)
    log_p = log_p - np.log(np.exp(log_p).sum(1, keepdims=True))
    threshold = degree[train].mean()
    low, high = [v for v in train if degree[v] < threshold], [v for v in train if degree[v] >= threshold]
    return np.mean((log_p[low].mean(0) - log_p[high].mean(0)) ** 2)
