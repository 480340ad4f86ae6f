"""Scorers for scikit-learn's cross-validation and searches. Degrees are read from the Graph that is scored.

Higher is better, so gaps are negated, as in scikit-learn's neg_log_loss.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ..graph import check_row_labels
from ._assessed import assess, predict_labeled
from ._inputs import check_choice, check_hops, check_share, is_number
from ._table import accuracies, gaps, mean_of_defined, prediction_rates, recalls, table_of, warn_of_empty_groups

RATES = {"dsp": prediction_rates, "deo": recalls}
NO_DEGREES = (
    "{name} needs the degrees of the nodes. Score on a Graph. Or enable metadata routing, request the degrees with "
    "scorer.set_score_request(degree=True) and pass them, as in cross_validate(..., params={{'degree': degree}})."
)
NO_ROUTING = "Metadata routing is not enabled. Call sklearn.set_config(enable_metadata_routing=True) first."


class _Scorer:
    """Methods that scikit-learn and skorch expect of a scorer."""

    __name__: str

    def _accept_sample_weight(self) -> bool:
        return False

    def set_score_request(self, *, degree: bool | str | None) -> _Scorer:
        """Request degrees for scoring; needs metadata routing.

        Parameters
        ----------
        degree : bool, str or None
            Whether ``degree`` is passed to the scorer, or the name of the metadata to pass.

        Returns
        -------
        self
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(NO_ROUTING)
        self._metadata_request = self._default_request(degree)
        return self

    def get_metadata_routing(self) -> Any:
        """Return the requested metadata."""
        request = getattr(self, "_metadata_request", None)
        return self._default_request() if request is None else get_routing_for_object(request)

    def _default_request(self, degree: bool | str | None = None) -> MetadataRequest:
        request = MetadataRequest(owner=self)
        request.score.add_request(param="degree", alias=degree)
        return request


class FairnessScoring(_Scorer):
    """Scorer of accuracy and both negated gaps from one prediction.

    Use it as ``scoring=`` in a search over several metrics. :data:`fairness_scoring` is an
    instance with the defaults. Nodes that are unlabeled for the estimator are left out. In
    cross-validation, classes can be missing from small groups. They are left out of the
    mean without a warning. A score that is not defined at all is NaN, and a warning names a
    group without any node. Labels that are missing, such as NaN, raise ValueError unless they
    are the estimator's placeholder ``unlabeled``.

    Parameters
    ----------
    hops : int, default=1
        Number of hops of the generalized degree that is read from a Graph.
    share : float, default=0.2
        Fraction of the nodes in the low and in the high group.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import FairnessScoring
    >>> data = make_degree_biased_graph(150, random_state=0)
    >>> clf = GNNClassifier(max_epochs=5, random_state=0).fit(data.graph, data.y)
    >>> list(FairnessScoring(share=0.3)(clf, data.graph, data.y))
    ['accuracy', 'neg_delta_dsp', 'neg_delta_deo']
    """

    __name__ = "fairness_scoring"

    def __init__(self, *, hops: int = 1, share: float = 0.2) -> None:
        check_hops(hops)
        check_share(share)
        self.hops, self.share = hops, share

    def __call__(self, estimator: Any, X: Any, y_true: Any, *, degree: Any = None) -> Any:
        return self._assess(estimator, X, y_true, degree)

    def _assess(self, estimator: Any, X: Any, y_true: Any, degree: Any) -> dict[str, float]:
        if degree is None:
            if not callable(getattr(X, "degree", None)):  # neither a Graph nor the data set that skorch gets
                raise TypeError(NO_DEGREES.format(name=self.__name__))
            degree = X  # read after prediction, because batches are in another order
        nodes = assess(
            estimator, X, _labels_of(X, y_true), degree=degree, hops=self.hops
        )  # same labels, so that each fold averages over the same classes
        table = table_of(
            nodes.y_true, nodes.y_pred, degree=nodes.degree, groups=None, share=self.share, labels=nodes.labels
        )
        warn_of_empty_groups(table, by_degree=True)
        scores = {"accuracy": float(accuracies(table.counts.sum(0) + table.outside))}
        for name, rates in RATES.items():
            scores[f"neg_delta_{name}"] = 0.0 - float(mean_of_defined(gaps(rates(table.counts).T)))
        return scores

    def __repr__(self) -> str:
        return f"FairnessScoring(hops={self.hops}, share={self.share})"


class DegreeScorer(FairnessScoring):
    """Scorer of a negated gap between degree groups. Use :func:`make_degree_scorer` to make one.

    Parameters
    ----------
    gap : {"dsp", "deo"}
    hops : int, default=1
    share : float, default=0.2

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import DegreeScorer
    >>> data = make_degree_biased_graph(150, random_state=0)
    >>> DegreeScorer("dsp")(DummyClassifier().fit(data.graph, data.y), data.graph, data.y)
    0.0
    """

    def __init__(self, gap: str, *, hops: int = 1, share: float = 0.2) -> None:
        super().__init__(hops=hops, share=share)
        check_choice("gap", gap, sorted(RATES))
        self.gap = gap
        self.__name__ = f"neg_delta_{gap}"

    def __call__(self, estimator: Any, X: Any, y_true: Any, *, degree: Any = None) -> float:
        return self._assess(estimator, X, y_true, degree)[self.__name__]

    def __repr__(self) -> str:
        return f"make_degree_scorer({self.gap!r}, hops={self.hops}, share={self.share})"


class Tradeoff(FairnessScoring):
    """Scorer of accuracy minus ``weight`` times a gap, for searches that accept only one score.

    Parameters
    ----------
    weight : float, default=1.0
    gap : {"dsp", "deo"}, default="dsp"
    hops : int, default=1
    share : float, default=0.2

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.metrics import Tradeoff
    >>> grid = {"fairness_weight": [0, 1, 10]}
    >>> GridSearchCV(DegFairGNNClassifier(), grid, scoring=Tradeoff(0.5)).scoring
    Tradeoff(0.5, gap='dsp', hops=1, share=0.2)
    """

    __name__ = "tradeoff"

    def __init__(self, weight: float = 1.0, *, gap: str = "dsp", hops: int = 1, share: float = 0.2) -> None:
        super().__init__(hops=hops, share=share)
        check_choice("gap", gap, sorted(RATES))
        if not is_number(weight) or not 0 <= weight < np.inf:
            raise ValueError(f"weight must be a number of at least 0, got {weight!r}.")
        self.weight, self.gap = weight, gap

    def __call__(self, estimator: Any, X: Any, y_true: Any, *, degree: Any = None) -> float:
        scores = self._assess(estimator, X, y_true, degree)
        return scores["accuracy"] + self.weight * scores[f"neg_delta_{self.gap}"]

    def __repr__(self) -> str:
        return f"Tradeoff({self.weight}, gap={self.gap!r}, hops={self.hops}, share={self.share})"


class Accuracy(_Scorer):
    """Scorer of accuracy, used with the gaps in SCORERS."""

    __name__ = "accuracy"

    def __call__(self, estimator: Any, X: Any, y_true: Any, *, degree: Any = None) -> float:
        check_row_labels(X, y=y_true)
        _, (truth, predicted) = predict_labeled({"estimator": estimator}, X, _labels_of(X, y_true))
        return float((truth == predicted).mean())

    def __repr__(self) -> str:
        return "Accuracy()"


def make_degree_scorer(gap: str = "dsp", *, hops: int = 1, share: float = 0.2) -> DegreeScorer:
    """Make a scorer of the negated gap between nodes of low and of high degree.

    Parameters
    ----------
    gap : {"dsp", "deo"}, default="dsp"
        Statistical parity (:func:`delta_dsp`) or equal opportunity (:func:`delta_deo`).
    hops : int, default=1
        Number of hops of the generalized degree.
    share : float, default=0.2
        Fraction of the nodes in the low and in the high group.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import make_degree_scorer
    >>> data = make_degree_biased_graph(150, random_state=0)
    >>> clf = GNNClassifier(max_epochs=5, random_state=0)
    >>> bool((cross_val_score(clf, data.graph, data.y, scoring=make_degree_scorer(share=0.3)) <= 0).all())
    True
    """
    return DegreeScorer(gap, hops=hops, share=share)


SCORERS: dict[str, Any] = {
    "accuracy": Accuracy(),
    "neg_delta_dsp": make_degree_scorer("dsp"),
    "neg_delta_deo": make_degree_scorer("deo"),
}
"""For ``scoring=`` of a search over several metrics. scikit-learn does not accept new scorers by name."""


fairness_scoring = FairnessScoring()
"""Accuracy and both negated gaps from one prediction, for ``scoring=`` of a search over several metrics."""


def get_scorer(name: str) -> Any:
    """Return a scorer by name, for ``scoring=``. scikit-learn does not accept these names as strings.

    Parameters
    ----------
    name : str
        One of :func:`get_scorer_names`.

    Returns
    -------
    scorer
        A copy, so metadata requests can be set on it.

    Examples
    --------
    >>> from sklearn.model_selection import cross_validate
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.metrics import get_scorer
    >>> data = make_degree_biased_graph(150, random_state=0)
    >>> clf = GNNClassifier(max_epochs=5, random_state=0)
    >>> scores = cross_validate(clf, data.graph, data.y, cv=2, scoring=get_scorer("neg_delta_dsp"))
    >>> scores["test_score"].shape
    (2,)
    """
    check_choice("name", name, get_scorer_names())
    return copy.deepcopy(SCORERS[name])


def get_scorer_names() -> list[str]:
    """Return the names that :func:`get_scorer` accepts.

    Examples
    --------
    >>> from skdegfair.metrics import get_scorer_names
    >>> get_scorer_names()
    ['accuracy', 'neg_delta_deo', 'neg_delta_dsp']
    """
    return sorted(SCORERS)


def _labels_of(X: Any, y_true: Any) -> Any:
    """Return y_true, or the labels of the data set if skorch passes only the data set, as it does without caching."""
    return np.asarray(X.y) if y_true is None else y_true
