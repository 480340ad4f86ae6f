"""How much memory does training on a whole graph take, compared with the estimate by which ``fit`` rejects graphs?

The estimate must be below the true value, so that no graph that fits into memory is rejected, but not far below.
Each setting is measured in a separate process, on random graphs of 200,000 nodes.

Usage: python benchmarks/memory.py

Writes benchmarks/results/memory.csv.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from skdegfair import GNNClassifier, Graph
from skdegfair.estimators._memory import needed_memory
from skdegfair.mitigation import DegFair, FairGNN, Mitigation

RESULTS = Path(__file__).parent / "results"
MITIGATIONS = {"none": None, "DegFair": DegFair(), "FairGNN": FairGNN()}
DEFAULT = {"mitigation": "none", "backbone": "gcn", "n_features": 32, "hidden_dim": 32, "n_layers": 2, "degree": 10}
SETTINGS = [
    {},
    {"mitigation": "DegFair"},
    {"mitigation": "FairGNN"},
    {"hidden_dim": 256},
    {"hidden_dim": 256, "mitigation": "DegFair"},
    {"n_features": 256},
    {"n_layers": 4, "hidden_dim": 64},
    {"n_layers": 4, "hidden_dim": 64, "mitigation": "DegFair"},
    {"degree": 40},
    {"backbone": "sage", "hidden_dim": 64},
    {"backbone": "gat", "hidden_dim": 64},
    {"backbone": "gat", "degree": 40},
]
N_NODES = 200_000


def random_graph(n_features, degree):
    random = np.random.default_rng(0)
    one, other = random.integers(N_NODES, size=(2, N_NODES * degree // 2))
    A = sp.coo_array((np.ones(2 * len(one)), (np.r_[one, other], np.r_[other, one])), shape=(N_NODES, N_NODES)).tocsr()
    X = random.normal(size=(N_NODES, n_features)).astype(np.float32)
    return Graph(X, A), random.integers(5, size=N_NODES)


def measure(setting):
    """Megabytes that a fit takes beyond the graph, and the estimate."""
    graph, y = random_graph(setting.pop("n_features"), setting.pop("degree"))
    mitigation = MITIGATIONS[setting.pop("mitigation")]
    clf = GNNClassifier(mitigation=mitigation, max_epochs=2, random_state=0, **setting)
    GNNClassifier(max_epochs=1).fit(graph[:10].induced(), y[:10])  # libraries are loaded
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    clf.fit(graph, y)
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    estimate = needed_memory(graph, clf._architecture(0), clf.mitigation_ or Mitigation())
    return {"taken": round(taken / 1e6), "estimate": round(estimate / 1e6)}


def main():
    if len(sys.argv) > 1:
        print(json.dumps(measure(json.loads(sys.argv[1]))))
        return
    rows = []
    for changes in SETTINGS:
        setting = {**DEFAULT, **changes}
        run = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, json.dumps(setting)], capture_output=True, text=True, check=True
        )
        rows.append({**setting, **json.loads(run.stdout)})
        print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table["ratio"] = (table["estimate"] / table["taken"]).round(2)
    table.to_csv(RESULTS / "memory.csv", index=False)
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
