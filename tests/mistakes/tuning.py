"""Mistakes with searches, their studies and spaces, Optuna objectives and rules that choose a candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pandas as pd
import torch
from optuna.distributions import FloatDistribution
from optuna.samplers import CmaEsSampler, RandomSampler, TPESampler
from searched import Known
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair import GNNClassifier, Graph, GraphTransformer
from skdegfair.exceptions import NoEffectWarning
from skdegfair.metrics import (
    SCORERS,
    FairestWithin,
    MostAccurateWithin,
    fairness_scoring,
    get_scorer,
    make_degree_scorer,
    pareto_front,
)
from skdegfair.tuning import FairnessObjective, ParetoSearchCV, TrialPruning, search_space, suggest_params

from .cases import Mistake, World

SPACE = {"wrong": [0.1, 0.2]}
SMALL = {"hidden_dim": [4]}


def search(space: Any = SPACE, estimator: Any = None, **options: Any) -> ParetoSearchCV:
    """A search that takes no time, because nothing is trained."""
    estimator = Known() if estimator is None else estimator
    return ParetoSearchCV(estimator, space, **{"n_trials": 2, "cv": 2} | options)


def fit(w: World, *args: Any, **options: Any) -> ParetoSearchCV:
    return search(*args, **options).fit(w.G, w.y)


def fit_twice(w: World, one: dict[str, Any], other: dict[str, Any]) -> ParetoSearchCV:
    """Two searches of one name in one storage."""
    same = {"storage": optuna.storages.InMemoryStorage(), "study_name": "mine"}
    fit(w, **same | one)
    return fit(w, **same | other)


def grid(w: World, rule: Any, scoring: Any = fairness_scoring) -> GridSearchCV:
    return GridSearchCV(Known(), SPACE, scoring=scoring, refit=rule, cv=2)


def objective(w: World, **options: Any) -> FairnessObjective:
    return FairnessObjective(**{"estimator": Known(), "G": w.G, "y": w.y, "params": SPACE, "cv": 2} | options)


def pipeline() -> Any:
    return make_pipeline(GraphTransformer(StandardScaler()), GNNClassifier())


def partly_labeled(w: World) -> Any:
    return np.where(np.arange(w.n_nodes) == 3, np.nan, w.y)


def accuracy_without(w: World, placeholder: Any) -> float:
    clf = GNNClassifier(unlabeled=placeholder, max_epochs=1, random_state=0)
    found = search(SMALL, clf, n_trials=1, cv=KFold(2)).fit(w.G, partly_labeled(w))
    return float(found.cv_results_["mean_test_accuracy"][0])


def damaged(w: World) -> str:
    (w.folder / "damaged.db").write_text("no database" * 100)
    return f"sqlite:///{w.folder}/damaged.db"


def optimized(w: World, **options: Any) -> None:
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        optuna.create_study(**options).optimize(objective(w), n_trials=1)
    finally:
        optuna.logging.set_verbosity(level)


def trained_with(w: World, callback: Any) -> Any:
    return GNNClassifier(max_epochs=1, callbacks=[callback]).fit(w.G, w.y)


class Other(Known):
    """Has the parameters of Known."""


def other_data(w: World) -> Any:
    same = {"storage": optuna.storages.InMemoryStorage(), "study_name": "mine"}
    fit(w, **same)
    return search(**same).fit(Graph(w.X + 1, w.A), w.y)


def fit_other_study(w: World) -> Any:
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="mine", directions=["maximize"] * 2)
    study.add_trial(optuna.create_trial(values=[1.0, 1.0]))
    return stored_at(w, storage)


def chosen_accuracy(w: World, rule: Any) -> float:
    best = grid(w, rule).fit(w.G, w.y).best_estimator_
    return float((best.predict(w.G) == w.y).mean())


def floor_of(w: World, floor: Any, **options: Any) -> float:
    found = fit(w, min_accuracy=floor, storage="sqlite://", study_name="mine", random_state=0, **options)
    return float(found.cv_results_["mean_test_accuracy"][0])


def stored_at(w: World, url: Any, **options: Any) -> ParetoSearchCV:
    return fit(w, storage=url, **{"study_name": "mine"} | options)


REGULAR = np.ones((40, 40)) - np.eye(40)  # all nodes have the same degree
MISSING = ("1 of 40 labels", "known = pd.notna(y)", "G[known], y[known]")

STUDIES = [
    Mistake("study of other data", other_data, ValueError, ("'mine'", "X differ", "Choose another study_name")),
    Mistake(
        "study of another class", lambda w: fit_twice(w, {}, {"estimator": Other()}), ValueError, ("estimator differ",)
    ),
    Mistake(
        "study of another lambda",
        lambda w: fit_twice(w, {"scoring": lambda *args: 0.5}, {"scoring": lambda *args: 0.6}),
        ValueError,
        ("scoring differ",),
    ),
    Mistake(
        "study of other folds",
        lambda w: fit_twice(w, {}, {"cv": KFold(2, shuffle=True)}),
        ValueError,
        ("cv differ", "random_state"),
    ),
    Mistake(
        "fewer trials than done",
        lambda w: fit_twice(w, {}, {"n_trials": 1}),
        NoEffectWarning,
        ("n_trials=1", "2 trials"),
    ),
    Mistake(
        "study_name without storage",
        lambda w: fit(w, study_name="mine"),
        NoEffectWarning,
        ("study_name='mine'", "storage"),
    ),
    Mistake(
        "storage without study_name", lambda w: stored_at(w, "sqlite://", study_name=None), ValueError, ("study_name",)
    ),
    Mistake(
        "study_name is a number", lambda w: stored_at(w, "sqlite://", study_name=3), ValueError, ("study_name", "3")
    ),
    Mistake(
        "storage is a path",
        lambda w: stored_at(w, w.folder / "study.db"),
        TypeError,
        ("storage", "study.db", "sqlite:///"),
    ),
    Mistake(
        "storage is a file name",
        lambda w: stored_at(w, "study.db"),
        ValueError,
        ("'study.db'", "sqlite:///", "JournalStorage"),
    ),
    Mistake(
        "storage is no URL",
        lambda w: stored_at(w, "postgresql://me:secret@host:port/x"),
        ValueError,
        ("storage must be", "cannot be read"),
    ),
    Mistake(
        "storage with one slash",
        lambda w: stored_at(w, "postgresql:/me:secret@host/x"),
        ValueError,
        ("got '***@host/x'",),
    ),
    Mistake(
        "storage is damaged", lambda w: stored_at(w, damaged(w)), OSError, ("damaged.db", "file is not a database")
    ),
    Mistake(
        "storage in no folder",
        lambda w: stored_at(w, f"sqlite:///{w.folder}/none/study.db"),
        OSError,
        ("none/study.db", "unable to open"),
    ),
    Mistake(
        "storage has no driver",
        lambda w: stored_at(w, "oracles://me:secret@host/x"),
        OSError,
        ("oracles://me:***@host/x",),
    ),
    Mistake(
        "study of another program", lambda w: fit_other_study(w), ValueError, ("'mine'", "not made by a ParetoSearchCV")
    ),
]

SPACES = [
    Mistake(
        "parameter of a step",
        lambda w: search_space(pipeline(), max_epochs=[1, 2]),
        ValueError,
        ("'max_epochs'", "Did you mean 'gnnclassifier__max_epochs'?"),
    ),
    Mistake(
        "parameter of a step, in a search",
        lambda w: fit(w, {"max_epochs": [1]}, pipeline()),
        ValueError,
        ("'gnnclassifier__max_epochs'",),
    ),
    Mistake(
        "misspelled parameter", lambda w: fit(w, {"wrnog": [0.1]}), ValueError, ("'wrnog'", "Did you mean 'wrong'?")
    ),
    Mistake(
        "misspelled parameter to remove",
        lambda w: search_space(w.clf, dropuot=None),
        ValueError,
        ("'dropuot'", "'dropout'"),
    ),
    Mistake(
        "misspelled parameter of a function",
        lambda w: fit(w, lambda trial: {"wrnog": 0.1}),
        ValueError,
        ("'wrnog'", "'wrong'"),
    ),
    Mistake(
        "function of a trial without return",
        lambda w: fit(w, lambda trial: None),
        TypeError,
        ("param_distributions", "None"),
    ),
    Mistake("empty space", lambda w: fit(w, {}), TypeError, ("param_distributions", "non-empty")),
    Mistake("list of spaces", lambda w: fit(w, [SPACE]), TypeError, ("param_distributions must be a non-empty dict",)),
    Mistake(
        "name of a parameter is a number",
        lambda w: fit(w, {3: [1, 2]}),
        TypeError,
        ("names of parameters", "{3: [1, 2]}"),
    ),
    Mistake(
        "one value that is no list",
        lambda w: fit(w, {"wrong": 0.1}),
        TypeError,
        ("'wrong' must be a non-empty list", "0.1"),
    ),
    Mistake(
        "values in a set, without order",
        lambda w: fit(w, {"wrong": {0.1, 0.2}}),
        TypeError,
        ("'wrong' must be a non-empty list",),
    ),
    Mistake("no values", lambda w: fit(w, {"wrong": []}), TypeError, ("'wrong' must be a non-empty list",)),
    Mistake(
        "no space for an estimator", lambda w: search_space(LogisticRegression()), ValueError, ("LogisticRegression",)
    ),
    Mistake("space of a class", lambda w: search_space(GNNClassifier), TypeError, ("Pass GNNClassifier()",)),
    Mistake("suggestions for a study", lambda w: suggest_params(optuna.create_study()), TypeError, ("trial must be",)),
    Mistake(
        "suggestions, arguments swapped",
        lambda w: suggest_params(w.clf, optuna.create_study().ask()),
        TypeError,
        ("estimator must be",),
    ),
]

SEARCHES = [
    Mistake("search with a class", lambda w: fit(w, estimator=Known), TypeError, ("estimator", "Pass Known()")),
    Mistake("search with a name", lambda w: fit(w, estimator="gcn"), TypeError, ("estimator", "'gcn'")),
    Mistake("no trials", lambda w: fit(w, n_trials=0), ValueError, ("n_trials", "0")),
    Mistake("half a batch", lambda w: fit(w, batch_size=0.5), ValueError, ("batch_size", "0.5")),
    Mistake("one fold", lambda w: fit(w, cv=1), ValueError, ("n_splits=1",)),
    Mistake("no folds", lambda w: fit(w, cv=[]), ValueError, ("cv=[]",)),
    Mistake("no processes", lambda w: fit(w, n_jobs=0), ValueError, ("n_jobs", "0")),
    Mistake("negative timeout", lambda w: fit(w, timeout=-1), ValueError, ("timeout", "-1")),
    Mistake("timeout as text", lambda w: fit(w, timeout="1h"), ValueError, ("timeout", "'1h'")),
    Mistake("accuracy in percent", lambda w: fit(w, min_accuracy=80), ValueError, ("min_accuracy", "80")),
    Mistake("accuracy is True", lambda w: fit(w, min_accuracy=True), ValueError, ("min_accuracy", "True")),
    Mistake("accuracy of another type", lambda w: floor_of(w, np.float32(0.1)), lambda w: floor_of(w, 0.1)),
    Mistake("floor of the only score", lambda w: floor_of(w, 0.1, scoring="accuracy"), lambda w: floor_of(w, 0.1)),
    Mistake("sampler is a class", lambda w: fit(w, sampler=TPESampler), TypeError, ("sampler", "TPESampler()")),
    Mistake(
        "sampler of one objective",
        lambda w: fit(w, {"wrong": FloatDistribution(0, 0.3)}, sampler=CmaEsSampler()),
        ValueError,
        ("CmaEsSampler",),
    ),
    Mistake(
        "seed and sampler",
        lambda w: fit(w, sampler=RandomSampler(seed=0), random_state=0),
        NoEffectWarning,
        ("random_state", "sampler"),
    ),
    Mistake("objective twice", lambda w: fit(w, objectives=["accuracy"] * 2), ValueError, ("objectives", "different")),
    Mistake("objectives are a number", lambda w: fit(w, objectives=2), TypeError, ("objectives", "2")),
    Mistake(
        "objective that is no score",
        lambda w: fit(w, objectives=("accuracy", "f1")),
        ValueError,
        ("'f1'", "Change objectives"),
    ),
    Mistake("refit by no score", lambda w: fit(w, refit="typo"), ValueError, ("'typo'", "Change refit")),
    Mistake(
        "rule by no score",
        lambda w: fit(w, refit=FairestWithin(fairness="typo")),
        ValueError,
        ("'typo'", "Change refit"),
    ),
    Mistake("rule is a class", lambda w: fit(w, refit=FairestWithin), TypeError, ("refit", "Pass FairestWithin()")),
    Mistake("rule is None", lambda w: fit(w, refit=None), ValueError, ("refit", "None")),
    Mistake(
        "scoring by our name", lambda w: fit(w, scoring="neg_delta_dsp"), ValueError, ("get_scorer('neg_delta_dsp')",)
    ),
    Mistake(
        "scoring by our names",
        lambda w: fit(w, scoring=["accuracy", "neg_delta_deo"]),
        ValueError,
        ("'neg_delta_deo'", "fairness_scoring"),
    ),
    Mistake("scoring by no name", lambda w: fit(w, scoring="acuracy"), ValueError, ("'acuracy'",)),
    Mistake(
        "scorer by no name", lambda w: get_scorer("neg_delta_dps"), ValueError, ("'neg_delta_dps'", "neg_delta_dsp")
    ),
    Mistake(
        "gap of equal degrees",
        lambda w: search().fit(Graph(w.X, REGULAR), w.y),
        ValueError,
        ("'neg_delta_dsp'", "fold 1 of 2"),
    ),
    Mistake(
        "one gap of equal degrees",
        lambda w: search(scoring=make_degree_scorer("deo")).fit(Graph(w.X, REGULAR), w.y),
        ValueError,
        ("'score'", "fold 1"),
    ),
    Mistake(
        "gaps without degrees",
        lambda w: search({"C": [1]}, LogisticRegression()).fit(w.X, w.y),
        TypeError,
        ("degrees", "Graph"),
    ),
    Mistake("missing labels", lambda w: search().fit(w.G, partly_labeled(w)), ValueError, MISSING),
    Mistake(
        "missing labels, any folds", lambda w: search(cv=KFold(2)).fit(w.G, partly_labeled(w)), ValueError, MISSING
    ),
    Mistake("missing labels in an objective", lambda w: objective(w, y=partly_labeled(w)), ValueError, MISSING),
    Mistake(
        "missing labels and a list of placeholders",
        lambda w: search(SMALL, GNNClassifier(unlabeled=[-1, -2])).fit(w.G, partly_labeled(w)),
        ValueError,
        ("unlabeled must be one value", "[-1, -2]"),
    ),
    Mistake("missing labels of pandas", lambda w: accuracy_without(w, pd.NA), lambda w: accuracy_without(w, np.nan)),
    Mistake(
        "labels as a tensor",
        lambda w: list(search(random_state=0).fit(w.G, torch.as_tensor(w.y)).pareto_["mean_test_accuracy"]),
        lambda w: list(search(random_state=0).fit(w.G, w.y).pareto_["mean_test_accuracy"]),
    ),
    Mistake("search without labels", lambda w: search().fit(w.G), ValueError, ("requires y",)),
    Mistake("search with too few labels", lambda w: search().fit(w.G, w.y[:5]), ValueError, ("[40, 5]",)),
    Mistake("predict before fit", lambda w: search().predict(w.G), NotFittedError, ("ParetoSearchCV",)),
    Mistake("score without a choice", lambda w: fit(w, refit=False).score(w.G, w.y), AttributeError, ("refit=False",)),
]

RULES = [
    Mistake(
        "score of a grid with a rule",
        lambda w: grid(w, FairestWithin(0.9)).fit(w.G, w.y).score(w.G, w.y),
        lambda w: chosen_accuracy(w, FairestWithin(0.9)),
    ),
    Mistake(
        "score of a grid with scorers and a rule",
        lambda w: grid(w, MostAccurateWithin(1.0), SCORERS).fit(w.G, w.y).score(w.G, w.y),
        lambda w: chosen_accuracy(w, MostAccurateWithin(1.0)),
    ),
    Mistake("tolerance in percent", lambda w: FairestWithin(2), ValueError, ("tolerance", "2")),
    Mistake("tolerance as text", lambda w: FairestWithin("0.02"), ValueError, ("tolerance", "'0.02'")),
    Mistake("gap in percent", lambda w: MostAccurateWithin(10), ValueError, ("max_gap", "10")),
    Mistake("no gap", lambda w: MostAccurateWithin(None), ValueError, ("max_gap", "None")),
    Mistake("rule without scores", lambda w: FairestWithin()({}), ValueError, ("'accuracy'", "fairness_scoring")),
    Mistake("front of different lengths", lambda w: pareto_front([1, 2], [1]), ValueError, ("(2,)", "(1,)")),
]

OBJECTIVES = [
    Mistake("study of one direction", lambda w: optimized(w), ValueError, ("2 metrics", "objective.directions")),
    Mistake(
        "pruner of several metrics",
        lambda w: optimized(w, directions=["maximize"] * 2, pruner=optuna.pruners.HyperbandPruner()),
        NoEffectWarning,
        ("HyperbandPruner",),
    ),
    Mistake("objective of a study", lambda w: objective(w)(optuna.create_study()), TypeError, ("trial must be",)),
    Mistake("metric that is no score", lambda w: objective(w, metrics="f1"), ValueError, ("'f1'", "Change metrics")),
    Mistake("metric twice", lambda w: objective(w, metrics=["accuracy"] * 2), ValueError, ("metrics", "different")),
    Mistake("metric in percent", lambda w: objective(w, min_accuracy=80), ValueError, ("min_accuracy", "80")),
    Mistake("objective without labels", lambda w: objective(w, y=None), ValueError, ("requires y",)),
    Mistake(
        "objective with misspelled parameter", lambda w: objective(w, params={"wrnog": [1]}), ValueError, ("'wrong'",)
    ),
    Mistake("pruning without a trial", lambda w: TrialPruning(None), TypeError, ("trial", "None")),
    Mistake(
        "pruning by no column",
        lambda w: trained_with(w, TrialPruning(optuna.create_study().ask(), "f1")),
        ValueError,
        ("'f1'", "train_accuracy"),
    ),
]

MISTAKES = [*STUDIES, *SPACES, *SEARCHES, *RULES, *OBJECTIVES]
