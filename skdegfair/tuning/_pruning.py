"""A callback that stops the training of unpromising trials."""

from __future__ import annotations

from typing import Any

from optuna import TrialPruned
from optuna.trial import BaseTrial
from skorch.callbacks import Callback


class TrialPruning(Callback):
    """Callback that reports each epoch to an Optuna trial and stops training if the study's pruner decides so.

    It supports studies with one objective and one fit per trial. Optuna does not prune studies with several
    objectives, and an epoch can be reported only once per trial, not once per fold. For cross-validation,
    :class:`FairnessObjective` prunes by fold.

    Parameters
    ----------
    trial : optuna trial
    monitor : str, default="valid_accuracy"
        Column of ``history_``. Columns that start with ``valid_`` need validation nodes: set ``early_stopping=True``
        or pass ``validation_nodes`` to ``fit``.

    Examples
    --------
    >>> import optuna
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.tuning import TrialPruning
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> def objective(trial):
    ...     weight = trial.suggest_float("fairness_weight", 0.1, 10, log=True)
    ...     clf = DegFairGNNClassifier(fairness_weight=weight, max_epochs=10, early_stopping=True,
    ...                                callbacks=[TrialPruning(trial)], random_state=0)
    ...     return clf.fit(data.graph, data.y).history_["valid_accuracy"].max()
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="maximize", pruner=optuna.pruners.MedianPruner())
    >>> study.optimize(objective, n_trials=2)
    >>> len(study.trials[0].intermediate_values)
    10
    """

    def __init__(self, trial: BaseTrial, monitor: str = "valid_accuracy") -> None:
        if not hasattr(trial, "should_prune"):
            raise TypeError(f"trial must be an optuna trial, such as study.ask() returns, got {trial!r}.")
        self.trial, self.monitor = trial, monitor

    def __deepcopy__(self, memo: dict[int, Any]) -> TrialPruning:
        return self  # a copy would report to a copy of the study

    def __sklearn_clone__(self) -> TrialPruning:
        return self

    def on_train_begin(self, net: Any, **kwargs: Any) -> None:
        study = getattr(self.trial, "study", None)  # a FixedTrial has none
        if study is not None and len(study.directions) > 1:
            raise ValueError(
                "Optuna does not prune studies with several objectives. Remove TrialPruning from the callbacks."
            )
        if getattr(self, "has_begun_", False):
            raise ValueError(
                "TrialPruning reports one fit to its trial and cannot be used for a second fit. For cross-validation, "
                "use FairnessObjective with one metric, which reports folds."
            )
        self.has_begun_ = True

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        epoch = net.history[-1]
        if self.monitor not in epoch:
            known = sorted(name for name in epoch if name.startswith(("train_", "valid_")) and "batch" not in name)
            raise ValueError(
                f"The history has no column {self.monitor!r} to report, only {', '.join(known)}. Columns of validation "
                "nodes need early_stopping=True, or validation_nodes passed to fit."
            )
        self.trial.report(float(epoch[self.monitor]), epoch["epoch"])
        if self.trial.should_prune():
            raise TrialPruned(f"after {epoch['epoch']} epochs")
