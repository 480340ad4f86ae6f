"""Model cards: what is on the page, and that names cannot change it."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skdegfair
from skdegfair import DegFairGNNClassifier, Graph, GraphTransformer
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import DegreeFairnessReport, degree_fairness_report, model_card


@pytest.fixture(scope="module")
def fitted(data):
    return DegFairGNNClassifier(max_epochs=5, random_state=0).fit(data.graph, data.y)


def headings(card):
    return [line.lstrip("# ") for line in card.splitlines() if line.startswith("#")]


def test_content(fitted, data):
    card = model_card(fitted, data.graph, data.y, n_resamples=200)
    report = DegreeFairnessReport.from_estimator(fitted, data.graph, data.y, n_resamples=200)
    assert headings(card) == [
        "Model card: DegFairGNNClassifier", "Model", "Data", "Findings", "All nodes", "Groups", "Gaps between groups",
        "Gaps by class, high minus low", "Limits",
    ]  # fmt: skip
    words = " ".join(card.split())
    assert "DegFairGNNClassifier(max_epochs=5, random_state=0)" in words
    assert f"skdegfair {skdegfair.__version__}" in words
    assert "5 epochs, weights of epoch 5, ended by max\\_epochs" in words
    assert f"120 nodes, {data.graph.n_edges} edges and 6 features" in words
    assert "degree statistical parity" in words
    assert "Nodes are treated as independent" in words
    low, high = report.gaps.loc["delta_dsp", ["ci_low", "ci_high"]]
    assert f"\\[{100 * low:.1f}, {100 * high:.1f}\\]" in card  # the interval
    assert all(finding.code in card for finding in report.findings)
    assert f"{100 * report.detectable_gaps['delta_dsp']:.1f} % to be found" in words


def test_tables_are_whole(fitted, data):
    """All rows of a table have the same number of cells."""
    card = model_card(fitted, data.graph, data.y, n_resamples=100)
    for block in card.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1


def test_names_are_no_markup(data, tmp_path):
    names = np.array(["<script>", "a|b", "# x\n## y"])[data.y]
    clf = DummyClassifier(strategy="stratified", random_state=0).fit(data.X, names)
    path = tmp_path / "card.md"
    card = model_card(clf, data.graph, names, title="<b>", purpose="For *tests*.", path=path, n_resamples=100)
    assert path.read_text(encoding="utf-8") == card
    assert "<script>" not in card
    assert "a\\|b" in card
    assert len(headings(card)) == 9
    assert "For *tests*." in card


@pytest.mark.parametrize(
    "make",
    [
        lambda clf: make_pipeline(GraphTransformer(StandardScaler()), clf),
        lambda clf: GridSearchCV(clf, {"hidden_dim": [8]}, cv=2),
    ],
    ids=["pipeline", "search"],
)
def test_pipelines_and_searches(make, data):
    model = make(DegFairGNNClassifier(max_epochs=2, random_state=0)).fit(data.graph, data.y)
    card = model_card(model, data.graph, data.y, n_resamples=100, clusters="neighborhoods")
    assert headings(card)[0] == "Model card: DegFairGNNClassifier"
    assert "2 epochs" in card
    assert "Nodes are resampled in" in card


@pytest.mark.parametrize("wrap", [lambda search: search, make_pipeline], ids=["search", "pipeline"])
def test_passwords_are_left_out(wrap, data):
    model = wrap(GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=2, pre_dispatch="2*n_jobs"))
    model.fit(data.X, data.y)
    search = model if hasattr(model, "best_estimator_") else model[-1]
    search.pre_dispatch = "postgresql://me:sec@ret@host/db"  # like the storage of another search
    card = model_card(model, data.X, data.y, degree=data.graph, n_resamples=9)
    assert "ret@" not in card
    assert "me:" not in card


def test_long_models_are_whole(data):
    names = [f"long_name_of_a_step_{number}" for number in range(30)]
    steps = [(name, StandardScaler(), [0]) for name in names]
    model = make_pipeline(ColumnTransformer(steps), DummyClassifier()).fit(data.X, data.y)
    card = model_card(model, data.X, data.y, degree=data.graph, n_resamples=9)
    assert all(name in card for name in names)


@pytest.mark.filterwarnings("ignore::skdegfair.exceptions.EmptyGroupWarning")
def test_too_few_nodes(data):
    """Gaps that no sample of this size can show are said to be so, and undefined numbers are dashes."""
    few = Graph(data.X[:6], data.A[:6][:, :6])
    clf = DummyClassifier(strategy="stratified", random_state=0).fit(data.X, data.y)
    card = model_card(clf, few, data.y[:6], n_resamples=100)
    assert "nan" not in card.lower()
    assert "inf" not in card.replace("information", "").split("## Limits")[1].lower()


def test_a_report_of_a_cross_validation():
    """The page shows the numbers of the report that is passed, and options for another report are refused."""
    data = make_degree_biased_graph(100, random_state=0)
    clf = DummyClassifier().fit(data.X, data.y)
    report = degree_fairness_report(data.y, data.y, degree=data.graph, name="other")
    card = model_card(clf, data.graph, data.y, report=report)
    assert "# Model card: other" in card
    assert "| predictions | 100.0 |" in card
    with pytest.raises(TypeError, match="share has no effect, because a report is given"):
        model_card(clf, data.graph, data.y, report=report, share=0.5)
