"""Saved models come back bit for bit; files that are not what they should be are refused, whole."""

import copy
import gc
import json
import os
import pickle
import resource
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

import skdegfair
from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph, GraphTransformer, tensorfile
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.estimators import base
from skdegfair.exceptions import ModelFileError, VersionWarning
from skdegfair.metrics import DegreeFairnessReport
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, ReleasedDegFair, TailGNN
from skdegfair.persistence._classifier import ATTRIBUTES
from skdegfair.persistence._model import KIND

SAVED = Path(__file__).parent / "saved"
MITIGATIONS = [
    None,
    DegFair(),
    DegFair(fairness_groups=3, fairness_hops=2, context_hops=2, context_pool="walk"),
    DegFair(modulation=False, fairness_groups="threshold"),
    DegFair(scale_shift=False, contrast=False, degree_threshold=3),
    FairGNN(fairness_groups=3),
    RawlsGCN(),
    RawlsGCN(form="gradient"),
    ReleasedDegFair(),
    CFC(),
    CFC(fairness_hops=[1, 2], fairness_groups=["threshold", 3]),
    FairVGNN(n_masks=2),
    TailGNN(degree_threshold="mean"),
    DSGCN(),
]


@pytest.fixture(scope="module")
def tiny():
    return make_degree_biased_graph(40, n_features=4, mean_degree=6, random_state=0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skdegfair"


def described(groups):
    """Degree groups, or a list of them, as plain values."""
    each = groups if isinstance(groups, list) else [groups]
    return [(one.boundaries.tolist(), one.hops, one.codes.tolist()) for one in each]


def again(model, path):
    skdegfair.save(model, path)
    return skdegfair.load(path)


def check_same(loaded, model, graph):
    """All that a user can ask of a fitted classifier."""
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    for method in ("predict_proba", "decision_function", "predict", "embed"):
        if hasattr(model, method):
            one, other = getattr(loaded, method)(graph), getattr(model, method)(graph)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    loaded, model = (each.steps[-1][1] if isinstance(each, Pipeline) else each for each in (loaded, model))
    assert vars(loaded).keys() == vars(model).keys()
    for name in ("n_iter_", "best_epoch_", "stop_reason_", "feature_scale_", "n_features_in_", "_fitted_with_edges"):
        assert getattr(loaded, name) == getattr(model, name)
    assert loaded.classes_.dtype == model.classes_.dtype
    pd.testing.assert_frame_equal(loaded.history_, model.history_)
    assert repr(loaded.module_) == repr(model.module_)
    assert not loaded.module_.training
    assert set(vars(model)) - set(model.get_params()) | {"feature_names_in_"} == {*ATTRIBUTES, "net_"}


@pytest.mark.parametrize("backbone", ["gcn", "gat", "sage"])
@pytest.mark.parametrize("mitigation", MITIGATIONS, ids=str)
def test_every_method_and_backbone(mitigation, backbone, tiny, path):
    if mitigation is not None and backbone not in mitigation.backbones:
        pytest.skip("not supported together")
    clf = GNNClassifier(backbone=backbone, mitigation=mitigation, hidden_dim=8, max_epochs=2, random_state=0)
    clf.fit(tiny.graph, tiny.y)
    loaded = again(clf, path)
    check_same(loaded, clf, tiny.graph)
    for name in () if mitigation is None else vars(clf.mitigation_):
        one, other = getattr(loaded.mitigation_, name), getattr(clf.mitigation_, name)
        assert type(one) is type(other)
        assert described(one) == described(other) if name == "groups_" else one == other
    loaded.fit(tiny.graph, tiny.y)  # a new fit is the same as before
    np.testing.assert_array_equal(loaded.predict_proba(tiny.graph), clf.predict_proba(tiny.graph))


@pytest.mark.parametrize("backbone", ["gcn", "gat", "sage"])
def test_the_flagship(backbone, tiny, path):
    clf = DegFairGNNClassifier(
        backbone=backbone, n_layers=3, early_stopping=True, class_weight={0: 1.0, 1: 2, 2: 3.5}, max_epochs=3,
        device=torch.device("cpu"), net_params={"optimizer__amsgrad": True}, n_neighbors=[3, None, np.int64(2)],
        batch_size=10, random_state=np.int64(3),
    ).fit(tiny.graph, tiny.y)  # fmt: skip
    loaded = again(clf, path)
    check_same(loaded, clf, tiny.graph)
    assert loaded.degree_threshold_ == clf.degree_threshold_
    assert repr(loaded.get_params()) == repr(clf.get_params())
    assert repr(clone(loaded)) == repr(clone(clf))
    reports = [str(DegreeFairnessReport.from_estimator(each, tiny.graph, tiny.y)) for each in (loaded, clf)]
    assert reports[0] == reports[1]
    assert again(loaded, path).score(tiny.graph, tiny.y) == clf.score(tiny.graph, tiny.y)  # twice
    check_same(pickle.loads(pickle.dumps(loaded)), clf, tiny.graph)


@pytest.mark.parametrize(
    "classes",
    [
        np.array([3, 7, 9]),
        np.array([3, 7, 9], dtype=np.uint8),
        np.array([-2.0, 3.0, 1e10]),
        np.array(["a", "ü", "a longer name"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array(["a", "b", "c"], dtype="<U40"),
        np.array([False, True]),
        np.arange(3) + 2**60,
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_classes(classes, tiny, path):
    y = classes[tiny.y % len(classes)]
    clf = GNNClassifier(max_epochs=1, random_state=0).fit(tiny.graph, y)
    loaded = again(clf, path)
    check_same(loaded, clf, tiny.graph)
    assert [type(name) for name in loaded.classes_.tolist()] == [type(name) for name in clf.classes_.tolist()]
    assert loaded.score(tiny.graph, y) == clf.score(tiny.graph, y)


def test_many_classes_and_unknown_labels(tiny, path):
    """More classes than are written to JSON one by one, and placeholders for unknown labels."""
    graph, y = Graph(np.random.RandomState(0).normal(size=(300, 3)), np.eye(300)), np.arange(300.0) % 120
    y[:5] = np.nan
    clf = GNNClassifier(unlabeled=float("nan"), max_epochs=1, random_state=0).fit(graph, y)
    check_same(again(clf, path), clf, graph)
    assert np.isnan(skdegfair.load(path).unlabeled)


def test_feature_names(tiny, path):
    frame = pd.DataFrame(tiny.X, columns=["a", "b", "ü", "d d"])
    clf = GNNClassifier(max_epochs=1, random_state=0).fit(frame, tiny.A, tiny.y)
    loaded = again(clf, path)
    np.testing.assert_array_equal(loaded.feature_names_in_, clf.feature_names_in_)
    assert loaded.feature_names_in_.dtype == clf.feature_names_in_.dtype
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"a": "z"}), tiny.A)
    with pytest.raises(ValueError, match="needs the edges"):
        loaded.predict(frame)


def table(tiny):
    """Numbers, texts and missing values, as data frames have them."""
    frame = pd.DataFrame(np.abs(tiny.X), columns=list("abcd"))
    frame["kind"] = np.array(["x", "y", "z", "w"], dtype=object)[np.arange(len(frame)) % 4]
    frame["code"] = np.arange(len(frame)) % 5
    frame.loc[3, "a"] = np.nan
    return Graph(frame, tiny.A)


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(), StandardScaler(with_mean=False), MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler(),
        Normalizer("l1"), PCA(2, random_state=0), PCA(0.9, whiten=True), TruncatedSVD(2, random_state=0),
        SimpleImputer(add_indicator=False, strategy="median"), OneHotEncoder(handle_unknown="ignore"),
        OneHotEncoder(handle_unknown="ignore", max_categories=3, sparse_output=False), OrdinalEncoder(dtype=np.float32),
        make_pipeline(SimpleImputer(), StandardScaler(), PCA(3)), make_pipeline("passthrough", StandardScaler()),
    ],
    ids=str,
)  # fmt: skip
def test_transformers(transformer, tiny, path):
    clf = GNNClassifier(max_epochs=1, random_state=0)
    model = make_pipeline(GraphTransformer(transformer), clf).fit(tiny.graph, tiny.y)
    loaded = again(model, path)
    check_same(loaded, model, tiny.graph)
    one, other = (each[:-1].transform(tiny.graph) for each in (loaded, model))
    assert abs(one.X - other.X).sum() == 0
    refitted = clone(loaded).fit(tiny.graph, tiny.y)
    np.testing.assert_array_equal(refitted.predict_proba(tiny.graph), model.predict_proba(tiny.graph))


@pytest.mark.parametrize("remainder", ["drop", "passthrough", StandardScaler()], ids=str)
def test_columns(remainder, tiny, path):
    graph = table(tiny)
    columns = ColumnTransformer(
        [
            ("filled", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
            ("kinds", OneHotEncoder(handle_unknown="ignore", min_frequency=2), ["kind"]),
            ("codes", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), slice(5, 6)),
            ("kept", "passthrough", ["c"]),
        ],
        remainder=remainder,
    ).set_output(transform="pandas" if remainder == "drop" else "default")
    columns.set_params(kinds__sparse_output=False)
    model = make_pipeline(GraphTransformer(columns), GNNClassifier(max_epochs=1, random_state=0)).fit(graph, tiny.y)
    loaded = again(model, path)
    check_same(loaded, model, graph)
    new = graph.X.assign(kind="never seen", code=77)
    np.testing.assert_array_equal(loaded.predict(Graph(new, graph.A)), model.predict(Graph(new, graph.A)))


def test_large_encoders(tiny, path):
    """Hundreds of categories, texts and numbers."""
    frame = pd.DataFrame({"text": [f"name {k}" for k in range(300)], "number": np.arange(300.0) / 7})
    graph = Graph(frame, np.eye(300))
    encoders = ColumnTransformer([("t", OneHotEncoder(), ["text"]), ("n", OrdinalEncoder(), ["number"])])
    model = make_pipeline(GraphTransformer(encoders), GNNClassifier(max_epochs=1, random_state=0))
    model.fit(graph, np.arange(300) % 2)
    check_same(again(model, path), model, graph)


def test_an_imputer_that_marks_missing_values(path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[::5, 0] = np.nan
    graph = Graph(X, np.eye(40))
    imputer = GraphTransformer(SimpleImputer(add_indicator=True))
    model = make_pipeline(imputer, GNNClassifier(max_epochs=1, random_state=0)).fit(graph, np.arange(40) % 2)
    check_same(again(model, path), model, graph)


def test_warm_start_continues_with_a_new_optimizer(tiny, path):
    clf = GNNClassifier(max_epochs=3, warm_start=True, random_state=0).fit(tiny.graph, tiny.y)
    loaded = again(clf, path)
    before = loaded.predict_proba(tiny.graph)
    loaded.fit(tiny.graph, tiny.y)
    assert loaded.n_iter_ == len(loaded.history_) == 6
    pd.testing.assert_frame_equal(loaded.history_[:3], clf.history_)
    still = skdegfair.load(path).set_params(learning_rate=1e-30).fit(tiny.graph, tiny.y)
    np.testing.assert_allclose(still.predict_proba(tiny.graph), before, rtol=1e-6)


def test_in_another_process(tiny, path):
    clf = DegFairGNNClassifier(max_epochs=2, random_state=0).fit(tiny.graph, tiny.y)
    skdegfair.save(clf, path)
    code = f"""
import skdegfair
from skdegfair.datasets import make_degree_biased_graph
graph = make_degree_biased_graph(40, n_features=4, mean_degree=6, random_state=0).graph
print(skdegfair.load({str(path)!r}).predict_proba(graph).tobytes().hex())
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == clf.predict_proba(tiny.graph).tobytes().hex()


def test_other_defaults_of_torch(tiny, path):
    clf = DegFairGNNClassifier(backbone="gat", max_epochs=2, random_state=0).fit(tiny.graph, tiny.y)
    skdegfair.save(clf, path)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"), torch.inference_mode():
            loaded = skdegfair.load(path)
    finally:
        torch.set_default_dtype(torch.float32)
    assert {(each.dtype, each.device.type) for each in loaded.module_.parameters()} == {(torch.float32, "cpu")}
    check_same(loaded, clf, tiny.graph)
    loaded.fit(tiny.graph, tiny.y)


def test_randomness_of_the_caller_is_not_touched(tiny, path):
    clf = GNNClassifier(max_epochs=1, random_state=0).fit(tiny.graph, tiny.y)
    before = torch.get_rng_state()
    again(clf, path)
    assert torch.equal(before, torch.get_rng_state())


def test_the_file_can_be_read_by_others(tiny, path):
    """By safetensors and a reader of JSON."""
    clf = DegFairGNNClassifier(max_epochs=2, random_state=0).fit(tiny.graph, tiny.y)
    skdegfair.save(clf, path)
    with safe_open(path, framework="numpy") as file:
        marks, names = file.metadata(), list(file.keys())
        weight = file.get_tensor("model.module_.layers.0.weight")
    np.testing.assert_array_equal(weight, clf.module_.layers[0].weight.detach().numpy())
    assert sorted(names) == sorted(f"model.module_.{name}" for name in clf.module_.state_dict())
    assert (marks["format"], marks["schema"]) == ("skdegfair", str(KIND.schema))
    document = json.loads(marks["document"])
    assert document["versions"]["skdegfair"] == skdegfair.__version__
    described = document["model"]["estimator"]
    assert described["parameters"]["max_epochs"] == 2
    assert described["learned"]["classes_"]["array"]["values"] == [0, 1, 2]
    learned = described["learned"]["mitigation_"]["estimator"]["learned"]
    assert learned["degree_threshold_"] == clf.degree_threshold_


def test_an_earlier_file_stays_whole(tiny, path, monkeypatch):
    clf = GNNClassifier(max_epochs=1, random_state=0).fit(tiny.graph, tiny.y)
    skdegfair.save(clf, path)
    whole = path.read_bytes()

    def disk_full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match=r"could not be saved: No space left on device: '.*model\.skdegfair'"):
        skdegfair.save(clf.set_params(max_epochs=2).fit(tiny.graph, tiny.y), path)
    assert path.read_bytes() == whole
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(TypeError, match="random_state"):
        skdegfair.save(clf.set_params(random_state=np.random.RandomState(0)), path)
    assert path.read_bytes() == whole


def test_too_many_names(tiny, path, monkeypatch):
    clf = GNNClassifier(max_epochs=1, random_state=0).fit(tiny.graph, tiny.y)
    monkeypatch.setattr(tensorfile, "MAX_HEADER", 1000)
    with pytest.raises(ValueError, match=r"too many names or other texts to be saved: \d+ bytes, at most 1000"):
        skdegfair.save(clf, path)
    assert not list(path.parent.iterdir())


def test_callbacks_are_left_out(tiny, path):
    from skorch.callbacks import EpochTimer

    clf = GNNClassifier(max_epochs=1, callbacks=[("timer", EpochTimer())], random_state=0).fit(tiny.graph, tiny.y)
    with pytest.warns(UserWarning, match="callbacks are code and are not saved"):
        skdegfair.save(clf, path)
    assert skdegfair.load(path).callbacks is None


def test_without_safetensors(tmp_path):
    code = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "safetensors":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import skdegfair
from skdegfair.datasets import make_degree_biased_graph
data = make_degree_biased_graph(40, random_state=0)
clf = skdegfair.GNNClassifier(max_epochs=1).fit(data.graph, data.y)
for attempt in (lambda: skdegfair.save(clf, "model"), lambda: skdegfair.load(sys.argv[1])):
    try:
        attempt()
    except ImportError as error:
        print(error)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", code, str(SAVED / "schema1_degfair.skdegfair")]
    out = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert (
        out.stdout.splitlines() == ['Saving and loading models needs safetensors: pip install "skdegfair[save]".'] * 2
    )


@pytest.mark.parametrize("file", sorted(SAVED.glob("schema1_*.skdegfair")), ids=lambda file: file.stem)
def test_files_of_earlier_versions(file):
    """They still load. Probabilities are close on any machine; on the one that recorded them they are the same."""
    recorded = json.loads(file.with_suffix(".json").read_text())
    graph = Graph(np.array(recorded["X"]), np.array(recorded["A"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VersionWarning)  # scikit-learn's version
        model = skdegfair.load(file)
    np.testing.assert_allclose(model.predict_proba(graph), recorded["probabilities"], rtol=1e-12)
    assert model.predict(graph).tolist() == recorded["predictions"]


def test_there_are_files_of_earlier_versions():
    assert {file.stem for file in SAVED.glob("*.skdegfair")} == {
        "schema1_degfair",
        "schema1_fairgnn",
        "schema1_pipeline",
    }


def test_pickles_carry_the_version(tiny, monkeypatch):
    clf = DegFairGNNClassifier(max_epochs=1, random_state=0).fit(tiny.graph, tiny.y)
    content = pickle.dumps(clf)
    same = pickle.loads(content)
    np.testing.assert_array_equal(same.predict_proba(tiny.graph), clf.predict_proba(tiny.graph))
    assert vars(same).keys() == vars(clf).keys() == vars(copy.deepcopy(clf)).keys()
    monkeypatch.setattr(base, "__version__", "9.0")
    with pytest.warns(
        VersionWarning, match=r"DegFairGNNClassifier was pickled by skdegfair 0\.1\.0, .* skdegfair 9\.0"
    ):
        pickle.loads(content)
    with pytest.warns(VersionWarning, match="unknown"):
        GNNClassifier().__setstate__({})


def test_other_scikit_learn(tiny, path, monkeypatch):
    model = make_pipeline(GraphTransformer(StandardScaler()), GNNClassifier(max_epochs=1)).fit(tiny.graph, tiny.y)
    with monkeypatch.context() as patch:
        patch.setattr("sklearn.__version__", "1.2.3")
        skdegfair.save(model, path)
    with pytest.warns(VersionWarning, match=r"transformers of scikit-learn 1\.2\.3"):
        skdegfair.load(path)


def test_own_mitigation_is_refused(tiny, path):
    class Mine(Mitigation):
        pass

    clf = GNNClassifier(mitigation=Mine(), max_epochs=1).fit(tiny.graph, tiny.y)
    with pytest.raises(TypeError, match=r"model\.mitigation cannot be saved: Mine\(\)"):
        skdegfair.save(clf, path)


@pytest.mark.slow
def test_nothing_is_left_behind(tiny, path):
    """Of 500 fits, clones, saves and loads in one process: no memory, no open file."""
    clf = DegFairGNNClassifier(max_epochs=2, random_state=0)
    folder = Path("/proc/self/fd")

    def rounds(number):
        for _ in range(number):
            skdegfair.save(clone(clf).fit(tiny.graph, tiny.y), path)
            skdegfair.load(path).predict(tiny.graph)
        gc.collect()
        open_files = len(list(folder.iterdir())) if folder.exists() else 0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, open_files

    memory, files = rounds(50)
    more_memory, more_files = rounds(450)
    assert more_memory < 1.05 * memory
    assert more_files == files
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"\x00", b"PK\x03\x04", pickle.dumps({"a": 1}), b"{" * 5000])
def test_other_files(content, path):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"model\.skdegfair cannot be loaded: it is not a model that skdegfair"):
        skdegfair.load(path)
