"""Methods and attributes that a fitted search takes from its best estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..graph import Graph, accepts_graph
from ._scores import needed_by, scorer_of, scoring_for

NOT_REFITTED = "{name} needs a chosen estimator, but the search has refit=False. Set refit=True or a rule."


class Metadata(NamedTuple):
    """Further arguments of ``fit``, by their receivers.

    ``judge`` is for cross-validation and ``score`` for scorers, both by the names that they were passed with.
    """

    fit: Mapping[str, Any]
    split: Mapping[str, Any]
    score: Mapping[str, Any]
    judge: Mapping[str, Any] | None


def graph_of(X: Any, A: Any, estimator: BaseEstimator) -> Any:
    """Combine X and A into a Graph, if A is given."""
    return X if A is None else Graph(X, A, directed=getattr(estimator, "directed", False))


def routed(search: Any, params: Mapping[str, Any]) -> Metadata:
    """Decide which arguments the estimator, the splitter and the scorer receive."""
    if not get_config()["enable_metadata_routing"]:
        others = {name: value for name, value in params.items() if name != "groups"}
        return Metadata(others, {"groups": params.get("groups")}, {}, others or None)
    to = process_routing(search, "fit", **params)
    wanted: set[str] = set()
    for consumer, method in ((search.estimator, "fit"), (search._scorer(), "score")):
        wanted |= set(get_routing_for_object(consumer).consumes(method, params.keys()))
    judge = {name: params[name] for name in wanted} or None
    return Metadata(to.estimator.fit, to.splitter.split, judge or {}, judge)


def _best_has(name: str) -> Callable[[Any], bool]:
    def check(search: Any) -> bool:
        if not search.refit:
            raise AttributeError(NOT_REFITTED.format(name=name))
        getattr(search.best_estimator_ if hasattr(search, "best_estimator_") else search.estimator, name)
        return True

    return check


class FittedBest(MetaEstimatorMixin, BaseEstimator):
    """Predictions, scores and attributes of ``best_estimator_``."""

    __metadata_request__fit = {"A": UNUSED}
    __metadata_request__predict = {"A": UNUSED}
    __metadata_request__score = {"A": UNUSED}

    estimator: Any
    refit: Any
    scoring: Any
    storage: Any
    cv: Any
    best_estimator_: Any

    def predict(self, X: Any, A: Any = None) -> Any:
        """Predict classes with the chosen estimator."""
        return self._best("predict").predict(graph_of(X, A, self.estimator))

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any, A: Any = None) -> Any:
        """Predict probabilities with the chosen estimator."""
        return self._best("predict_proba").predict_proba(graph_of(X, A, self.estimator))

    @available_if(_best_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, A: Any = None) -> Any:
        """Predict logarithms of probabilities with the chosen estimator."""
        return self._best("predict_log_proba").predict_log_proba(graph_of(X, A, self.estimator))

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any, A: Any = None) -> Any:
        """Call the decision function of the chosen estimator."""
        return self._best("decision_function").decision_function(graph_of(X, A, self.estimator))

    @accepts_graph
    def score(self, X: Any, y: Any = None, A: Any = None, **params: Any) -> float:
        """Score the chosen estimator.

        The score is the one that ``refit`` names, or the only one that ``scoring`` returns. Otherwise it is the
        estimator's own ``score``, which is accuracy.
        """
        best, data = self._best("score"), graph_of(X, A, self.estimator)
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "score", **params).scorer["score"]
        if self.objectives_ == ("score",):
            return float(self.scorer_(best, data, y, **params))
        name = self.refit if isinstance(self.refit, str) else self.scoring
        if isinstance(name, str):
            return float(self.scorer_(best, data, y, **params)[name])
        return float(best.score(data, y, **params))

    @property
    def classes_(self) -> Any:
        return self._best("classes_").classes_

    @property
    def n_features_in_(self) -> int:
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(f"{type(self).__name__} has no n_features_in_ before it is fitted.") from error
        return int(self.best_estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        return self._best("feature_names_in_").feature_names_in_

    objectives_: tuple[str, ...]
    scorer_: Any

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the receivers of metadata: the estimator, the scorer and the splitter."""
        router = MetadataRouter(owner=self)
        fit = MethodMapping().add(caller="fit", callee="fit")
        router.add(estimator=self.estimator, method_mapping=fit)
        score = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        router.add(scorer=self._scorer(), method_mapping=score)
        router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def _scorer(self) -> Any:
        return scorer_of(self.estimator, scoring_for(self.scoring, needed_by(self)))

    def _best(self, name: str) -> Any:
        if not self.refit:
            raise AttributeError(NOT_REFITTED.format(name=name))
        check_is_fitted(self)
        return self.best_estimator_

    def _replace_results(self, results: Mapping[str, Any]) -> None:
        """Remove the results of an earlier fit and set new ones."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        for name, value in results.items():
            setattr(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if self.storage is not None:
            state.pop("study_", None)  # unpickling it would connect to its database
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_" if self.refit is not False else "cv_results_")

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags = own.estimator_type, own.classifier_tags
        tags.regressor_tags, tags.target_tags = own.regressor_tags, own.target_tags
        tags.input_tags.sparse, tags.input_tags.pairwise = own.input_tags.sparse, own.input_tags.pairwise
        return tags
