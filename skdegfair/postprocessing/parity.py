"""A classifier whose predictions are adjusted group by group: the control for any other method."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_sample_weight, _is_fitted, check_is_fitted, has_fit_parameter

from ..exceptions import NoEdgesWarning, NoEffectWarning
from ..fitting import all_or_nothing, draw_seed
from ..graph import (
    GROUP_CONSTRAINTS,
    THRESHOLD_UNUSED,
    DegreeGroups,
    Graph,
    Positions,
    Targets,
    accepts_graph,
    accuracy,
    check_degrees,
    check_graph,
    check_row_labels,
    check_selection,
    check_targets,
    hash_keys,
    hold_out,
    reads_graphs,
)
from ..parameters import Unused, refuse_booleans, unused_parameters
from .calibration import calibrated, fit_calibration
from .program import Mixture, fair_rules, largest_gap, members, rates

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
TOO_FEW = (
    "Class {label} has a single labeled node, which cannot be both trained on and held out. Pass a fitted estimator "
    'with cv="prefit", or more labeled nodes.'
)
NONE_HELD_OUT = (
    "cv held out no node, so there is nothing to adjust on. An iterator can be used only once: pass a list of "
    "splits, a splitter or a number of folds."
)
NOT_FITTED = (
    'cv="prefit" needs a fitted estimator. scikit-learn\'s cross-validation and clone make it unfitted; wrap it in '
    "sklearn.frozen.FrozenEstimator there, or use cv=5."
)
WEIGHTS_REFUSED = (
    "sample_weight is given, but fit of {name} does not accept it. Leave it out, or use a classifier that does; in a "
    "pipeline, make DegreeParityClassifier the last step."
)
IDLE = "DegreeParityClassifier has no effect: it compares degree groups of held-out nodes, and {why}."


class DegreeParityClassifier(ClassifierMixin, BaseEstimator):
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
            degrees = self._degrees(graph, degree)
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

    def _hold_out(
        self, graph: Graph, targets: Targets, weights: NDArray[np.float64] | None
    ) -> tuple[Positions, NDArray[np.float64]]:
        """Fit the estimator. Returns nodes that it was not trained on, and their probabilities."""
        self.classes_ = targets.classes
        if isinstance(self.cv, str):
            if not _is_fitted(self.estimator):
                raise NotFittedError(NOT_FITTED)
            self.estimator_, self.classes_ = self.estimator, np.sort(self.estimator.classes_)
            unknown = np.setdiff1d(targets.classes, self.classes_)
            if len(unknown):
                raise ValueError(f"y holds the class {unknown[0]}, which the fitted estimator does not know.")
            targets.codes[targets.train] = np.searchsorted(self.classes_, targets.classes)[targets.codes[targets.train]]
            return targets.train, self._probabilities(self.estimator_, graph[targets.train])
        _, first = np.unique(graph.nodes[targets.train], return_index=True)  # a node can be selected several times
        counts = np.bincount(targets.codes[targets.train][first])
        if counts.min() < 2:
            raise ValueError(TOO_FEW.format(label=self.classes_[counts.argmin()]))
        if isinstance(self.cv, Real) and not isinstance(self.cv, Integral):
            parts = hold_out(targets, graph.nodes, float(self.cv), self._seed)
            if parts.valid is None:
                raise ValueError(NONE_HELD_OUT)
            self.estimator_ = self._fitted(graph, parts, parts.train, weights)
            return parts.valid, self._probabilities(self.estimator_, graph[parts.valid])
        p = np.zeros((len(graph), len(self.classes_)))
        assessed = np.zeros(len(graph), dtype=bool)  # a splitter may leave nodes out
        for held_out in self._folds(graph, targets):
            trained = targets.train[~np.isin(graph.nodes[targets.train], graph.nodes[held_out])]
            estimator = self._fitted(graph, targets, trained, weights)
            p[held_out] = self._probabilities(estimator, graph[held_out])
            assessed[held_out] = True
        if not assessed.any():
            raise ValueError(NONE_HELD_OUT)
        self.estimator_ = self._fitted(graph, targets, targets.train, weights)
        return np.flatnonzero(assessed), p[assessed]

    def _folds(self, graph: Graph, targets: Targets) -> Iterator[Positions]:
        """Positions of the nodes to hold out. The estimator is trained on the other training nodes."""
        rows = np.sort(targets.train)  # in the order in which the user gave them
        n_folds = 5 if self.cv is None else self.cv
        if not isinstance(n_folds, Integral):
            codes = targets.codes[rows]
            for _, held_out in check_cv(n_folds, codes, classifier=True).split(np.zeros(len(rows)), codes):
                yield rows[held_out]
            return
        nodes, first, number = np.unique(graph.nodes[rows], return_index=True, return_inverse=True)
        shuffled = np.random.default_rng(self._seed).permutation(len(nodes))
        order = shuffled[np.argsort(targets.codes[rows[first]][shuffled], kind="stable")]  # class by class
        fold = np.empty(len(nodes), dtype=np.intp)
        fold[order] = np.arange(len(nodes)) % int(n_folds)
        for k in range(min(int(n_folds), len(nodes))):
            yield rows[fold[number] == k]

    def _fitted(self, graph: Graph, targets: Targets, nodes: Positions, weights: NDArray[np.float64] | None) -> Any:
        estimator = clone(self.estimator)
        options = {}
        if weights is not None:
            if not has_fit_parameter(estimator, "sample_weight"):
                raise ValueError(WEIGHTS_REFUSED.format(name=type(estimator).__name__))
            options["sample_weight"] = weights[nodes]
        return estimator.fit(self._input(estimator, graph[nodes]), self.classes_[targets.codes[nodes]], **options)

    def _learn_rules(self, p: NDArray[np.float64], codes: NDArray[np.intp], group: NDArray[np.intp]) -> None:
        """The rule of each group, from the probabilities of held-out nodes."""
        n_groups, n_classes = len(self.groups_), p.shape[1]
        self.slopes_, self.biases_ = np.ones(n_groups), np.zeros((n_groups, n_classes))
        present = [g for g in range(n_groups) if (group == g).any()]
        if self.constraint == "deo":
            for g in present:
                self.slopes_[g], self.biases_[g] = fit_calibration(p[group == g], codes[group == g])
        counts = [np.bincount(codes[group == g], minlength=n_classes) for g in present]
        groups = [
            members(self._calibrated(p[group == g], g), self.constraint, count)
            for g, count in zip(present, counts, strict=True)
        ]
        plain = Mixture(np.ones((1, n_classes)), np.zeros((1, n_classes)), np.ones(1))
        before = [np.eye(n_classes)[p[group == g].argmax(axis=1)] for g in present]
        found = np.array([rates(each, assigned) for each, assigned in zip(groups, before, strict=True)])
        if len(present) > 1 and largest_gap(found) > self.tolerance:
            mixtures = fair_rules(groups, self.tolerance)
        else:
            mixtures = [plain] * len(present)
            self.slopes_[:], self.biases_[:] = 1, 0
        self._set_rules(mixtures, present, n_classes)
        after = [self._chances_of_classes(p[group == g], np.full((group == g).sum(), g)) for g in present]
        self._effect = np.full((2, n_groups, n_classes), np.nan)
        self.expected_accuracy_ = np.full(2, np.nan)
        for step, assignments in enumerate((before, after)):
            for g, each, assigned in zip(present, groups, assignments, strict=True):
                self._effect[step, g] = rates(each, assigned)
            if present:
                right = [(each.p * assigned).sum(axis=1) for each, assigned in zip(groups, assignments, strict=True)]
                self.expected_accuracy_[step] = np.concatenate(right).mean()

    def _set_rules(self, mixtures: list[Mixture], present: list[int], n_classes: int) -> None:
        n_groups, n_rules = len(self.groups_), max((len(each.chance) for each in mixtures), default=1)
        self.multipliers_ = np.ones((n_groups, n_rules, n_classes))
        self.offsets_ = np.zeros((n_groups, n_rules, n_classes))
        self.chances_ = np.zeros((n_groups, n_rules))
        self.chances_[:, 0] = 1  # a group without held-out nodes is left as it is
        for g, mixture in zip(present, mixtures, strict=True):
            used = len(mixture.chance)
            self.multipliers_[g, :used], self.offsets_[g, :used] = mixture.multiplier, mixture.offset
            self.chances_[g] = 0
            self.chances_[g, :used] = mixture.chance

    @property
    def effect_(self) -> pd.DataFrame:
        """Rates or recalls of the held-out nodes before and after, by group and class."""
        check_is_fitted(self)
        names = pd.MultiIndex.from_product([range(len(self.groups_)), self.classes_], names=["group", "class"])
        return pd.DataFrame({"before": self._effect[0].ravel(), "after": self._effect[1].ravel()}, index=names)

    @property
    def is_random_(self) -> bool:
        """Whether predictions are drawn at random for some nodes."""
        check_is_fitted(self)
        return self.chances_.shape[1] > 1

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
        return self._predict(graph, self._degrees(graph, degree))

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
        group = self.groups_.of_degree(self._degrees(graph, degree))
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
        predicted = self._predict(graph, self._degrees(graph, degree))
        return accuracy(graph, y, predicted, nodes=nodes, sample_weight=sample_weight, unlabeled=self.unlabeled)

    def _predict(self, graph: Graph, degrees: NDArray[np.float64]) -> NDArray[Any]:
        group = self.groups_.of_degree(degrees)
        p = self._probabilities(self.estimator_, graph)
        choice = p.argmax(axis=1)
        draw = (hash_keys(self._seed, graph.nodes) >> np.uint64(11)).astype(np.float64) * 2.0**-53  # in [0, 1)
        for g in range(len(self.groups_)):
            inside = group == g
            choices = self._rules(g).choices(self._calibrated(p[inside], g))
            rule = np.minimum((draw[inside, None] >= np.cumsum(self.chances_[g])).sum(axis=1), choices.shape[1] - 1)
            choice[inside] = choices[np.arange(len(choices)), rule]
        return self.classes_[choice]

    def _chances_of_classes(self, p: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
        chances = np.eye(p.shape[1])[p.argmax(axis=1)]
        for g in range(len(self.groups_)):
            inside = group == g
            chances[inside] = self._rules(g).probability(self._calibrated(p[inside], g))
        return chances

    def _rules(self, g: int) -> Mixture:
        return Mixture(self.multipliers_[g], self.offsets_[g], self.chances_[g])

    def _calibrated(self, p: NDArray[np.float64], g: int) -> NDArray[np.float64]:
        is_plain = self.slopes_[g] == 1 and not self.biases_[g].any()
        return p if is_plain else calibrated(p, self.slopes_[g], self.biases_[g])

    # -- input -------------------------------------------------------------------------------------

    def _check_input(self, X: Any, A: Any, degree: Any, *, reset: bool) -> Graph:
        if degree is not None:
            if isinstance(X, Graph) or A is not None:
                raise ValueError(TWO_DEGREES)
            A = "none"
        elif not reset and self._fitted_with_degrees and A is None and not isinstance(X, Graph):
            raise ValueError(DEGREES_NEEDED)
        return check_graph(self, X, A, reset=reset, reads_features=False)

    def _degrees(self, graph: Graph, degree: Any) -> NDArray[np.float64]:
        hops = self.groups_.hops if hasattr(self, "groups_") else self.fairness_hops
        return graph.degree(hops) if degree is None else check_degrees(degree, len(graph))

    @staticmethod
    def _input(estimator: Any, graph: Graph) -> Any:
        """Input of the estimator."""
        return graph if reads_graphs(estimator) else graph.features

    def _probabilities(self, estimator: Any, graph: Graph) -> NDArray[np.float64]:
        """Probabilities of all classes; 0 for those that the estimator was not trained on."""
        found = np.asarray(estimator.predict_proba(self._input(estimator, graph)), dtype=np.float64)
        if not np.isfinite(found).all():
            raise ValueError(f"predict_proba of {type(estimator).__name__} returned values that are infinite or NaN.")
        p = np.zeros((len(found), len(self.classes_)))
        p[:, np.searchsorted(self.classes_, estimator.classes_)] = found
        return p

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if not hasattr(self.estimator, "__sklearn_tags__") or isinstance(self.estimator, type):
            return tags  # fit raises an error: it is not a classifier
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags
        tags.non_deterministic = inner.non_deterministic
        return tags
