"""The search for the Pareto front between accuracy and fairness."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from joblib import delayed
from optuna.trial import FixedTrial, FrozenTrial, Trial
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from ..display._decision import TITLE
from ..exceptions import NoEffectWarning
from ..graph import accepts_graph
from ._choice import chosen, completed, eligible, refitted
from ._delegate import FittedBest, graph_of, routed
from ._engine import engine
from ._folds import judge_fold, splits_of
from ._names import check_names
from ._options import check_options
from ._page import search_page
from ._results import front_of, results_of
from ._sampler import sampler_of
from ._scores import check_scores, needed_by, objectives_of, scoring_for
from ._space import search_space, space_for, suggested
from ._storage import how_to_resume
from ._study import TaskStudy, folds_of, quiet
from ._task import describe


class ParetoSearchCV(FittedBest):
    """Search for hyper-parameters with the best trade-offs between accuracy and fairness.

    Each trial is a setting that is drawn by Optuna's sampler, which takes the previous trials into account, and
    assessed by cross-validation. ``pareto_`` contains the trials that no other one dominates. A rule chooses one of
    them, and the estimator is fitted to all nodes with this setting.

    Parameters
    ----------
    estimator : classifier
    param_distributions : dict or callable, default=None
        Dict from names of parameters to their values: a list, an optuna distribution, or ``uniform``,
        ``loguniform`` or ``randint`` of scipy.stats. Or a function from an optuna trial to a dict of parameters, such
        as :func:`suggest_params`. By default :func:`search_space` of the estimator.

        A list may contain objects with ``get_params``, such as mitigations. The study stores them by name, which is
        their repr; in the results they are objects again.
    n_trials : int, default=40
        Total number of trials, including those of a resumed study. If several workers share a study, each of them
        may add up to one batch more. A sampler that has tried all its settings ends the search earlier.
    timeout : float, default=None
        Seconds after which no further trial is started.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; 5 folds by default.
    scoring : callable, str, list or dict, default=None
        As in scikit-learn; accuracy and both negated gaps by default
        (:data:`~skdegfair.metrics.fairness_scoring`). The score of a single scorer has the name "score"; if it is
        given by name, such as "f1_macro", the other options may also use this name.
    objectives : str or sequence of str, default=None
        Names of the scores to maximize. By default accuracy and "neg_delta_dsp", or the only score if ``scoring``
        returns one number, such as :class:`~skdegfair.metrics.Tradeoff`.
    refit : bool, str or callable, default=True
        How the setting is chosen: by a rule such as :class:`~skdegfair.metrics.FairestWithin` or
        :class:`~skdegfair.metrics.MostAccurateWithin`, or by the name of a score. True means ``FairestWithin(0.02)``
        for the first two objectives, or the best score if there is one objective. If False, no setting is chosen.
    storage : str or optuna storage, default=None
        Where the study is stored, such as "sqlite:///study.db". A search continues with the trials that are stored
        there under ``study_name``, and first repeats the trials that were interrupted, or whose process was killed on
        this machine. Searches in many processes or on many machines can share a storage. They must be the same search:
        different data, folds, estimators, spaces or scorers raise ValueError. If None, the study is kept in memory.
    study_name : str, default=None
        Name of the study. Required with a storage.
    sampler : optuna sampler, default=None
        By default Optuna's tree-structured Parzen estimator (TPE) with a seed per trial; its first trial has the
        estimator's own parameters. Another sampler is copied, and gets a new seed when a study is resumed. Workers
        that share a storage need samplers without a seed or with different seeds.
    batch_size : int, default=4
        Number of trials that are drawn at once, before their scores are known. Larger batches keep more processes
        busy; with smaller batches the sampler learns more from each trial. Results depend on it, but not on
        ``n_jobs``.
    n_jobs : int, default=None
        Number of processes; each one computes one fold at a time. None means 1 unless in a joblib context.
    min_accuracy : float, default=None
        Smallest mean accuracy that is acceptable. The sampler avoids less accurate trials; they are not part of the
        front and are not chosen.
    show_progress : bool, default=False
        Whether to show a progress bar.
    random_state : int, RandomState instance or None, default=None
        Seed of the settings that are tried. The estimator has a random_state of its own.
    error_score : "raise" or number, default=np.nan
        Score of failed fits in ``cv_results_``. Trials with failed fits are not chosen. If "raise", errors are raised,
        and failed trials of a resumed study are not counted.

    Attributes
    ----------
    pareto_ : DataFrame
        The Pareto front, one row per trial, sorted by the first objective, best first. Its columns are the
        parameters, and the mean and standard deviation of each score over the folds.
    cv_results_ : dict
        All trials, as in scikit-learn's searches, with their numbers in the study as "trial".
    eligible_ : ndarray of bool of shape (n_trials,)
        Which trials may be chosen: no fit failed, and they reach ``min_accuracy``.
    best_index_, best_params_, best_estimator_, refit_time_
        The chosen setting. Not available with ``refit=False``.
    best_score_ : float
        Mean score of the chosen setting, if it was chosen by one score.
    study_ : optuna Study
        For Optuna's own plots and its dashboard. It is the study of the last ``fit``, and available while the search
        runs and after an interruption. All other attributes are those of the last ``fit`` that succeeded. It is not
        pickled if the search has a storage.
    objectives_ : tuple of str
    n_splits_ : int
    scorer_ : callable
    classes_, n_features_in_, feature_names_in_
        Attributes of ``best_estimator_``.

    See Also
    --------
    FairnessObjective : For an Optuna study of your own.
    skdegfair.display.ParetoDisplay.from_search : Draws the trials and the front.
    skdegfair.display.decision_page : The page of :meth:`to_html` for a dict of models.

    Notes
    -----
    The scores of the chosen setting are optimistic, because it was chosen by them. Assess it on nodes that were not
    used in the search. Optuna does not prune studies with several objectives. All nodes
    need a label: if some have none, pass ``G[known], y[known]``. The model still uses all nodes and edges of G.

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

    Search over methods:

    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.mitigation import DegFair, FairGNN
    >>> clf = GNNClassifier(max_epochs=10, random_state=0)
    >>> methods = [None, DegFair(), FairGNN(covariance_weight=10)]
    >>> search = ParetoSearchCV(clf, {"mitigation": methods}, n_trials=4, cv=2, random_state=0)
    >>> search.fit(data.graph, data.y).best_params_["mitigation"] in methods
    True

    Search over methods and the parameters of each method. The second call of ``suggest_params`` returns the
    parameters of the method that the first one has chosen:

    >>> from sklearn.base import clone
    >>> from skdegfair.tuning import suggest_params
    >>> def space(trial):
    ...     method = suggest_params(trial, clf, mitigation=methods)["mitigation"]
    ...     return {"mitigation": method, **suggest_params(trial, clone(clf).set_params(mitigation=method))}
    >>> search = ParetoSearchCV(clf, space, n_trials=4, cv=2, random_state=0).fit(data.graph, data.y)
    >>> "mitigation" in search.pareto_
    True
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
        """Search, choose a setting, and fit the estimator with it.

        Parameters
        ----------
        X : Graph, or array-like of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
        A : sparse matrix of shape (n_nodes, n_nodes), default=None
            The edges, if X is not a Graph.
        **params
            Passed to the estimator's ``fit``, the splitter and the scorer, as in scikit-learn's searches.

        Returns
        -------
        self
        """
        check_options(self)
        if y is None and get_tags(self.estimator).target_tags.required:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        scorer = self._scorer()
        X, y = indexable(graph_of(X, A, self.estimator), y)
        metadata = routed(self, params)
        splits = splits_of(self.cv, X, y, self.estimator, **metadata.split)
        scoring = scoring_for(self.scoring, needed_by(self))
        objectives = objectives_of(self)
        values = search_space(self.estimator) if self.param_distributions is None else self.param_distributions
        space = space_for(self.estimator, values)
        check_scores(scoring, needed_by(self), X, y, splits, self.estimator, metadata.score)
        data = {"X": X, "y": y, "fit parameters": params, "cv": splits} if self.storage is not None else {}
        task = describe(self, space=space, data=data, scoring=scoring, objectives=objectives)
        with quiet():
            study = TaskStudy(self.storage, self.study_name, sampler_of(self), task)
            self.study_ = study.study
            fixed = (scoring, metadata.judge, self.error_score != "raise")
            self._carry_out(study, space, splits, (X, y), fixed)
            trials = self._judged(study)
        if not trials:
            raise ValueError(f"No trial finished within {self.timeout} seconds. Set a longer timeout.")
        settings = [suggested(FixedTrial(trial.params), space) for trial in trials]
        outcomes = completed([folds_of(trial) for trial in trials], self.error_score)
        results = results_of([trial.number for trial in trials], settings, outcomes)
        allowed = eligible(results, outcomes, self.min_accuracy)
        found = {"study_": study.study, "n_splits_": len(splits), "scorer_": scorer, "objectives_": objectives}
        found |= {"cv_results_": results, "pareto_": front_of(results, objectives, allowed), "eligible_": allowed}
        try:
            best = {} if self.refit is False else refitted(self, results, objectives, allowed, X, y, metadata.fit)
        except BaseException:
            if not hasattr(self, "cv_results_"):  # earlier results stay as they are
                self._replace_results(found)
            raise
        self._replace_results(found | best)
        return self

    def choose(self, rule: Any) -> dict[str, Any]:
        """Return the parameters of the trial that another rule chooses.

        Unlike ``rule(search.cv_results_)``, it considers only the trials that may be chosen (``eligible_``).

        Parameters
        ----------
        rule : callable or str
            A rule such as :class:`~skdegfair.metrics.MostAccurateWithin`, or the name of a score, as for ``refit``.

        Returns
        -------
        dict
            Parameters for ``estimator.set_params(**params)``.

        Examples
        --------
        >>> from skdegfair import DegFairGNNClassifier
        >>> from skdegfair.datasets import make_degree_biased_graph
        >>> from skdegfair.metrics import MostAccurateWithin
        >>> from skdegfair.tuning import ParetoSearchCV
        >>> data = make_degree_biased_graph(150, random_state=0)
        >>> clf = DegFairGNNClassifier(max_epochs=10, random_state=0)
        >>> search = ParetoSearchCV(clf, {"fairness_weight": [0, 3]}, n_trials=2, cv=2, random_state=0)
        >>> list(search.fit(data.graph, data.y).choose(MostAccurateWithin(0.6)))
        ['fairness_weight']
        """
        check_is_fitted(self, "cv_results_")
        if rule is True or rule is False or not (callable(rule) or isinstance(rule, str)):
            raise TypeError(f"rule must be a rule such as FairestWithin(0.02), or the name of a score, got {rule!r}.")
        index = chosen(self.cv_results_, rule, self.objectives_, self.eligible_)
        return dict(self.cv_results_["params"][index])

    def to_html(
        self,
        path: str | Path | None,
        X: Any,
        y: Any = None,
        A: Any = None,
        *,
        gap: str | None = None,
        title: str = TITLE,
        fit_params: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> str:
        """Write a self-contained page on which the candidates are compared and one of them is chosen.

        The page plots all trials and marks the Pareto front. Move along the front with a slider, the arrow keys or
        by clicking a point, or try the rules :class:`~skdegfair.metrics.FairestWithin` and
        :class:`~skdegfair.metrics.MostAccurateWithin` with other thresholds. For the chosen trial, the page shows
        accuracy and both gaps with their intervals, the results of each degree group, the findings of the report, the
        parameters, and Python code that makes the model. The page needs no network.

        Parameters
        ----------
        path : str or Path or None
            Where to write the page. If None, it is only returned.
        X, y, A
            The nodes that the search was fitted to, as for ``fit``.
        gap : {"dsp", "deo", "both"}, default=None
            The gap in the plot, or a switch between both. By default the gaps that are objectives of the search.
        title : str, default="Accuracy and degree fairness"
        fit_params : dict, default=None
            Further arguments that were passed to ``fit``, such as ``{"groups": groups}``.
        **options
            As for :func:`~skdegfair.metrics.compare_models`, such as ``n_resamples`` and ``clusters``; ``degree`` or
            ``groups`` if X is not a Graph. They change the details, not the scores of the search.

        Returns
        -------
        str
            The page.

        See Also
        --------
        skdegfair.display.decision_page : The same for a dict of models.

        Notes
        -----
        A search keeps the scores of the folds, but no predictions. Therefore the trials on the front, and the trial
        that the search has chosen, are fitted again on the same folds, with ``n_jobs`` processes. Their details come
        from the pooled predictions for the test nodes of all folds; a node that several folds test counts once. The
        plot and the rules use the means over the folds, as the search does. Other trials have these means only. If the
        new fits do not have the scores of the search, a warning says so, and so does the page.

        Examples
        --------
        >>> from skdegfair import DegFairGNNClassifier
        >>> from skdegfair.datasets import make_degree_biased_graph
        >>> from skdegfair.tuning import ParetoSearchCV
        >>> data = make_degree_biased_graph(200, random_state=0)
        >>> clf = DegFairGNNClassifier(max_epochs=5, random_state=0)
        >>> search = ParetoSearchCV(clf, {"fairness_weight": [0.1, 10.0]}, n_trials=2, cv=2, random_state=0)
        >>> page = search.fit(data.graph, data.y).to_html(None, data.graph, data.y)
        >>> "</html>" in page
        True
        """
        X, y, A = self._call_form(X, y, A)
        metadata = routed(self, {} if fit_params is None else fit_params)
        X = graph_of(X, A, self.estimator)
        return search_page(self, X, y, metadata, path=path, gap=gap, title=title, options=options)

    @accepts_graph
    def _call_form(self, X: Any, y: Any = None, A: Any = None) -> tuple[Any, Any, Any]:
        return X, y, A

    def _judged(self, study: TaskStudy) -> list[FrozenTrial]:
        """Return the complete trials. If errors are raised, failed trials of an earlier search are not counted."""
        return study.judged(failed=self.error_score != "raise")

    def _carry_out(self, study: TaskStudy, space: Any, splits: Any, data: Any, fixed: Any) -> None:
        """Draw trials, cross-validate them and record the outcomes, until there are enough or time is up."""
        end = np.inf if self.timeout is None else time.monotonic() + self.timeout
        done, trials, needed = len(self._judged(study)), list[Trial](), needed_by(self)
        wanted = study.wanted(self.n_trials)
        if done > self.n_trials and wanted > self.n_trials:
            warnings.warn(
                f"n_trials={self.n_trials} has no effect: study {self.study_name!r} already has {done} trials, and "
                "all of them are used. n_trials is the total number of trials.",
                NoEffectWarning, stacklevel=4,
            )  # fmt: skip
        bar = tqdm(total=self.n_trials, initial=done, desc="trials", disable=not self.show_progress)
        try:
            with bar, engine(self.n_jobs, data) as parallel:
                while done < self.n_trials and time.monotonic() < end and not study.is_exhausted:
                    trials = study.ask(min(self.batch_size, self.n_trials - done))
                    settings = [suggested(trial, space) for trial in trials]
                    for setting in settings:
                        check_names(self.estimator, setting, replaced=setting)
                    folds = parallel(
                        delayed(judge_fold)(self.estimator, setting, *data, split, *fixed)
                        for setting in settings
                        for split in splits
                    )
                    for trial in trials:
                        outcome = list(islice(folds, len(splits)))
                        study.record(trial, outcome, needed)
                        bar.update()
                    next(folds, None)  # joblib warns about a generator that was not exhausted
                    done = len(self._judged(study))  # including those of other workers
        except KeyboardInterrupt:
            study.give_up(trials)
            raise KeyboardInterrupt(how_to_resume(self, len(self._judged(study)))) from None
        except BaseException:
            study.give_up(trials)
            raise
