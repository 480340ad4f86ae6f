"""A classifier whose predictions are adjusted group by group: the baseline for any other method."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..exceptions import NoEdgesWarning, NoEffectWarning
from ..fitting import all_or_nothing, draw_seed
from ..graph import (
    GROUP_CONSTRAINTS,
    THRESHOLD_UNUSED,
    DegreeGroups,
    Graph,
    Targets,
    accepts_graph,
    accuracy,
    check_degrees,
    check_graph,
    check_row_labels,
    check_selection,
    check_targets,
    hash_keys,
)
from ..parameters import Unused, refuse_booleans, unused_parameters
from .held_out import HeldOut
from .rules import GroupRules

NO_CLASSIFIER = (
    "estimator must be a classifier with predict_proba, such as GNNClassifier() or RandomForestClassifier(), got "
    "{given!r}."
)
NO_DEGREES = (
    "DegreeParityClassifier.fit got features and labels, but neither edges nor degrees, so there is nothing to "
    'adjust. Pass A, a Graph(X, A), or degree=. If there are no edges, pass A="none" or Graph(X).'
)
DEGREES_NEEDED = (
    "This DegreeParityClassifier was fitted with degree=, so it needs the degrees of the nodes to predict: pass "
    "degree= as well, or a Graph."
)
TWO_DEGREES = "Pass either edges or degree=: the edges have their degrees already."
IDLE = "DegreeParityClassifier has no effect: it compares degree groups of held-out nodes, and {why}."


class DegreeParityClassifier(HeldOut, GroupRules, ClassifierMixin, BaseEstimator):
    """Adjust the predictions of any classifier so that degree groups are treated alike.

    The probabilities of held-out nodes determine how often each class would be predicted in each degree group. A linear
    program finds the adjustment with the highest expected accuracy for which the groups differ by at most a tolerance
    [1]_. The training is not changed: it is a baseline that every other method should be compared with.

    It levels down: the program also reaches equality by making errors in the better-off group. ``effect_`` shows how
    much, and the notes have an example.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        A classifier of this library, or any of scikit-learn's. The latter gets the features without the edges.
    constraint : {"dsp", "deo"}, default="dsp"
        What is equalized: how often each class is predicted (degree statistical parity, DSP), or the recall of each
        class (degree equal opportunity, DEO).
    tolerance : float, default=0.05
        Largest difference allowed between two groups in the prediction rate, or the recall, of a class.
    fairness_groups : "threshold", float or int, default=0.2
        The groups: nodes with a degree of at most ``degree_threshold`` and the others; a share such as 0.2, for the
        nodes of lowest and of highest degree, where predictions for those in between stay as they are; or this number
        of groups between quantiles. Boundaries are learned from the training nodes; the mean or the median degree is
        that of the whole graph or, with ``degree=``, of the training nodes.
    fairness_hops : int, default=1
        Number of hops of the generalized degree by which the groups are made.
    degree_threshold : {"mean", "median"} or float, default="mean"
        Threshold between the two groups.
    cv : int, float, cross-validation splitter, iterable or "prefit", default=5
        How nodes are held out. An integer is a number of folds. For each fold, the estimator is fitted to the other
        folds; after that, it is fitted to all training nodes. A splitter, or an iterable of positions among the
        training nodes, does the same. A float is the fraction of the training nodes that is held out once; the
        estimator is fitted to the rest. "prefit": the estimator is fitted already, and all nodes given to ``fit`` count
        as held out; they should not be nodes that it was trained on.
    unlabeled : scalar, default=None
        Value of y that stands for an unknown label, such as -1; NaN also stands for None and pandas' NA. None: every
        label is a class.
    directed : bool, default=False
        Whether A may differ from its transpose. A Graph has its own setting.
    random_state : int, RandomState instance or None, default=None
        Determines the folds, and predictions that are drawn at random.

    Attributes
    ----------
    estimator_ : the fitted classifier
    groups_ : DegreeGroups
        Boundaries between the degree groups.
    classes_ : ndarray of shape (n_classes,)
    effect_ : DataFrame
        For each group and class, on the held-out nodes: the rate, or the expected recall, before and after. A recall
        that fell in the better-off group has been leveled down.
    expected_accuracy_ : ndarray of shape (2,)
        Accuracy on the held-out nodes of all groups before and after, computed from the probabilities: those of the
        estimator, or with ``constraint="deo"`` the calibrated ones.
    is_random_ : bool
        Whether predictions are drawn at random for some nodes.
    multipliers_, offsets_ : ndarray of shape (n_groups, n_rules, n_classes)
        Rule r of group g predicts ``argmax(multipliers_[g, r] * p + offsets_[g, r])``.
    chances_ : ndarray of shape (n_groups, n_rules)
        How often each rule is used. If a single rule is enough, the others have the chance 0.
    slopes_, biases_ : ndarray of shape (n_groups,) and (n_groups, n_classes)
        With ``constraint="deo"``, p is the estimator's probability after a correction on the held-out nodes:
        ``softmax(slope * log(p) + bias)``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X is a DataFrame with string column names.

    See Also
    --------
    DegFairGNNClassifier : Mitigates degree bias in training.
    skdegfair.metrics.compare_models : Compare it with other models.

    Notes
    -----
    The program needs no labels for ``constraint="dsp"``. For ``"deo"`` it needs to know how often a class occurs among
    nodes with given probabilities, which an overconfident classifier gets wrong. So the probabilities are calibrated
    in each group first.

    If the predictions on the held-out nodes already meet the tolerance, they are not changed. Otherwise each group
    gets a rule, with offsets (parity) or multipliers (equal opportunity) for the probabilities of the classes. Where
    single rules exceed the tolerance by more than 0.02, a mixture of rules meets it: for parity, if many nodes have the
    same probabilities; for equal opportunity, if the better-off group has to be made worse in all classes. Which rule a
    node gets is drawn from ``random_state`` and its number in the graph, so the same node always gets the same
    prediction. Without a graph, the draw depends on the row number.

    The tolerance holds on the held-out nodes, for expected recalls with calibrated probabilities. On other nodes, the
    difference varies with the number of nodes per group and class.

    Leveling down: on the graphs of ``make_degree_biased_graph``, a random forest with ``constraint="deo"`` can only
    reach equal recalls by predicting the better-off group worse. ``docs/postprocessing.rst`` has the figures.

    References
    ----------
    .. [1] R. Xian, L. Yin and H. Zhao, "Fair and Optimal Classification via Post-Processing", ICML 2023.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skdegfair import DegreeParityClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> X, A, y = make_degree_biased_graph(300, random_state=0, return_X_A_y=True)
    >>> clf = DegreeParityClassifier(RandomForestClassifier(random_state=0), random_state=0).fit(X, A, y)
    >>> clf.predict(X, A).shape
    (300,)
    >>> clf.effect_.columns.tolist()
    ['before', 'after']
    """

    reads_graphs = True
    _parameter_constraints: dict[str, Any] = {
        "estimator": "no_validation",
        "constraint": [StrOptions({"dsp", "deo"})],
        "tolerance": [Interval(Real, 0, 1, closed="both")],
        **GROUP_CONSTRAINTS,
        "cv": ["cv_object", Interval(Real, 0, 1, closed="neither"), StrOptions({"prefit"})],
        "unlabeled": "no_validation",
        "directed": ["boolean"],
        "random_state": ["random_state"],
    }
    __metadata_request__fit = {"nodes": UNUSED}
    __metadata_request__score = {"nodes": UNUSED}

    def __init__(
        self,
        estimator: Any,
        *,
        constraint: str = "dsp",
        tolerance: float = 0.05,
        fairness_groups: str | float = 0.2,
        fairness_hops: int = 1,
        degree_threshold: str | float = "mean",
        cv: Any = 5,
        unlabeled: Any = None,
        directed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.constraint = constraint
        self.tolerance = tolerance
        self.fairness_groups = fairness_groups
        self.fairness_hops = fairness_hops
        self.degree_threshold = degree_threshold
        self.cv = cv
        self.unlabeled = unlabeled
        self.directed = directed
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------------

    @accepts_graph
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any = None, A: Any = None, *, degree: Any = None, nodes: Any = None, sample_weight: Any = None
    ) -> DegreeParityClassifier:
        """Fit the estimator, and the adjustment on nodes that it was not trained on.

        The call forms are those of :meth:`GNNClassifier.fit`, and ``fit(X, y, degree=degree)`` for a classifier that
        does not read edges. To pass degrees through scikit-learn's cross-validation, enable metadata routing, call
        ``set_fit_request(degree=True)``, and use a scorer of :mod:`skdegfair.metrics` with
        ``set_score_request(degree=True)``. ``cross_val_predict`` needs a Graph.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
        y : array-like of shape (n_nodes,)
            One class per node, or per selected node of a Graph.
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency.
        degree : array-like of shape (n_nodes,), default=None
            Degrees of the nodes, if there are no edges.
        nodes : mask or array of positions, default=None
            Nodes to train on and to hold out; default: all. With a part of a graph only a mask is accepted.
        sample_weight : array-like of shape (n_nodes,), default=None
            Weight of each node, for the estimator.

        Returns
        -------
        self
        """
        refuse_booleans(self)
        self._check_estimator()
        with all_or_nothing(self):
            graph = self._check_input(X, A, degree, reset=True)
            check_row_labels(graph, y=y, degree=degree, nodes=nodes, sample_weight=sample_weight)
            check_selection(graph, nodes=nodes)
            targets = check_targets(y, graph.nodes, nodes, None, self.unlabeled)
            degrees = self._degrees(graph, degree, self.fairness_hops)
            self.groups_ = self._learn_groups(graph, degrees, targets)
            unused = [THRESHOLD_UNUSED, Unused(("fairness_hops",), "degree=", lambda _: degree is not None)]
            for remark in unused_parameters(self, unused):
                warnings.warn(remark, NoEffectWarning, stacklevel=4)
            self._fitted_with_edges, self._fitted_with_degrees = graph.A is not None, degree is not None
            self._seed = draw_seed(self.random_state)
            weights = None if sample_weight is None else _check_sample_weight(sample_weight, graph, dtype=np.float64)
            held_out, p = self._hold_out(graph, targets, weights)
            group = self.groups_.of_degree(degrees[held_out])
            self._learn_rules(p, targets.codes[held_out], group)
            why = self.groups_.idle_at(degrees[held_out])
            if not isinstance(X, Graph) and A is None and degree is None:
                warnings.warn(NO_DEGREES, NoEdgesWarning, stacklevel=4)
            elif why:
                warnings.warn(IDLE.format(why=why), NoEffectWarning, stacklevel=4)
        return self

    def _check_estimator(self) -> None:
        is_object = hasattr(self.estimator, "fit") and not isinstance(self.estimator, type)
        if not is_object or not is_classifier(self.estimator) or not hasattr(self.estimator, "predict_proba"):
            raise TypeError(NO_CLASSIFIER.format(given=self.estimator))

    def _learn_groups(self, graph: Graph, degrees: NDArray[np.float64], targets: Targets) -> DegreeGroups:
        groups, threshold, hops = self.fairness_groups, self.degree_threshold, self.fairness_hops
        if graph.A is None:
            return DegreeGroups.from_degrees(degrees[targets.train], groups, threshold=threshold, hops=hops)
        return DegreeGroups.learn(graph, graph.nodes[targets.train], groups, threshold=threshold, hops=hops)

    # -- predictions -------------------------------------------------------------------------------

    def predict(self, X: Any, A: Any = None, *, degree: Any = None) -> NDArray[Any]:
        """Adjusted predictions.

        Parameters
        ----------
        X : Graph, or {ndarray, sparse matrix, DataFrame} of shape (n_nodes, n_features)
        A : {sparse matrix, ndarray, DataFrame} of shape (n_nodes, n_nodes), default=None
            Adjacency; required if the model was fitted with edges and X is not a Graph.
        degree : array-like of shape (n_nodes,), default=None
            Degrees of the nodes, if there are no edges.

        Returns
        -------
        ndarray of shape (n_nodes,)
            Where nodes are drawn at random, the same node of a graph gets the same prediction in every call.
        """
        check_is_fitted(self)
        graph = self._check_input(X, A, degree, reset=False)
        return self._predict(graph, self._degrees(graph, degree, self.groups_.hops))

    def predict_proba(self, X: Any, A: Any = None, *, degree: Any = None) -> NDArray[np.float64]:
        """Probability that ``predict`` returns each class.

        It is 0 or 1, except for nodes whose prediction is drawn at random. It does not say how likely a class is
        *right*: that is ``estimator_.predict_proba``. Do not use it for a log loss or a ROC curve.

        Parameters
        ----------
        X, A, degree : as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_nodes, n_classes)
        """
        check_is_fitted(self)
        graph = self._check_input(X, A, degree, reset=False)
        group = self.groups_.of_degree(self._degrees(graph, degree, self.groups_.hops))
        return self._chances_of_classes(self._probabilities(self.estimator_, graph), group)

    @accepts_graph
    def score(
        self, X: Any, y: Any = None, A: Any = None, *, degree: Any = None, nodes: Any = None, sample_weight: Any = None
    ) -> float:
        """Accuracy.

        Parameters
        ----------
        X, y, A, degree : as for :meth:`fit`, in any order that ``fit`` accepts
        nodes : mask or array of positions, default=None
            Nodes to score; default: all. Unlabeled nodes are ignored.
        sample_weight : array-like of shape (n_nodes,), default=None
        """
        check_is_fitted(self)
        graph = self._check_input(X, A, degree, reset=False)
        predicted = self._predict(graph, self._degrees(graph, degree, self.groups_.hops))
        return accuracy(graph, y, predicted, nodes=nodes, sample_weight=sample_weight, unlabeled=self.unlabeled)

    def _predict(self, graph: Graph, degrees: NDArray[np.float64]) -> NDArray[Any]:
        group = self.groups_.of_degree(degrees)
        p = self._probabilities(self.estimator_, graph)
        return self.classes_[self._choices(p, group, hash_keys(self._seed, graph.nodes))]

    # -- input -------------------------------------------------------------------------------------

    def _check_input(self, X: Any, A: Any, degree: Any, *, reset: bool) -> Graph:
        if degree is not None:
            if isinstance(X, Graph) or A is not None:
                raise ValueError(TWO_DEGREES)
            A = "none"
        elif not reset and self._fitted_with_degrees and A is None and not isinstance(X, Graph):
            raise ValueError(DEGREES_NEEDED)
        return check_graph(self, X, A, reset=reset, reads_features=False)

    @staticmethod
    def _degrees(graph: Graph, degree: Any, hops: int) -> NDArray[np.float64]:
        return graph.degree(hops) if degree is None else check_degrees(degree, len(graph))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if not hasattr(self.estimator, "__sklearn_tags__") or isinstance(self.estimator, type):
            return tags  # fit raises an error: it is not a classifier
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags
        tags.non_deterministic = inner.non_deterministic
        return tags
