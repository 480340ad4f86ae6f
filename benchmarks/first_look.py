"""A first look at every method with its defaults, on the paper's data sets: three random splits, nothing tuned.

Each method is fitted to the training nodes of a split (60 %) and assessed on the test nodes (20 %): accuracy and
both gaps between the 20 % of lowest and of highest degree, in percent.
A majority vote is included for comparison. Three splits give a rough picture, not a ranking.

Usage: python benchmarks/first_look.py

The runs are written to benchmarks/results/first_look.csv, one by one. Runs that are already there are not repeated.
"""

import csv
import time
import warnings

import numpy as np
import pandas as pd
from _data import FETCHERS
from _study import RESULTS
from sklearn.base import clone

from skdegfair import DegreeParityClassifier, EmbeddingClassifier, GNNClassifier
from skdegfair.datasets import random_split
from skdegfair.embedding import FairAdj, FairWalk, Residual2Vec
from skdegfair.metrics import delta_deo, delta_dsp
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, RawlsGCN, TailGNN

METHODS = {
    "GCN": GNNClassifier(),
    "FairGNN": GNNClassifier(mitigation=FairGNN()),
    "RawlsGCN": GNNClassifier(mitigation=RawlsGCN()),
    "DegFair": GNNClassifier(mitigation=DegFair()),
    "CFC": GNNClassifier(mitigation=CFC()),
    "FairVGNN": GNNClassifier(mitigation=FairVGNN()),
    "TailGNN": GNNClassifier(mitigation=TailGNN()),
    "DSGCN": GNNClassifier(mitigation=DSGCN()),
    "Residual2Vec": EmbeddingClassifier(Residual2Vec()),
    "FairWalk": EmbeddingClassifier(FairWalk()),
    "FairAdj": EmbeddingClassifier(FairAdj()),
    "GCN, adjusted for DSP": DegreeParityClassifier(GNNClassifier()),
    "GCN, adjusted for DEO": DegreeParityClassifier(GNNClassifier(), constraint="deo"),
}
SPLITS = (1, 2, 3)
FILE = RESULTS / "first_look.csv"
COLUMNS = ["dataset", "method", "split", "accuracy", "delta_dsp", "delta_deo", "seconds"]


def assessed(graph, y, predicted, test):
    """Accuracy and both gaps of the test nodes, in percent."""
    degree = graph.degree()[test]
    truth, found = y[test], predicted[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class that a group lacks is left out of the gap
        gaps = [100 * gap(truth, found, degree=degree) for gap in (delta_dsp, delta_deo)]
    return [100 * np.mean(truth == found), *gaps]


def runs(dataset, split):
    """Name, results and seconds of each method."""
    data = FETCHERS[dataset]()
    graph, y = data.graph, data.y
    parts = random_split(graph.n_nodes, random_state=split)
    majority = np.full(len(y), np.bincount(y[parts.train]).argmax())
    yield "majority vote", lambda: (assessed(graph, y, majority, parts.test), 0.0)
    for name, method in METHODS.items():

        def run(method=method):
            model = clone(method)
            seeds = {each: split for each in model.get_params() if each.split("__")[-1] == "random_state"}
            start = time.perf_counter()
            model.set_params(**seeds).fit(graph[parts.train], y[parts.train])
            seconds = time.perf_counter() - start
            return assessed(graph, y, model.predict(graph), parts.test), seconds

        yield name, run


def main():
    done = set()
    if FILE.exists():
        done = {tuple(key) for key in pd.read_csv(FILE)[COLUMNS[:3]].itertuples(index=False)}
    else:
        FILE.write_text(",".join(COLUMNS) + "\n")
    for dataset in FETCHERS:
        for split in SPLITS:
            for name, run in runs(dataset, split):
                if (dataset, name, split) in done:
                    continue
                scores, seconds = run()
                with FILE.open("a", newline="") as file:
                    row = [dataset, name, split, *(f"{score:.2f}" for score in scores), f"{seconds:.1f}"]
                    csv.writer(file).writerow(row)
    table = pd.read_csv(FILE).groupby(["dataset", "method"], sort=False)[COLUMNS[3:]].agg(["mean", "std"])
    print(table.round(1).to_string())


if __name__ == "__main__":
    main()
