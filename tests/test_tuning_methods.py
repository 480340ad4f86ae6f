"""Searches over methods and over the parameters of a method."""

import pickle
import subprocess
import sys

import numpy as np
import optuna
import pytest
import sklearn
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import skdegfair.mitigation
from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer
from skdegfair.display import ParetoDisplay
from skdegfair.metrics import FairestWithin, fairness_scoring
from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, Mitigation, RawlsGCN, ReleasedDegFair, TailGNN
from skdegfair.tuning import FairnessObjective, ParetoSearchCV, search_space, suggest_params
from skdegfair.tuning._names import name_of

TRAINING = ["hidden_dim", "dropout", "learning_rate", "weight_decay", "max_epochs"]
METHODS = [None, DegFair(), FairGNN(covariance_weight=10), RawlsGCN()]
NAMES = [None, "DegFair()", "FairGNN(covariance_weight=10)", "RawlsGCN()"]
SPACE = {"mitigation": METHODS, "dropout": [0.2, 0.5]}


def gnn(mitigation=None, **options):
    return GNNClassifier(mitigation=mitigation, **{"max_epochs": 2, "hidden_dim": 4, "random_state": 0} | options)


def search(estimator=None, space=SPACE, **options):
    options = {"n_trials": 8, "cv": 2, "random_state": 0} | options
    return ParetoSearchCV(gnn() if estimator is None else estimator, space, **options)


def named(results):
    """Settings of ``cv_results_`` with the names of objects."""
    return [{name: value and name_of(value) for name, value in params.items()} for params in results["params"]]


@pytest.fixture(scope="module")
def found(data):
    return search().fit(data.graph, data.y)


# methods by name


def test_objects_in_the_results_and_names_in_the_study(found):
    assert len({trial.params["mitigation"] for trial in found.study_.trials}) >= 3
    for trial, params in zip(found.study_.trials, found.cv_results_["params"], strict=True):
        assert params["mitigation"] is METHODS[NAMES.index(trial.params["mitigation"])]
    column = found.cv_results_["param_mitigation"]
    assert all(value is params["mitigation"] for value, params in zip(column, found.cv_results_["params"], strict=True))
    assert set(found.pareto_["mitigation"].map(id)) <= set(map(id, METHODS))
    assert any(found.best_params_["mitigation"] is method for method in METHODS)


def test_scores_are_those_of_the_method(found, data):
    for place, params in enumerate(found.cv_results_["params"][:4]):
        by_hand = cross_validate(gnn(**params), data.graph, data.y, cv=2, scoring=fairness_scoring)
        assert found.cv_results_["mean_test_accuracy"][place] == by_hand["test_accuracy"].mean()


def test_objects_of_the_user_are_not_fitted(found, data):
    best = found.best_estimator_
    assert best.mitigation is None or best.mitigation is not found.best_params_["mitigation"]
    assert all(name_of(method) == name for method, name in zip(METHODS[1:], NAMES[1:], strict=True))
    assert not any(name.endswith("_") for method in METHODS[1:] for name in vars(method))
    assert found.predict(data.graph).shape == (120,)


@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_resumed_from_a_storage(found, data, tmp_path, kind):
    def storage():
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/study.db"
        return JournalStorage(JournalFileBackend(str(tmp_path / "journal")))

    for n_trials, objects in ((3, METHODS), (8, [sklearn.clone(each, safe=False) for each in METHODS])):
        options = {"storage": storage(), "study_name": "methods", "n_trials": n_trials, "batch_size": 1}
        resumed = search(space={**SPACE, "mitigation": objects}, **options).fit(data.graph, data.y)
    whole = search(batch_size=1).fit(data.graph, data.y)
    assert named(resumed.cv_results_) == named(whole.cv_results_)
    np.testing.assert_array_equal(
        resumed.cv_results_["mean_test_neg_delta_dsp"], whole.cv_results_["mean_test_neg_delta_dsp"]
    )
    assert all(any(params["mitigation"] is each for each in objects) for params in resumed.cv_results_["params"])
    other = {**SPACE, "mitigation": [None, DegFair(), FairGNN(), RawlsGCN()]}
    with pytest.raises(ValueError, match="another search: param_distributions differ"):
        search(space=other, **options).fit(data.graph, data.y)


def test_two_processes_and_a_storage_give_the_same(data, tmp_path):
    """With objects of scikit-learn: processes that do not load torch start faster."""
    processes = {"n_jobs": 2, "storage": f"sqlite:///{tmp_path}/study.db", "study_name": "scales"}
    space = {"scale": ["passthrough", StandardScaler(), StandardScaler(with_mean=False)], "clf__C": [0.1, 1.0]}
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", LogisticRegression())])
    one, two = (search(pipeline, space, scoring="accuracy", **more).fit(data.X, data.y) for more in ({}, processes))
    assert named(two.cv_results_) == named(one.cv_results_)
    assert one.study_.trials[0].params == two.study_.trials[0].params == {"scale": "StandardScaler()", "clf__C": 1.0}
    np.testing.assert_array_equal(two.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"])


@pytest.mark.parametrize("own", METHODS)
def test_first_trial_is_the_estimator_as_it_is(data, own):
    first = search(gnn(sklearn.clone(own, safe=False)), n_trials=1, refit=False).fit(data.graph, data.y)
    assert first.cv_results_["params"][0] == {"mitigation": own, "dropout": 0.5}


def test_first_trial_of_a_method_that_is_no_choice(data):
    first = search(gnn(FairGNN()), n_trials=1, refit=False).fit(data.graph, data.y)
    assert first.study_.trials[0].params["mitigation"] in NAMES


@pytest.mark.parametrize(
    ("values", "name"), [([DegFair(), DegFair()], r"DegFair\(\)"), ([RawlsGCN(), "RawlsGCN()"], r"RawlsGCN\(\)")]
)
def test_names_that_clash(data, values, name):
    with pytest.raises(ValueError, match=f"Two values of 'mitigation' have the same name, '{name}'"):
        search(space={"mitigation": values}).fit(data.graph, data.y)


def test_classes_are_refused(data):
    with pytest.raises(TypeError, match=r"objects with get_params such as DegFair\(\)"):
        search(space={"mitigation": [None, DegFair]}).fit(data.graph, data.y)
    with pytest.raises(TypeError, match="must be a non-empty list"):
        search(space={"mitigation": DegFair()}).fit(data.graph, data.y)


def test_names_do_not_depend_on_the_process_or_its_settings():
    code = """
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skdegfair.tuning._names import name_of
sklearn.set_config(print_changed_only=False)
print(name_of(make_pipeline(*[StandardScaler(with_mean=False, with_std=False) for _ in range(25)])))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = name_of(make_pipeline(*[StandardScaler(with_mean=False, with_std=False) for _ in range(25)]))
    assert out == f"{here}\n"
    assert here.count("StandardScaler(with_mean=False, with_std=False)") == 25


def test_pickled_and_cloned(found, data):
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.predict(data.graph), found.predict(data.graph))
    assert named(back.cv_results_) == named(found.cv_results_)
    again = sklearn.clone(found).set_params(n_trials=2).fit(data.graph, data.y)
    assert named(again.cv_results_) == named(found.cv_results_)[:2]


def test_display(found):
    display = ParetoDisplay.from_search(found)
    np.testing.assert_array_equal(np.flatnonzero(display.front), np.sort(found.pareto_.index))
    assert display.chosen == found.best_index_


def test_display_has_names_of_methods(data):
    few = search(n_trials=2, space={"mitigation": [FairGNN(covariance_weight=10)]}).fit(data.graph, data.y)
    assert ParetoDisplay.from_search(few).names == ["mitigation=FairGNN(covariance_weight=10)"] * 2


def test_in_a_pipeline(data):
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), gnn())
    space = {"gnnclassifier__mitigation": [None, RawlsGCN()]}
    best = search(pipeline, space, n_trials=2).fit(data.graph, data.y)
    assert best.best_estimator_[-1].mitigation is None or best.best_estimator_[-1].mitigation_.form == "graph"


def test_an_objective_over_methods(data, tmp_path):
    objective = FairnessObjective(gnn(), data.graph, data.y, params=SPACE, cv=2)
    study = optuna.create_study(
        storage=f"sqlite:///{tmp_path}/study.db",
        directions=objective.directions,
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    study.enqueue_trial({"mitigation": NAMES[2], "dropout": 0.2})
    study.optimize(objective, n_trials=2)
    first = study.trials[0]
    assert objective.params_of(first) == {"mitigation": METHODS[2], "dropout": 0.2}
    by_hand = cross_validate(gnn(METHODS[2], dropout=0.2), data.graph, data.y, cv=2, scoring=fairness_scoring)
    assert first.values == [by_hand["test_accuracy"].mean(), by_hand["test_neg_delta_dsp"].mean()]


# parameters of a method


@pytest.mark.parametrize(
    ("mitigation", "names"),
    [
        (None, []),
        (
            DegFair(),
            ["fairness_weight", "context_weight", "constraint_weight", "degree_threshold", "degree_encoding_dim",
             "fairness_groups", "fairness_loss"],
        ),
        (
            ReleasedDegFair(),
            ["fairness_weight", "context_weight", "constraint_weight", "degree_threshold", "degree_encoding_dim"],
        ),
        (FairGNN(), ["covariance_weight", "adversary_weight", "fairness_groups"]),
        (RawlsGCN(), ["form"]),
        (CFC(), ["adversary_weight", "fairness_groups"]),
        (FairVGNN(), ["adversary_weight", "keep_weight", "clip", "fairness_groups"]),
        (TailGNN(), ["degree_threshold", "missing_weight", "adversary_weight"]),
        (DSGCN(), ["index", "n_buckets", "rank"]),
        (DegFair(modulation=False), ["fairness_weight", "degree_threshold", "fairness_groups", "fairness_loss"]),
    ],
)  # fmt: skip
def test_ready_space_of_a_method(mitigation, names):
    nested = [f"mitigation__{name}" for name in names]
    assert list(search_space(gnn(mitigation))) == TRAINING + nested
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), gnn(mitigation))
    assert list(search_space(pipeline)) == [f"gnnclassifier__{name}" for name in TRAINING + nested]


def test_values_of_fairgnn():
    space = search_space(gnn(FairGNN()))
    assert space["mitigation__covariance_weight"] == FloatDistribution(0.3, 100, log=True)
    assert space["mitigation__adversary_weight"] == FloatDistribution(1e-3, 10, log=True)
    assert search_space(gnn(RawlsGCN()))["mitigation__form"] == CategoricalDistribution(["graph", "gradient"])


def test_epochs_are_searched_around_those_of_the_estimator():
    assert search_space(gnn(None, max_epochs=60))["max_epochs"] == IntDistribution(30, 120, log=True)
    assert search_space(gnn(None, max_epochs=1))["max_epochs"] == IntDistribution(1, 2, log=True)
    assert "max_epochs" not in search_space(gnn(None, early_stopping=True))
    assert "max_epochs" not in search_space(gnn(None), max_epochs=None)


def test_length_of_the_degree_encoding_belongs_to_the_mitigation():
    assert "degree_encoding_dim" not in search_space(DegFairGNNClassifier())
    assert "fairness_loss" in search_space(DegFairGNNClassifier())


def test_every_method_has_a_ready_space():
    for name in skdegfair.mitigation.__all__:
        cls = getattr(skdegfair.mitigation, name)
        if issubclass(cls, Mitigation) and cls is not Mitigation:
            assert set(search_space(gnn(cls()))) > set(TRAINING), name


def test_defaults_are_inside_the_ready_space(data):
    for method in (DegFair(), FairGNN(), RawlsGCN(), ReleasedDegFair(), CFC(), FairVGNN(), TailGNN(), DSGCN()):
        clf = gnn(method, hidden_dim=16)
        first = search(clf, None, n_trials=1, refit=False).fit(data.graph, data.y).cv_results_["params"][0]
        assert first == {name: clf.get_params()[name] for name in first}


def test_subclasses_and_strangers():
    class Mine(FairGNN):
        pass

    class DegFair(Mitigation):
        """Not ours, but of the same name."""

        def __init__(self, fairness_weight=1.0):
            self.fairness_weight = fairness_weight

    assert "mitigation__covariance_weight" in search_space(gnn(Mine()))
    assert list(search_space(gnn(DegFair()))) == TRAINING
    assert "mitigation__fairness_weight" in search_space(gnn(DegFair()), mitigation__fairness_weight=[1, 2])


def test_methods_replace_the_parameters_of_one_method():
    assert list(search_space(gnn(FairGNN()), mitigation=METHODS)) == [*TRAINING, "mitigation"]
    pipeline = make_pipeline(GraphTransformer(StandardScaler()), gnn(FairGNN()))
    assert list(search_space(pipeline, gnnclassifier=[gnn(), gnn(RawlsGCN())])) == ["gnnclassifier"]
    assert "mitigation__form" in search_space(gnn(RawlsGCN()), mitigation=None)
    both = search_space(gnn(), mitigation=[DegFair(), FairGNN()], mitigation__degree_threshold=["mean", "median"])
    assert list(both)[-2:] == ["mitigation", "mitigation__degree_threshold"]
    assert "mitigation__context_weight" in search_space(
        gnn(DegFair(modulation=False)), mitigation__modulation=[True, False]
    )
    with pytest.raises(ValueError, match=r"no parameter 'mitigation__form'"):
        search_space(gnn(FairGNN()), mitigation__form=["graph"])


@pytest.mark.parametrize("methods", [[None, FairGNN()], [FairGNN(), RawlsGCN()]])
def test_parameters_that_not_all_methods_have(data, methods):
    space = {"mitigation": methods, "mitigation__covariance_weight": [1, 10]}
    with pytest.raises(ValueError, match=r"'mitigation__covariance_weight' is not a .*pass a function of a trial"):
        search(space=space).fit(data.graph, data.y)
    with pytest.raises(ValueError, match="pass a function of a trial"):
        search_space(gnn(), **space)


def test_parameters_that_all_methods_have(data):
    space = {"mitigation": [DegFair(), FairGNN()], "mitigation__degree_threshold": [2.0, 3.0]}
    best = search(space=space, n_trials=3).fit(data.graph, data.y)
    assert best.best_estimator_.mitigation.degree_threshold in (2.0, 3.0)
    assert {each.degree_threshold for each in space["mitigation"]} == {"mean"}


def test_suggestions_for_a_method():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    clf = gnn(FairGNN())
    for _ in range(10):
        trial = study.ask()
        params = suggest_params(trial, clf, dropout=None)
        assert params == trial.params
        clf.set_params(**params).mitigation._validate_params()
        assert clf.mitigation.covariance_weight == params["mitigation__covariance_weight"]
        study.tell(trial, 0.0)
    assert suggest_params(study.best_trial, clf, dropout=None) == study.best_params


def methods_with_their_parameters(trial):
    method = suggest_params(trial, gnn(), mitigation=[None, DegFair(), FairGNN(), RawlsGCN()])["mitigation"]
    return {"mitigation": method, **suggest_params(trial, gnn(method), hidden_dim=None)}


def test_a_function_of_a_trial(data, tmp_path):
    options = {"storage": f"sqlite:///{tmp_path}/study.db", "study_name": "conditional"}
    for n_trials in (4, 8):
        found = search(gnn(FairGNN()), methods_with_their_parameters, n_trials=n_trials, **options).fit(
            data.graph, data.y
        )
    results = found.cv_results_
    assert name_of(results["params"][0]["mitigation"]) == "FairGNN()"
    assert results["params"][0]["mitigation__covariance_weight"] == 4.0
    kinds = [type(params["mitigation"]) for params in results["params"]]
    assert len(set(kinds)) >= 3
    for kind, params in zip(kinds, results["params"], strict=True):
        assert ("mitigation__covariance_weight" in params) == (kind is FairGNN)
        assert ("mitigation__form" in params) == (kind is RawlsGCN)
        assert "dropout" in params
    np.testing.assert_array_equal(
        results["param_mitigation__covariance_weight"].mask, [kind is not FairGNN for kind in kinds]
    )
    best = found.best_estimator_.get_params()
    assert all(best[name] == value for name, value in found.best_params_.items() if name != "mitigation")


def test_grid_search_with_nested_names(data):
    grid = [
        {"mitigation": [None, RawlsGCN()]},
        {"mitigation": [FairGNN()], "mitigation__covariance_weight": [1.0, 10.0]},
    ]
    found = GridSearchCV(gnn(), grid, scoring=fairness_scoring, refit=FairestWithin(0.02), cv=2)
    found.fit(data.graph, data.y)
    assert len(found.cv_results_["params"]) == 4
    assert found.predict(data.graph).shape == (120,)
    assert ParetoDisplay.from_search(found).names[-1] == "mitigation=FairGNN(), covariance_weight=10.0"
