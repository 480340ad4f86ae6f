"""The command line: what it prints and writes, and what it says about files and options that are wrong."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import skdegfair
from skdegfair import Graph
from skdegfair.cli import main
from skdegfair.datasets import make_degree_biased_graph

N_NODES = 90
FEW = ["--folds", "2", "--epochs", "3"]
WRITTEN = {
    "report.html", "gaps.png", "accuracy_by_degree.png", "comparison.png", "model.skdegfair", "model_card.md",
    "predictions.csv",
}  # fmt: skip
needs_pyarrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="Parquet files need pyarrow")


def tables():
    """Edges and nodes: ids and classes are text, values and a fifth of the classes are missing."""
    data = make_degree_biased_graph(N_NODES, n_features=3, n_classes=2, mean_degree=6, random_state=0)
    random = np.random.RandomState(0)
    names = np.array([f"p{number:03d}" for number in random.permutation(N_NODES)])
    nodes = pd.DataFrame(np.asarray(data.X), columns=["height", "width", "depth"])
    nodes.insert(0, "id", names)
    nodes["country"] = random.choice(["FR", "US", "DE"], N_NODES)
    nodes["role"] = np.array(["reader", "editor"])[data.y]
    nodes.loc[random.rand(N_NODES) < 0.1, "country"] = None
    nodes.loc[random.rand(N_NODES) < 0.1, "height"] = np.nan
    nodes.loc[random.permutation(N_NODES)[: N_NODES // 5], "role"] = None
    pairs = data.A.tocoo()
    once = pairs.row < pairs.col
    return pd.DataFrame({"source": names[pairs.row[once]], "target": names[pairs.col[once]]}), nodes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with edges.csv, nodes.csv, and predictions.csv of a model that is right for most nodes."""
    edges, nodes = tables()
    edges.to_csv(tmp_path / "edges.csv", index=False)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    predictions = nodes[["id", "role"]].assign(model=nodes["role"].fillna("reader"), degree=range(N_NODES))
    predictions.loc[::7, "model"] = "editor"
    predictions.to_csv(tmp_path / "predictions.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(*more):
    return main(["report", "--edges", "edges.csv", "--nodes", "nodes.csv", "--target", "role", *FEW, *more])


def assess(*more):
    return main(["assess", "--predictions", "predictions.csv", "--target", "role", "--predicted", "model", *more])


def change(name, **columns):
    """Replace or add columns of a file."""
    pd.read_csv(name).assign(**columns).to_csv(name, index=False)


# -- report ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The output folder of a report."""
    folder = tmp_path_factory.mktemp("report")
    edges, nodes = tables()
    edges.to_csv(folder / "edges.csv", index=False)
    nodes.to_csv(folder / "nodes.csv", index=False)
    files = ["--edges", str(folder / "edges.csv"), "--nodes", str(folder / "nodes.csv")]
    assert main(["report", *files, "--target", "role", *FEW, "--output", str(folder / "out" / "deep"), "--quiet"]) == 0
    return folder


def test_report_writes_all_files(finished):
    output = finished / "out" / "deep"
    assert {path.name for path in output.iterdir()} == WRITTEN
    assert {path.name for path in finished.iterdir()} == {"edges.csv", "nodes.csv", "out"}  # nothing temporary is left
    assert [path.name for path in output.parent.iterdir()] == ["deep"]
    page = (output / "report.html").read_text(encoding="utf-8")
    assert "Degree fairness of DegFair for role" in page
    assert page.count("<img") == 2
    card = (output / "model_card.md").read_text(encoding="utf-8")
    assert "cross-validation with 2 folds" in card
    assert f"{N_NODES - N_NODES // 5} nodes were assessed" in card


def test_predictions_are_those_of_the_saved_model(finished):
    """Read as a user would do it, with pandas and the ids as index."""
    edges, nodes = (pd.read_csv(finished / name) for name in ("edges.csv", "nodes.csv"))
    graph = Graph.from_edges(edges, nodes.set_index("id"))
    model = skdegfair.load(finished / "out" / "deep" / "model.skdegfair")
    predictions = pd.read_csv(finished / "out" / "deep" / "predictions.csv")
    probabilities = predictions[["probability_editor", "probability_reader"]]
    assert predictions["id"].tolist() == nodes["id"].tolist()
    assert predictions["predicted"].tolist() == model.predict(graph).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(graph), rtol=1e-5)
    assert predictions["role"].equals(nodes["role"])
    assert predictions["cross_validated"].isna().equals(nodes["role"].isna())


def test_predictions_of_a_report_can_be_assessed(finished, capsys):
    """The cross-validated predictions give the numbers of the report."""
    predictions = str(finished / "out" / "deep" / "predictions.csv")
    columns = ["--target", "role", "--predicted", "cross_validated"]
    assert main(["assess", "--predictions", predictions, "--edges", str(finished / "edges.csv"), *columns]) == 0
    table = capsys.readouterr().out
    line = next(line for line in table.splitlines() if line.startswith("predictions "))
    page = (finished / "out" / "deep" / "report.html").read_text(encoding="utf-8")
    assert all(number in page for number in line.split()[1:])


def test_report_prints_the_comparison(folder, capsys):
    assert report() == 0
    out, err = capsys.readouterr()
    for words in ("GCN", "DegFair", "majority vote", "delta DSP", "delta DEO", "Findings about DegFair", "What to do"):
        assert words in out
    assert "72 nodes with a class, 18 without" in err
    assert "Ids of nodes: column 'id'" in err
    assert "3 columns of numbers, 1 columns of categories" in err
    assert "DegFair: fold 2 of 2" in err
    assert "pass --output FOLDER" in err
    assert {path.name for path in folder.iterdir()} == {"edges.csv", "nodes.csv", "predictions.csv"}


def test_quiet_and_deterministic(folder, capsys):
    outputs = []
    for jobs in ("1", "2"):
        assert report("--quiet", "--n-jobs", jobs) == 0
        out, err = capsys.readouterr()
        assert err == ""
        outputs.append(out)
    assert outputs[0] == outputs[1]


def test_options_reach_the_models(folder, capsys):
    assert report("--backbone", "sage", "--share", "0.3", "--hops", "2", "--seed", "4", "--output", "out") == 0
    assert "Differences are relative to GraphSAGE" in capsys.readouterr().out
    classifier = skdegfair.load("out/model.skdegfair").steps[-1][1]
    found = {name: getattr(classifier, name) for name in ("backbone", "fairness_groups", "fairness_hops", "max_epochs")}
    assert found == {"backbone": "sage", "fairness_groups": 0.3, "fairness_hops": 2, "max_epochs": 3}
    assert classifier.random_state == 4


def test_columns_that_are_no_features(folder, capsys):
    change("nodes.csv", bio=[f"text {k}" for k in range(N_NODES)], same=1.0, empty=np.nan, secret=range(N_NODES))
    assert report("--ignore", "secret", "width", "--output", "out") == 0
    err = capsys.readouterr().err
    assert "(text with nearly as many values as rows): 'bio'" in err
    assert "(the same value in every row): 'same'" in err
    assert "(no values at all): 'empty'" in err
    encoder = skdegfair.load("out/model.skdegfair").steps[0][1].transformer_
    assert list(encoder.named_transformers_) == ["numbers", "categories"]
    assert [columns for _, _, columns in encoder.transformers_[:2]] == [["height", "depth"], ["country"]]


def test_numbers_as_ids_and_classes(folder, capsys):
    """Ids are integers in one file and decimals in the other; classes are integers with missing ones among them."""
    nodes, edges = pd.read_csv("nodes.csv"), pd.read_csv("edges.csv")
    codes = dict(zip(nodes["id"], range(7, 7 + N_NODES), strict=True))
    nodes.assign(id=nodes["id"].map(codes), role=nodes["role"].map({"reader": 0, "editor": 1})).to_csv("nodes.csv")
    pd.DataFrame({name: edges[name].map(codes).astype(float) for name in edges}).to_csv("edges.csv", index=False)
    assert report("--output", "out") == 0
    assert skdegfair.load("out/model.skdegfair").classes_.tolist() == [0, 1]
    assert pd.read_csv("out/predictions.csv")["id"].tolist() == list(codes.values())


def test_row_numbers(folder, capsys):
    nodes, edges = pd.read_csv("nodes.csv"), pd.read_csv("edges.csv")
    rows = pd.Series(range(N_NODES), index=nodes["id"])
    pd.DataFrame({name: edges[name].map(rows) for name in edges}).to_csv("edges.csv", index=False)
    nodes.drop(columns="id").assign(name="anonymous").to_csv("nodes.csv", index=False)
    assert report("--output", "out") == 0
    assert "Ids of nodes: row numbers" in capsys.readouterr().err
    assert pd.read_csv("out/predictions.csv")["row"].tolist() == list(range(N_NODES))


def test_other_names_and_separators(folder, capsys):
    edges, nodes = pd.read_csv("edges.csv"), pd.read_csv("nodes.csv")
    edges.set_axis(["Src", "Dst"], axis=1).assign(weight=2.0).to_csv("edges.csv", index=False, sep=";")
    nodes.rename(columns={"id": "user"}).to_csv("nodes.csv", index=False, sep="\t", encoding="utf-8-sig")
    assert report("--id", "user") == 0
    err = capsys.readouterr().err
    assert "columns 'Src' and 'Dst'" in err
    assert "pass --weight weight" in err
    assert report("--id", "user", "--weight", "weight", "--source", "Dst", "--destination", "Src", "--directed") == 0
    assert "directed edges" in capsys.readouterr().out


def test_repeated_edges_and_loops(folder, capsys):
    edges = pd.read_csv("edges.csv")
    n_edges, loop = len(edges), pd.DataFrame({"source": ["p000"], "target": ["p000"]})
    pd.concat([edges, edges[:5], loop]).to_csv("edges.csv", index=False)
    assert report() == 0
    out, err = capsys.readouterr()
    assert "5 edges of edges.csv are repeated" in err
    assert "1 edges of edges.csv join a node with itself" in err
    assert f"{n_edges} edges" in out


@needs_pyarrow
def test_parquet(folder, capsys):
    """A table with ids as its index, booleans and a categorical column gives a report, too."""
    nodes = pd.read_csv("nodes.csv").set_index("id")
    nodes["country"] = nodes["country"].astype("category")
    nodes["active"] = pd.array([True, False, None] * (N_NODES // 3), dtype="boolean")
    nodes.to_parquet("nodes.parquet")
    pd.read_csv("edges.csv").to_parquet("edges.parquet")
    files = ["--edges", "edges.parquet", "--nodes", "nodes.parquet"]
    assert main(["report", *files, "--target", "role", *FEW, "--output", "out"]) == 0
    assert "4 columns of numbers, 1 columns of categories" in capsys.readouterr().err
    assert pd.read_csv("out/predictions.csv")["id"].tolist() == nodes.index.tolist()


def test_parquet_needs_pyarrow(folder, capsys, monkeypatch):
    def missing(*_, **__):
        raise ImportError("Missing optional dependency 'pyarrow'")

    monkeypatch.setattr(pd, "read_parquet", missing)
    (folder / "nodes.csv").write_bytes(b"PAR1 and more")
    assert report() == 2
    assert "pip install pyarrow" in capsys.readouterr().err


def test_overwrite_keeps_other_files(folder, capsys):
    (folder / "out").mkdir()
    (folder / "out" / "notes.txt").write_text("mine")
    assert report("--output", "out", "--overwrite") == 0
    assert {path.name for path in (folder / "out").iterdir()} == WRITTEN | {"notes.txt"}
    (folder / "empty").mkdir()
    assert report("--output", "empty") == 0


def test_without_extras(folder, capsys, monkeypatch):
    """Without matplotlib and safetensors there are neither plots nor a model file, and a warning says so."""
    real = importlib.util.find_spec
    for module in ("_pages", "_report"):
        monkeypatch.setattr(
            f"skdegfair.cli.{module}.find_spec",
            lambda name: None if name in ("matplotlib", "safetensors") else real(name),
        )
    assert report("--output", "out", "--quiet") == 0
    err = capsys.readouterr().err
    assert 'warning: There will be no plots, which need matplotlib: pip install "skdegfair[plot]"' in err
    assert 'warning: The model will not be saved, which needs safetensors: pip install "skdegfair[save]"' in err
    assert {path.name for path in (folder / "out").iterdir()} == {"report.html", "model_card.md", "predictions.csv"}


def test_nothing_is_written_if_writing_fails(folder, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr("skdegfair.cli._report.model_card", full)  # after some files were written
    assert report("--output", "out") == 2
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == "skdegfair: error: No space left on device"
    assert out == ""
    assert {path.name for path in folder.iterdir()} == {"edges.csv", "nodes.csv", "predictions.csv"}


def test_warnings_of_the_library_are_lines(folder, capsys):
    """All nodes have the same degree, so the fairness loss has no effect; each warning is shown once."""
    names = pd.read_csv("nodes.csv")["id"]
    pd.DataFrame({"source": names, "target": np.roll(names, 1)}).to_csv("edges.csv", index=False)
    assert report("--quiet") == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("skdegfair: warning: ") for line in lines)
    assert len(set(lines)) == len(lines)


# -- assess ----------------------------------------------------------------------------------------


def test_assess(folder, capsys):
    assert assess("--edges", "edges.csv", "--output", "out") == 0
    out, err = capsys.readouterr()
    assert "Degree fairness of model for 72 nodes, 2 classes" in out
    assert "Findings" in out
    assert "18 nodes without a class in column 'role' are left out" in err
    assert [path.name for path in (folder / "out").iterdir()] == ["report.html"]


def test_assess_with_a_column_of_degrees(folder, capsys):
    assert assess("--degree", "degree", "--share", "0.5") == 0
    out, err = capsys.readouterr()
    assert "the 50 % of the nodes" in out
    assert "Ids of nodes" not in err


def test_assess_with_a_reference(folder, capsys):
    """The reference is wrong for half of the low-degree nodes, the model for half of all nodes: it levels down."""
    rows = pd.read_csv("predictions.csv").dropna(subset=["role"]).reset_index(drop=True)
    wrong = rows["role"].map({"reader": "editor", "editor": "reader"})
    model = rows["role"].where(rows.index % 2 == 0, wrong)
    plain = model.where(rows.index < len(rows) // 2, rows["role"])
    rows.assign(model=model, plain=plain).to_csv("predictions.csv", index=False)
    degree = ["--degree", "degree", "--share", "0.5"]
    assert assess(*degree) == 0
    assert "DF03" not in capsys.readouterr().out
    assert assess(*degree, "--reference", "plain") == 0
    assert "DF03" in capsys.readouterr().out


def test_degrees_count_edges_to_nodes_without_predictions(folder, capsys):
    """The predictions for some nodes, in another order, are assessed with the degrees in the whole graph."""
    edges, rows = pd.read_csv("edges.csv"), pd.read_csv("predictions.csv").dropna(subset=["role"])
    part = rows.sample(60, random_state=0)
    ends = pd.concat([edges["source"], edges["target"]])
    counted = part.assign(degree=part["id"].map(ends.value_counts()).fillna(0))
    counted.to_csv("predictions.csv", index=False)
    assert assess("--edges", "edges.csv") == 0
    from_edges, err = capsys.readouterr()
    lacking = len(set(ends) - set(part["id"]))
    assert f"{lacking} nodes in edges.csv are not in predictions.csv. Edges to them count." in err
    assert assess("--degree", "degree") == 0
    assert capsys.readouterr().out == from_edges


def test_assess_needs_no_torch(folder):
    code = (
        "import sys; from skdegfair.cli import main; "
        "status = main(['assess', '--predictions', 'predictions.csv', '--target', 'role', '--predicted', 'model', "
        "'--edges', 'edges.csv']); print([name for name in ('torch', 'matplotlib') if name in sys.modules], status)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[] 0"


# -- as a program ----------------------------------------------------------------------------------


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "skdegfair", *arguments], capture_output=True, text=True)


def test_program(folder):
    good = run("assess", "--predictions", "predictions.csv", "--target", "role", "--predicted", "model", "--degree",
               "degree", "--quiet")  # fmt: skip
    assert (good.returncode, good.stderr) == (0, "")
    bad = run("report", "--edges", "nowhere.csv", "--nodes", "nodes.csv", "--target", "role")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == (
        "skdegfair: error: nowhere.csv does not exist. Pass the path of a CSV or Parquet file as --edges.\n"
    )


@pytest.mark.parametrize("command", ["report", "assess"])
def test_help_is_complete(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"example:\n  python -m skdegfair {command} --edges edges.csv" in text
    assert "exit status" in text
    from skdegfair.cli._arguments import Parser, _assess_options, _report_options

    parser = Parser()
    {"report": _report_options, "assess": _assess_options}[command](parser)
    assert all(action.help for action in parser._actions)
    assert all(option in text for action in parser._actions for option in action.option_strings)


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == f"skdegfair {skdegfair.__version__}"


def test_interrupted(folder, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("skdegfair.cli._report.read_task", interrupted)
    assert report("--output", "out") == 130
    assert "interrupted, nothing was written" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_importing_the_library_does_not_load_the_command_line():
    code = "import skdegfair, sys; skdegfair.Graph; print('skdegfair.cli' in sys.modules, 'argparse' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split()[0] == "False"


# -- what is wrong ---------------------------------------------------------------------------------


def write(name, content):
    """A change of the folder: a file with this content."""
    mode = {"mode": "wb"} if isinstance(content, bytes) else {"mode": "w", "encoding": "utf-8"}

    def act():
        with open(name, **mode) as file:
            file.write(content)

    return act


def edit(name, function):
    """A change of the folder: a function of a table."""

    def act():
        function(pd.read_csv(name)).to_csv(name, index=False)

    return act


def put(name, column, row, value):
    """A change of the folder: another value in a column, at a row counted from 1."""

    def act():
        frame = pd.read_csv(name)
        frame[column] = frame[column].astype(object)
        frame.loc[row - 1, column] = value
        frame.to_csv(name, index=False)

    return act


def nothing():
    pass


def full_output():
    Path("out").mkdir()
    write("out/notes.txt", "mine")()


def as_lists():
    pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    pd.read_csv("nodes.csv").assign(tags=[[1, 2]] * N_NODES).to_parquet("nodes.csv")


def damaged_parquet():
    pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    write("nodes.csv", b"PAR1" + bytes(100))()


def roles(function):
    return edit("nodes.csv", lambda nodes: nodes.assign(role=function(nodes)))


def only(*columns):
    return edit("nodes.csv", lambda nodes: nodes[["id", "role", *columns]])


REPORT_MISTAKES = {
    "edges do not exist": (nothing, ["--edges", "no.csv"], ["no.csv does not exist", "--edges"]),
    "nodes do not exist": (nothing, ["--nodes", "no.csv"], ["no.csv does not exist", "--nodes"]),
    "a folder": (nothing, ["--nodes", "."], [". is a folder"]),
    "the same file": (nothing, ["--edges", "nodes.csv"], ["the same file", "nodes.csv"]),
    "empty file": (write("edges.csv", ""), [], ["edges.csv is empty", "names of its columns"]),
    "empty lines": (write("nodes.csv", "\n \n"), [], ["nodes.csv is empty"]),
    "header only": (write("edges.csv", "source,target\n"), [], ["edges.csv has a header, but no rows"]),
    "binary": (write("nodes.csv", bytes(range(256))), [], ["nodes.csv is neither a CSV nor a Parquet file"]),
    "zip": (write("nodes.csv", b"PK\x03\x04 table"), [], ["neither a CSV nor a Parquet file", "Unpack"]),
    "damaged Parquet": (damaged_parquet, [], ["nodes.csv cannot be read as a Parquet file"]),
    "latin1": (
        write("nodes.csv", "id,name,role\n1,Ann,a\n2,Zoé,b\n".encode("latin1")),
        [],
        ["nodes.csv is not in UTF-8 (line 3)", "iconv"],
    ),
    "latin1 in the header": (write("edges.csv", "é,target\n".encode("latin1")), [], ["not in UTF-8 (line 1)"]),
    "no CSV": (
        write("edges.csv", "<html>\n<p>a,b</p>\n</html>\n"),
        [],
        ["edges.csv has only one column, '<html>'", "two end points"],
    ),
    "ragged": (write("edges.csv", "source,target\np000,p001\np000,p001,p002\n"), [], ["edges.csv cannot be", "line 3"]),
    "all rows longer": (write("edges.csv", "source,target\np000,p001,1\n"), [], ["edges.csv cannot be read", "fields"]),
    "one column": (write("edges.csv", "source\np000\n"), [], ["edges.csv has only one column, 'source'"]),
    "no header": (write("edges.csv", "0,1\n1,2\n"), [], ["edges.csv has no header", "'0,1'", "source,target"]),
    "columns twice": (write("edges.csv", "source,target,source\na,b,c\n"), [], ["more than one column 'source'"]),
    "end point missing": (put("edges.csv", "target", 4, None), [], ["column 'target' is empty in row 4"]),
    "unknown node": (
        put("edges.csv", "target", 4, "zoe"),
        [],
        ["edges.csv: the edge in row 4", "node 'zoe' (column 'target')", "nodes.csv (column 'id')"],
    ),
    "unknown node after a repeated edge": (
        edit("edges.csv", lambda edges: pd.concat([edges[:1], edges[:1], edges.replace("p003", "zoe")])),
        [],
        ["refers to node 'zoe'"],
    ),
    "ids elsewhere": (
        edit("nodes.csv", lambda nodes: nodes.rename(columns={"id": "person"})),
        [],
        ["(row numbers)", "Column 'person' has all of them: pass --id person"],
    ),
    "wrong ids": (nothing, ["--id", "country"], ["column 'country'"]),
    "no such id": (nothing, ["--id", "ids"], ["nodes.csv: there is no column 'ids' (--id)", "Did you mean 'id'?"]),
    "ids twice": (
        put("nodes.csv", "id", 9, tables()[1]["id"][2]),
        [],
        ["nodes.csv: the id", "in column 'id' appears more than once, again in row 9"],
    ),
    "id missing": (put("nodes.csv", "id", 5, None), [], ["the id in column 'id' is missing in row 5"]),
    "id and target": (nothing, ["--id", "role"], ["--id and --target are the same column"]),
    "no such target": (nothing, ["--target", "Rolle"], ["no column 'Rolle' (--target)", "Did you mean 'role'?"]),
    "nothing alike": (nothing, ["--target", "xyz"], ["no column 'xyz'", "The columns are 'id', 'height'"]),
    "no such source": (nothing, ["--source", "sauce"], ["edges.csv: there is no column 'sauce'", "'source'"]),
    "only one end": (nothing, ["--source", "source"], ["Pass --destination, too"]),
    "ends the same": (nothing, ["--source", "source", "--destination", "source"], ["are the same column, 'source'"]),
    "no such weight": (nothing, ["--weight", "w"], ["edges.csv: there is no column 'w' (--weight)"]),
    "end points as weights": (nothing, ["--weight", "target"], ["--weight target is a column with end points"]),
    "negative weight": (
        edit("edges.csv", lambda edges: edges.assign(w=np.where(edges.index == 2, -1.5, 1))),
        ["--weight", "w"],
        ["-1.5 is negative (column 'w', row 3)", "at least 0"],
    ),
    "weight of text": (
        edit("edges.csv", lambda edges: edges.assign(w=np.where(edges.index == 2, "much", "1"))),
        ["--weight", "w"],
        ["much is not a number (column 'w', row 3)"],
    ),
    "weight missing": (
        edit("edges.csv", lambda edges: edges.assign(w=np.where(edges.index == 2, np.nan, 1))),
        ["--weight", "w"],
        ["is missing (column 'w', row 3)"],
    ),
    "infinite weight": (
        edit("edges.csv", lambda edges: edges.assign(w=np.where(edges.index == 2, np.inf, 1))),
        ["--weight", "w"],
        ["is infinite (column 'w', row 3)"],
    ),
    "one class": (roles(lambda nodes: "reader"), [], ["column 'role' has one class only, reader"]),
    "no classes": (roles(lambda nodes: np.nan), [], ["column 'role' is empty"]),
    "a quantity": (
        roles(lambda nodes: np.linspace(0.5, 4, len(nodes))),
        [],
        ["column 'role' has the number 0.5 in row 1", "quantity", "Group it"],
    ),
    "a count": (roles(lambda nodes: range(len(nodes))), [], ["90 different values in 90 rows", "a quantity"]),
    "infinite class": (roles(lambda nodes: np.where(nodes.index == 1, np.inf, 0)), [], ["number inf in row 2"]),
    "text as target": (
        edit("nodes.csv", lambda nodes: nodes.assign(role=nodes["id"])),
        ["--folds", "2"],
        ["class p000 of column 'role' has 1 node,", "merge classes"],
    ),
    "rare class": (
        roles(lambda nodes: np.where(nodes.index < 3, "boss", "reader")),
        ["--folds", "5"],
        ["class boss of column 'role' has 3 nodes", "5 folds", "--folds 3"],
    ),
    "no features": (only(), [], ["nodes.csv has no column that can be a feature"]),
    "constant features": (
        edit("nodes.csv", lambda nodes: nodes[["id", "role"]].assign(a=1, b="x", c=0.5)),
        [],
        ["no column that can be a feature"],
    ),
    "huge categories": (
        edit("nodes.csv", lambda nodes: nodes[["id", "role"]].assign(bio=nodes["id"] + " likes graphs")),
        [],
        ["no column that can be a feature", "few different values"],
    ),
    "all ignored": (only("height"), ["--ignore", "height"], ["no column that can be a feature"]),
    "no such ignored": (nothing, ["--ignore", "heigth"], ["no column 'heigth' (--ignore)", "Did you mean 'height'?"]),
    "lists": (as_lists, [], ["column 'tags' has a list in row 1", "--ignore tags"]),
    "lists as text": (
        edit("nodes.csv", lambda nodes: nodes.assign(tags="[1, 2]")),
        [],
        ["column 'tags' has a list in row 1"],
    ),
    "infinite": (put("nodes.csv", "width", 7, np.inf), [], ["column 'width' has an infinite value in row 7"]),
    "typo in a number": (
        put("nodes.csv", "width", 7, "1,5"),
        [],
        ["column 'width' has '1,5' in row 7", "nearly all of its values are numbers"],
    ),
    "output is not empty": (full_output, ["--output", "out"], ["--output out exists and is not empty", "--overwrite"]),
    "output is a file": (write("out", "mine"), ["--output", "out"], ["--output out is a file"]),
    "output in a file": (write("out", "mine"), ["--output", "out/deep"], ["--output out/deep cannot be created"]),
    "overwrite what": (nothing, ["--overwrite"], ["--overwrite is for an output folder"]),
    "unknown option": (nothing, ["--epoch", "3"], ["unrecognized arguments: --epoch 3", "report --help"]),
    "one fold": (nothing, ["--folds", "1"], ["--folds: must be an integer of at least 2, got '1'"]),
    "epochs": (nothing, ["--epochs", "many"], ["--epochs: must be an integer of at least 1, got 'many'"]),
    "share": (nothing, ["--share", "0.9"], ["--share: must be a number above 0 and at most 0.5, got '0.9'"]),
    "share of text": (nothing, ["--share", "half"], ["--share: must be a number"]),
    "hops": (nothing, ["--hops", "0"], ["--hops: must be an integer of at least 1"]),
    "seed": (nothing, ["--seed", "-1"], ["--seed: must be an integer of at least 0"]),
    "no jobs": (nothing, ["--n-jobs", "0"], ["--n-jobs: must be a positive integer, or -1"]),
    "backbone": (nothing, ["--backbone", "gin"], ["--backbone", "gcn", "gin"]),
}
ASSESS_MISTAKES = {
    "no degrees": (nothing, [], ["--edges", "--degree", "required"]),
    "two degrees": (nothing, ["--edges", "edges.csv", "--degree", "degree"], ["not allowed with"]),
    "no such degree": (nothing, ["--degree", "degrees"], ["no column 'degrees' (--degree)", "Did you mean 'degree'?"]),
    "degrees of text": (nothing, ["--degree", "id"], ["column 'id' has p0", "in row 1", "A degree must be a number"]),
    "negative degree": (put("predictions.csv", "degree", 8, -1), ["--degree", "degree"], ["has -1", "in row 8"]),
    "edge option": (nothing, ["--degree", "degree", "--directed"], ["--directed is about edges"]),
    "no such prediction": (nothing, ["--degree", "degree", "--predicted", "modell"], ["Did you mean 'model'?"]),
    "same columns": (nothing, ["--degree", "degree", "--predicted", "role"], ["must be different columns"]),
    "same file": (nothing, ["--edges", "predictions.csv"], ["are the same file"]),
    "one class": (
        edit("predictions.csv", lambda rows: rows.assign(role="a", model="a")),
        ["--degree", "degree"],
        ["one class only, a"],
    ),
    "prediction missing": (
        edit("predictions.csv", lambda rows: rows.assign(role=["a", "b"] * 45, model=[*"abab"[:3], None, *"ab" * 43])),
        ["--degree", "degree"],
        ["column 'model' has no prediction in row 4"],
    ),
    "other classes": (
        edit("predictions.csv", lambda rows: rows.assign(model="writer")),
        ["--degree", "degree"],
        ["no class in column 'model', such as writer, is in column 'role'"],
    ),
    "numbers for text": (
        edit("predictions.csv", lambda rows: rows.assign(model=1)),
        ["--degree", "degree"],
        ["column 'model' has numbers, such as 1, but column 'role' has text"],
    ),
    "probabilities": (
        edit("predictions.csv", lambda rows: rows.assign(model=0.25)),
        ["--degree", "degree"],
        ["column 'model' has the number 0.25 in row", "not classes"],
    ),
    "no common ids": (
        edit("predictions.csv", lambda rows: rows.assign(id=rows["id"] + "x")),
        ["--edges", "edges.csv"],
        ["edges.csv: the edge in row 1 refers to node", "predictions.csv (column 'id')"],
    ),
}  # fmt: skip
MISTAKES = [
    pytest.param(command, *mistake, id=f"{command.__name__}: {name}")
    for command, mistakes in ((report, REPORT_MISTAKES), (assess, ASSESS_MISTAKES))
    for name, mistake in mistakes.items()
]


@pytest.mark.parametrize(("command", "act", "options", "words"), MISTAKES)
def test_mistakes(command, act, options, words, folder, capsys):
    act()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    more = [] if {"--output", "--overwrite"} & set(options) else ["--output", "out"]
    assert command(*options, *more) == 2
    out, err = capsys.readouterr()
    *notes, last = err.splitlines()
    assert last.startswith("skdegfair: error: ")
    assert [word for word in words if word not in last] == [], last
    assert not any("error" in note or "Traceback" in note for note in notes)
    assert out == ""
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize("arguments", [[], ["train"], ["report"], ["report", "--edges"], ["--nonsense"]])
def test_bad_arguments(arguments, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skdegfair: error: ")
    assert err.count("\n") == 1
    assert "--help" in err
