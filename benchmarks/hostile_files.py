"""What happens with damaged and malicious files? Mutated model files and data archives, by the thousand.

Half of the mutations change bytes. The others change what the bytes mean, with a corrected checksum: other
types, huge numbers and shapes, deep nesting, unknown classes, NaN, missing and additional parts; for archives also
bombs, names outside of the folder, other encodings, ids out of range. Files are read in a separate process, whose
memory is measured; a file that takes longer than 20 seconds counts as a hang. A changed file must be refused with a
ModelFileError or a ValueError, or give a complete model. A model whose bytes were changed must predict what the saved
one predicts, if it loads at all.

Usage: python benchmarks/hostile_files.py [--models 10000] [--archives 2000] [--seed 0]

Results: benchmarks/results/hostile_files.txt.
"""

import argparse
import hashlib
import io
import resource
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from _mutations import of_archive, of_bytes, of_model
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import skdegfair
from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.datasets._parse import read_emnlp, read_wikipedia
from skdegfair.exceptions import ModelFileError
from skdegfair.mitigation import FairGNN

RESULTS = Path(__file__).parent / "results"
SECONDS = 20
BLOCK = 2000
LIMIT = 1024  # MB
FINE = {"refused", "read", "read, the same predictions"}


class Hang(BaseException):
    """A file took too long."""


def models():
    """A graph, and models for it: bytes of their files, and digests of their predictions."""
    data = make_degree_biased_graph(24, n_features=4, mean_degree=5, random_state=0)
    columns = ColumnTransformer([("a", StandardScaler(), [0, 1]), ("b", OneHotEncoder(handle_unknown="ignore"), [2])])
    small = {"hidden_dim": 8, "max_epochs": 2, "random_state": 0}
    made = []
    for model in (
        DegFairGNNClassifier(**small),
        GNNClassifier(backbone="gat", mitigation=FairGNN(fairness_groups=3), **small),
        make_pipeline(GraphTransformer(columns), GNNClassifier(backbone="sage", **small)),
    ):
        model.fit(data.graph, np.array(["a", "b", "c"])[data.y])
        with tempfile.TemporaryDirectory() as folder:
            skdegfair.save(model, f"{folder}/model")
            made.append((Path(folder, "model").read_bytes(), digest(model, data.graph)))
    return data.graph, made


def digest(model, graph):
    return hashlib.sha256(model.predict_proba(graph).tobytes()).hexdigest()


def archives():
    """Small archives in the formats of the paper's, each with its reader."""
    data = make_degree_biased_graph(60, n_features=5, random_state=0)
    edges = sp.coo_array(data.A)
    lines = [f"{k}\t{','.join(map(str, row))}\t{c}" for k, (row, c) in enumerate(zip((data.X > 0).astype(int), data.y))]  # noqa: B905
    wikipedia = {
        "Small/node_feature_label.txt": "\n".join(["node_id\tfeature\tlabel", *lines, ""]).encode(),
        "Small/graph_edges.txt": "".join(f"{i}\t{j}\n" for i, j in zip(edges.row, edges.col, strict=True)).encode(),
    }
    parts = {"x.npy": io.BytesIO(), "y.npy": io.BytesIO(), "adj.npz": io.BytesIO()}
    np.save(parts["x.npy"], np.array(data.X))
    np.save(parts["y.npy"], data.y * 3)
    sp.save_npz(parts["adj.npz"], sp.csc_array(data.A))
    emnlp = {f"Small/emnlp-{name}": part.getvalue() for name, part in parts.items()}
    for reader, members in ((read_wikipedia, wikipedia), (read_emnlp, emnlp)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
            for name, text in members.items():
                files.writestr(name, text)
        yield reader, out.getvalue()


def run_models(seed, numbers, folder):
    """Outcomes of mutated model files with these numbers."""
    graph, originals = models()
    for number in numbers:
        random = np.random.RandomState([seed, 0, number])
        content, expected = originals[number % len(originals)]
        of_meaning = number % 2 == 1
        path = Path(folder, "model.skdegfair")
        path.write_bytes((of_model if of_meaning else of_bytes)(content, random))

        def read(path=path, expected=expected, of_meaning=of_meaning):
            model = skdegfair.load(path)
            if of_meaning:
                repr(model)
                return "read"
            return "read, the same predictions" if digest(model, graph) == expected else "read, OTHER PREDICTIONS"

        yield of_meaning, outcome(read)
    assert [each.name for each in Path(folder).iterdir()] == ["model.skdegfair"]  # nothing was written elsewhere


def run_archives(seed, numbers, folder):
    """Outcomes of mutated archives with these numbers."""
    originals = list(archives())
    for number in numbers:
        random = np.random.RandomState([seed, 1, number])
        reader, content = originals[number // 2 % len(originals)]
        of_meaning = number % 2 == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile warns about names that occur twice
            mutated = (of_archive if of_meaning else of_bytes)(content, random)

        def read(reader=reader, mutated=mutated):
            X, A, y = reader(mutated)
            whole = np.isfinite(A.data).all() and A.shape == (len(y), len(y)) and X.shape[0] == len(y) and y.min() >= 0
            return "read" if whole else "read, NOT WHOLE"

        yield of_meaning, outcome(read)


def outcome(read):
    """What became of a file, in a word."""

    def too_long(*_):
        raise Hang

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read()
    except (ModelFileError, ValueError):
        return "refused"
    except Hang:
        return "HANG"
    except Exception as error:
        return f"{type(error).__name__.upper()}: {error}"
    finally:
        signal.alarm(0)


def block(run, seed, numbers):
    """Count outcomes, in a process of its own, with the peak of its memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Counter(run(seed, numbers, folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)
    return counts, peak


def study(run, seed, number):
    """Outcomes of all files, and the peak of the memory of any process that read them."""
    counts, peak = Counter(), 0.0
    for start in range(0, number, BLOCK):
        numbers = range(start, min(start + BLOCK, number))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            try:
                found, memory = pool.submit(block, run, seed, numbers).result()
            except BrokenProcessPool:
                found, memory = Counter({(False, "CRASH of the process"): 1}), 0.0
        counts, peak = counts + found, max(peak, memory)
    return counts, peak


def describe(title, counts, peak):
    limit = "below 1 GB" if peak < LIMIT else "ABOVE 1 GB"
    rows = [f"{title}: {counts.total()} files, at most {peak:.0f} MB in a process, {limit}"]
    for of_meaning, name in ((False, "bytes changed"), (True, "meaning changed")):
        found = {result: n for (meaning, result), n in sorted(counts.items()) if meaning == of_meaning}
        rows += [f"  {name}: {sum(found.values())}", *(f"    {n:6d}  {result}" for result, n in found.items())]
    bad = sum(n for (_, result), n in counts.items() if result not in FINE)
    return "\n".join([*rows, f"  neither read nor refused in good order: {bad}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--archives", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    text = f"seed {options.seed}\n\n"
    text += describe("Model files", *study(run_models, options.seed, options.models)) + "\n"
    text += describe("Data archives", *study(run_archives, options.seed, options.archives))
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "hostile_files.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
