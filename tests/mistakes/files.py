"""Mistakes with files: models that cannot be saved, damaged and malicious model files, and archives of data."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from skorch.callbacks import EpochTimer
from torch.optim import SGD

import skdegfair
from skdegfair import GNNClassifier, GraphTransformer, model_card, tensorfile
from skdegfair.datasets._parse import read_emnlp, read_wikipedia
from skdegfair.exceptions import ModelFileError, VersionWarning

from .cases import Mistake, World

# -- models ----------------------------------------------------------------------------------------


def saved(w: World, name: str = "model", **parameters: Any) -> Path:
    """A file of a fitted classifier."""
    skdegfair.save(w.fitted().set_params(**parameters), w.folder / name)
    return w.folder / name


def in_pipeline(w: World, transformer: Any) -> None:
    model = make_pipeline(GraphTransformer(transformer), GNNClassifier(max_epochs=1, random_state=0)).fit(w.named, w.y)
    skdegfair.save(model, w.folder / "model")


def bytes_changed(w: World, change: Callable[[bytes], bytes]) -> None:
    path = saved(w)
    path.write_bytes(change(path.read_bytes()))
    skdegfair.load(path)


def edited(
    w: World,
    *,
    model: Callable[[dict[str, Any]], Any] = lambda model: None,
    arrays: Callable[[dict[str, Any]], Any] = lambda arrays: None,
    text: Callable[[str], str] = str,
    marks: dict[str, str] | None = None,
) -> None:
    """Load a file whose description of the model, arrays, JSON or metadata were changed, with the right checksum."""
    path = saved(w)
    content = path.read_bytes()
    found = safetensors.numpy.load(content)
    header = json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])["__metadata__"]
    document = json.loads(header["document"])
    model(document["model"]["estimator"])
    arrays(found)
    header |= {"document": text(json.dumps(document))} | (marks or {})
    header["sha256"] = tensorfile._checksum(header, found)
    path.write_bytes(safetensors.numpy.save(found, header))
    skdegfair.load(path)


def set_parameters(**parameters: Any) -> Callable[[dict[str, Any]], None]:
    return lambda model: model["parameters"].update(parameters)


def set_learned(**attributes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda model: model["learned"].update(attributes)


def other_version(w: World) -> None:
    state = {**w.fitted().__getstate__(), "_skdegfair_version": "0.0.1"}
    skdegfair.DegFairGNNClassifier().__setstate__(state)


WEIGHT = "model.module_.layers.0.weight"
SAVING = [
    Mistake(
        "an unfitted model is saved", lambda w: skdegfair.save(w.clf, w.folder / "m"), NotFittedError, ("DegFairGNN",)
    ),
    Mistake(
        "a search is saved",
        lambda w: skdegfair.save(GridSearchCV(w.clf, {"hidden_dim": [8]}), w.folder / "m"),
        TypeError,
        ("a GridSearchCV", "save(search.best_estimator_, path)"),
    ),
    Mistake(
        "another classifier is saved",
        lambda w: skdegfair.save(LogisticRegression().fit(w.X, w.y), w.folder / "m"),
        TypeError,
        ("a LogisticRegression", "GNNClassifier or DegFairGNNClassifier"),
    ),
    Mistake(
        "a class is saved", lambda w: skdegfair.save(GNNClassifier, w.folder / "m"), TypeError, ("<class", "fitted")
    ),
    Mistake(
        "a generator is saved", lambda w: saved(w, random_state=np.random.RandomState(0)), TypeError, ("random_state",)
    ),
    Mistake(
        "an optimizer's class is saved",
        lambda w: saved(w, net_params={"optimizer": SGD}),
        TypeError,
        ("net_params", "SGD"),
    ),
    Mistake("callbacks are saved", lambda w: saved(w, callbacks=[EpochTimer()]), UserWarning, ("callbacks=None",)),
    Mistake(
        "a function is saved", lambda w: in_pipeline(w, FunctionTransformer(np.abs)), TypeError, (".func", "absolute")
    ),
    Mistake(
        "a selector of columns is saved",
        lambda w: in_pipeline(w, ColumnTransformer([("a", StandardScaler(), make_column_selector())])),
        TypeError,
        ("transformers[0][2]", "make_column_selector"),
    ),
    Mistake("save to a missing folder", lambda w: saved(w, "no/m"), FileNotFoundError, ("could not be saved", "no/m")),
    Mistake("save to a folder", lambda w: saved(w, "."), IsADirectoryError, ("could not be saved",)),
    Mistake("save to no path", lambda w: skdegfair.save(w.fitted(), 3), TypeError, ("int",)),
    Mistake(
        "load a missing file", lambda w: skdegfair.load(w.folder / "no"), FileNotFoundError, ("no such file", "no'")
    ),
    Mistake("load a folder", lambda w: skdegfair.load(w.folder), FileNotFoundError, ("this is not a file",)),
    Mistake(
        "load to a device that is missing",
        lambda w: skdegfair.load(saved(w), device="cuda:99"),
        ModelFileError,
        ("device='cuda:99' is not available",),
    ),
    Mistake("a pickle of another version", other_version, VersionWarning, ("skdegfair 0.0.1", "DegFairGNNClassifier")),
]
DAMAGED = [
    Mistake("an empty model file", lambda w: bytes_changed(w, lambda _: b""), ModelFileError, ("not a model that",)),
    Mistake(
        "a pickle as model file",
        lambda w: bytes_changed(w, lambda _: pickle.dumps(3)),
        ModelFileError,
        ("Pickle and joblib files are not read",),
    ),
    Mistake(
        "a truncated model file", lambda w: bytes_changed(w, lambda b: b[:-9]), ModelFileError, ("cannot be loaded",)
    ),
    Mistake(
        "a bit of a weight flipped",
        lambda w: bytes_changed(w, lambda b: b[:-1] + bytes([b[-1] ^ 1])),
        ModelFileError,
        ("its checksum is wrong", "model cannot be loaded"),
    ),
    Mistake(
        "a character of the document changed",
        lambda w: bytes_changed(w, lambda b: b.replace(b'max_epochs\\":2', b'max_epochs\\":3')),
        ModelFileError,
        ("its checksum is wrong",),
    ),
    Mistake(
        "a newer schema", lambda w: edited(w, marks={"schema": "2"}), ModelFileError, ("schema 2", "newer skdegfair")
    ),
    Mistake("another format", lambda w: edited(w, marks={"format": "x"}), ModelFileError, ("not a model that",)),
    Mistake(
        "an unknown class",
        lambda w: edited(w, model=lambda m: m.update({"class": "os.system"})),
        ModelFileError,
        ("os.system",),
    ),
    Mistake(
        "an unknown parameter", lambda w: edited(w, model=set_parameters(command="x")), ModelFileError, ("command",)
    ),
    Mistake(
        "a parameter out of range", lambda w: edited(w, model=set_parameters(dropout=7)), ModelFileError, ("dropout",)
    ),
    Mistake(
        "a huge network",
        lambda w: edited(w, model=set_parameters(hidden_dim=10**12)),
        ModelFileError,
        (WEIGHT, "2000000000000"),
    ),
    Mistake(
        "a network of endless layers",
        lambda w: edited(w, model=set_parameters(n_layers=10**9)),
        ModelFileError,
        ("layers",),
    ),
    Mistake(
        "a number of features that is wrong",
        lambda w: edited(w, model=set_learned(n_features_in_=10**9)),
        ModelFileError,
        (WEIGHT, "1000000000"),
    ),
    Mistake(
        "callbacks in a file", lambda w: edited(w, model=set_parameters(callbacks=[1])), ModelFileError, ("callbacks",)
    ),
    Mistake(
        "an attribute that fit does not set",
        lambda w: edited(w, model=set_learned(predict="x")),
        ModelFileError,
        ("model.predict",),
    ),
    Mistake(
        "classes that are not distinct",
        lambda w: edited(w, model=lambda m: m["learned"]["classes_"]["array"].update(values=[1, 1, 2])),
        ModelFileError,
        ("model.classes_",),
    ),
    Mistake(
        "a scale that is not finite",
        lambda w: edited(w, model=set_learned(feature_scale_={"float": "nan"})),
        ModelFileError,
        ("feature_scale_",),
    ),
    Mistake(
        "an array with a shape that is huge",
        lambda w: edited(w, model=lambda m: m["learned"]["classes_"]["array"].update(shape=[10**12])),
        ModelFileError,
        ("model.classes_", "shape"),
    ),
    Mistake(
        "texts that take too much memory",
        lambda w: edited(
            w,
            model=lambda m: m["learned"]["classes_"].update(
                array={"dtype": "<U9999999", "shape": [99], "values": ["a"] * 99}
            ),
        ),
        ModelFileError,
        ("model.classes_", "memory"),
    ),
    Mistake(
        "weights that are NaN",
        lambda w: edited(w, arrays=lambda a: a[WEIGHT].fill(np.nan)),
        ModelFileError,
        (WEIGHT, "NaN"),
    ),
    Mistake(
        "weights of another dtype",
        lambda w: edited(w, arrays=lambda a: a.update({WEIGHT: a[WEIGHT].astype(np.float64)})),
        ModelFileError,
        (WEIGHT, "float64"),
    ),
    Mistake(
        "weights that are missing",
        lambda w: edited(w, arrays=lambda a: a.pop(WEIGHT)),
        ModelFileError,
        (WEIGHT, "missing"),
    ),
    Mistake(
        "an array too many, with a path as name",
        lambda w: edited(w, arrays=lambda a: a.update({"../../x": np.ones(3)})),
        ModelFileError,
        ("../../x",),
    ),
    Mistake(
        "NaN in the document",
        lambda w: edited(w, text=lambda t: t.replace("0.5", "NaN")),
        ModelFileError,
        ("NaN", "JSON"),
    ),
    Mistake(
        "a name twice in the document",
        lambda w: edited(w, text=lambda t: t.replace('"n_heads"', '"hidden_dim"')),
        ModelFileError,
        ("twice",),
    ),
    Mistake(
        "a document nested deeply",
        lambda w: edited(w, text=lambda t: t.replace("0.5", "[" * 10**5 + "]" * 10**5)),
        ModelFileError,
        ("recursion",),
    ),
]

# -- data archives ---------------------------------------------------------------------------------

TABLE, LINKS = "node_feature_label.txt", "graph_edges.txt"
WIKIPEDIA = {TABLE: b"node_id\tfeature\tlabel\n1\t0,1,1\t1\n0\t1,0,0\t0\n", LINKS: b"0\t1\n"}


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(array))
    return out.getvalue()


def npz(matrix: Any) -> bytes:
    out = io.BytesIO()
    sp.save_npz(out, matrix)
    return out.getvalue()


EMNLP = {
    "emnlp-x.npy": npy(np.ones((3, 2))),
    "emnlp-y.npy": npy([1, 2, 9]),
    "emnlp-adj.npz": npz(sp.csc_array(np.eye(3))),
}


def read(w: World, changes: dict[str, bytes], *, original: dict[str, bytes] = WIKIPEDIA) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for name, content in {**original, **changes}.items():
            files.writestr(f"../../{name}", content)  # folders do not matter: nothing is written
    (read_wikipedia if original is WIKIPEDIA else read_emnlp)(out.getvalue())


def archive(name: str, changes: dict[str, bytes], *says: str, original: dict[str, bytes] = WIKIPEDIA) -> Mistake:
    return Mistake(name, lambda w: read(w, changes, original=original), ValueError, says)


ARCHIVES = [
    Mistake("an archive that is none", lambda w: read_wikipedia(b"PK"), ValueError, ("The archive is damaged",)),
    archive("an archive with a file twice", {f"x/{TABLE}": b""}, "one file node_feature_label.txt, found 2"),
    archive("a bomb in an archive", {TABLE: b"0" * 2**26}, TABLE, "more than 33554432 bytes"),
    archive("too many lines in an archive", {TABLE: b"\n" * 10**6}, TABLE, "131072 lines"),
    archive("an archive without nodes", {TABLE: b""}, TABLE),
    archive("a line without a label", {TABLE: b"\n0\t1,0\n"}, TABLE, "a label"),
    archive("a node twice", {TABLE: b"\n0\t1\t0\n0\t1\t0\n"}, TABLE, "each once"),
    archive("a node below 0", {TABLE: b"\n-1\t1\t0\n0\t1\t0\n"}, TABLE, "from 0"),
    archive("a feature that is NaN", {TABLE: b"\n0\tnan\t0\n"}, TABLE, "zeros and ones"),
    archive("features of different number", {TABLE: b"\n0\t1,0\t0\n1\t1\t0\n"}, TABLE, "same number"),
    archive("a label below 0", {TABLE: b"\n0\t1\t-5\n"}, "a class below 0"),
    archive("a label that is huge", {TABLE: b"\n0\t1\t99999999999999999999\n"}, "damaged", "too large"),
    archive("a link to nowhere", {LINKS: b"0\t7\n"}, "node 0 or 7", "0 to 1"),
    archive("a link that is negative", {LINKS: b"0\t-1\n"}, "node -1"),
    archive("half a link", {LINKS: b"0\t1\n1\n"}, "reshape"),
    archive("an encoding with two bytes", {TABLE: WIKIPEDIA[TABLE].decode().encode("utf-16")}, TABLE),
    archive("citations that are NaN", {"emnlp-y.npy": npy([1, np.nan, 2])}, "emnlp-y.npy", "NaN", original=EMNLP),
    archive("features of text", {"emnlp-x.npy": npy([["a"]])}, "dtype <U1", original=EMNLP),
    archive("features for other nodes", {"emnlp-x.npy": npy(np.ones((4, 2)))}, "(4, 2) for 3 nodes", original=EMNLP),
    archive(
        "a shape that is huge",
        {"emnlp-x.npy": EMNLP["emnlp-x.npy"].replace(b"(3, 2), }     ", b"(99999999, 2),}")},
        "99999999",
        original=EMNLP,
    ),
    archive("a pickle in an archive", {"emnlp-x.npy": pickle.dumps([1])}, "magic", original=EMNLP),
    archive("a matrix of another kind", {"emnlp-adj.npz": npz(sp.coo_array(np.eye(3)))}, "indices.npy", original=EMNLP),
]

CARDS = [
    Mistake("a model card without degrees", lambda w: model_card(w.fitted(), w.X, w.y), TypeError, ("degree=",)),
    Mistake(
        "a model card of an unfitted model", lambda w: model_card(w.clf, w.G, w.y), NotFittedError, ("DegFairGNN",)
    ),
    Mistake("a model card with other labels", lambda w: model_card(w.fitted(), w.G, w.y[:5]), ValueError, ("y has 5",)),
]

MISTAKES = [*SAVING, *DAMAGED, *ARCHIVES, *CARDS]
