"""Scorers for scikit-learn's cross-validation and searches: degrees are read from the Graph that is scored.

Higher is better, so gaps come out negative, as in scikit-learn's neg_log_loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ..graph import Graph
from ._table import gaps, mean_of_defined, prediction_rates, recalls, table_of

RATES = {"dsp": prediction_rates, "deo": recalls}
NO_DEGREES = (
    "{name} needs the degrees of the nodes. Score on a Graph; or with metadata routing on, request them with "
    "scorer.set_score_request(degree=True) and pass them as degree."
)


class _Scorer:
    """What scikit-learn and skorch ask of a scorer beside a call."""

    __name__: str

    def _accept_sample_weight(self) -> bool:
        return False

    def set_score_request(self, **requests: bool | str | None) -> _Scorer:
        """Request metadata (``degree``) for scoring, with metadata routing on."""
        self._metadata_request = MetadataRequest(owner=self)
        for name, alias in requests.items():
            self._metadata_request.score.add_request(param=name, alias=alias)
        return self

    def get_metadata_routing(self) -> Any:
        """What metadata is asked for."""
        request = getattr(self, "_metadata_request", None)
        return MetadataRequest(owner=self) if request is None else get_routing_for_object(request)


class DegreeScorer(_Scorer):
    """Scorer of a gap between degree groups, negated; made by :func:`make_degree_scorer`.

    In cross-validation, classes may be missing from small groups: they are left out of
    the mean without a warning, and a score that is not defined at all is NaN.
    """

    def __init__(self, gap: str, *, hops: int = 1, share: float = 0.2) -> None:
        if gap not in RATES:
            raise ValueError(f"gap must be one of {sorted(RATES)}, got {gap!r}.")
        self.gap, self.hops, self.share = gap, hops, share
        self.__name__ = f"neg_delta_{gap}"

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike, *, degree: ArrayLike | None = None) -> float:
        return self.of_predictions(estimator, X, y_true, estimator.predict(X), degree=degree)

    def of_predictions(
        self, estimator: Any, X: Any, y_true: ArrayLike, y_pred: ArrayLike, *, degree: ArrayLike | None = None
    ) -> float:
        """The score of predictions that have been made already."""
        if degree is None:
            if not isinstance(X, Graph):
                raise TypeError(NO_DEGREES.format(name=self.__name__))
            degree = X.degree(self.hops)
        labels = _labels(estimator, y_true)
        counts, _ = table_of(y_true, y_pred, degree=degree, groups=None, share=self.share, labels=labels)
        return 0.0 - float(mean_of_defined(gaps(RATES[self.gap](counts).T)))

    def __repr__(self) -> str:
        return f"make_degree_scorer({self.gap!r}, hops={self.hops}, share={self.share})"


class Tradeoff(_Scorer):
    """Scorer of accuracy less ``weight`` times a gap, one number for searches that take only one.

    Parameters
    ----------
    weight : float, default=1.0
    gap : {"dsp", "deo"}, default="dsp"
    hops : int, default=1
    share : float, default=0.2
    """

    def __init__(self, weight: float = 1.0, *, gap: str = "dsp", hops: int = 1, share: float = 0.2) -> None:
        self.weight, self.scorer = weight, DegreeScorer(gap, hops=hops, share=share)
        self.__name__ = "tradeoff"

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike, *, degree: ArrayLike | None = None) -> float:
        y_pred = estimator.predict(X)
        negative_gap = self.scorer.of_predictions(estimator, X, y_true, y_pred, degree=degree)
        return float(accuracy_score(y_true, y_pred)) + self.weight * negative_gap

    def __repr__(self) -> str:
        return f"Tradeoff({self.weight}, gap={self.scorer.gap!r}, hops={self.scorer.hops}, share={self.scorer.share})"


class Accuracy(_Scorer):
    """Plain accuracy, beside the gaps in SCORERS."""

    __name__ = "accuracy"

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike) -> float:
        return float(accuracy_score(y_true, estimator.predict(X)))

    def __repr__(self) -> str:
        return "Accuracy()"


def make_degree_scorer(gap: str = "dsp", *, hops: int = 1, share: float = 0.2) -> DegreeScorer:
    """Make a scorer of the negated gap between nodes of low and of high degree.

    Parameters
    ----------
    gap : {"dsp", "deo"}, default="dsp"
        Statistical parity (:func:`delta_dsp`) or equal opportunity (:func:`delta_deo`).
    hops : int, default=1
        Of the generalized degree.
    share : float, default=0.2
        Part of the nodes in the low and in the high group.

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
"""For ``scoring=`` of a search over several metrics; scikit-learn does not take new names as strings."""


def get_scorer(name: str) -> Any:
    """One of SCORERS by name."""
    if name not in SCORERS:
        raise ValueError(f"{name!r} is not a scorer; there are {sorted(SCORERS)}.")
    return SCORERS[name]


def fairness_scoring(estimator: Any, X: Any, y_true: ArrayLike) -> dict[str, float]:
    """Accuracy and both negated gaps from one prediction, for ``scoring=`` of a search over several metrics."""
    y_pred = estimator.predict(X)
    scores = {"accuracy": float(accuracy_score(y_true, y_pred))}
    for name in ("neg_delta_dsp", "neg_delta_deo"):
        scores[name] = SCORERS[name].of_predictions(estimator, X, y_true, y_pred)
    return scores


def _labels(estimator: Any, y_true: ArrayLike) -> NDArray[Any] | None:
    """All classes the estimator knows, so that each fold averages over the same, and any others in y."""
    classes = getattr(estimator, "classes_", None)
    return None if classes is None else np.union1d(classes, np.asarray(y_true))
