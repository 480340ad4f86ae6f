"""The search for the front between accuracy and fairness."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import optuna
from joblib import delayed
from optuna.trial import FixedTrial, FrozenTrial, Trial
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, get_tags, indexable
from tqdm import tqdm

from ..graph import accepts_graph
from ..metrics import fairness_scoring
from ._choice import chosen, completed, eligible
from ._delegate import FittedBest, graph_of, routed
from ._engine import engine
from ._folds import configured, judge_fold
from ._names import has_params, name_of
from ._options import check_options, objectives_of
from ._results import front_of, results_of
from ._sampler import SeededSampler
from ._space import as_space, search_space, suggested
from ._study import describe, folds_of, give_up, judged, open_study, quiet, record


class ParetoSearchCV(FittedBest):
    """Search for hyper-parameters with the best trade-offs between accuracy and fairness.

    Each trial is a setting that Optuna's sampler draws with regard to the trials before,
    judged by cross-validation. ``pareto_`` has the trials that no other one beats, and a rule
    picks one of them, with which the estimator is fitted to all nodes.

    Parameters
    ----------
    estimator : classifier
    param_distributions : dict or callable, default=None
        Dict from names of parameters to what they may be: a list, an optuna distribution, or
        ``uniform``, ``loguniform`` or ``randint`` of scipy.stats. Or a function from an optuna
        trial to a dict of parameters, such as :func:`suggest_params`. By default
        :func:`search_space` of the estimator.
    n_trials : int, default=40
        Trials that the study shall have in the end, with those that it has when it is resumed.
        Several workers on one study may end with a batch each more.
    timeout : float, default=None
        Seconds after which no further trial is begun.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; 5 folds by default.
    scoring : callable, str, list or dict, default=None
        As in scikit-learn; accuracy and both negated gaps by default
        (:data:`~skdegfair.metrics.fairness_scoring`).
    objectives : str or sequence of str, default=None
        Names of the scores to be made as high as possible. By default accuracy and
        "neg_delta_dsp", or the only score that ``scoring`` gives, such as
        :class:`~skdegfair.metrics.Tradeoff`.
    refit : bool, str or callable, default=True
        How the setting is chosen: a rule such as :class:`~skdegfair.metrics.FairestWithin` or
        :class:`~skdegfair.metrics.MostAccurateWithin`, or the name of a score. True is
        ``FairestWithin(0.02)`` of the first two objectives, or the best in the only one.
        False: none is chosen.
    storage : str or optuna storage, default=None
        Where the study is kept, such as "sqlite:///study.db". A search goes on with what it
        finds there under ``study_name``; searches in many processes or on many machines may
        share it. None: in memory.
    study_name : str, default=None
        Needed with a storage.
    sampler : optuna sampler, default=None
        By default Optuna's TPE, with a seed per trial, and the estimator's own parameters as
        first trial. Another sampler is copied, and gets a new seed when a study is resumed;
        workers that share a storage need one without a seed, or with a seed each.
    batch_size : int, default=4
        Trials that are drawn at a time, before their scores are known. Larger ones keep more
        processes busy, smaller ones learn more from each trial. Results depend on it, and not
        on ``n_jobs``.
    n_jobs : int, default=None
        Processes, each for one fold at a time. None is 1 unless joblib's context says more.
    min_accuracy : float, default=None
        Trials of less accuracy are avoided, and neither on the front nor chosen.
    show_progress : bool, default=False
        Whether to show a progress bar.
    random_state : int, RandomState instance or None, default=None
        Decides which settings are tried. Give the estimator its own.
    error_score : "raise" or number, default=np.nan
        Score in ``cv_results_`` of fits that fail; trials with such fits are not chosen. With
        "raise", failed trials of a resumed study do not count.

    Attributes
    ----------
    pareto_ : DataFrame
        The front, a row per trial, the most accurate first: parameters, and mean and standard
        deviation over folds of each score.
    cv_results_ : dict
        All trials, as in scikit-learn's searches, and their numbers in the study as "trial".
    best_index_, best_params_, best_estimator_, refit_time_
        What was chosen; not with ``refit=False``.
    best_score_ : float
        Mean score of what was chosen, if it was by one score.
    study_ : optuna Study
        For Optuna's own plots and its dashboard. It is there while the search runs, and after
        one that was interrupted. Pickles of a search with a storage are without it.
    objectives_ : tuple of str
    n_splits_ : int
    scorer_ : callable
    classes_, n_features_in_, feature_names_in_
        Those of ``best_estimator_``.

    See Also
    --------
    FairnessObjective : For an Optuna study of your own.
    skdegfair.display.ParetoDisplay.from_search : Draws the trials and the front.

    Notes
    -----
    Scores of the chosen setting are too good, as it was chosen by them: assess it on nodes that
    took no part in the search. Multi-objective studies of Optuna cannot be pruned.

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.tuning import ParetoSearchCV
    >>> data = make_degree_biased_graph(200, random_state=0)
    >>> space = {"fairness_weight": [0.1, 1.0, 10.0], "dropout": [0.2, 0.5]}
    >>> clf = DegFairGNNClassifier(max_epochs=10, random_state=0)
    >>> search = ParetoSearchCV(clf, space, n_trials=4, cv=2, random_state=0).fit(data.graph, data.y)
    >>> list(search.pareto_.columns[:3])
    ['fairness_weight', 'dropout', 'mean_test_accuracy']
    >>> search.predict(data.graph).shape
    (200,)
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        param_distributions: Any = None,
        *,
        n_trials: int = 40,
        timeout: float | None = None,
        cv: Any = None,
        scoring: Any = None,
        objectives: str | Sequence[str] | None = None,
        refit: Any = True,
        storage: Any = None,
        study_name: str | None = None,
        sampler: Any = None,
        batch_size: int = 4,
        n_jobs: int | None = None,
        min_accuracy: float | None = None,
        show_progress: bool = False,
        random_state: Any = None,
        error_score: Any = np.nan,
    ) -> None:
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_trials = n_trials
        self.timeout = timeout
        self.cv = cv
        self.scoring = scoring
        self.objectives = objectives
        self.refit = refit
        self.storage = storage
        self.study_name = study_name
        self.sampler = sampler
        self.batch_size = batch_size
        self.n_jobs = n_jobs
        self.min_accuracy = min_accuracy
        self.show_progress = show_progress
        self.random_state = random_state
        self.error_score = error_score

    @accepts_graph
    def fit(self, X: Any, y: Any = None, A: Any = None, **params: Any) -> ParetoSearchCV:
        """Search, choose, and fit with what was chosen.

        Parameters
        ----------
        X : Graph, or array-like of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
        A : sparse matrix of shape (n_nodes, n_nodes), default=None
            The edges, if X is not a Graph.
        **params
            For the estimator's ``fit``, the splitter and the scorer, as in scikit-learn's
            searches.

        Returns
        -------
        self
        """
        check_options(self)
        if y is None and get_tags(self.estimator).target_tags.required:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X, y = indexable(graph_of(X, A, self.estimator), y)
        metadata = routed(self, params)
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = [tuple(map(np.asarray, split)) for split in splitter.split(X, y, **metadata.split)]
        if not splits:
            raise ValueError(f"cv={self.cv!r} gives no folds.")
        scoring = fairness_scoring if self.scoring is None else self.scoring
        objectives = objectives_of(self)
        values = search_space(self.estimator) if self.param_distributions is None else self.param_distributions
        space = as_space(values)
        again = {"X": X, "y": y, "fit parameters": params, "cv": splits} if self.storage is not None else {}
        task = describe(
            estimator=self.estimator, space=space, data=again, scoring=scoring, objectives=objectives,
            floor=self.min_accuracy,
        )  # fmt: skip
        self._forget()
        with quiet():
            self.study_ = open_study(self.storage, self.study_name, self._sampler(), task)
            fixed = (scoring, metadata.judge, self.error_score != "raise")
            self._carry_out(self.study_, space, objectives, splits, (X, y), fixed)
            trials = self._judged()
        if not trials:
            raise ValueError(f"No trial was finished in {self.timeout} seconds. Give the search a longer timeout.")
        settings = [suggested(FixedTrial(trial.params), space) for trial in trials]
        outcomes = completed([folds_of(trial) for trial in trials], self.error_score)
        results = results_of([trial.number for trial in trials], settings, outcomes)
        self.n_splits_, self.scorer_, self.objectives_ = len(splits), self._scorer(), objectives
        allowed = eligible(results, outcomes, self.min_accuracy)
        self.cv_results_, self.pareto_ = results, front_of(results, objectives, allowed)
        if self.refit is not False:
            self._choose(results, allowed, X, y, metadata.fit)
        return self

    def _judged(self) -> list[FrozenTrial]:
        """Trials that count; where errors are raised, failed ones of an earlier search do not."""
        return judged(self.study_, failed=self.error_score != "raise")

    def _choose(self, results: Mapping[str, Any], allowed: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        self.best_index_ = chosen(results, self.refit, self.objectives_, allowed)
        self.best_params_ = results["params"][self.best_index_]
        by = self.refit if isinstance(self.refit, str) else self.objectives_[0] if len(self.objectives_) == 1 else None
        if by is not None and not callable(self.refit):
            self.best_score_ = float(results[f"mean_test_{by}"][self.best_index_])
        start = time.perf_counter()
        estimator = configured(self.estimator, self.best_params_)
        self.best_estimator_ = estimator.fit(X, **fit_params) if y is None else estimator.fit(X, y, **fit_params)
        self.refit_time_ = time.perf_counter() - start

    def _carry_out(
        self, study: optuna.Study, space: Any, objectives: Sequence[str], splits: Any, data: Any, fixed: Any
    ) -> None:
        """Ask for trials, judge them, tell what came of them, until there are enough or time is up."""
        end = np.inf if self.timeout is None else time.monotonic() + self.timeout
        done, trials = len(self._judged()), list[Trial]()
        bar = tqdm(total=self.n_trials, initial=done, desc="trials", disable=not self.show_progress)
        try:
            with bar, engine(self.n_jobs, data) as parallel:
                while done < self.n_trials and time.monotonic() < end:
                    trials = []
                    for _ in range(min(self.batch_size, self.n_trials - done)):
                        trials.append(study.ask())
                    settings = [suggested(trial, space) for trial in trials]
                    folds = parallel(
                        delayed(judge_fold)(self.estimator, setting, *data, split, *fixed)
                        for setting in settings
                        for split in splits
                    )
                    for trial in trials:
                        outcome = list(islice(folds, len(splits)))
                        record(study, trial, outcome, objectives, self.min_accuracy)
                        bar.update()
                    next(folds, None)  # joblib warns of a generator that was not read to its end
                    done = len(self._judged())  # those of other workers, too
        except KeyboardInterrupt:
            give_up(study, trials)
            raise KeyboardInterrupt(self._how_to_resume(len(self._judged()))) from None
        except BaseException:
            give_up(study, trials)
            raise

    def _how_to_resume(self, done: int) -> str:
        kept = f"The search was stopped; {done} of {self.n_trials} trials are finished and in study_."
        if self.storage is None:
            return f"{kept} To be able to resume a search, give it a storage and a study_name."
        shown = isinstance(self.storage, str) and "@" not in self.storage  # no passwords
        where = f"storage={self.storage!r}" if shown else "the same storage"
        return f"{kept} Fit again with {where}, study_name={self.study_name!r} to go on with them."

    def _sampler(self) -> Any:
        if self.sampler is not None:
            return copy.deepcopy(self.sampler)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        own = self.estimator.get_params(deep=True)
        return SeededSampler(seed, {name: name_of(each) if has_params(each) else each for name, each in own.items()})
