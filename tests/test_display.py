"""What is drawn, read back from the axes, and the page with plots."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.display import DegreeCurveDisplay, DegreeGapDisplay, ParetoDisplay, TrainingDisplay, report_page
from skdegfair.exceptions import EmptyGroupWarning
from skdegfair.metrics import (
    DegreeFairnessReport,
    FairestWithin,
    compare_models,
    degree_curve,
    degree_fairness_report,
    degree_groups,
    fairness_scoring,
    pareto_front,
)

plt = pytest.importorskip("matplotlib.pyplot")
pytestmark = pytest.mark.filterwarnings("ignore:No node")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted(data):
    return DegFairGNNClassifier(max_epochs=8, hidden_dim=8, random_state=0, early_stopping=True).fit(data.graph, data.y)


@pytest.fixture(scope="module")
def report(data):
    predicted = np.where(data.graph.degree() > 8, 2, data.y)
    return degree_fairness_report(data.y, predicted, degree=data.graph)


def drawn(figure):
    """Render, so that whatever fails when drawing fails here; return the texts."""
    figure.canvas.draw()
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def test_gaps_show_rates_intervals_and_chance(data, fitted):
    report = DegreeFairnessReport.from_estimator(fitted, data.graph, data.y)
    display = DegreeGapDisplay.from_estimator(fitted, data.graph, data.y)
    texts = drawn(display.figure_)
    assert {"low degree", "high degree", "95 % by chance"} <= set(texts)
    for ax, rate, gap in zip(display.axes_, ("predicted", "recall"), ("delta_dsp", "delta_deo"), strict=True):
        shown = np.stack([container[0].get_xdata(orig=False) for container in ax.containers[1:]])
        expected = report.rates.loc[rate]["rate"].unstack("group")[["low", "high"]].to_numpy().T
        np.testing.assert_allclose(shown, expected)
        bands = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
        np.testing.assert_allclose(bands, report.rates.loc[rate][["null_low", "null_high"]])
        assert f"{100 * report.gaps.loc[gap, 'gap']:.1f}" in ax.get_title()
    assert display.figure_.get_size_inches().tolist() == [6, 4]


def test_gaps_on_given_axes_and_for_many_groups(data, fitted):
    _, axes = plt.subplots(ncols=2)
    display = DegreeGapDisplay.from_predictions(data.y, data.y, degree=data.graph.degree(), ax=axes)
    assert list(display.axes_) == [*axes]
    assert [ax.get_ylim() for ax in axes] == [(2.55, -0.55)] * 2  # the first class on top of both
    assert [[text.get_text() for text in ax.get_yticklabels()] for ax in axes] == [["0", "1", "2"]] * 2
    _, ax = plt.subplots()
    groups = degree_groups(data.graph.degree(), n_groups=4)
    display = DegreeGapDisplay.from_estimator(fitted, data.graph, data.y, groups=groups, panels=["recall"], ax=ax)
    assert display.axes_ == [ax]
    assert {"group 0", "group 3"} <= set(drawn(display.figure_))
    with pytest.raises(ValueError, match="needs 2 axes, got 1"):
        display.plot(ax=ax)
    with pytest.raises(ValueError, match="panels must be a subset of"):
        display.plot(panels=["precision"])


def test_odd_names_and_undefined_gaps():
    names = np.array(["$_$", "Computer Science: Theory", "Computer Science: Practice"])
    y = names[np.arange(60) % 3]
    display = DegreeGapDisplay.from_predictions(y, y, degree=np.arange(60))
    ticks = [text.get_text() for text in display.axes_[0].get_yticklabels()]
    assert len(set(ticks)) == 3
    drawn(display.figure_)
    with pytest.warns(EmptyGroupWarning, match="'high'"):
        tied = DegreeGapDisplay.from_predictions(y, y, degree=np.ones(60))
    assert "ΔDSP not defined" in tied.axes_[0].get_title()
    drawn(tied.figure_)


def test_curve_has_ticks_within_a_decade():
    display = DegreeCurveDisplay.from_scores(np.ones(60), degree=np.arange(60) % 7 + 2)
    display.figure_.canvas.draw()
    low, high = display.ax_.get_xlim()
    assert [text.get_text() for text in display.ax_.get_xticklabels() if low <= text.get_position()[0] <= high] == [
        "2",
        "5",
    ]


def test_curve_shows_the_score_and_the_nodes(data, fitted):
    degree = data.graph.degree()
    display = DegreeCurveDisplay.from_estimator(fitted, data.graph, data.y, n_bins=5)
    expected = degree_curve(fitted.predict(data.graph) == data.y, degree, n_bins=5)
    np.testing.assert_allclose(display.line_.get_ydata(), expected["score"])
    np.testing.assert_allclose(display.line_.get_xdata(), expected["degree_mean"])
    bars = display.counts_ax_.collections[0].get_segments()
    assert [bar[1][1] for bar in bars] == expected["n"].tolist()
    assert "DegFairGNNClassifier" in drawn(display.figure_)
    other = DegreeCurveDisplay.from_predictions(
        data.y, data.y, degree=degree, ax=display.ax_, show_counts=False, name="perfect"
    )
    assert other.ax_ is display.ax_
    assert other.counts_ax_ is None
    assert other.line_.get_color() != display.line_.get_color()
    assert display.ax_.get_xscale() == ("log" if degree.min() >= 1 else "symlog")


def test_curve_of_any_score_and_classifier(data):
    plain = LogisticRegression().fit(data.X, data.y)
    degree = data.graph.degree() + 1
    display = DegreeCurveDisplay.from_estimator(plain, data.X, data.y, degree=degree, line_kwargs={"color": "red"})
    assert display.ax_.get_xscale() == "log"
    assert display.line_.get_color() == "red"
    with pytest.raises(TypeError, match="Degrees are read from a Graph"):
        DegreeCurveDisplay.from_estimator(plain, data.X, data.y)
    loss = -np.log(plain.predict_proba(data.X)[np.arange(120), data.y])
    display = DegreeCurveDisplay.from_scores(loss / 10, degree=degree, score_name="Log loss", degree_name="Links")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("Links", "Log loss")
    assert not any("%" in text for text in drawn(display.figure_))
    two = DegreeCurveDisplay.from_estimator(plain, data.X, data.y, degree=data.graph, hops=2)
    assert two.ax_.get_xlabel() == "2-hop degree"
    np.testing.assert_allclose(
        two.curve["degree_mean"], degree_curve(np.ones(120), data.graph.degree(2))["degree_mean"]
    )


def test_front():
    accuracy, gap = [0.9, 0.8, 0.8, 0.7, 0.9, np.nan], [0.3, 0.1, 0.2, 0.05, 0.3, 0.0]
    assert pareto_front(accuracy, gap).tolist() == [True, True, False, True, True, False]
    random = np.random.RandomState(0)
    points = random.rand(60, 2).round(1)
    front = pareto_front(points[:, 0], points[:, 1])
    for i in range(60):
        beaten = any(
            a >= points[i, 0] and g <= points[i, 1] and (a > points[i, 0] or g < points[i, 1]) for a, g in points
        )
        assert front[i] != beaten


def test_pareto_of_models(data, fitted):
    models = {"fair": fitted, "plain": GNNClassifier(max_epochs=8, random_state=0).fit(data.graph, data.y)}
    display = ParetoDisplay.from_estimator(models, data.graph, data.y, chosen="fair", gap="deo")
    texts = drawn(display.figure_)
    assert {"fair", "plain", "chosen", "majority vote", "front"} <= set(texts)
    for number, model in enumerate(models.values()):
        report = DegreeFairnessReport.from_estimator(model, data.graph, data.y)
        assert display.accuracy[number] == pytest.approx(model.score(data.graph, data.y))
        assert display.gap[number] == report.gaps.loc["delta_deo", "gap"]
    assert display.majority == pytest.approx(np.bincount(data.y).max() / 120)
    with pytest.raises(TypeError, match="Degrees are read from a Graph"):
        ParetoDisplay.from_estimator({"plain": LogisticRegression().fit(data.X, data.y)}, data.X, data.y)
    with pytest.raises(TypeError, match="must be a dict from names"):
        ParetoDisplay.from_estimator(list(models.values()), data.graph, data.y)
    with pytest.raises(ValueError, match="names has 1 entries, but there are 2 models"):
        ParetoDisplay([0.1, 0.2], [0.1, 0.2], names=["a"])
    with pytest.raises(ValueError, match=r"gap must be one of \['deo', 'dsp'\]"):
        ParetoDisplay.from_predictions(data.y, {"perfect": data.y}, degree=data.graph.degree(), gap="eo")


def test_front_of_a_comparison(data):
    models = {"perfect": data.y, "other": np.roll(data.y, 1)}
    comparison = compare_models(models, data.graph, data.y, n_resamples=10)
    display = ParetoDisplay.from_comparison(comparison, gap="deo", chosen="other")
    expected = ParetoDisplay.from_predictions(data.y, models, degree=data.graph.degree(), gap="deo", chosen="other")
    for name in ("accuracy", "gap", "names", "chosen", "majority", "gap_name", "front"):
        np.testing.assert_array_equal(getattr(display, name), getattr(expected, name))
    with pytest.raises(ValueError, match="gap must be one of"):
        ParetoDisplay.from_comparison(comparison, gap="eo")


def test_pareto_of_a_search(data):
    model = DegFairGNNClassifier(max_epochs=4, hidden_dim=4, random_state=0)
    search = GridSearchCV(
        model, {"fairness_weight": [0, 1, 9]}, cv=2, scoring=fairness_scoring, refit=FairestWithin(0.1)
    )
    search.fit(data.graph, data.y)
    _, ax = plt.subplots()
    display = ParetoDisplay.from_search(search, majority=0.3, ax=ax)
    np.testing.assert_allclose(display.gap, -search.cv_results_["mean_test_neg_delta_dsp"])
    assert display.chosen == search.best_index_
    assert {"fairness_weight=0", "fairness_weight=9", "chosen", "majority vote"} <= set(drawn(display.figure_))
    many = GridSearchCV(model, {"dropout": np.linspace(0, 0.9, 8)}, cv=2, scoring=fairness_scoring, refit=False)
    assert {"on the front", "not on it"} <= set(drawn(ParetoDisplay.from_search(many.fit(data.graph, data.y)).figure_))
    with pytest.raises(ValueError, match="no score 'neg_delta_dsp'"):
        ParetoDisplay.from_search(
            GridSearchCV(model, {"dropout": [0.5]}, cv=2).fit(data.graph, data.y), accuracy="score"
        )


def test_names_with_an_underscore_are_shown():
    display = ParetoDisplay([0.9, 0.8], [0.2, 0.1], names=["_a", "b"]).plot()
    assert {" _a", "b"} <= set(drawn(display.figure_))


@pytest.mark.parametrize("length", [1, 14, 15, 26, 27, 60])
def test_the_legend_fits_into_the_figure(length):
    display = ParetoDisplay([0.9, 0.8, 0.7], [0.3, 0.2, 0.1], names=[name * length for name in "abc"]).plot()
    drawn(display.figure_)
    (legend,) = display.figure_.legends
    box, figure = legend.get_window_extent(), display.figure_.bbox
    assert box.x0 >= 0
    assert box.x1 <= figure.x1


def test_many_named_models_can_be_told_apart():
    n = 30
    display = ParetoDisplay(np.linspace(0.5, 0.9, n), np.linspace(0, 0.4, n), names=[str(i) for i in range(n)]).plot()
    looks = {(c[0].get_color(), c[0].get_marker()) for c in display.ax_.containers}
    assert len(looks) == n


def test_training(fitted):
    display = TrainingDisplay.from_estimator(fitted)
    losses, scores = display.axes_
    lines = {line.get_label(): line.get_ydata() for line in (*losses.lines, *scores.lines)}
    np.testing.assert_allclose(lines["total, train"], fitted.history_["train_loss"])
    np.testing.assert_allclose(lines["fairness, L2"], fitted.history_["train_fairness_loss"])
    np.testing.assert_allclose(lines["ΔDEO"], fitted.history_["valid_delta_deo"])
    (mark,) = [line for line in losses.lines if line.get_label() == "weights kept"]
    assert set(mark.get_xdata()) == {fitted.best_epoch_}
    drawn(display.figure_)
    with pytest.raises(NotFittedError):
        TrainingDisplay.from_estimator(DegFairGNNClassifier())
    with pytest.raises(TypeError, match="LogisticRegression has no history_"):
        TrainingDisplay.from_estimator(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))


def test_training_of_a_plain_model(data):
    plain = GNNClassifier(max_epochs=3, random_state=0).fit(data.graph, data.y)
    display = TrainingDisplay.from_estimator(plain)
    labels = {line.get_label() for line in display.axes_[0].lines}
    assert labels == {"total, train", "classification, L1", "weights kept"}
    assert display.axes_[1].get_ylabel() == "Training nodes"


def test_page_with_plots(report, tmp_path):
    page = report_page(report, tmp_path / "report.html", title="Nodes <& more>")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page == report_page(report, title="Nodes <& more>")
    assert page.count('src="data:image/svg+xml;base64,') == 2
    images = re.findall(r"<h2>[^<]*</h2><img [^>]*>\n", page)
    without = page
    for image in images:
        without = without.replace(image, "")
    assert without == report.to_html(title="Nodes <& more>")  # the plots are all that it adds
    assert plt.get_fignums() == []


def test_page_without_degrees_has_no_plot_by_degree():
    report = degree_fairness_report([0, 1, 0, 1], [0, 1, 1, 1], groups=["a", "b", "b", "a"])
    assert report_page(report).count("<img") == 1


@pytest.mark.slow
def test_page_in_a_browser(report, tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    count = """<script>window.onload = () => { document.title = [...document.images].filter(
        image => image.complete && image.naturalWidth > 400 && image.getBoundingClientRect().height > 200).length
        + " pictures, " + [...document.querySelectorAll("table")].filter(t => t.offsetHeight > 50).length + " tables";
        };</script></body>"""
    path = tmp_path / "report.html"
    path.write_text(report_page(report).replace("</body>", count), encoding="utf-8")
    flags = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    dom = subprocess.run([browser, *flags], capture_output=True, text=True, timeout=1800, check=True).stdout
    assert "<title>2 pictures, 4 tables</title>" in dom
