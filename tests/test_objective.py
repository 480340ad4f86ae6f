"""Studies that people write themselves: the objective, and the pruning of trials."""

import copy
import runpy
import sys
from pathlib import Path

import numpy as np
import optuna
import pytest
import sklearn
from optuna.distributions import FloatDistribution
from searched import Known, truth
from sklearn.model_selection import StratifiedKFold, cross_validate

from skdegfair import DegFairGNNClassifier
from skdegfair.metrics import Tradeoff, fairness_scoring
from skdegfair.tuning import FairnessObjective, TrialPruning

EXAMPLES = Path(__file__).parents[1] / "examples"
CV = StratifiedKFold(5, shuffle=True, random_state=0)
SPACE = {"wrong": FloatDistribution(0, 0.4)}


@pytest.fixture(autouse=True)
def _quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def study(directions=("maximize",), **options):
    return optuna.create_study(directions=directions, sampler=optuna.samplers.RandomSampler(seed=0), **options)


def objective(data, **options):
    return FairnessObjective(Known(), data.graph, truth(data.graph), **{"params": SPACE, "cv": CV} | options)


# the objective


def test_values_are_means_over_folds(data):
    asked = objective(data)
    kept = study(asked.directions)
    kept.optimize(asked, n_trials=3)
    for trial in kept.trials:
        model = Known(wrong=trial.params["wrong"])
        by_hand = cross_validate(model, data.graph, truth(data.graph), cv=CV, scoring=fairness_scoring)
        assert trial.values == [by_hand["test_accuracy"].mean(), by_hand["test_neg_delta_dsp"].mean()]
        assert trial.user_attrs["mean_neg_delta_deo"] == by_hand["test_neg_delta_deo"].mean()
        assert trial.user_attrs["std_accuracy"] == by_hand["test_accuracy"].std()


def test_ready_space_and_one_metric(data):
    clf = DegFairGNNClassifier(max_epochs=3, hidden_dim=8, random_state=0)
    asked = FairnessObjective(clf, data.graph, data.y, cv=2, scoring=Tradeoff(0.5), metrics="score")
    kept = study()
    kept.optimize(asked, n_trials=1)
    model = sklearn.clone(clf).set_params(**kept.best_params)
    by_hand = cross_validate(model, data.graph, data.y, cv=2, scoring=Tradeoff(0.5))["test_score"]
    assert kept.best_value == by_hand.mean()
    assert {"fairness_weight", "context_weight"} <= set(kept.best_params)


@pytest.mark.filterwarnings("ignore:WilcoxonPruner is experimental")
def test_trials_that_fall_behind_are_pruned_by_fold(data):
    asked = objective(data, metrics="accuracy", cv=StratifiedKFold(8, shuffle=True, random_state=0))
    kept = study(pruner=optuna.pruners.WilcoxonPruner(p_threshold=0.2))
    kept.enqueue_trial({"wrong": 0.0})
    kept.enqueue_trial({"wrong": 0.4})
    kept.optimize(asked, n_trials=2)
    best, pruned = kept.trials
    assert len(best.intermediate_values) == 8
    assert pruned.state.name == "PRUNED"
    assert len(pruned.intermediate_values) < 8
    assert kept.best_trial.number == 0


def test_constraint(data):
    asked = objective(data, min_accuracy=0.9)
    kept = study(asked.directions)
    kept.enqueue_trial({"wrong": 0.0})
    kept.enqueue_trial({"wrong": 0.4})
    kept.optimize(asked, n_trials=2)
    assert [trial.number for trial in kept.best_trials] == [0]


@pytest.mark.parametrize("directions", [["minimize", "minimize"], ["maximize"], ["maximize", "minimize"]])
def test_studies_that_do_not_maximize(data, directions):
    with pytest.raises(ValueError, match=r"must maximize 2 metrics, accuracy, neg_delta_dsp\. .*objective\.directions"):
        study(directions).optimize(objective(data), n_trials=1)


@pytest.mark.parametrize("options", [{"metrics": "f1"}, {"scoring": Tradeoff(1), "metrics": "accuracy"}])
def test_metrics_that_are_not_scored(data, options):
    with pytest.raises(ValueError, match="There is no score"):
        study().optimize(objective(data, **options), n_trials=1)
    with pytest.raises(ValueError, match="at least one"):
        objective(data, metrics=())


def test_a_trial_with_fixed_parameters(data):
    values = objective(data)(optuna.trial.FixedTrial({"wrong": 0.1}))
    by_hand = cross_validate(Known(wrong=0.1), data.graph, truth(data.graph), cv=CV, scoring=fairness_scoring)
    assert list(values) == [by_hand["test_accuracy"].mean(), by_hand["test_neg_delta_dsp"].mean()]


def test_folds_from_a_generator_serve_all_trials(data):
    asked = objective(data, cv=CV.split(data.graph, truth(data.graph)))
    kept, expected = study(asked.directions), study(asked.directions)
    kept.optimize(asked, n_trials=2)
    expected.optimize(objective(data), n_trials=2)
    assert [trial.values for trial in kept.trials] == [trial.values for trial in expected.trials]
    with pytest.raises(ValueError, match="no folds"):
        objective(data, cv=[])


# pruning by epoch


def fit(data, trial, **options):
    options = {"max_epochs": 20, "early_stopping": True, "patience": 50, "random_state": 0} | options
    return DegFairGNNClassifier(hidden_dim=8, callbacks=[TrialPruning(trial)], **options).fit(data.graph, data.y)


def test_all_epochs_arrive(data):
    kept = study()
    trial = kept.ask()
    fitted = fit(data, trial)
    values = kept.trials[0].intermediate_values
    np.testing.assert_array_equal(list(values.values()), fitted.history_["valid_accuracy"])
    assert list(values) == list(range(1, 21))


def test_copies_report_to_the_same_trial(data):
    kept = study()
    callback = TrialPruning(kept.ask())
    assert copy.deepcopy(callback) is callback
    clf = DegFairGNNClassifier(max_epochs=3, early_stopping=True, callbacks=[callback], random_state=0)
    sklearn.clone(clf).fit(data.graph, data.y)
    assert len(kept.trials[0].intermediate_values) == 3


def test_pruned_in_the_middle(data):
    kept = study(pruner=optuna.pruners.ThresholdPruner(lower=1.1, n_warmup_steps=5))
    kept.optimize(lambda trial: fit(data, trial).n_iter_, n_trials=1)
    assert kept.trials[0].state.name == "PRUNED"
    assert list(kept.trials[0].intermediate_values)[-1] == 5


def test_what_cannot_be_pruned(data):
    with pytest.raises(ValueError, match="several objectives"):
        fit(data, study(["maximize"] * 2).ask())
    with pytest.raises(ValueError, match=r"no column .valid_accuracy. to report, only .*early_stopping=True"):
        fit(data, study().ask(), early_stopping=False, patience=100)
    clf = DegFairGNNClassifier(
        max_epochs=3, early_stopping=True, callbacks=[TrialPruning(study().ask())], random_state=0
    )
    with pytest.raises(ValueError, match="reports one fit to its trial"):
        cross_validate(clf, data.graph, data.y, cv=2, error_score="raise")


# examples


def test_study_on_many_machines_in_its_quick_form(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["study_on_many_machines.py", "--quick", "--trials", "2"])
    runpy.run_path(str(EXAMPLES / "study_on_many_machines.py"), run_name="__main__")
    assert "2 trials in the study" in capsys.readouterr().out
