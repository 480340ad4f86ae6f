"""Searches: which settings are tried, what is kept of them, what is chosen."""

import pickle

import numpy as np
import optuna
import pytest
import scipy.sparse as sp
import sklearn
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from scipy.stats import loguniform, norm, randint, uniform
from searched import Known, truth
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RandomizedSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph, GraphTransformer
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import (
    FairestWithin,
    MostAccurateWithin,
    Tradeoff,
    delta_dsp,
    fairness_scoring,
    make_degree_scorer,
)
from skdegfair.tuning import ParetoSearchCV, search_space, suggest_params

SPACE = {"wrong": uniform(0, 0.4), "ones": uniform(0.01, 0.5)}
CV = StratifiedKFold(2, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def graph():
    random = np.random.RandomState(0)
    source, target = random.randint(0, 200, size=(2, 800)) ** 2 // 200
    A = sp.coo_array((np.ones(800), (source, target)), shape=(200, 200)).toarray()
    return Graph(random.normal(size=(200, 3)), sp.csr_array(((A + A.T) > 0).astype(float)))


@pytest.fixture(scope="module")
def y(graph):
    return truth(graph)


def search(space=SPACE, **options):
    return ParetoSearchCV(Known(), space, **{"n_trials": 12, "cv": CV, "random_state": 0} | options)


def gnn(**options):
    return DegFairGNNClassifier(**{"max_epochs": 5, "hidden_dim": 8, "random_state": 0} | options)


# the search space


def test_ready_space_is_of_parameters_that_the_estimator_has():
    fair, plain = search_space(gnn()), search_space(GNNClassifier())
    assert {"fairness_weight", "context_weight", "constraint_weight", "degree_threshold"} <= set(fair)
    assert set(plain) < set(fair) <= set(gnn().get_params())
    inside = search_space(make_pipeline(GraphTransformer(StandardScaler()), GNNClassifier()))
    assert set(inside) == {f"gnnclassifier__{name}" for name in plain}


def test_defaults_are_inside_the_ready_space(graph, y):
    """So that the first trial is the default."""
    found = ParetoSearchCV(gnn(), n_trials=1, cv=2, refit=False).fit(graph, y)
    default = gnn(hidden_dim=32).get_params()
    tried = found.cv_results_["params"][0]
    assert {name: tried[name] for name in tried if name != "hidden_dim"} == {
        name: default[name] for name in tried if name != "hidden_dim"
    }


def test_space_can_be_changed():
    space = search_space(gnn(), dropout=None, n_layers=randint(1, 4), backbone=["gcn", "sage"])
    assert "dropout" not in space
    assert space["n_layers"] == IntDistribution(1, 3)
    assert space["backbone"] == CategoricalDistribution(["gcn", "sage"])
    with pytest.raises(ValueError, match="has no parameter 'depth'"):
        search_space(gnn(), depth=[1, 2])


def test_suggestions_are_valid_parameters():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for _ in range(20):
        gnn(**suggest_params(study.ask()))._validate_params()
    assert "fairness_weight" not in suggest_params(study.ask(), GNNClassifier())


def test_values_of_scipy_and_lists():
    kinds = {"a": loguniform(0.1, 10), "b": uniform(1, 2), "c": np.array([1, 2]), "d": FloatDistribution(0, 1)}
    from skdegfair.tuning._space import as_space

    assert as_space(kinds) == {
        "a": FloatDistribution(0.1, 10, log=True),
        "b": FloatDistribution(1, 3),
        "c": CategoricalDistribution([1, 2]),
        "d": FloatDistribution(0, 1),
    }


@pytest.mark.parametrize("values", [norm(), 3, "gcn", [], {"low": 1}])
def test_values_that_are_no_values(values, graph, y):
    with pytest.raises(TypeError, match="Values of 'wrong' must be"):
        search({"wrong": values}).fit(graph, y)


def test_values_that_a_study_cannot_keep(graph, y):
    with pytest.raises(TypeError, match="a function of a trial"):
        search({"wrong": [uniform(), norm()]}).fit(graph, y)
    with pytest.raises(ValueError, match="no ready search space for LogisticRegression"):
        ParetoSearchCV(LogisticRegression()).fit(graph, y)


@pytest.mark.parametrize("space", [{}, [0.1, 0.2]])
def test_spaces_that_are_no_spaces(space, graph, y):
    with pytest.raises(TypeError, match="must be a non-empty dict"):
        search(space).fit(graph, y)


# which settings are tried


def test_same_seed_same_trials_whatever_the_number_of_processes(graph, y):
    one, again, two = (search(n_jobs=n).fit(graph, y) for n in (1, 1, 2))
    assert one.cv_results_["params"] == again.cv_results_["params"] == two.cv_results_["params"]
    for key in one.cv_results_:
        if "test" in key:
            np.testing.assert_array_equal(one.cv_results_[key], two.cv_results_[key])
    assert one.best_params_ == two.best_params_
    assert search(random_state=1).fit(graph, y).cv_results_["params"][1:] != one.cv_results_["params"][1:]


def test_parameters_of_a_trial_are_drawn_apart(graph, y):
    """With one seed for both, equal ranges would get equal values."""
    params = search({"wrong": uniform(0, 0.4), "ones": uniform(0, 0.4)}, batch_size=12).fit(graph, y).cv_results_
    difference = np.asarray(params["param_wrong"] - params["param_ones"])
    assert np.abs(difference[1:]).min() > 1e-3
    assert len(np.unique(np.asarray(params["param_wrong"]))) == 12


def test_first_trial_is_the_estimator_as_it_is(graph, y):
    found = ParetoSearchCV(Known(wrong=0.3, ones=0.9), SPACE, n_trials=1, cv=CV, random_state=0).fit(graph, y)
    first = found.cv_results_["params"][0]
    assert first["wrong"] == 0.3
    assert 0.01 <= first["ones"] <= 0.51  # 0.9 is not allowed


@pytest.mark.parametrize("own", [np.inf, np.nan, None, "x"])
def test_first_values_that_are_no_numbers(graph, y, own):
    found = ParetoSearchCV(Known(wrong=own), SPACE, n_trials=1, cv=CV, refit=False).fit(graph, y)
    assert 0 <= found.cv_results_["params"][0]["wrong"] <= 0.4


def test_names_that_are_no_parameters(graph, y):
    def space(trial):
        return {"wrong": {None: 0.1, "much": 0.3}[trial.suggest_categorical("kind", [None, "much"])]}

    found = search(space).fit(graph, y)
    assert {params["wrong"] for params in found.cv_results_["params"]} == {0.1, 0.3}


def test_a_sampler_of_ones_own(graph, y):
    found = search(sampler=optuna.samplers.RandomSampler(seed=3), random_state=None).fit(graph, y)
    direct = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=3)).ask()
    assert found.cv_results_["params"][0]["wrong"] == direct.suggest_float("wrong", 0, 0.4)
    assert sklearn.clone(found).fit(graph, y).cv_results_["params"] == found.cv_results_["params"]
    assert found.fit(graph, y).cv_results_["params"][0]["wrong"] == direct.params["wrong"]  # the sampler is not used up


def test_spaces_may_be_functions(graph, y):
    def space(trial):
        wrong = trial.suggest_float("wrong", 0, 0.4)
        return {"wrong": wrong} if wrong < 0.2 else {"wrong": wrong, "ones": trial.suggest_float("ones", 0.1, 0.2)}

    found = search(space).fit(graph, y)
    column = found.cv_results_["param_ones"]
    np.testing.assert_array_equal(column.mask, np.asarray(found.cv_results_["param_wrong"]) < 0.2)
    assert 0 < column.mask.sum() < 12
    assert found.pareto_["ones"].isna().equals(found.pareto_["wrong"] < 0.2)


# what is kept


def test_scores_are_those_of_cross_validation(graph, y):
    found = search().fit(graph, y)
    for place, params in enumerate(found.cv_results_["params"]):
        by_hand = cross_validate(Known(**params), graph, y, cv=CV, scoring=fairness_scoring)
        for name in ("accuracy", "neg_delta_dsp", "neg_delta_deo"):
            assert found.cv_results_[f"mean_test_{name}"][place] == by_hand[f"test_{name}"].mean()
            assert found.cv_results_[f"std_test_{name}"][place] == by_hand[f"test_{name}"].std()
            assert found.cv_results_[f"split1_test_{name}"][place] == by_hand[f"test_{name}"][1]


def test_results_have_scikit_learns_columns(graph, y):
    theirs = RandomizedSearchCV(Known(), SPACE, n_iter=3, cv=CV, scoring=fairness_scoring, refit=False).fit(graph, y)
    ours = search().fit(graph, y).cv_results_
    assert set(ours) == {*theirs.cv_results_, "trial"}
    order = np.argsort(-ours["mean_test_accuracy"], kind="stable")
    assert (np.diff(ours["rank_test_accuracy"][order]) >= 0).all()


def test_front_has_what_no_other_trial_beats(graph, y):
    found = search(n_trials=30).fit(graph, y)
    points = np.column_stack([found.cv_results_["mean_test_accuracy"], found.cv_results_["mean_test_neg_delta_dsp"]])
    front = [
        number
        for number, point in enumerate(points)
        if not any((other >= point).all() and (other > point).any() for other in points)
    ]
    assert sorted(found.pareto_.index) == front
    assert sorted(trial.number for trial in found.study_.best_trials) == front
    assert found.pareto_["mean_test_accuracy"].is_monotonic_decreasing
    assert list(found.pareto_.columns[:2]) == ["wrong", "ones"]
    assert "std_test_neg_delta_deo" in found.pareto_


def test_three_objectives(graph, y):
    found = search(objectives=("accuracy", "neg_delta_dsp", "neg_delta_deo")).fit(graph, y)
    assert len(found.study_.directions) == 3
    assert sorted(trial.number for trial in found.study_.best_trials) == sorted(found.pareto_.index)


def test_displays_and_plots_of_optuna(graph, y):
    found = search().fit(graph, y)
    display = ParetoDisplay.from_search(found)
    np.testing.assert_array_equal(np.flatnonzero(display.front), np.sort(found.pareto_.index))
    assert display.chosen == found.best_index_
    floor = search(n_trials=20, min_accuracy=0.75).fit(graph, y)
    assert set(np.flatnonzero(ParetoDisplay.from_search(floor).front)) == set(floor.pareto_.index)
    other = search(objectives=("accuracy", "neg_delta_deo")).fit(graph, y)
    assert set(np.flatnonzero(ParetoDisplay.from_search(other).front)) == set(other.pareto_.index)
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        axes = optuna.visualization.matplotlib.plot_pareto_front(found.study_)
    assert sum(len(points.get_offsets()) for points in axes.collections) == 12
    assert axes.get_xlabel() == "accuracy"


# what is chosen


@pytest.mark.parametrize("rule", [FairestWithin(0.1), MostAccurateWithin(0.9), FairestWithin(fairness="neg_delta_deo")])
def test_rules_choose(rule, graph, y):
    found = search(refit=rule).fit(graph, y)
    assert found.best_index_ == rule(found.cv_results_)
    assert found.best_estimator_.get_params() == {**Known().get_params(), **found.best_params_}
    np.testing.assert_array_equal(found.predict(graph), Known(**found.best_params_).fit(graph, y).predict(graph))
    assert found.score(graph, y) == (found.predict(graph) == y).mean()
    assert not hasattr(found, "best_score_")


def test_choices_by_name_and_by_default(graph, y):
    by_name, default = search(refit="neg_delta_deo").fit(graph, y), search().fit(graph, y)
    assert by_name.best_index_ == np.argmax(by_name.cv_results_["mean_test_neg_delta_deo"])
    assert by_name.best_score_ == by_name.cv_results_["mean_test_neg_delta_deo"].max()
    assert default.best_index_ == FairestWithin(0.02)(default.cv_results_)


def test_no_choice(graph, y):
    found = search(refit=False).fit(graph, y)
    assert len(found.pareto_)
    with pytest.raises(AttributeError, match="refit=False"):
        found.predict(graph)


def test_one_objective(graph, y):
    scoring = Tradeoff(0.5)
    found = search(scoring=scoring).fit(graph, y)
    results = found.cv_results_
    assert found.objectives_ == ("score",)
    assert found.best_score_ == results["mean_test_score"].max() == found.study_.best_value
    assert len(found.pareto_) == 1
    assert found.score(graph, y) == scoring(found.best_estimator_, graph, y)


def test_accuracy_that_is_asked_for(graph, y):
    free, floor = search(n_trials=20).fit(graph, y), search(n_trials=20, min_accuracy=0.75).fit(graph, y)
    assert free.pareto_["mean_test_accuracy"].min() < 0.75 <= floor.pareto_["mean_test_accuracy"].min()
    fairest = search(n_trials=20, min_accuracy=0.75, refit="neg_delta_dsp").fit(graph, y)
    assert fairest.cv_results_["mean_test_accuracy"][fairest.best_index_] >= 0.75
    with pytest.warns(UserWarning, match=r"No trial reaches min_accuracy=1: the most accurate one has 0\.\d"):
        search({"wrong": [0.3, 0.4]}, min_accuracy=1).fit(graph, y)


@pytest.mark.parametrize(
    ("rule", "error", "text"),
    [
        (lambda results: 0.5, TypeError, "position of a candidate"),
        (lambda results: 99, IndexError, "one of 12 candidates"),
    ],
)
def test_rules_that_do_not_choose_lose_nothing(rule, error, text, graph, y):
    found = search(refit=rule)
    with pytest.raises(error, match=text):
        found.fit(graph, y)
    assert len(found.cv_results_["params"]) == 12
    with pytest.raises(NotFittedError):
        found.predict(graph)


# what goes wrong


def test_fits_that_fail(graph, y):
    space = {"wrong": uniform(0, 0.4), "fails": [False, False, True]}
    with pytest.warns(FitFailedWarning, match=r"of 24 fits failed, .*The first error is RuntimeError: this one fails"):
        found = search(space).fit(graph, y)
    failed = np.asarray(found.cv_results_["param_fails"], dtype=bool)
    np.testing.assert_array_equal(np.isnan(found.cv_results_["mean_test_accuracy"]), failed)
    assert 0 < failed.sum() < 12
    assert not failed[found.best_index_]
    assert not found.pareto_["fails"].any()
    with pytest.warns(FitFailedWarning):
        zero = search(space, error_score=0.0).fit(graph, y)
    assert {trial.state.name for trial in found.study_.trials} == {"COMPLETE", "FAIL"}
    assert not zero.pareto_["fails"].any()  # although a gap of 0 would be the best
    with pytest.warns(FitFailedWarning):
        fairest = search(space, error_score=0.0, refit="neg_delta_dsp").fit(graph, y)
    assert not fairest.best_params_["fails"]
    assert (zero.cv_results_["mean_test_accuracy"][np.asarray(zero.cv_results_["param_fails"], dtype=bool)] == 0).all()


def test_all_fits_fail(graph, y):
    with pytest.raises(ValueError, match=r"24 of 24 fits failed, .* RuntimeError: this one fails"):
        search({"fails": [True]}).fit(graph, y)
    with pytest.raises(RuntimeError, match=r"^this one fails$"):
        search({"fails": [True]}, error_score="raise").fit(graph, y)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_trials": 0}, "n_trials must be"),
        ({"batch_size": 1.5}, "batch_size must be"),
        ({"timeout": -1}, "timeout must be"),
        ({"min_accuracy": 70}, "min_accuracy must be"),
        ({"refit": None}, "refit must be"),
        ({"error_score": "nan"}, "error_score must be"),
        ({"objectives": ()}, "objectives must contain"),
        ({"objectives": ("accuracy", "f1")}, "no score 'f1', only"),
        ({"scoring": Tradeoff(), "min_accuracy": 0.5}, "no score 'accuracy', only"),
        ({"storage": "sqlite://"}, "needs a study_name"),
        ({"storage": "journal.log", "study_name": "s"}, "URL of a database"),
        ({"cv": []}, "gives no folds"),
        ({"timeout": 1e-9}, "longer timeout"),
    ],
)
def test_options_that_make_no_sense(options, text, graph, y):
    with pytest.raises(ValueError, match=text):
        search(**options).fit(graph, y)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"param_distributions": {"fails": [True]}}, ValueError),
        ({"refit": lambda results: 99}, IndexError),
        ({"cv": 1}, ValueError),
    ],
)
def test_a_fit_that_fails_leaves_the_results_of_an_earlier_one(options, error, graph, y):
    found = search().fit(graph, y)
    before = {name: value for name, value in vars(found).items() if name.endswith("_") and name != "study_"}
    with pytest.raises(error):
        found.set_params(**options).fit(graph, y)
    assert all(getattr(found, name) is value for name, value in before.items())
    assert found.predict(graph).shape == (200,)


def test_a_new_fit_replaces_all_results(graph, y):
    found = search(refit="accuracy").fit(graph, y)
    found.set_params(refit=False, n_trials=2).fit(graph, y)
    assert len(found.cv_results_["trial"]) == len(found.study_.trials) == 2
    assert not hasattr(found, "best_score_")


@pytest.mark.parametrize("refit", ["f1", FairestWithin(fairness="f1")])
def test_a_score_that_is_not_there_is_noticed_before_the_first_trial(refit, graph, y):
    found = search(refit=refit)
    with pytest.raises(ValueError, match=r"no score 'f1', only .* Change refit"):
        found.fit(graph, y)
    assert not hasattr(found, "study_")
    by_function = search(refit=refit, scoring=lambda *args: fairness_scoring(*args), objectives=("accuracy",))
    with pytest.raises(ValueError, match="no score 'f1', only"):
        by_function.fit(graph, y)
    assert {trial.state.name for trial in by_function.study_.trials} == {"FAIL"}
    assert len(by_function.study_.trials) == 4  # the first batch


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scoring": Tradeoff()},
        {"scoring": {"gap": make_degree_scorer()}, "objectives": "gap"},
        {"refit": "neg_delta_deo"},
    ],
)
def test_a_gap_that_is_not_defined_is_noticed_before_the_first_trial(options, y):
    ring = sp.diags_array([1.0, 1.0], offsets=[1, -1], shape=(200, 200)).tolil()
    ring[0, 199] = ring[199, 0] = 1
    found = search(**options)
    with pytest.raises(ValueError, match="is not defined in fold 1 of 2, whatever is predicted"):
        found.fit(Graph(np.ones((200, 3)), ring.tocsr()), y)
    assert not hasattr(found, "study_")


# among scikit-learn's tools


@parametrize_with_checks(
    [ParetoSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring="accuracy", n_trials=2, cv=2, error_score="raise")]
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")  # of labels that are infinite
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_on_features_and_edges_apart(data):
    options = {"n_trials": 2, "cv": CV, "random_state": 0}
    apart = ParetoSearchCV(gnn(), **options).fit(data.X, data.A, data.y)
    together = ParetoSearchCV(gnn(), **options).fit(data.graph, data.y)
    np.testing.assert_array_equal(apart.predict_proba(data.X, data.A), together.predict_proba(data.graph))
    assert apart.score(data.X, data.A, data.y) == together.score(data.graph, data.y)
    np.testing.assert_array_equal(apart.classes_, [0, 1, 2])


def test_in_pipelines_and_nested(data):
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), gnn())
    inner = ParetoSearchCV(pipeline, {"degfairgnnclassifier__dropout": [0.1, 0.5]}, n_trials=2, cv=2, random_state=0)
    result = cross_validate(
        inner, data.graph, data.y, cv=2, scoring=fairness_scoring, return_estimator=True, return_indices=True
    )
    for number, each in enumerate(result["estimator"]):
        test = result["indices"]["test"][number]
        assert result["test_accuracy"][number] == (each.predict(data.graph[test]) == data.y[test]).mean()
        assert each.best_params_ in each.cv_results_["params"]
    assert "ParetoSearchCV" in inner._repr_html_()
    assert "GraphTransformer" in inner._repr_html_()


def test_folds_may_come_from_a_generator(graph, y):
    found = search(cv=CV.split(np.zeros(200), y)).fit(graph, y)
    assert found.n_splits_ == 2
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_accuracy"], search().fit(graph, y).cv_results_["mean_test_accuracy"]
    )


def test_scores_by_the_name_that_was_refitted_by(graph, y):
    found = search(refit="neg_delta_deo").fit(graph, y)
    assert found.score(graph, y) == fairness_scoring(found.best_estimator_, graph, y)["neg_delta_deo"]
    with pytest.raises(TypeError, match="nonsense"):
        search().fit(graph, y).score(graph, y, nonsense=1)


def test_clone_and_pickle(graph, y):
    found = search().fit(graph, y)
    again = sklearn.clone(found).fit(graph, y)
    assert again.best_params_ == found.best_params_
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.predict(graph), found.predict(graph))
    assert back.study_.best_trials[0].params == found.study_.best_trials[0].params


def test_groups_go_to_the_splitter(graph, y):
    groups = np.arange(200) % 4
    found = search(cv=GroupKFold(4)).fit(graph, y, groups=groups)
    assert found.n_splits_ == 4
    by_hand = cross_validate(
        Known(**found.best_params_), graph, y, groups=groups, cv=GroupKFold(4), scoring=Tradeoff(1)
    )
    means = [found.cv_results_[f"mean_test_{name}"][found.best_index_] for name in ("accuracy", "neg_delta_dsp")]
    assert sum(means) == pytest.approx(by_hand["test_score"].mean())


@pytest.mark.parametrize("options", [{"refit": "f1_macro"}, {"objectives": "f1_macro"}])
def test_a_single_scorer_by_its_name(graph, y, options):
    found, plain = (search(scoring="f1_macro", **each).fit(graph, y) for each in (options, {}))
    assert found.objectives_ == ("f1_macro",)
    assert found.best_params_ == plain.best_params_
    assert found.best_score_ == plain.best_score_
    assert found.score(graph, y) == plain.score(graph, y)


def test_metadata_is_routed(graph, y):
    """A classifier that knows no graph: degrees go to the scorer, and groups to the splitter."""
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_degree_scorer("dsp").set_score_request(degree=True)
        cv = GroupKFold(2).set_split_request(groups=True)
        found = ParetoSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scorer, cv=cv, n_trials=2)
        metadata = {"degree": graph.degree(), "groups": np.arange(200) % 2}
        found.fit(graph.features, y, **metadata)
        by_hand = cross_validate(
            LogisticRegression(**found.best_params_), graph.features, y, cv=cv, scoring=scorer, params=metadata
        )
        assert found.best_score_ == by_hand["test_score"].mean()
        gap = delta_dsp(y, found.predict(graph.features), degree=graph.degree())
        assert found.score(graph.features, y, degree=graph.degree()) == -gap


def test_degrees_of_another_name_are_routed(graph, y):
    with sklearn.config_context(enable_metadata_routing=True):
        gap = make_degree_scorer("dsp").set_score_request(degree="known_degree")
        scoring = {"accuracy": "accuracy", "neg_delta_dsp": gap}
        found = ParetoSearchCV(LogisticRegression(), {"C": [0.1]}, scoring=scoring, cv=2, n_trials=1)
        assert len(found.fit(graph.features, y, known_degree=graph.degree()).pareto_)


@pytest.mark.filterwarnings("ignore:.*optuna.terminator. module:FutureWarning")  # it uses what Optuna gives up
def test_optuna_search_cv(data):
    """Optuna's own search takes one number."""
    integration = pytest.importorskip("optuna_integration.sklearn")
    space = {"fairness_weight": FloatDistribution(0.1, 10, log=True)}
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        found = integration.OptunaSearchCV(gnn(), space, n_trials=3, cv=2, scoring=Tradeoff(0.5), random_state=0)
    found.fit(data.graph, data.y)
    by_hand = cross_validate(gnn(**found.best_params_), data.graph, data.y, cv=2, scoring=Tradeoff(0.5))
    assert found.best_score_ == pytest.approx(by_hand["test_score"].mean())


def test_another_rule_chooses_among_the_same_trials(graph, y):
    """Those below min_accuracy are not considered, which the rule alone would not know."""
    found = search(n_trials=20, min_accuracy=0.75).fit(graph, y)
    results = found.cv_results_
    assert 0 < found.eligible_.sum() < len(found.eligible_)
    gaps = results["mean_test_neg_delta_dsp"]
    assert results["mean_test_accuracy"][FairestWithin(0.99)(results)] < 0.75
    chosen = results["params"].index(found.choose(FairestWithin(0.99)))
    assert gaps[chosen] == gaps[found.eligible_].max()
    assert results["mean_test_accuracy"][chosen] >= 0.75
    best = results["params"].index(found.choose("accuracy"))
    assert results["mean_test_accuracy"][best] == results["mean_test_accuracy"][found.eligible_].max()
    with pytest.raises(TypeError, match="rule must be a rule"):
        found.choose(True)
