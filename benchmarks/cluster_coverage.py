"""Do intervals from resampled clusters have better coverage if neighbors have similar errors?

Errors are drawn from a field that is smoothed over one or two hops of a graph, as by a GNN. The marginal
probabilities, and therefore the true gaps, are known. Counts how often the report's 95 % intervals cover the true gaps,
how often its p-values are below 5 % where the true gap is 0, and how often the interval of the difference between two
models with independent errors covers 0. Two kinds of graphs with 2,000 nodes, half of them assessed:

- one graph: make_degree_biased_graph, in which hubs connect all parts;
- many parts: 40 such graphs of 50 nodes, with 5 % more edges at random between them.

Usage: python benchmarks/cluster_coverage.py [--simulations 100] [--jobs 1]

Typical output is in benchmarks/results/cluster_coverage.txt.
"""

import argparse
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import scipy.sparse as sp
from joblib import Parallel, delayed

from skdegfair import Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.graph import degree_groups, graph_clusters
from skdegfair.metrics import degree_fairness_report
from skdegfair.metrics._paired import GAP_NAMES, Predicted, resample_models

GAPS = ["delta_dsp", "delta_deo", "accuracy"]
N_NODES, N_PARTS, N_CLASSES = 2000, 40, 3
RESAMPLES = 200
CLUSTERS = ["none", "neighborhoods", "communities"]
SMOOTHED = {"independent errors": (0, 0.0), "1 hop": (1, 0.8), "2 hops": (2, 0.8)}  # hops, share of the variance
RECALL = 0.65  # of all nodes, so that only delta DSP has a true gap: classes depend on degree


@cache
def one_graph(seed):
    data = make_degree_biased_graph(N_NODES, mean_degree=6, random_state=seed)
    return data.graph, data.y


@cache
def many_parts(seed):
    n_nodes = N_NODES // N_PARTS
    parts = [make_degree_biased_graph(n_nodes, mean_degree=6, random_state=1000 * seed + i) for i in range(N_PARTS)]
    A = sp.block_diag([part.A for part in parts], format="csr")
    source, target = np.random.default_rng(seed).integers(N_NODES, size=(2, int(0.05 * A.nnz / 2)))
    between = sp.csr_array((np.ones(len(source)), (source, target)), shape=A.shape)
    A = sp.csr_array(A + between + between.T > 0, dtype=float)
    return Graph(np.zeros((N_NODES, 1)), A), np.concatenate([part.y for part in parts])


@cache
def clusters_of(kind, seed, clusters):
    return graph_clusters(GRAPHS[kind](seed)[0].A, clusters)


GRAPHS = {"one graph": one_graph, "many parts": many_parts}


@cache
def smoothing(kind, seed, hops):
    """Matrix that smooths independent noise over neighbors, to a variance of 1."""
    step = sp.csr_array(GRAPHS[kind](seed)[0].A + sp.eye_array(N_NODES))
    step = sp.csr_array(sp.diags_array(1 / step.sum(1)) @ step)
    matrix = sp.csr_array(sp.eye_array(N_NODES))
    for _ in range(hops):
        matrix = step @ matrix
    return sp.csr_array(sp.diags_array(1 / np.sqrt(matrix.multiply(matrix).sum(1))) @ matrix)


def predict(y, matrix, share, rng):
    """Predictions whose errors are alike among neighbors; another class is predicted at random in case of an error."""
    field = np.sqrt(share) * (matrix @ rng.standard_normal(N_NODES)) + np.sqrt(1 - share) * rng.standard_normal(N_NODES)
    right = field < NormalDist().inv_cdf(RECALL)
    return np.where(right, y, (y + rng.integers(1, N_CLASSES, size=N_NODES)) % N_CLASSES)


def true_dsp(y, group):
    """Gap of the probabilities, given the nodes and their classes."""
    shares = [np.bincount(y[group == number], minlength=N_CLASSES) / (group == number).sum() for number in (0, 1)]
    rates = [share * RECALL + (1 - share) * (1 - RECALL) / (N_CLASSES - 1) for share in shares]
    return np.abs(rates[1] - rates[0]).mean()


def simulate(kind, smoothed, seed):
    """Rows of one simulation: graph, errors, clusters, measure, covered, whether p < 0.05, whether models differ."""
    graph, y = GRAPHS[kind](seed % 10)
    rng = np.random.default_rng(seed)
    nodes = graph[np.sort(rng.permutation(N_NODES)[: N_NODES // 2])]
    group = degree_groups(nodes.degree())
    hops, share = SMOOTHED[smoothed]
    matrix = smoothing(kind, seed % 10, hops)
    one, other = (predict(y, matrix, share, rng)[nodes.nodes] for _ in range(2))
    y = y[nodes.nodes]
    truth = {"delta_dsp": true_dsp(y, group), "delta_deo": 0.0, "accuracy": 0.0}
    rows = []
    for clusters in CLUSTERS:
        numbers = None if clusters == "none" else clusters_of(kind, seed % 10, clusters)[nodes.nodes]
        gaps = degree_fairness_report(y, one, groups=group, clusters=numbers, n_resamples=RESAMPLES).gaps
        predicted = Predicted(group, y, np.stack([one, other]), 2, N_CLASSES, numbers)
        study = resample_models(predicted, pairs="max", n_resamples=RESAMPLES, seed=seed)
        compared = study._replace(rates={name: study.rates[name] for name in GAPS}).frame(0, 0.05)
        for name in GAPS:
            row = gaps.loc[name]
            covered = row["ci_low"] <= truth[name] + 1e-12 and truth[name] - 1e-12 <= row["ci_high"]
            found = row["p_value"] < 0.05 if truth[name] == 0 else np.nan
            same = compared.loc[(GAP_NAMES[name], 1), "p_value"] >= 0.05
            rows.append([kind, smoothed, clusters, name, covered, found, same])
        same = compared.loc[("accuracy", 1), "p_value"] >= 0.05
        rows.append([kind, smoothed, clusters, "accuracy of all nodes", np.nan, np.nan, same])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    columns = ["graph", "errors alike over", "clusters", "measure", "covered", "found", "same"]
    titles = {
        "covered": "Percent of 95 % intervals that cover the true gap",
        "found": "Percent of p-values below 5 % where the true gap is 0: 5 is right",
        "same": "Percent of 95 % intervals of the difference of two equally good models that contain 0",
    }
    rows = []
    for kind in GRAPHS:
        for smoothed in SMOOTHED:
            drawn = Parallel(n_jobs=options.jobs)(
                delayed(simulate)(kind, smoothed, seed) for seed in range(options.simulations)
            )
            rows.extend(row for part in drawn for row in part)
            print(f"done: {kind}, {smoothed}", flush=True)
    frame = pd.DataFrame(rows, columns=columns).astype({"covered": float, "found": float, "same": float})
    table = 100 * frame.groupby(columns[:4], sort=False)[columns[4:]].mean().unstack("measure")
    text = (
        f"{options.simulations} simulations, {RESAMPLES} resamples each, {N_CLASSES} classes, recall {RECALL:.0%}\n\n"
    )
    for values, title in titles.items():
        shown = table[values][[*GAPS, "accuracy of all nodes"]].dropna(axis="columns", how="all")
        text += f"{title}\n{shown.to_string(float_format='{:.1f}'.format)}\n\n"
    text = text.rstrip() + "\n"
    print(text)
    (Path(__file__).parent / "results" / "cluster_coverage.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
