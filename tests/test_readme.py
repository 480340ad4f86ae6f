"""The README and the pages in docs/: their examples run as printed, and what they refer to exists."""

import re
import runpy
import textwrap
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from skdegfair import exceptions
from skdegfair.exceptions import NoEdgesWarning
from skdegfair.metrics import FINDING_CODES
from skdegfair.persistence._estimators import TRANSFORMERS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MITIGATIONS = ROOT / "skdegfair" / "mitigation"
MADE = ("_build", "_templates", "auto_examples", "generated")  # not written by people
WRITTEN = [path for path in DOCS.rglob("*.rst") if path.relative_to(DOCS).parts[0] not in MADE]
PATHS = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.rst", *WRITTEN)}
PAGES = {name: path.read_text(encoding="utf-8") for name, path in PATHS.items()}
PAGES_WITH_EXAMPLES = [
    "index", "getting_started",
    "graphs", "assessing", "findings", "mitigation", "tuning", "large_graphs", "add_a_mitigation", "saving", "warnings",
    "embedding", "postprocessing",
    *sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in (DOCS / "how_to").glob("[!i]*.rst")),
    "degree_fairness", "common_pitfalls", "extending",
]  # fmt: skip
every_page = pytest.mark.parametrize("page", sorted(PAGES))


def blocks(page):
    """The page's Python examples in order: those that are shown as they are, and those that the site runs."""
    shown = r"code-block:: python\n\n((?:    .*\n|\n)+)"
    run = r"\.\. run::\n(?:   :.*\n)*\n((?:   .*\n|\n)+)"
    return [textwrap.dedent(shown or run) for shown, run in re.findall(f"{shown}|{run}", PAGES[page])]


def steps(page, capsys, *, paper_data=False):
    """Run the examples in order in one namespace; give the namespace and what was printed after each."""
    names = {}
    for code in blocks(page):
        if "fetch_" in code and not paper_data:
            continue
        exec(code, names)
        yield names, capsys.readouterr().out


def test_readme(capsys):
    page = steps("README.rst", capsys)
    names, printed = next(page)
    assert printed.startswith("Degree fairness of DegFairGNNClassifier for 125 nodes")
    assert 0.5 < names["clf"].score(names["test"], names["y_test"]) <= 1
    names, printed = next(page)
    assert names["clf"].score(names["X"], names["A"], names["y"]) > 0.5
    assert len(printed.splitlines()) == 2
    assert next(page, None) is None


def test_landing_page(capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    page = steps("docs/index.rst", capsys)
    _, printed = next(page)
    (accuracy, gap), (fair_accuracy, fair_gap) = (
        map(float, re.fullmatch(r"\w+: accuracy (.+), delta DSP (.+)", line).groups()) for line in printed.splitlines()
    )
    assert fair_gap < gap
    assert min(accuracy, fair_accuracy) > 0.5
    names, _ = next(page)
    assert len(names["figure"].axes) == 2
    plt.close("all")
    names, _ = next(page)
    assert "<table" in names["report"]._repr_html_()
    assert next(page, None) is None


def test_getting_started(capsys):
    page = steps("docs/getting_started.rst", capsys)
    names, _ = next(page)
    assert len(names["train"]) == 375
    names, printed = next(page)
    assert printed == f"Graph(500 nodes, {names['G'].n_edges} edges, 3 features)\n"
    names, printed = next(page)
    assert float(printed.split()[-1]) > 0.5
    names, _ = next(page)
    assert names["report"].findings
    names, printed = next(page)
    assert printed == f"{names['search'].best_params_}\n"
    assert next(page, None) is None


def test_how_to_share_a_report(capsys, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    page = steps("docs/how_to/share_a_report.rst", capsys)
    next(page)
    assert {path.name for path in tmp_path.iterdir()} == {"tables.html", "report.html", "report.txt"}
    assert "our model" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert next(page, None) is None


def test_degree_fairness(capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    page = steps("docs/degree_fairness.rst", capsys)
    next(page)
    _, printed = next(page)
    numbers = list(map(float, re.findall(r"\d\.\d+", printed)))  # accuracy and both gaps, of both models
    assert numbers[4] < numbers[1] / 2
    assert numbers[5] > numbers[2]
    names, _ = next(page)
    assert len(names["ax"].containers) == 3
    plt.close("all")
    assert next(page, None) is None


def test_common_pitfalls(capsys):
    page = steps("docs/common_pitfalls.rst", capsys)
    _, printed = next(page)
    assert float(printed) > 0.5
    assert next(page, None) is None


def test_extending(capsys):
    page = steps("docs/extending.rst", capsys)
    next(page)
    names, printed = next(page)
    assert float(printed) > 0.8
    assert type(names["clf"].module_.layers[0]).__name__ == "SkipGCN"
    names, printed = next(page)
    assert float(printed) > 0.5
    with pytest.raises(ValueError, match="Fit it to this graph"):
        names["model"].predict(names["data"].graph[:50].induced())
    _, printed = next(page)
    assert -1 <= float(printed) <= 0
    assert next(page, None) is None


HOW_TO = {  # what the last example of a page prints, or a part of it
    "choose_a_backbone": "no edges: 0.",
    "directed_edges": "a    0.0\nb    1.0\nc    2.0\n",
    "encode_columns": "True\n",
    "from_networkx": "Graph(34 nodes, 78 edges, 1 features)\n",
    "from_pandas": "ann    1.0\nbo     2.0\ncy     1.0\n",
    "from_torch_geometric": "Graph(4 nodes, 3 edges, 4 features) [0 0 1 1]\n",
    "new_nodes": "Graph(1 of 4 nodes, 2 edges, 1 features)\n",
    "other_predictions": "'DF01'",
    "read_a_warning": "DegFairGNNClassifier.fit got features and labels, but no edges\n",
    "reproducible_runs": "True\n",
    "several_hops": "neg_delta_dsp",
    "some_labels": "3\n",
    "unbalanced_classes": "balanced {'accuracy': ",
}


@pytest.mark.parametrize("name", HOW_TO)
def test_how_to(name, capsys):
    pytest.importorskip({"from_networkx": "networkx", "from_torch_geometric": "torch_geometric"}.get(name, "numpy"))
    printed = [out for _, out in steps(f"docs/how_to/{name}.rst", capsys)]
    assert HOW_TO[name] in printed[-1]


def test_graphs(capsys):
    page = steps("docs/graphs.rst", capsys)
    names, _ = next(page)
    assert names["predicted"].shape == names["y"].shape
    _, printed = next(page)
    assert printed == "[1. 2. 1.]\n"
    _, printed = next(page)
    assert printed == "[2 0]\n"
    _, printed = next(page)
    assert all(0.3 < float(score) <= 1 for score in printed.split())
    names, printed = next(page)
    assert float(printed) == pytest.approx(names["pipeline"].score(names["test"], names["y_test"]))
    names, printed = next(page)
    assert names["known"].sum() == len(names["y"]) / 2
    assert printed.startswith("[0.")
    names, _ = next(page)
    assert set(names["weights"]) == {1, 2}
    assert next(page, None) is None


def test_assessing(capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    page = steps("docs/assessing.rst", capsys)
    _, printed = next(page)
    assert printed.startswith("Degree fairness of DegFairGNNClassifier for 75 nodes")
    names, printed = next(page)
    assert printed == f"{names['comparison']}\n"
    assert {"GCN", "DegFair", "majority"} <= set(printed.split())
    _, printed = next(page)
    assert "clusters" in printed
    names, printed = next(page)
    assert {"p_value", "macro_f1"} <= set(printed.split())
    assert set(names["quartiles"]) == {0, 1, 2, 3}
    _, printed = next(page)
    assert "test_neg_delta_dsp" in printed
    _, printed = next(page)
    assert "test_neg_delta_deo" in printed
    names, _ = next(page)
    assert names["gaps"].figure_ is not names["curve"].figure_
    plt.close("all")
    assert next(page, None) is None


def test_report_on_chameleon(capsys, tmp_path, monkeypatch, paper_data):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    page = steps("docs/assessing.rst", capsys, paper_data=True)
    next(page)
    names, printed = next(page)
    shown = [line.strip() for line in PAGES["docs/assessing.rst"].splitlines()]
    same = [line for line in printed.splitlines() if line.strip() in shown]
    assert {"majority vote", "true labels", "Degree fairness"} <= {" ".join(line.split()[:2]) for line in same}
    accuracy = names["chameleon"].scores.loc["predictions", "accuracy"]
    (claimed,) = (line.split()[1] for line in shown if line.startswith("predictions"))
    assert 100 * accuracy == pytest.approx(float(claimed), abs=4)  # to the digit with the same versions and processor


def test_findings(capsys):
    """What the examples print is on the page, and so is every text of every code."""
    words = " ".join(PAGES["docs/findings.rst"].split())
    for names, printed in steps("docs/findings.rst", capsys):
        if "quiet" not in names or "favored" in names:
            assert " ".join(printed.split()) in words
        else:
            assert printed == "['DF02', 'DF02'] ('DF07', 'DF08')\n"
    sections = re.split(r"^(DF\d\d): ", PAGES["docs/findings.rst"], flags=re.MULTILINE)[1:]
    assert sections[::2] == list(FINDING_CODES)
    for code, section in zip(FINDING_CODES.values(), sections[1::2], strict=True):
        text = " ".join(section.split())
        assert text.startswith(code.title)
        for part in (
            f"Severity: {code.severity}.",
            f"How it is found: {code.how}",
            f"Why it matters: {code.why}",
            f"What to do: {code.advice}",
        ):
            assert part in text


def test_embedding(capsys):
    page = steps("docs/embedding.rst", capsys)
    _, printed = next(page)
    accuracy, gap = map(float, printed.split())
    assert 0.3 < accuracy < 1
    assert -0.67 <= gap <= 0
    _, printed = next(page)
    assert float(printed) > 0.5
    names, printed = next(page)
    assert names["vectors"].shape == (300, 16)
    assert float(printed) == pytest.approx(accuracy, abs=0.05)
    assert next(page, None) is None


def test_postprocessing(capsys):
    """What the page says about leveling down is what the example prints."""
    text = PAGES["docs/postprocessing.rst"]
    page = steps("docs/postprocessing.rst", capsys)
    _, printed = next(page)
    before, after = map(float, printed.split())
    assert after < before / 2
    _, printed = next(page)
    shown = text.split(".. leveling down: begin")[1].split(".. leveling down: end")[0]
    found, claimed = (np.array(re.findall(r"\d+", part), dtype=int) for part in (printed, shown))
    np.testing.assert_allclose(found, claimed, atol=2)  # to the digit with the same versions and processor
    _, printed = next(page)
    assert -0.3 < float(printed.split()[-1]) <= 0
    assert next(page, None) is None


def test_mitigation(capsys):
    page = steps("docs/mitigation.rst", capsys)
    _, printed = next(page)
    assert [line.split("(")[0].split(":")[0] for line in printed.splitlines()] == [
        "None", "DegFair", "FairGNN", "RawlsGCN",
    ]  # fmt: skip
    names, printed = next(page)
    assert len(names["search"].cv_results_["params"]) == 6
    assert str(names["search"].best_params_["mitigation"]).split("(")[0] in printed
    assert next(page, None) is None


def test_tuning(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    page = steps("docs/tuning.rst", capsys)
    names, _ = next(page)
    assert names["search"].best_params_["fairness_weight"] in (0, 1, 3)
    names, printed = next(page)
    assert printed.splitlines()[1].startswith("trial")
    assert len(names["search"].cv_results_["trial"]) == 6
    names, printed = next(page)
    assert float(printed) == names["other"].score(names["test"], names["y_test"])
    names, _ = next(page)
    assert (tmp_path / "choose.html").read_text(encoding="utf-8") == names["page"]
    assert "pooled out-of-fold predictions for 375 nodes" in names["page"]
    names, _ = next(page)
    assert (tmp_path / "models.html").read_text(encoding="utf-8") == names["page"]
    assert "2 models, assessed on the same 125 nodes" in names["page"]
    names, _ = next(page)
    assert len(names["study"].trials) == 2
    assert next(page, None) is None


def test_large_graphs(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    page = steps("docs/large_graphs.rst", capsys)
    names, printed = next(page)
    assert float(printed) > 0.5
    in_memory = names["clf"].predict(names["X"], names["A"])
    names, _ = next(page)
    assert isinstance(names["X_file"], np.memmap)
    assert (names["clf"].predict(names["X"], names["A"]) == in_memory).all()
    names, _ = next(page)
    assert (names["clf"].predict(names["X"], names["A"]) == in_memory).all()
    assert next(page, None) is None


def test_saving(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    page = steps("docs/saving.rst", capsys)
    _, printed = next(page)
    assert printed == "True\n"
    _, printed = next(page)
    assert printed == "300\n"
    _, printed = next(page)
    assert printed.startswith("# Model card: DegFairGNNClassifier")
    assert {path.name for path in tmp_path.iterdir()} == {"model.skdegfair", "model.checkpoint", "model.md"}
    assert next(page, None) is None
    assert all(cls.__name__ in PAGES["docs/saving.rst"] for cls in TRANSFORMERS)


def test_warnings_page(capsys):
    page = steps("docs/warnings.rst", capsys)
    names, _ = next(page)
    with pytest.raises(NoEdgesWarning):
        names["clf"].fit(names["data"].X, names["data"].y)
    assert next(page, None) is None
    named = [name for name, each in vars(exceptions).items() if isinstance(each, type) and issubclass(each, Exception)]
    assert all(f"``{name}``" in PAGES["docs/warnings.rst"] for name in named)


def test_add_a_mitigation(capsys):
    """The example's loss is what the page says, and its weight does what it is for."""
    page = steps("docs/add_a_mitigation.rst", capsys)
    names, _ = next(page)
    names, printed = next(page)
    assert "train_spread_loss" in printed
    assert "mitigation" in printed
    spread_clf = clone(names["clf"])
    names, _ = next(page)
    error = names["clf"].history_["train_degree_loss"]
    assert error.iloc[-1] < 0.5 * error.iloc[0]
    names["clf"] = spread_clf
    assert next(page, None) is None
    data, LossSpread = names["data"], names["LossSpread"]
    degree = data.graph.degree()

    def spread(clf):
        p = clf.predict_proba(data.graph)[np.arange(300), data.y]
        return np.std([-np.log(p[degree == each]).mean() for each in np.unique(degree)])

    still = names["clf"].set_params(max_epochs=1, learning_rate=1e-30, dropout=0.0).fit(data.graph, data.y)
    assert still.history_["train_spread_loss"].iloc[0] == pytest.approx(spread(still), rel=1e-4)
    found = [
        spread(still.set_params(mitigation=mitigation, max_epochs=60, learning_rate=0.01).fit(data.graph, data.y))
        for mitigation in (None, LossSpread(spread_weight=1.0), LossSpread(spread_weight=5.0))
    ]
    assert found[0] > found[1] > found[2]
    batches = still.set_params(batch_size=50, n_neighbors=5, early_stopping=True, max_epochs=3)
    assert batches.fit(data.graph, data.y).n_iter_ == 3


def test_every_page_with_examples_is_run():
    with_examples = {page for page in PAGES if blocks(page)}
    assert with_examples == {"README.rst", *(f"docs/{name}.rst" for name in PAGES_WITH_EXAMPLES)}


def test_the_readme_is_a_page():
    lines = PAGES["README.rst"].splitlines()
    assert len(lines) <= 150
    assert max(map(len, lines)) <= 100


@pytest.mark.slow
def test_output_of_the_demo(capsys, tmp_path, monkeypatch):
    """The words are the same, and numbers are close: their last digits depend on the processor."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    printed = " ".join(line for line in capsys.readouterr().out.splitlines() if not line.startswith("Fitted models"))
    shown = re.search(r"\.\. demo: begin\n\n::\n\n(.*)\.\. demo: end", PAGES["README.rst"], flags=re.DOTALL)[1]
    number = r"-?\b\d+\b"
    same_words = [re.sub(r"DF\d\d|" + number, "#", " ".join(text.split())) for text in (printed, shown)]
    assert same_words[0].partition("Findings")[0] == same_words[1].partition("Findings")[0]
    found, claimed = (
        [int(each) for each in re.findall(number, text.partition("Findings")[0])] for text in (printed, shown)
    )
    assert np.abs(np.subtract(found, claimed)).max() <= 5
    assert {path.name for path in (tmp_path / "demo_output").iterdir()} == set(re.findall(r"\w+\.(?:png|html)", shown))


@every_page
def test_commands_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"(?:``|^    )make ([\w-]+)", PAGES[page], flags=re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command


@every_page
def test_links_and_files_exist(page):
    text = PAGES[page]
    links = [link for link in re.findall(r"<([^<>`\s]+)>`__?", text) if "://" not in link]
    links += re.findall(r":download:`[^`]*<([^<>`]+)>`", text)
    for link in links + re.findall(r"^\.\. (?:image|include):: (\S+)", text, flags=re.MULTILINE):
        assert (PATHS[page].parent / link).exists(), link
    for link in re.findall(r":doc:`(?:[^`]*<)?/?([\w/]+)>?`", text):
        assert any((folder / f"{link}.rst").exists() for folder in (PATHS[page].parent, DOCS)), link
    for script in re.findall(r"<sphx_glr_auto_examples_(\w+\.py)>", text):
        assert (ROOT / "examples" / script).exists(), script
    for name in re.findall(r"``((?:benchmarks|docs|examples|skdegfair|tests)/[^`\s]*|[\w.]+\.(?:py|txt|rst))``", text):
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "examples", MITIGATIONS)), name


def test_pages_are_linked_in_the_way_of_the_site():
    """A link to a file works on a code host alone."""
    for page, text in PAGES.items():
        assert page == "README.rst" or not re.search(r"<[\w./]+\.rst>`__", text), page


def test_every_page_is_listed():
    """Each page can be reached from the first one through tables of contents."""
    listed, new = set(), {"index"}
    while new:
        listed |= new
        new = {entry for page in new for entry in toctree_entries(page)} - listed
    written = {path.relative_to(DOCS).with_suffix("").as_posix() for path in WRITTEN}
    assert written <= listed


def toctree_entries(page):
    path = DOCS / f"{page}.rst"
    if path not in WRITTEN:
        return
    folder = path.parent.relative_to(DOCS)
    for contents in re.findall(r"\.\. toctree::\n((?:   .+\n|\n)+)", path.read_text(encoding="utf-8")):
        for entry in re.findall(r"^   (?:[^:\n]*<)?([\w/*]+)>?$", contents, flags=re.MULTILINE):
            pattern = (folder / entry).as_posix()
            yield from (each.relative_to(DOCS).with_suffix("").as_posix() for each in DOCS.glob(f"{pattern}.rst"))


@every_page
def test_abbreviations_are_spelled_out(page):
    words = " ".join(PAGES[page].split())
    for short, full in {"DSP": "degree statistical parity", "DEO": "degree equal opportunity"}.items():
        assert short not in words or full in words
