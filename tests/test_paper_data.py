"""The paper's data sets, where they are at hand, and what happens to files that are missing, wrong or damaged."""

import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from skdegfair.datasets import _fetch as fetching
from skdegfair.datasets import _paper as paper
from skdegfair.datasets import authors_split, fetch_chameleon, fetch_emnlp, fetch_squirrel, random_split

FETCHERS = {"Chameleon": fetch_chameleon, "Squirrel": fetch_squirrel, "EMNLP": fetch_emnlp}


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "features", "classes", "mean", "median", "largest", "isolated", "distinct"),
    [
        ("Chameleon", 2277, 31371, 2325, [456, 460, 453, 521, 387], 27.55, 12, 732, 0, 167),
        ("Squirrel", 5201, 198353, 2089, [1042, 1040, 1039, 1040, 1040], 76.27, 17, 1903, 0, 392),
        ("EMNLP", 2600, 7969, 8, [2039, 561], 6.13, 0, 228, 1339, 77),
    ],
)
def test_statistics_of_the_papers_table_1(
    name, nodes, edges, features, classes, mean, median, largest, isolated, distinct, tmp_path, paper_data
):
    data = FETCHERS[name](data_home=tmp_path, download_if_missing=False)
    graph, degree = data.graph, data.graph.degree()
    assert (graph.n_nodes, graph.n_edges, graph.shape[1]) == (nodes, edges, features)
    assert np.bincount(data.y).tolist() == classes
    assert degree.mean() == pytest.approx(mean, abs=0.01)
    assert (np.median(degree), degree.max(), (degree == 0).sum()) == (median, largest, isolated)
    assert len(np.unique(degree)) == distinct
    assert len(data.target_names) == len(classes)
    assert str(nodes) in data.DESCR
    assert abs(data.A - data.A.T).sum() == 0


def test_second_load_reads_arrays_and_not_the_archive(tmp_path, paper_data, monkeypatch):
    first = fetch_chameleon(data_home=tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]
    monkeypatch.setenv("SKDEGFAIR_DATA", str(tmp_path / "nowhere"))
    X, A, y = fetch_chameleon(data_home=tmp_path, download_if_missing=False, return_X_A_y=True)
    assert abs(X - first.X).sum() == abs(A - first.A).sum() == 0
    np.testing.assert_array_equal(y, first.y)
    (cache,) = tmp_path.iterdir()
    cache.write_bytes(cache.read_bytes()[:1000])  # damaged: parsed again, not trusted
    with pytest.warns(UserWarning, match="nowhere"), pytest.raises(OSError, match=r"Chameleon.zip was not found in"):
        fetch_chameleon(data_home=tmp_path, download_if_missing=False)
    monkeypatch.setenv("SKDEGFAIR_DATA", str(paper_data))
    assert fetch_chameleon(data_home=tmp_path).graph.n_edges == 31371


@pytest.mark.parametrize("name", ["Chameleon", "Squirrel", "EMNLP"])
def test_duplicates(name, tmp_path, paper_data):
    data = FETCHERS[name](data_home=tmp_path, drop_duplicates=True)
    whole = FETCHERS[name](data_home=tmp_path)
    twins = {(tuple(row.indices), label) for row, label in zip(whole.graph.A, whole.y, strict=True) if row.nnz}
    assert data.graph.n_nodes == len(twins) + int((whole.graph.degree() == 0).sum())
    dropped = whole.graph.n_nodes - data.graph.n_nodes
    assert dropped > 0
    assert f"{dropped} others were dropped" in data.DESCR
    np.testing.assert_array_equal(data.y, whole.y[data.nodes])
    assert abs(data.A - whole.A[data.nodes][:, data.nodes]).sum() == 0
    np.testing.assert_array_equal(whole.nodes, np.arange(whole.graph.n_nodes))


def archive_of(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


TINY = archive_of(
    {
        "Tiny/node_feature_label.txt": "node_id\tfeature\tlabel\n1\t0,1,1\t1\n0\t1,0,0\t0\n2\t0,0,0\t1\n",
        "Tiny/graph_edges.txt": "0\t1\n1\t0\n1\t2\n2\t2\n",
    }
)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A small archive in Chameleon's place."""
    archive = paper.CHAMELEON._replace(sha256=hashlib.sha256(TINY).hexdigest())
    monkeypatch.setattr(paper, "CHAMELEON", archive)
    monkeypatch.delenv("SKDEGFAIR_DATA", raising=False)
    return tmp_path


def test_rows_are_put_in_order_and_links_made_symmetric(tiny):
    (tiny / "Chameleon.zip").write_bytes(TINY)
    data = fetch_chameleon(data_home=tiny, download_if_missing=False)
    assert data.X.toarray().tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert data.y.tolist() == [0, 1, 1]
    assert data.A.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_wrong_file_is_set_aside(tiny):
    for names in (["Chameleon.zip.damaged"], ["Chameleon.zip.damaged", "Chameleon.zip.damaged1"]):
        (tiny / "Chameleon.zip").write_bytes(TINY[:-5])
        with pytest.raises(
            ValueError, match=rf"is not the Chameleon.zip that .* It was renamed to .*{names[-1]}\. Call again"
        ):
            fetch_chameleon(data_home=tiny)
        assert sorted(path.name for path in tiny.iterdir()) == names  # an older one is not overwritten


def test_a_wrong_file_in_the_users_own_folder_stays_there(tiny, monkeypatch):
    own = tiny / "own"
    own.mkdir()
    (own / "Chameleon.zip").write_bytes(b"something else")
    monkeypatch.setenv("SKDEGFAIR_DATA", str(own))
    with pytest.warns(UserWarning, match="It is not used"), pytest.raises(OSError, match="was not found in"):
        fetch_chameleon(data_home=tiny / "home", download_if_missing=False)
    assert (own / "Chameleon.zip").read_bytes() == b"something else"


def test_a_wrong_file_does_not_hide_the_right_one(tiny, monkeypatch):
    own, home = tiny / "own", tiny / "home"
    own.mkdir()
    home.mkdir()
    (own / "Chameleon.zip").write_bytes(TINY)
    (home / "Chameleon.zip").write_bytes(b"")
    monkeypatch.setenv("SKDEGFAIR_DATA", str(own))
    with pytest.warns(UserWarning, match="It was renamed"):
        assert fetch_chameleon(data_home=home).graph.n_nodes == 3


def test_a_folder_variable_that_leads_nowhere_is_said(tiny, monkeypatch):
    monkeypatch.setenv("SKDEGFAIR_DATA", str(tiny / "nowhere"))
    with (
        pytest.warns(UserWarning, match="SKDEGFAIR_DATA is set to .*nowhere"),
        pytest.raises(OSError, match="not found in"),
    ):
        fetch_chameleon(data_home=tiny, download_if_missing=False)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_caches_are_parsed_again(tiny, seed):
    (tiny / "Chameleon.zip").write_bytes(TINY)
    fetch_chameleon(data_home=tiny)
    (cache,) = tiny.glob("*.npz")
    whole = cache.read_bytes()
    random = np.random.RandomState(seed)
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[random.randint(len(whole))] ^= 1 << random.randint(8)
        cache.write_bytes(bytes(damaged))
        assert fetch_chameleon(data_home=tiny, download_if_missing=False).A.toarray().tolist()[0] == [0, 1, 0]
    np.save(tiny / "other.npy", np.ones(3))
    (tiny / "other.npy").rename(cache)
    assert fetch_chameleon(data_home=tiny, download_if_missing=False).graph.n_nodes == 3
    assert not list(tiny.glob("*.part"))


def test_download(tiny, monkeypatch):
    calls = []

    def fetch_file(url, folder, local_filename, sha256):
        calls.append((url, sha256))
        path = Path(folder) / local_filename
        path.write_bytes(TINY)
        return str(path)

    monkeypatch.setattr(fetching, "fetch_file", fetch_file)
    home = tiny / "new" / "folder"
    for _ in range(2):
        assert fetch_chameleon(data_home=home).graph.n_nodes == 3
    ((url, sha256),) = calls  # once
    assert url.endswith("/5afdf60b2c3c9557b85b2fecd135e97c79470ea2/data/Chameleon.zip")
    assert sha256 == hashlib.sha256(TINY).hexdigest()


def test_no_network(tiny, monkeypatch):
    def fetch_file(*args, **kwargs):
        raise OSError("no route")

    monkeypatch.setattr(fetching, "fetch_file", fetch_file)
    with pytest.raises(OSError, match=r"could not be downloaded from .*: no route\. Put the file into"):
        fetch_chameleon(data_home=tiny)
    assert list(tiny.iterdir()) == []


def test_a_folder_that_must_not_be_written_to(tiny, monkeypatch):
    source = tiny / "source"
    source.mkdir()
    (source / "Chameleon.zip").write_bytes(TINY)
    (tiny / "file").write_text("no folder")
    monkeypatch.setenv("SKDEGFAIR_DATA", str(source))
    assert fetch_chameleon(data_home=tiny / "file" / "home").graph.n_nodes == 3  # parsed, just not kept


@pytest.mark.parametrize("n_nodes", [2277, 5201, 2600])
def test_authors_split(n_nodes):
    order = np.arange(n_nodes)
    np.random.RandomState(0).shuffle(order)  # as np.random.seed(0) and np.random.shuffle
    split = authors_split(n_nodes)
    np.testing.assert_array_equal(np.concatenate(split), order)
    assert len(split.train) == int(0.6 * n_nodes)
    assert len(split.train) + len(split.valid) == int(0.8 * n_nodes)
    other = random_split(n_nodes, random_state=1)
    assert not np.array_equal(other.test, split.test)
    np.testing.assert_array_equal(other.test, random_split(n_nodes, random_state=1).test)


@pytest.mark.parametrize("n_nodes", [4, 0, -3, 10.0, True, "10"])
def test_splits_of_too_few_nodes(n_nodes):
    with pytest.raises(ValueError, match="n_nodes must be an integer of at least 5"):
        random_split(n_nodes)
    assert all(len(part) for part in random_split(5, random_state=0))
