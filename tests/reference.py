"""The paper's equations once more, in plain numpy and dense matrices, node by node where that is clearest.

Written from the paper alone, to compare the package with. Parameters are read from
a module by name; nothing else of the package is used.
"""

import numpy as np


def leaky(x, slope):
    return np.where(x > 0, x, slope * x)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def aggregate(kind, A, h, p, prefix, n_heads, last):
    """AGGR of Eq. 4 for each node in turn."""
    n = len(A)
    W, b = p[prefix + "weight"], p[prefix + "bias"]
    out = np.zeros((n, len(b)))
    for v in range(n):
        weights = {u: A[v, u] for u in range(n) if A[v, u] > 0}
        if kind == "gcn":
            weights[v] = 1.0
            total = sum(weights.values())
            out[v] = sum(w * (h[u] @ W) for u, w in weights.items()) / total
        elif kind == "sage":
            out[v] = h[v] @ p[prefix + "weight_self"]
            if weights:
                out[v] += sum(w * (h[u] @ W) for u, w in weights.items()) / sum(weights.values())
        else:
            weights[v] = 1.0
            width = W.shape[1] // n_heads
            heads = []
            for k in range(n_heads):
                z = h @ W[:, k * width : (k + 1) * width]
                a, c = p[prefix + "attention_target"][k, 0], p[prefix + "attention_source"][k, 0]
                e = {u: w * np.exp(leaky(a @ z[v] + c @ z[u], 0.2)) for u, w in weights.items()}
                heads.append(sum(x * z[u] for u, x in e.items()) / sum(e.values()))
            out[v] = np.mean(heads, axis=0) if last else np.concatenate(heads)
    return out + b


def encoding(degree, dim):
    """delta of a degree."""
    out = np.zeros(dim)
    for k in range(dim):
        angle = degree / 10000 ** ((k - k % 2) / dim)
        out[k] = np.sin(angle) if k % 2 == 0 else np.cos(angle)
    return out


def contexts(A, hops):
    """C_r(v) for every node v."""
    found = []
    for v in range(len(A)):
        seen = {v}
        for _ in range(hops):
            seen |= {u for w in seen for u in range(len(A)) if A[w, u] > 0}
        found.append(sorted(seen))
    return found


def network(A, x, p, *, kind, n_layers, n_heads, K, hops, epsilon, scale_shift, contrast, modulation):
    """Logits, and for each layer the contexts and FiLM factors of every node (Eq. 5 to 9)."""
    n, h, layers = len(A), x, []
    degree, sets = A.sum(1), contexts(A, hops)
    for number in range(n_layers):
        last = number == n_layers - 1
        q = f"layers.{number}."
        z = aggregate(kind, A, h, p, q + "conv." * modulation, n_heads, last)
        d = z.shape[1]
        if modulation:
            D = np.zeros((2, n, d))
            gamma, beta = np.zeros((n, d)), np.zeros((n, d))
            for v in range(n):
                c = np.mean([h[u] for u in sets[v]], axis=0)  # Eq. 5
                if scale_shift:
                    code = encoding(degree[v], len(p[q + "film_weight"]))
                    film = code @ p[q + "film_weight"] + p[q + "film_bias"]  # Eq. 8
                    gamma[v], beta[v] = film[:d], film[d:]
                for group in (0, 1):
                    part = slice(group * d, (group + 1) * d) if contrast else slice(0, d)
                    f = c @ p[q + "weight"][:, part] + p[q + "bias"][part]  # Eq. 6
                    D[group, v] = (gamma[v] + 1) * f + beta[v]  # Eq. 7
            layers.append((D, gamma, beta))
            z = z + epsilon * np.array([D[0, v] if degree[v] <= K else D[1, v] for v in range(n)])  # Eq. 9
        h = z if last else leaky(z, 0.01)
    return h, layers


def losses(logits, layers, degree, y, train, *, K, kind, contrast):
    """L1 to L4 (Eq. 10 to 13) as means over the training nodes."""
    prob = softmax(logits)
    low, high = [v for v in train if degree[v] <= K], [v for v in train if degree[v] > K]
    terms = {"classification": -np.mean([np.log(prob[v, y[v]]) for v in train])}
    if kind == "dsp":
        terms["fairness"] = np.sum((prob[low].mean(0) - prob[high].mean(0)) ** 2)
    else:
        terms["fairness"] = 0.0
        for k in range(prob.shape[1]):
            cells = [[prob[v, k] for v in group if y[v] == k] for group in (low, high)]
            if all(cells):
                terms["fairness"] += (np.mean(cells[0]) - np.mean(cells[1])) ** 2
    if layers and contrast:
        terms["context"] = sum(
            sum((D[1, v] ** 2).sum() for v in low) + sum((D[0, v] ** 2).sum() for v in high) for D, _, _ in layers
        ) / len(train)
    if layers:
        terms["scale_shift"] = sum(
            (gamma[v] ** 2).sum() + (beta[v] ** 2).sum() for _, gamma, beta in layers for v in train
        ) / len(train)
    return terms
