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
    with pytest.raises(OSError, match=r"Chameleon.zip is in none of"):
        fetch_chameleon(data_home=tmp_path, download_if_missing=False)
    monkeypatch.setenv("SKDEGFAIR_DATA", str(paper_data))
    assert fetch_chameleon(data_home=tmp_path).graph.n_edges == 31371


@pytest.mark.parametrize(("name", "kept"), [("Chameleon", 1223), ("EMNLP", 2590)])
def test_duplicates(name, kept, tmp_path, paper_data):
    data = FETCHERS[name](data_home=tmp_path, drop_duplicates=True)
    whole = FETCHERS[name](data_home=tmp_path)
    assert data.graph.n_nodes == kept
    neighbours = {tuple(row.indices) for row in whole.graph.A if row.nnz}
    assert kept == len(neighbours) + int((whole.graph.degree() == 0).sum())


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
    (tiny / "Chameleon.zip").write_bytes(TINY[:-5])
    with pytest.raises(ValueError, match=r"is not the Chameleon.zip that .* It is now .*Chameleon.zip.damaged"):
        fetch_chameleon(data_home=tiny)
    assert [path.name for path in tiny.iterdir()] == ["Chameleon.zip.damaged"]


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
    with pytest.raises(OSError, match=r"could not be downloaded from .*: no route\. Put it into .* by hand"):
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
