"""The page to decide on: its data, the code that it offers, and what happens when it is used in a browser."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from browser import chromium
from searched import Known, truth
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skdegfair import GNNClassifier, Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import decision_page
from skdegfair.display._code import as_text, code_of
from skdegfair.display._decision import SCRIPTS
from skdegfair.metrics import (
    FairestWithin,
    MostAccurateWithin,
    compare_models,
    degree_fairness_report,
    fairness_scoring,
    make_degree_scorer,
)
from skdegfair.mitigation import DegFair, FairGNN
from skdegfair.tuning import ParetoSearchCV

CV = StratifiedKFold(3, shuffle=True, random_state=0)
EVIL = "</script><script>alert(1)</script>"
QUICK = {"n_resamples": 50}
SPACE = {"wrong": [0.0, 0.1, 0.2, 0.3, 0.4], "ones": [0.0, 0.2, 0.4, 0.6, 0.8]}


def data_of(page):
    """The data inside a page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture(scope="module")
def graph():
    return make_degree_biased_graph(300, n_features=6, mean_degree=8, random_state=1).graph


@pytest.fixture(scope="module")
def y(graph):
    return truth(graph)


def searched(graph, y, **options):
    defaults = {"n_trials": 20, "cv": CV, "random_state": 0, "refit": FairestWithin(0.05)}
    return ParetoSearchCV(Known(), SPACE, **defaults | options).fit(graph, y)


@pytest.fixture(scope="module")
def search(graph, y):
    return searched(graph, y)


@pytest.fixture(scope="module")
def page(search, graph, y):
    return search.to_html(None, graph, y, gap="both", **QUICK)


@pytest.fixture(scope="module")
def models(y):
    """Predictions of three classes, one of them with a hostile name; the last model is on no front."""
    random = np.random.RandomState(0)
    names = np.array([EVIL, "Biology & Chemistry"])
    true = names[y]
    wrong = {name: random.uniform(size=len(y)) < share for name, share in {"A": 0.05, EVIL: 0.3, "C": 0.5}.items()}
    return true, {name: np.where(each, names[1 - y], true) for name, each in wrong.items()}


# The data


def test_details_are_those_of_the_report_on_pooled_predictions(search, graph, y, page):
    data = data_of(page)
    detailed = [each for each in data["candidates"] if each["details"]]
    assert len(detailed) > 2
    trials = list(search.cv_results_["trial"])
    for each in detailed:
        params = search.cv_results_["params"][trials.index(int(each["name"].split()[1]))]
        predicted = cross_val_predict(Known(**params), graph, y, cv=CV)
        report = degree_fairness_report(y, predicted, degree=graph, **QUICK)
        check_details(each["details"], report)


def check_details(details, report):
    measures = details["measures"]
    assert measures["accuracy"]["value"] == report.scores.loc["predictions", "accuracy"]
    for gap in ("delta_dsp", "delta_deo"):
        row = report.gaps.loc[gap]
        found = [measures[gap][name] for name in ("value", "corrected", "low", "high", "chance", "p_value")]
        assert found == row[["gap", "corrected", "ci_low", "ci_high", "null_mean", "p_value"]].tolist()
    for place, label in enumerate(report.classes):
        assert details["rates"][place]["class"] == str(label)
        for number, group in enumerate(report.groups):
            for rate, shown in details["rates"][place]["groups"][number].items():
                row = report.rates.loc[(rate, label, group)]
                assert [shown[name] for name in ("n", "rate", "low", "high")] == [
                    *row[["n", "rate", "ci_low", "ci_high"]]
                ]
                assert shown["count"] == round(row["rate"] * row["n"])
    for shown, (group, row) in zip(details["groups"], report.group_scores.iterrows(), strict=True):
        assert [shown["name"], shown["n"], shown["accuracy"]] == [str(group), row["n"], row["accuracy"]]
        assert shown["degrees"] == f"{row['degree_min']:g} to {row['degree_max']:g}"
    assert [each["code"] for each in details["findings"]] == list(dict.fromkeys(f.code for f in report.findings))


def test_points_fronts_and_choice_are_those_of_the_search(search, page):
    data, results = data_of(page), search.cv_results_
    shown = {int(each["name"].split()[1]): each for each in data["candidates"]}
    for place, trial in enumerate(results["trial"]):
        first = results["params"].index(results["params"][place])  # repeated trials are shown once
        scores = shown[results["trial"][first]]["scores"]
        assert scores["accuracy"] == results["mean_test_accuracy"][place]
        assert scores["delta_dsp"] == -results["mean_test_neg_delta_dsp"][place]
        assert (trial in shown) == (first == place)
    front = [data["candidates"][place]["name"] for place in data["fronts"]["delta_dsp"]]
    expected = search.pareto_[~search.pareto_[["wrong", "ones"]].duplicated()]
    assert sorted(front) == sorted(f"Trial {trial}" for trial in expected.index)
    gaps = [data["candidates"][place]["scores"]["delta_dsp"] for place in data["fronts"]["delta_dsp"]]
    assert gaps == sorted(gaps)
    assert data["candidates"][data["chosen"]]["params"] == [[k, repr(v)] for k, v in search.best_params_.items()]
    fronts = set(data["fronts"]["delta_dsp"]) | set(data["fronts"]["delta_deo"]) | {data["chosen"]}
    assert {n for n, each in enumerate(data["candidates"]) if each["details"]} == fronts
    assert data["rules"] == {"tolerance": 0.05, "max_gap": 0.1}


def test_gap_of_the_objectives_is_the_default(search, graph, y):
    assert data_of(search.to_html(None, graph, y, **QUICK))["gaps"] == ["delta_dsp"]
    other = searched(graph, y, objectives=["accuracy", "neg_delta_deo"], refit=False)
    data = data_of(other.to_html(None, graph, y, **QUICK))
    assert data["gaps"] == ["delta_deo"]
    assert data["own"] is None
    results = {"mean_test_accuracy": [], "mean_test_neg_delta_dsp": []}
    for each in data["candidates"]:
        results["mean_test_accuracy"].append(each["scores"]["accuracy"])
        results["mean_test_neg_delta_dsp"].append(-each["scores"]["delta_deo"])
    assert data["chosen"] == FairestWithin(0.02)(results)


def test_a_choice_that_is_not_on_the_front_has_details(graph, y):
    worst = searched(graph, y, refit=lambda results: int(np.argmin(results["mean_test_accuracy"])))
    data = data_of(worst.to_html(None, graph, y, **QUICK))
    assert data["chosen"] not in data["fronts"]["delta_dsp"]
    assert data["candidates"][data["chosen"]]["details"] is not None


def test_trials_that_may_not_be_chosen(graph, y):
    space = {"wrong": [0.0, 0.1, 0.4], "fails": [False, True]}
    with pytest.warns(FitFailedWarning, match="fits failed"):
        found = ParetoSearchCV(
            Known(), space, n_trials=12, cv=CV, random_state=0, error_score=1.0, min_accuracy=0.7
        ).fit(graph, y)
    assert not found.eligible_.all()
    data = data_of(found.to_html(None, graph, y, **QUICK))
    for each in data["candidates"]:
        params = dict(each["params"])
        assert each["eligible"] == (params["fails"] == "False" and params["wrong"] != "0.4")
    assert all(data["candidates"][place]["eligible"] for place in data["fronts"]["delta_dsp"])


def test_nodes_that_folds_test_several_times_count_once(graph, y):
    cv = ShuffleSplit(5, test_size=0.3, random_state=0)
    tested = np.unique(np.concatenate([test for _, test in cv.split(y)]))
    assert len(tested) < min(300, 5 * 90)
    data = data_of(searched(graph, y, cv=cv).to_html(None, graph, y, **QUICK))
    assert data["n_nodes"] == len(tested)
    details = data["candidates"][data["chosen"]]["details"]
    low, high = degree_fairness_report(y[tested], y[tested], degree=graph[tested], **QUICK).group_scores["n"]
    assert [each["n"] for each in details["groups"]] == [low, high]


def test_other_call_forms_processes_and_degrees(search, graph, y):
    whole = search.to_html(None, graph, y, **QUICK)
    assert search.to_html(None, graph.X, graph.A, y, **QUICK) == whole
    assert search.to_html(None, graph.X, y, A=graph.A, **QUICK) == whole
    assert clone(search).set_params(n_jobs=2).fit(graph, y).to_html(None, graph, y, **QUICK) == whole
    assert data_of(search.to_html(None, graph, y, degree=graph.degree(), **QUICK)) == data_of(whole)


def test_groups_of_the_splitter_are_passed_again(graph, y):
    from sklearn.model_selection import GroupKFold

    groups = np.arange(300) % 3
    found = ParetoSearchCV(Known(), SPACE, n_trials=4, cv=GroupKFold(3), random_state=0).fit(graph, y, groups=groups)
    assert "Note:" not in found.to_html(None, graph, y, fit_params={"groups": groups}, **QUICK)


def test_other_nodes_than_those_of_the_search_are_noticed(search, graph, y):
    with pytest.warns(UserWarning, match="their scores are not those of the search"):
        page = search.to_html(None, graph[:200], y[:200], **QUICK)
    assert data_of(page)["texts"]["notes"][0].startswith("Note: The candidates were fitted again")


def test_models_are_those_of_the_comparison(models, graph):
    true, predictions = models
    comparison = compare_models(predictions, graph, true, reference="C", **QUICK)
    data = data_of(decision_page(predictions, graph, true, reference="C", chosen="C", **QUICK))
    assert [each["name"] for each in data["candidates"]] == list(predictions)
    assert data["chosen"] == 2
    for each in data["candidates"]:
        check_details(each["details"], comparison.report(each["name"]))
        for measure, value in each["scores"].items():
            row = comparison.table.loc[(measure, each["name"])]
            assert [value, *each["spread"][measure]] == row[["value", "ci_low", "ci_high"]].tolist()
            if each["name"] != "C":
                shown = each["details"]["measures"][measure]["difference"]
                assert [shown["value"], shown["low"], shown["high"], shown["p_value"]] == row[
                    ["corrected_difference", "difference_low", "difference_high", "p_value"]
                ].tolist()
    vote = comparison.table.xs("majority vote", level="model")["value"]
    assert data["baseline"] == {name: vote[name] for name in ("accuracy", "delta_dsp", "delta_deo")}


def test_undefined_gaps_become_a_page_without_points():
    y = np.arange(60) % 2
    with pytest.warns(UserWarning, match="No node"):
        data = data_of(decision_page({"a": y}, None, y, degree=np.ones(60), **QUICK))
    assert data["fronts"] == {"delta_dsp": [], "delta_deo": []}
    assert data["chosen"] == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda s, g, y: s.to_html(None, g, y, gap="eo"), ValueError, "gap must be one of"),
        (lambda s, g, y: clone(s).to_html(None, g, y), NotFittedError, "not fitted"),
        (lambda s, g, y: s.to_html(None, g.features, y), TypeError, "pass degree= or groups="),
        (lambda s, g, y: decision_page(s, g, y), TypeError, r"Use search\.to_html"),
        (lambda s, g, y: decision_page([y], g, y), TypeError, "models must be a dict"),
        (lambda s, g, y: decision_page({"a": y}, g, y, chosen="b"), ValueError, "chosen must be one of"),
        (lambda s, g, y: decision_page({"a": y}, g, y, gap="x"), ValueError, "gap must be one of"),
    ],
)
def test_what_makes_no_sense(call, error, text, search, graph, y):
    with pytest.raises(error, match=text):
        call(search, graph, y)


def test_a_search_without_the_scores(graph, y):
    one = ParetoSearchCV(Known(), SPACE, scoring=make_degree_scorer("dsp"), n_trials=2, cv=CV).fit(graph, y)
    with pytest.raises(ValueError, match="no score 'accuracy'"):
        one.to_html(None, graph, y)


# The code


@pytest.mark.parametrize(
    "estimator",
    [
        GNNClassifier(),
        GNNClassifier(mitigation=FairGNN(covariance_weight=np.float64(10.0)), hidden_dim=8, random_state=0),
        GNNClassifier(backbone="gat", mitigation=DegFair(fairness_weight=3), learning_rate=0.005, dropout=0.1),
        make_pipeline(LogisticRegression(C=float("inf"), class_weight={0: 1.0, 1: 2.0})),
        LogisticRegression(l1_ratio=float("nan"), solver="it's"),
        GridSearchCV(LogisticRegression(), {"C": [0.1, (1.0,)]}, scoring=f_classif, refit=EVIL),
    ],
)  # fmt: skip
def test_code_makes_the_same_estimator(estimator):
    names = {}
    exec(code_of(estimator, "made"), names)
    assert type(names["made"]) is type(estimator)
    assert repr(names["made"].get_params()) == repr(estimator.get_params()).replace("np.float64(10.0)", "10.0")


def test_code_imports_from_public_places():
    assert code_of(GNNClassifier(mitigation=FairGNN())) == (
        "from skdegfair import GNNClassifier\n"
        "from skdegfair.mitigation import FairGNN\n\n"
        "clf = GNNClassifier(mitigation=FairGNN())"
    )


def test_code_says_what_it_cannot_write():
    class Local(Known):
        pass

    code = code_of(make_pipeline(Local(wrong=np.random.RandomState(0))))
    assert "# Local is a class of your own code." in code
    assert "# Replace ...: there is no code for RandomState(MT19937)" in code
    assert "Local(wrong=...)" in code


def test_code_of_long_lines_and_of_equal_names():
    other = type("LogisticRegression", (LogisticRegression,), {"__module__": "searched"})
    sys.modules["searched"].LogisticRegression = other
    try:
        code = code_of(make_pipeline(LogisticRegression(C=0.123456, max_iter=1234), other(C=2.0)))
        assert max(map(len, code.splitlines())) <= 80
        names = {}
        exec(code, names)
        assert [type(step) for _, step in names["clf"].steps] == [LogisticRegression, other]
    finally:
        del sys.modules["searched"].LogisticRegression


def test_values_as_text():
    assert as_text(FairGNN(covariance_weight=10)) == "FairGNN(covariance_weight=10)"
    assert as_text(np.float64(0.5)) == "0.5"
    assert as_text(np.arange(2)) == "array([0, 1])"


# The file


def test_pages_are_written_and_contain_everything(search, graph, y, page, tmp_path):
    assert search.to_html(tmp_path / "page.html", graph, y, gap="both", **QUICK) == page
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|<link|src=|@import|url\(", page)
    assert "{{" not in page


def test_hostile_text_stays_text(models, graph):
    true, predictions = models
    page = decision_page(predictions, graph, true, title=f"{EVIL}{{{{data}}}}", **QUICK)
    assert "<script>alert" not in page
    assert page.count("</script>") == 2
    assert data_of(page)["candidates"][1]["name"] == EVIL


def test_files_of_the_page_are_packaged(tmp_path):
    root = Path(__file__).parent.parent
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    built = {path.name for path in (tmp_path / "skdegfair" / "display" / "decision").iterdir()}
    assert built == {"page.html", "style.css", *SCRIPTS}


# In a browser


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser, page, tmp_path):
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    browser.problems.clear()
    yield browser.open(tmp_path / "page.html")
    assert browser.problems == []


def chosen(browser):
    return browser.text("#chosen-name")


def names_on_front(page, gap="delta_dsp"):
    data = data_of(page)
    return [data["candidates"][place]["name"] for place in data["fronts"][gap]]


def test_keys_move_along_the_front(opened, page):
    front = names_on_front(page)
    opened.focus('#plot [tabindex="0"]')
    for key, expected in {"Home": 0, "ArrowRight": 1, "ArrowUp": 2, "ArrowLeft": 1, "End": -1, "ArrowDown": -2}.items():
        opened.press(key)
        assert chosen(opened) == front[expected]
        assert opened.run("document.activeElement.getAttribute('aria-checked')") == "true"
        assert opened.text("#announcement").startswith(f"Chosen: {front[expected]}: accuracy ")
    assert opened.run("getComputedStyle(document.activeElement.querySelector('.ring')).strokeWidth") == "3px"


def test_the_slider_moves_along_the_front(opened, page):
    front = names_on_front(page)
    opened.focus("#front")
    opened.press("Home")
    assert chosen(opened) == front[0]
    opened.press("ArrowRight")
    assert chosen(opened) == front[1]
    assert opened.run("document.activeElement.id") == "front"
    assert opened.run("document.getElementById('front').getAttribute('aria-valuetext')").startswith(front[1])
    assert opened.run("document.querySelectorAll('#plot [aria-checked=true]').length") == 1


def test_the_tab_key_reaches_every_control(opened):
    reached = []
    for _ in range(40):
        opened.press("Tab")
        reached.append(opened.run("document.activeElement.id || document.activeElement.tagName"))
    assert {"gap-delta_dsp", "g", "front", "tolerance", "max-gap", "copy", "code", "SUMMARY"} <= set(reached)


def test_points_are_clicked(opened, page):
    data = data_of(page)
    for place in (
        data["fronts"]["delta_dsp"][0],
        next(n for n, c in enumerate(data["candidates"]) if not c["details"]),
    ):
        opened.click(f'#plot [data-position="{place}"] .dot')
        candidate = data["candidates"][place]
        assert chosen(opened) == candidate["name"]
        has_details = candidate["details"] is not None
        assert opened.run("document.getElementById('groups').hidden") != has_details
        value = (
            candidate["details"]["measures"]["accuracy"]["value"] if has_details else candidate["scores"]["accuracy"]
        )
        assert opened.text('[data-measure="accuracy"] .value') == f"{100 * value:.1f} %"
        assert ("Means over 3 folds" in opened.text("#measures-text")) != has_details
        assert opened.text("#code") == candidate["code"]


def test_every_candidate_is_in_the_table(opened, page):
    data = data_of(page)
    opened.click("summary")
    assert opened.run("document.querySelectorAll('.all tbody tr').length") == len(data["candidates"])
    opened.click("#candidate-0")
    assert chosen(opened) == data["candidates"][0]["name"]
    opened.press("ArrowDown")
    assert chosen(opened) == data["candidates"][1]["name"]


def test_tables_show_the_numbers(opened, page):
    details = data_of(page)["candidates"][data_of(page)["chosen"]]["details"]
    rows = opened.run("[...document.querySelectorAll('.rates tbody tr')].map(row => row.innerText)")
    cells = [cell for each in details["rates"] for group in each["groups"] for cell in group.values()]
    shown = re.findall(r"([\d.]+)\s%\s+(\d+) of (\d+)", "\n".join(rows))
    assert shown == [(f"{100 * c['rate']:.1f}", str(c["count"]), str(c["n"])) for c in cells]
    gap = details["measures"]["delta_dsp"]
    text = opened.text('[data-measure="delta_dsp"]')
    assert f"{100 * gap['value']:.1f} points" in text
    assert f"{100 * gap['low']:.1f} to {100 * gap['high']:.1f}" in text
    assert f"majority vote{100 * data_of(page)['baseline']['delta_dsp']:.1f}" in text


def test_the_gap_can_be_switched(opened, page):
    opened.click('label[for="gap-delta_deo"]')
    front = names_on_front(page, "delta_deo")
    opened.focus("#front")
    opened.press("End")
    assert chosen(opened) == front[-1]
    assert opened.run("document.querySelectorAll('#plot [role=radio]').length") == len(front)
    assert "Delta DEO" in opened.text("#plot .axes")


def python_choice(rule, candidates, gap):
    places = [n for n, each in enumerate(candidates) if each["eligible"]]
    scores = [candidates[place]["scores"] for place in places]
    results = {
        "mean_test_accuracy": np.array([each["accuracy"] for each in scores], dtype=float),
        "mean_test_neg_delta_dsp": -np.array([each[gap] for each in scores], dtype=float),
    }
    return places[rule(results)]


@pytest.mark.filterwarnings("ignore:No candidate has a gap")
@pytest.mark.parametrize("gap", ["delta_dsp", "delta_deo"])
@pytest.mark.parametrize(
    ("rule", "field", "points"),
    [(FairestWithin, "tolerance", [0, 0.5, 2, 2.3, 7, 30]), (MostAccurateWithin, "max-gap", [0, 1.7, 5, 11, 30, 100])],
)
def test_rules_choose_as_in_python(opened, page, gap, rule, field, points):
    candidates = data_of(page)["candidates"]
    opened.click(f'label[for="gap-{gap}"]')
    for each in points:
        opened.write(f"#{field}", str(each))
        place = python_choice(rule(round(each / 100, 12)), candidates, gap)
        assert chosen(opened) == candidates[place]["name"]
        assert opened.text("#rule-text").startswith(f"Chosen by {rule.__name__}({round(each / 100, 12):g}")
    opened.focus("#front")
    opened.press("Home")
    opened.press("ArrowRight")
    opened.focus(f"#{field}")
    opened.press("Enter")
    assert chosen(opened) == candidates[place]["name"]


@pytest.mark.filterwarnings("ignore:No candidate has a gap")
def test_rules_choose_as_in_python_with_ties_and_undefined_scores(opened):
    random = np.random.RandomState(0)
    for _ in range(150):
        n = random.randint(1, 9)
        scores = random.randint(0, 8, size=(n, 2)) / 20
        scores[random.uniform(size=(n, 2)) < 0.15] = np.nan
        candidates = [
            {"eligible": bool(random.uniform() < 0.8),
             "scores": {"accuracy": None if np.isnan(a) else a, "delta_dsp": None if np.isnan(g) else g}}
            for a, g in scores.tolist()
        ]  # fmt: skip
        threshold = float(random.choice([0.0, 0.05, 0.1, 0.2]))
        for rule, function in ((FairestWithin, "fairestWithin"), (MostAccurateWithin, "mostAccurateWithin")):
            try:
                expected = python_choice(rule(threshold), candidates, "delta_dsp")
            except ValueError:  # no candidate, or none with both scores
                expected = None
            found = opened.run(f"{function}({json.dumps(candidates)}, 'delta_dsp', {threshold})")
            assert found == expected, (candidates, rule, threshold)


@pytest.mark.parametrize("text", ["-1", "200", ""])
def test_thresholds_that_make_no_sense(opened, text):
    before = chosen(opened)
    opened.write("#tolerance", text or "x")
    assert opened.text("#rule-text") == "Enter a number from 0 to 99.9."
    assert chosen(opened) == before


def test_code_is_copied_or_selected(opened):
    opened.run("navigator.clipboard.writeText = async text => { window.copied = text; }")
    opened.click("#copy")
    assert opened.run("new Promise(done => setTimeout(() => done(window.copied), 50))") == opened.text("#code")
    assert opened.text("#copied") == "Copied."
    opened.run("navigator.clipboard.writeText = async () => { throw new Error('closed'); }")
    opened.run("document.execCommand = () => false")
    opened.click("#copy")
    assert opened.run("new Promise(done => setTimeout(() => done(getSelection().toString()), 50))") == opened.text(
        "#code"
    )
    assert opened.text("#copied").startswith("Selected: press Ctrl+C")


@pytest.mark.parametrize("dark", [False, True])
def test_narrow_light_and_dark(browser, models, graph, tmp_path, dark):
    """A hostile class, model and title are shown as they are, and nothing is wider than a phone."""
    true, predictions = models
    decision_page(predictions, graph, true, tmp_path / "page.html", chosen=EVIL, title=EVIL, **QUICK)
    browser.problems.clear()
    browser.open(tmp_path / "page.html", width=400, dark=dark)
    browser.run("document.querySelector('details').open = true")
    assert browser.run("document.documentElement.scrollWidth") <= 400
    assert browser.text("h1") == browser.run("document.title") == chosen(browser) == EVIL
    assert browser.text(".rates .class") == EVIL
    assert browser.run("document.getElementById('code-part').hidden")
    ink, paper = browser.run("['color', 'backgroundColor'].map(name => getComputedStyle(document.body)[name])")
    brightness = [sum(map(int, re.findall(r"\d+", color)[:3])) for color in (ink, paper)]
    assert (brightness[0] > brightness[1] + 300) if dark else (brightness[1] > brightness[0] + 300)
    assert browser.problems == []


def test_injected_scripts_do_not_run(opened):
    """The content security policy names the page's own script only."""
    opened.run(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hurt = 1'}))"
    )
    assert opened.run("window.hurt") is None
    assert len(opened.problems) == 1
    assert "Content Security Policy" in opened.problems.pop()[1]


def test_gnn_models_in_a_page(data):
    clf = GNNClassifier(mitigation=FairGNN(), max_epochs=2, hidden_dim=4, random_state=0).fit(data.graph, data.y)
    grid = GridSearchCV(
        clf, {"hidden_dim": [4, 8]}, cv=2, scoring=fairness_scoring, refit=FairestWithin(0.1)
    ).fit(data.graph, data.y)  # fmt: skip
    found = data_of(decision_page({"one": clf, "grid": grid}, Graph(data.X, data.A), data.y, **QUICK))
    assert "mitigation=FairGNN()" in found["candidates"][0]["code"]
    assert "GridSearchCV" not in found["candidates"][1]["code"]
    assert ["max_epochs", "2"] in found["candidates"][0]["params"]
