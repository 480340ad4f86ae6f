"""An objective for Optuna studies that users create themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from optuna import TrialPruned
from optuna.pruners import MedianPruner, NopPruner
from optuna.study import StudyDirection
from optuna.trial import BaseTrial
from sklearn.base import BaseEstimator
from sklearn.utils import indexable

from ..exceptions import NoEffectWarning
from ._folds import judge_fold, means_of, require, splits_of
from ._names import check_estimator
from ._options import check_floor, check_objectives
from ._scores import check_scores, scorer_of, scoring_for
from ._space import search_space, space_for, suggested


class FairnessObjective:
    """Objective for Optuna that cross-validates a classifier with the parameters of a trial.

    Higher values are better for all metrics, so the study must maximize them (``directions``). With one metric, the
    score of each fold is reported to the trial, so that a pruner such as ``optuna.pruners.WilcoxonPruner`` can stop
    it early. Optuna does not prune studies with several metrics.

    Parameters
    ----------
    estimator : classifier
    G : Graph
    y : array-like of shape (n_nodes,)
    params : dict or callable, default=None
        The search space, as for :class:`ParetoSearchCV`.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; 5 folds by default. All trials use the same folds. Other workers have the same folds if
        the splitter does not shuffle or has a random_state.
    metrics : str or sequence of str, default=("accuracy", "neg_delta_dsp")
        Names of scores that ``scoring`` returns.
    scoring : callable, list or dict, default=None
        As in scikit-learn; accuracy and both negated gaps by default. A scorer that returns a single number, such
        as :class:`~skdegfair.metrics.Tradeoff`, has the name "score".
    min_accuracy : float, default=None
        Smallest accuracy that is acceptable, as a constraint of the study.

    Attributes
    ----------
    directions : list of str
        For ``optuna.create_study(directions=...)``.

    Examples
    --------
    >>> import optuna
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.tuning import FairnessObjective
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> clf = DegFairGNNClassifier(max_epochs=10, random_state=0)
    >>> objective = FairnessObjective(clf, data.graph, data.y, cv=2)
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(directions=objective.directions)
    >>> study.optimize(objective, n_trials=2)
    >>> len(study.best_trials) >= 1
    True
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        G: Any,
        y: Any,
        *,
        params: Mapping[str, Any] | Callable[[BaseTrial], Mapping[str, Any]] | None = None,
        cv: Any = None,
        metrics: str | Sequence[str] = ("accuracy", "neg_delta_dsp"),
        scoring: Any = None,
        min_accuracy: float | None = None,
    ) -> None:
        check_estimator(estimator)
        check_floor(min_accuracy)
        check_objectives(metrics, "metrics")
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        self.estimator, self.min_accuracy = estimator, min_accuracy
        self.G, self.y = indexable(G, y)
        self.splits = splits_of(cv, self.G, self.y, estimator)
        self.params = search_space(estimator) if params is None else space_for(estimator, params)
        self.metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
        self.directions = ["maximize"] * len(self.metrics)
        floor = {} if min_accuracy is None else {"accuracy": "min_accuracy"}
        self._needed = floor | dict.fromkeys(self.metrics, "metrics")
        self.scoring = scoring_for(scoring, self._needed)
        scorer_of(estimator, self.scoring)
        check_scores(self.scoring, self._needed, self.G, self.y, self.splits, estimator)

    def __call__(self, trial: BaseTrial) -> float | tuple[float, ...]:
        """Cross-validate the parameters that a trial suggests.

        Parameters
        ----------
        trial : optuna trial

        Returns
        -------
        float, or tuple of float with several metrics
            Means over the folds. Means and standard deviations of all scores are stored as user attributes of the
            trial.
        """
        self._check_directions(trial)
        setting = self.params_of(trial)
        folds = []
        for number, split in enumerate(self.splits):
            folds.append(judge_fold(self.estimator, setting, self.G, self.y, split, self.scoring))
            scores = folds[-1]["scores"]
            require(folds[-1], self._needed)
            if len(self.metrics) == 1:
                trial.report(scores[self.metrics[0]], number)
                if trial.should_prune():
                    raise TrialPruned(f"after {number + 1} folds")
        means = means_of(folds, list(folds[0]["scores"]))
        for name, mean in means.items():
            trial.set_user_attr(f"mean_{name}", mean)
            trial.set_user_attr(f"std_{name}", float(np.std([fold["scores"][name] for fold in folds])))
        if self.min_accuracy is not None and hasattr(trial, "set_constraint"):
            trial.set_constraint("accuracy", self.min_accuracy - means["accuracy"])
        values = tuple(means[name] for name in self.metrics)
        return values if len(values) > 1 else values[0]

    def params_of(self, trial: BaseTrial) -> dict[str, Any]:
        """Return the parameters of a trial, for ``estimator.set_params``.

        ``trial.params`` has the names of objects such as mitigations; here they are objects.

        Parameters
        ----------
        trial : optuna trial
            Such as ``study.best_trial``.

        Returns
        -------
        dict from names to values
        """
        return suggested(trial, self.params)

    def _check_directions(self, trial: BaseTrial) -> None:
        study = getattr(trial, "study", None)  # a FixedTrial has none
        if study is not None and list(study.directions) != [StudyDirection.MAXIMIZE] * len(self.metrics):
            raise ValueError(
                f"The study must maximize {len(self.metrics)} metrics, {', '.join(self.metrics)}. Create it with "
                "optuna.create_study(directions=objective.directions)."
            )
        pruner = getattr(study, "pruner", None)  # by default a MedianPruner
        if len(self.metrics) > 1 and not isinstance(pruner, MedianPruner | NopPruner | None):
            warnings.warn(
                f"{type(pruner).__name__} has no effect: Optuna does not prune studies with several metrics. Pass one "
                "metric, or no pruner.",
                NoEffectWarning, stacklevel=3,
            )  # fmt: skip
