"""Training: early stopping, interruption, warm starts, callbacks, what is shown."""

import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV
from skorch.callbacks import Callback, Checkpoint, EarlyStopping, EpochScoring, LRScheduler
from skorch.utils import noop

from skdegfair import DegFairGNNClassifier, GNNClassifier
from skdegfair.exceptions import NoEffectWarning
from skdegfair.training import StopTraining

TRAIN, VALID = np.arange(0, 120, 2), np.arange(1, 120, 2)


def model(cls=DegFairGNNClassifier, **options):
    return cls(**{"max_epochs": 6, "hidden_dim": 8, "random_state": 0} | options)


class RaiseAt(Callback):
    """End training after some epochs, in the way asked for."""

    def __init__(self, epoch, error):
        self.epoch, self.error = epoch, error

    def on_epoch_end(self, net, **kwargs):
        if len(net.history) == self.epoch:
            raise self.error


# -- early stopping --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("monitor", "best"),
    [("valid_score", "max"), ("valid_accuracy", "max"), ("valid_loss", "min"), ("valid_delta_dsp", "min"),
     ("valid_delta_deo", "min")],
)  # fmt: skip
def test_early_stopping_keeps_the_best_weights(data, monitor, best):
    fitted = model(
        early_stopping=True, monitor=monitor, patience=7, max_epochs=300, learning_rate=0.05, fairness_ramp=0
    )
    fitted.fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID)
    history = fitted.history_
    assert fitted.stop_reason_ == "early_stopping"
    assert fitted.best_epoch_ == getattr(history[monitor], f"idx{best}")()
    assert fitted.n_iter_ == fitted.best_epoch_ + 7
    assert fitted.score(data.graph[VALID], data.y[VALID]) == history["valid_accuracy"][fitted.best_epoch_]


def test_early_stopping_that_never_stops_keeps_the_best_weights_too(data):
    fitted = model(early_stopping=True, max_epochs=30, learning_rate=0.05, fairness_ramp=0).fit(
        data.graph, data.y, nodes=TRAIN, validation_nodes=VALID
    )
    assert (fitted.stop_reason_, fitted.n_iter_) == ("max_epochs", 30)
    history = fitted.history_
    assert fitted.best_epoch_ == history["valid_score"].idxmax() < 30
    assert fitted.score(data.graph[VALID], data.y[VALID]) == history["valid_accuracy"][fitted.best_epoch_]


@pytest.mark.parametrize("ramp", [None, 0.25, 1.0])
def test_early_stopping_waits_for_the_full_weight(data, ramp):
    """With a small weight a model may be accurate and unfair; that is not what was asked for."""
    fitted = model(early_stopping=True, patience=5, max_epochs=60, learning_rate=0.05, fairness_ramp=ramp)
    fitted.fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID)
    first = int(60 * (0.5 if ramp is None else ramp))
    assert fitted.best_epoch_ == fitted.history_["valid_score"].loc[first:].idxmax()
    assert fitted.n_iter_ == min(fitted.best_epoch_ + 5, 60)


def test_valid_score_is_accuracy_less_the_weighted_fairness_loss(data):
    fitted = model(fairness_weight=3).fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID)
    h = fitted.history_
    np.testing.assert_allclose(h["valid_score"], h["valid_accuracy"] - 3 * h["valid_fairness_loss"])
    plain = model(GNNClassifier).fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID).history_
    np.testing.assert_array_equal(plain["valid_score"], plain["valid_accuracy"])


def test_an_undefined_monitor_does_not_stop_training(data):
    complete = np.ones((120, 120))  # no node is above the 80th percentile of the degrees
    with pytest.warns(NoEffectWarning) as told:
        fitted = model(early_stopping=True, monitor="valid_delta_dsp", patience=2).fit(data.X, complete, data.y)
    assert [str(each.message).split(" ")[0] for each in told] == ["fairness_weight=2.5", "monitor='valid_delta_dsp'"]
    assert fitted.history_["valid_delta_dsp"].isna().all()
    assert (fitted.stop_reason_, fitted.n_iter_, fitted.best_epoch_) == ("max_epochs", 6, 6)


def test_validation_nodes_are_set_aside_class_by_class(data):
    seen = {}

    class Spy(Callback):
        def on_train_begin(self, net, X=None, **kwargs):
            seen.update(train=X.view.nodes, valid=X.valid.view.nodes, y=X.valid.y.numpy())

        def __deepcopy__(self, memo):
            return self

    model(early_stopping=True, validation_fraction=0.25, callbacks=[Spy()]).fit(data.graph[TRAIN], data.y[TRAIN])
    assert len(seen["valid"]) == 15
    assert sorted([*seen["train"], *seen["valid"]]) == TRAIN.tolist()
    assert np.abs(np.bincount(seen["y"]) - np.bincount(data.y[TRAIN]) / 4).max() < 1
    np.testing.assert_array_equal(seen["y"], data.y[seen["valid"]])


def test_a_node_drawn_twice_is_on_one_side_only(data):
    seen = {}

    class Spy(Callback):
        def on_train_begin(self, net, X=None, **kwargs):
            seen.update(train=set(X.view.nodes.tolist()), valid=set(X.valid.view.nodes.tolist()))

        def __deepcopy__(self, memo):
            return self

    drawn = np.random.RandomState(0).choice(120, 120)
    model(early_stopping=True, callbacks=[Spy()]).fit(data.graph[drawn], data.y[drawn])
    assert not seen["train"] & seen["valid"]
    assert seen["train"] | seen["valid"] == set(drawn.tolist())


def test_rare_classes_keep_a_training_node(data):
    y = np.zeros(120, dtype=int)
    y[:3] = [1, 2, 3]
    fitted = model(early_stopping=True, validation_fraction=0.5).fit(data.graph, y)
    assert fitted.classes_.tolist() == [0, 1, 2, 3]
    with pytest.warns(UserWarning, match="no training node to set aside"):
        alone = model(early_stopping=True).fit(data.graph[:3], y[:3])
    assert alone.stop_reason_ == "max_epochs"
    assert "valid_loss" not in alone.history_


def test_a_class_of_the_validation_nodes_alone_is_known(data):
    y = np.where(np.arange(120) == 1, 7, data.y)
    fitted = model().fit(data.graph, y, nodes=TRAIN, validation_nodes=VALID)
    assert fitted.classes_.tolist() == [0, 1, 2, 7]


# -- interruption ----------------------------------------------------------------------------------


def test_ctrl_c_stops_a_whole_search_and_leaves_nothing_half_fitted(data):
    interrupted = model(callbacks=[RaiseAt(2, KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt):
        interrupted.fit(data.graph, data.y)
    assert not hasattr(interrupted, "net_")
    with pytest.raises(KeyboardInterrupt):
        GridSearchCV(interrupted, {"hidden_dim": [4, 8]}, cv=2).fit(data.graph, data.y)


def test_a_callback_can_end_training_in_good_order(data):
    fitted = model(callbacks=[RaiseAt(2, StopTraining())]).fit(data.graph, data.y)
    assert (fitted.n_iter_, fitted.stop_reason_) == (2, "callback")
    restoring = EarlyStopping(monitor="valid_accuracy", patience=3, lower_is_better=False, load_best=True, sink=noop)
    fitted = model(callbacks=[restoring], max_epochs=200).fit(data.graph, data.y, validation_nodes=VALID)
    assert fitted.best_epoch_ == fitted.n_iter_ - 3
    own = EarlyStopping(monitor="train_loss", patience=2, lower_is_better=False)
    fitted = model(callbacks=[own], max_epochs=100).fit(data.graph, data.y)
    assert fitted.stop_reason_ == "early_stopping"
    assert fitted.n_iter_ < 100


def test_errors_of_callbacks_pass_through(data):
    with pytest.raises(RuntimeError, match="mine"):
        model(callbacks=[RaiseAt(1, RuntimeError("mine"))], verbose=1).fit(data.graph, data.y)


# -- warm start ------------------------------------------------------------------------------------


def test_warm_start_goes_on(data):
    constant = {"dropout": 0.0, "fairness_ramp": 0.0}
    fitted = model(warm_start=True, **constant).fit(data.graph, data.y).fit(data.graph, data.y)
    once = model(max_epochs=12, **constant).fit(data.graph, data.y)
    assert fitted.n_iter_ == len(fitted.history_) == 12
    np.testing.assert_allclose(fitted.predict_proba(data.graph), once.predict_proba(data.graph), rtol=1e-5)


def test_an_interrupted_warm_fit_changes_nothing(data):
    expected = model(warm_start=True).fit(data.graph, data.y).fit(data.graph, data.y).predict_proba(data.graph)
    fitted = model(warm_start=True).fit(data.graph, data.y)
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(callbacks=[RaiseAt(9, KeyboardInterrupt())]).fit(data.graph, data.y)
    again = fitted.set_params(callbacks=None).fit(data.graph, data.y)
    np.testing.assert_array_equal(again.predict_proba(data.graph), expected)


def test_a_warm_start_keeps_its_validation_nodes(data):
    seen = []

    class Spy(Callback):
        def on_train_begin(self, net, X=None, **kwargs):
            seen.append(X.valid.view.nodes.tolist())

        def __deepcopy__(self, memo):
            return self

    fitted = model(warm_start=True, early_stopping=True, random_state=None, callbacks=[Spy()])
    fitted.fit(data.graph, data.y).fit(data.graph, data.y)
    assert seen[0] == seen[1]


def test_a_warm_start_with_another_optimizer_starts_its_memory_anew(data):
    fitted = model(warm_start=True).fit(data.graph, data.y)
    for change in ({"optimizer__amsgrad": True}, {"net_params": {"optimizer": torch.optim.SGD}}):
        fitted.set_params(**change).fit(data.graph, data.y)
    assert fitted.n_iter_ == 18


def test_warm_start_takes_new_parameters(data):
    fitted = model(warm_start=True).fit(data.graph, data.y)
    fitted.set_params(fairness_weight=9, learning_rate=0.5).fit(data.graph, data.y)
    assert fitted.net_.criterion_.weights["fairness"] == 9
    assert fitted.net_.optimizer_.param_groups[0]["lr"] == 0.5


def test_warm_start_refuses_what_does_not_fit(data):
    fitted = model(warm_start=True).fit(data.graph, data.y)
    before = fitted.predict_proba(data.graph)
    with pytest.raises(ValueError, match="continues with the classes"):
        fitted.fit(data.graph, data.y + 1)
    with pytest.raises(ValueError, match="features and layers of the earlier fit"):
        fitted.set_params(hidden_dim=4).fit(data.graph, data.y)
    np.testing.assert_array_equal(fitted.predict_proba(data.graph), before)


# -- skorch's own options --------------------------------------------------------------------------


def test_net_params(data):
    fitted = model().set_params(optimizer__amsgrad=True)
    assert fitted.net_params == {"optimizer__amsgrad": True}
    assert fitted.get_params()["optimizer__amsgrad"] is True
    assert fitted.fit(data.graph, data.y).net_.optimizer_.param_groups[0]["amsgrad"] is True
    other = model(net_params={"optimizer": torch.optim.SGD, "optimizer__momentum": 0.9}).fit(data.graph, data.y)
    assert isinstance(other.net_.optimizer_, torch.optim.SGD)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model().set_params(optimiser__amsgrad=True)
    changed = other.set_params(optimizer=torch.optim.LBFGS, net_params={}).fit(data.graph, data.y)
    assert isinstance(changed.net_.optimizer_, torch.optim.LBFGS)
    assert changed.get_params()["optimizer"] is torch.optim.LBFGS
    assert model(net_params={"optimizer__foreach": True}).fit(data.graph, data.y).n_iter_ == 6


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("module__hidden_dim", "Use hidden_dim= instead"),
        ("criterion__fairness_weight", "Use fairness_weight= instead"),
        ("optimizer__lr", "Use learning_rate= instead"),
        ("optimizer__weight_decay", "Use weight_decay= instead"),
        ("iterator_train__batch_size", "Use batch_size= instead"),
        ("callbacks__early_stopping__patience", "Use patience= instead"),
        ("module__layers", "which the estimator sets itself"),
        ("phases", "which the estimator sets itself"),
    ],
)
def test_net_params_must_not_contradict_a_parameter(data, name, instead):
    clf = model(net_params={name: 3})
    with pytest.raises(ValueError, match=rf"net_params must not contain '{name}'.*{instead}"):
        clf.fit(data.graph, data.y)
    assert not hasattr(clf, "net_")


def test_the_history_does_not_keep_batches(data):
    clf = model(max_epochs=5, batch_size=10).fit(data.graph, data.y)
    assert [row["batches"] for row in clf.net_.history] == [[]] * 5
    assert len(clf.history_) == 5
    assert clf.history_["train_loss"].notna().all()


def test_net_params_in_a_grid(data):
    search = GridSearchCV(model(), {"optimizer__amsgrad": [True, False], "hidden_dim": [4]}, cv=2)
    search.fit(data.graph, data.y)
    assert len(search.cv_results_["params"]) == 2


def test_callbacks_are_copied(data):
    schedule = LRScheduler(policy="StepLR", step_size=1, gamma=0.5)
    fitted = model(callbacks=[("schedule", schedule)]).fit(data.graph, data.y)
    assert not hasattr(schedule, "lr_scheduler_")
    assert fitted.net_.optimizer_.param_groups[0]["lr"] == pytest.approx(0.01 * 0.5**6)
    assert fitted.callbacks[0][1] is schedule


def test_skorch_scoring_callbacks_work(data):
    fitted = model(callbacks=[EpochScoring("accuracy", name="own", lower_is_better=False)])
    fitted.fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID)
    np.testing.assert_allclose(fitted.history_["own"], fitted.history_["valid_accuracy"])


def test_skorch_checkpoints_work(data, tmp_path):
    fitted = model(callbacks=[Checkpoint(dirname=tmp_path)])
    fitted.fit(data.graph, data.y, nodes=TRAIN, validation_nodes=VALID)
    assert (tmp_path / "params.pt").exists()
    assert not [name for name in fitted.history_ if name.endswith("_loss_best")]


def test_optimizer_memory_is_dropped(data):
    assert not model().fit(data.graph, data.y).net_.optimizer_.state
    assert model(warm_start=True).fit(data.graph, data.y).net_.optimizer_.state


# -- what is shown ---------------------------------------------------------------------------------


def test_verbose(data, capfd):
    model(verbose=0).fit(data.graph, data.y)
    assert capfd.readouterr() == ("", "")
    model(verbose=1).fit(data.graph, data.y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "6/6" in err
    model(verbose=2).fit(data.graph, data.y)
    out, err = capfd.readouterr()
    assert "train_fairness_loss" in out
    assert len(out.strip().splitlines()) == 2 + 6
