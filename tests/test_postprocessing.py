"""DegreeParityClassifier: the linear program against a direct solution, its promise on other nodes, and its use."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import skdegfair
from skdegfair import DegreeParityClassifier, EmbeddingClassifier, GNNClassifier, Graph, GraphTransformer
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.embedding import FairWalk
from skdegfair.exceptions import NoEdgesWarning, NoEffectWarning
from skdegfair.metrics import SCORERS, FairnessScoring, delta_deo, delta_dsp, fairness_scoring
from skdegfair.postprocessing.calibration import calibrated, fit_calibration
from skdegfair.postprocessing.program import fair_rules, largest_gap, members, rates

FOREST = RandomForestClassifier(20, min_samples_leaf=3, random_state=0)


class Posterior(ClassifierMixin, BaseEstimator):
    """Features that are probabilities already."""

    def fit(self, X, y=None):
        self.classes_ = np.arange(X.shape[1])
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return np.asarray(X).argmax(axis=1)


def draw_posteriors(random, n, n_classes, group, sharpness=(1.0, 2.5), shift=1.2):
    """Probabilities that are right, labels drawn from them; groups differ in how sure they are, and in the classes."""
    logits = random.normal(size=(n, n_classes)) * np.asarray(sharpness)[group][:, None]
    logits[:, 0] += shift * (group == 0)
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    y = (random.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1).clip(max=n_classes - 1)
    return p, y


def direct_solution(groups, tolerance):
    """Optimal value of the program with a variable for each node and class."""
    n, n_classes = sum(len(group.p) for group in groups), groups[0].p.shape[1]
    n_variables = n * n_classes + n_classes
    rows, start = [], 0
    for group in groups:
        for k in np.flatnonzero(group.defined):
            row = np.zeros(n_variables)
            row[start + k : start + len(group.p) * n_classes : n_classes] = group.cost[:, k]
            row[n * n_classes + k] = -1
            rows.append(row)
        start += len(group.p) * n_classes
    gain = np.concatenate([group.p.ravel() / n for group in groups] + [np.zeros(n_classes)])
    one_class = sp.hstack([sp.kron(sp.eye(n), np.ones((1, n_classes))), sp.csr_array((n, n_classes))])
    bounds = np.vstack([rows, -np.array(rows)])
    solution = linprog(
        -gain, A_ub=bounds, b_ub=np.full(len(bounds), tolerance / 2), A_eq=one_class, b_eq=np.ones(n), bounds=(0, 1)
    )
    return -solution.fun


def mixed(groups, rules):
    """Expected accuracy and largest gap of rules."""
    assigned = [mixture.probability(group.p) for group, mixture in zip(groups, rules, strict=True)]
    right = sum((x * group.p).sum() for x, group in zip(assigned, groups, strict=True))
    table = np.array([rates(group, x) for group, x in zip(groups, assigned, strict=True)])
    return right / sum(len(group.p) for group in groups), largest_gap(table)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_classes=st.integers(2, 4),
    n_groups=st.integers(2, 3),
    tolerance=st.sampled_from([0.0, 0.03, 0.1, 0.5, 1.0]),
    constraint=st.sampled_from(["dsp", "deo"]),
    ties=st.booleans(),
)
def test_mixtures_of_rules_solve_the_program(seed, n_classes, n_groups, tolerance, constraint, ties):
    from skdegfair.postprocessing.program import _solve

    random = np.random.default_rng(seed)
    groups = []
    for g in range(n_groups):
        n = int(random.integers(5, 40))
        p, _ = draw_posteriors(random, n, n_classes, np.full(n, min(g, 1)))
        groups.append(members(np.repeat(p[:1], n, axis=0) if ties and g == 0 else p, constraint))
    mixtures, _ = _solve(groups, tolerance)
    value, gap = mixed(groups, mixtures)
    assert value == pytest.approx(direct_solution(groups, tolerance), abs=1e-6)
    assert gap <= tolerance + 1e-6
    for mixture in mixtures:
        assert len(mixture.chance) <= 2 * n_classes * n_groups
        assert mixture.chance.sum() == pytest.approx(1)


def test_single_rules_where_they_suffice_and_mixtures_where_they_do_not():
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], 400)
    p, _ = draw_posteriors(random, 800, 3, group)
    parity = [members(p[group == g], "dsp") for g in (0, 1)]
    rules = fair_rules(parity, 0.05)
    assert [len(mixture.chance) for mixture in rules] == [1, 1]
    assert all((mixture.multiplier == 1).all() for mixture in rules)
    assert mixed(parity, rules)[1] < 0.06
    opportunity = [members(p[group == g], "deo") for g in (0, 1)]
    rules = fair_rules(opportunity, 0.0)
    assert max(len(mixture.chance) for mixture in rules) > 1
    assert mixed(opportunity, rules)[1] < 1e-6


@pytest.mark.parametrize(
    ("sizes", "n_classes", "constraint", "tolerance"),
    [((1, 500), 3, "dsp", 0.05), ((8, 9), 3, "deo", 0.0), ((30, 2000), 5, "dsp", 0.05), ((400, 400), 3, "dsp", 0.0)],
)
def test_rules_meet_the_tolerance_on_the_nodes_of_the_program(sizes, n_classes, constraint, tolerance):
    random = np.random.default_rng(0)
    groups = [members(draw_posteriors(random, n, n_classes, np.full(n, g))[0], constraint) for g, n in enumerate(sizes)]
    assert mixed(groups, fair_rules(groups, tolerance))[1] <= tolerance + 0.02


def promise(constraint, n_simulations=200, n_fit=600, n_other=4000, tolerance=0.05):
    """Differences between the groups on other nodes than those of fit, beyond the tolerance, in standard errors."""
    beyond, before = [], []
    degrees = np.repeat([1.0, 9.0], [n_fit // 2, n_fit // 2]), np.repeat([1.0, 9.0], [n_other // 2, n_other // 2])
    for seed in range(n_simulations):
        random = np.random.default_rng(seed)
        p, y = draw_posteriors(random, n_fit, 3, (degrees[0] > 5).astype(int))
        clf = DegreeParityClassifier(
            Posterior().fit(p),
            constraint=constraint,
            tolerance=tolerance,
            fairness_groups="threshold",
            cv="prefit",
            random_state=seed,
        ).fit(p, y, degree=degrees[0])
        q, labels = draw_posteriors(random, n_other, 3, (degrees[1] > 5).astype(int))
        found, plain = clf.predict(q, degree=degrees[1]), q.argmax(axis=1)
        for predicted, results in ((found, beyond), (plain, before)):
            for k in range(3):
                chosen = [(degrees[1] == d) & ((labels == k) if constraint == "deo" else True) for d in (1.0, 9.0)]
                of_fit = [(degrees[0] == d) & ((y == k) if constraint == "deo" else True) for d in (1.0, 9.0)]
                rate = [np.mean(predicted[each] == k) for each in chosen]
                errors = [
                    r * (1 - r) * (1 / each.sum() + 1 / max(fit.sum(), 1))
                    for r, each, fit in zip(rate, chosen, of_fit, strict=True)
                ]
                results.append((abs(rate[0] - rate[1]) - tolerance) / np.sqrt(sum(errors) + 1e-9))
    return np.array(beyond), np.array(before)


@pytest.mark.parametrize("constraint", ["dsp", "deo"])
def test_the_tolerance_holds_on_other_nodes_within_sampling_error(constraint):
    """200 simulations with probabilities that are right, three classes each."""
    beyond, before = promise(constraint)
    assert np.mean(before > 3) > 0.5  # the plain predictions are far from it
    assert np.mean(beyond > 3) < 0.02
    assert beyond.mean() < 0.5


def test_calibration_recovers_what_was_distorted():
    random = np.random.default_rng(0)
    p, y = draw_posteriors(random, 20000, 3, np.zeros(20000, dtype=int))
    overconfident = calibrated(p, 3.0, np.array([0.5, 0.0, -0.5]))
    slope, bias = fit_calibration(overconfident, y)
    assert slope == pytest.approx(1 / 3, rel=0.1)
    repaired = calibrated(overconfident, slope, bias)
    np.testing.assert_allclose(repaired.mean(axis=0), np.bincount(y) / len(y), atol=0.01)
    assert np.abs(repaired - p).mean() < 0.02


# -- as a classifier -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def biased():
    return make_degree_biased_graph(700, n_features=6, random_state=0)


@pytest.fixture(scope="module")
def larger():
    return make_degree_biased_graph(2000, n_features=6, random_state=0)


@pytest.mark.parametrize("constraint", ["dsp", "deo"])
@pytest.mark.parametrize("estimator", [FOREST, GNNClassifier(max_epochs=60, random_state=0)], ids=["forest", "gnn"])
def test_gaps_of_other_nodes_become_smaller(larger, estimator, constraint):
    metric = {"dsp": delta_dsp, "deo": delta_deo}[constraint]
    train, test = larger.graph[:1000], larger.graph[1000:]
    clf = DegreeParityClassifier(estimator, constraint=constraint, random_state=0).fit(train, larger.y[:1000])
    plain = clf.estimator_.predict(test if isinstance(estimator, GNNClassifier) else test.features)
    gaps = [metric(larger.y[1000:], predicted, degree=test) for predicted in (plain, clf.predict(test))]
    assert gaps[1] < 0.8 * gaps[0]
    before, after = (
        clf.effect_.unstack("group")
        .T.groupby(level=0)
        .agg(lambda part: part.max() - part.min())
        .T.max()[["before", "after"]]
    )
    assert after < before
    assert clf.expected_accuracy_[1] < clf.expected_accuracy_[0]


def test_a_wide_tolerance_changes_nothing(biased):
    for constraint in ("dsp", "deo"):
        clf = DegreeParityClassifier(FOREST, constraint=constraint, tolerance=1.0, random_state=0)
        clf.fit(biased.graph, biased.y)
        expected = clone(FOREST).fit(biased.X, biased.y).predict(biased.X)
        np.testing.assert_array_equal(clf.predict(biased.graph), expected)
        assert not clf.is_random_


def test_nodes_in_no_group_are_left_as_they_are(biased):
    clf = DegreeParityClassifier(FOREST, random_state=0).fit(biased.graph, biased.y)
    between = clf.groups_.of(biased.graph) < 0
    expected = clf.estimator_.predict(biased.X)
    changed = clf.predict(biased.graph) != expected
    assert 0.5 < between.mean() < 0.7
    assert not changed[between].any()
    assert changed[~between].any()


def test_call_forms(biased):
    X, A, y = biased.X, biased.A, np.array(["a", "b", "c"])[biased.y]
    train = np.arange(700) < 400
    new = DegreeParityClassifier(FOREST, random_state=0)
    expected = clone(new).fit(biased.graph[train], y[train])
    for fitted in (
        clone(new).fit(X, A, y, nodes=train),
        clone(new).fit(X, y, A=A, nodes=np.flatnonzero(train)),
        clone(new).set_params(unlabeled="?").fit(X, A, y=np.where(train, y, "?")),
        clone(new).fit(pd.DataFrame(X, columns=list("abcdef")), A, pd.Series(y), nodes=train),
    ):
        given = pd.DataFrame(X, columns=list("abcdef")) if hasattr(fitted, "feature_names_in_") else X
        np.testing.assert_array_equal(fitted.predict(given, A), expected.predict(biased.graph))
        np.testing.assert_array_equal(fitted.predict_proba(given, A), expected.predict_proba(biased.graph))
    assert expected.score(X, A, y, nodes=~train) == expected.score(biased.graph[~train], y[~train])
    with pytest.raises(ValueError, match="needs the edges"):
        expected.predict(X)


def test_degrees_instead_of_edges(biased):
    degree = biased.graph.degree()
    by_edges = DegreeParityClassifier(FOREST, random_state=0).fit(biased.graph, biased.y)
    by_degree = DegreeParityClassifier(FOREST, random_state=0).fit(biased.X, biased.y, degree=degree)
    np.testing.assert_array_equal(by_degree.predict(biased.X, degree=degree), by_edges.predict(biased.graph))
    np.testing.assert_array_equal(by_degree.predict(biased.graph), by_edges.predict(biased.graph))
    assert by_degree.score(biased.X, biased.y, degree=degree) == by_edges.score(biased.graph, biased.y)
    with pytest.raises(ValueError, match="needs the degrees"):
        by_degree.predict(biased.X)
    with pytest.raises(ValueError, match="either edges or degree="):
        by_degree.predict(biased.graph, degree=degree)
    with pytest.raises(ValueError, match="degree has 3 entries, but there are 700 nodes"):
        by_degree.predict(biased.X, degree=degree[:3])
    with pytest.raises(ValueError, match="at least 0 per node, got -1"):
        by_degree.predict(biased.X, degree=degree * 0 - 1)


def test_routed_degrees(biased):
    """The same scores with degrees as metadata as with a Graph."""
    expected = cross_validate(
        DegreeParityClassifier(FOREST, random_state=0), biased.graph, biased.y, cv=3, scoring=fairness_scoring
    )
    with sklearn.config_context(enable_metadata_routing=True):
        clf = DegreeParityClassifier(FOREST, random_state=0).set_fit_request(degree=True)
        scoring = FairnessScoring().set_score_request(degree=True)
        params = {"degree": biased.graph.degree()}
        found = cross_validate(clf, biased.X, biased.y, cv=3, scoring=scoring, params=params)
    for name in ("test_accuracy", "test_neg_delta_dsp", "test_neg_delta_deo"):
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize(
    "cv", [3, 0.4, KFold(3, shuffle=True, random_state=0), [(np.arange(200), np.arange(200, 400))]]
)
def test_ways_to_hold_out(biased, cv):
    clf = DegreeParityClassifier(FOREST, cv=cv, random_state=0).fit(biased.graph[:400], biased.y[:400])
    again = DegreeParityClassifier(FOREST, cv=cv, random_state=0).fit(biased.graph[:400], biased.y[:400])
    np.testing.assert_array_equal(clf.predict(biased.graph), again.predict(biased.graph))
    assert delta_dsp(biased.y[400:], clf.predict(biased.graph[400:]), degree=biased.graph[400:]) < 0.25


class Shuffled(ClassifierMixin, BaseEstimator):
    """A forest that lists its classes in another order."""

    def fit(self, X, y):
        self.forest_ = clone(FOREST).fit(X, y)
        self.classes_ = self.forest_.classes_[[1, 0, 2]]
        return self

    def predict_proba(self, X):
        return self.forest_.predict_proba(X)[:, [1, 0, 2]]

    def predict(self, X):
        return self.forest_.predict(X)


@pytest.mark.parametrize("cv", ["prefit", 2])
def test_classes_in_another_order(biased, cv):
    fitted = Shuffled().fit(biased.X, biased.y)
    clf = DegreeParityClassifier(fitted, cv=cv, tolerance=1.0, random_state=0).fit(biased.graph, biased.y)
    np.testing.assert_array_equal(clf.predict(biased.graph), fitted.predict(biased.X))


def test_repeated_nodes_are_on_one_side_of_a_fold(biased):
    """A nearest neighbor would find its own copy."""
    twice = np.repeat(np.arange(300), 2)
    nearest = KNeighborsClassifier(1)
    for cv in (5, 0.3, KFold(3, shuffle=True, random_state=0)):
        clf = DegreeParityClassifier(nearest, constraint="deo", cv=cv, random_state=0)
        once = clone(clf).fit(biased.graph[:300], biased.y[:300]).expected_accuracy_[0]
        assert abs(clone(clf).fit(biased.graph[twice], biased.y[twice]).expected_accuracy_[0] - once) < 0.1


def test_splits_of_the_user_are_in_the_order_of_the_user(biased):
    order = np.random.default_rng(0).permutation(400)
    seen = {"fit": [], "predict_proba": []}

    class Spy(RandomForestClassifier):
        def fit(self, X, y):
            seen["fit"].append(np.asarray(X))
            return super().fit(X, y)

        def predict_proba(self, X):
            seen["predict_proba"].append(np.asarray(X))
            return super().predict_proba(X)

    splits = [(np.arange(200), np.arange(300, 400))]
    DegreeParityClassifier(Spy(5, random_state=0), cv=splits).fit(biased.graph[order], biased.y[order])
    rows = {name: {tuple(row) for row in each[0]} for name, each in seen.items()}
    assert rows["fit"] == {tuple(row) for row in biased.X[order[:200]]}
    assert rows["predict_proba"] == {tuple(row) for row in biased.X[order[300:]]}


def test_a_class_that_a_group_lacks_has_no_recall(biased):
    y, degree = biased.y.copy(), biased.graph.degree()
    y[(degree > np.percentile(degree, 75)) & (y == 0)] = 1
    clf = DegreeParityClassifier(FOREST, constraint="deo", tolerance=0.0, random_state=0).fit(biased.graph, y)
    assert np.isnan(clf.effect_.loc[(1, 0), "after"])
    assert not np.isnan(clf.effect_.loc[(0, 0), "after"])


def test_what_an_estimator_returns_is_checked(biased):
    class Broken(RandomForestClassifier):
        def predict_proba(self, X):
            return np.full((len(X), 3), np.nan)

    with pytest.raises(ValueError, match="predict_proba of Broken returned values that are infinite or NaN"):
        DegreeParityClassifier(Broken(5)).fit(biased.graph, biased.y)
    used_up = DegreeParityClassifier(FOREST, cv=iter([]), random_state=0)
    with pytest.raises(ValueError, match="cv held out no node"):
        used_up.fit(biased.graph, biased.y)


def test_parameters_changed_after_fit_do_not_matter(biased):
    clf = DegreeParityClassifier(FOREST, random_state=0).fit(biased.graph, biased.y)
    expected = clf.predict(biased.graph)
    clf.set_params(fairness_hops=2, estimator=GNNClassifier())
    np.testing.assert_array_equal(clf.predict(biased.graph), expected)


def test_a_second_fit_is_like_a_first_one(biased):
    clf = DegreeParityClassifier(FOREST, random_state=0).fit(biased.graph, biased.y)
    clf.set_params(fairness_hops=2).fit(biased.graph, biased.y)
    other = DegreeParityClassifier(FOREST, fairness_hops=2, random_state=0).fit(biased.graph, biased.y)
    pd.testing.assert_frame_equal(clf.effect_, other.effect_)
    np.testing.assert_array_equal(clf.predict(biased.graph), other.predict(biased.graph))


def test_prefit(biased):
    fitted = clone(FOREST).fit(biased.X[:300], biased.y[:300])
    clf = DegreeParityClassifier(fitted, cv="prefit", random_state=0).fit(biased.graph[300:], biased.y[300:])
    assert clf.estimator_ is fitted
    np.testing.assert_array_equal(clf.classes_, fitted.classes_)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        DegreeParityClassifier(FOREST, cv="prefit").fit(biased.graph, biased.y)
    with pytest.raises(ValueError, match="class 9, which the fitted estimator does not know"):
        DegreeParityClassifier(fitted, cv="prefit").fit(biased.graph, np.where(biased.y == 0, 9, biased.y))


def tied():
    """All nodes of low degree have the same probabilities, as with an embedding that has no vectors for them."""
    random = np.random.default_rng(0)
    degree = np.repeat([1.0, 9.0], 400)
    p, y = draw_posteriors(random, 800, 3, (degree > 5).astype(int), shift=0)
    p[:400] = [0.5, 0.3, 0.2]
    return p, y, degree


def test_draws_are_reproducible_and_as_likely_as_predict_proba_says():
    p, y, degree = tied()
    G = Graph(p, sp.csr_array((800, 800)))
    options = {"fairness_groups": "threshold", "cv": "prefit", "tolerance": 0.02}
    clf = DegreeParityClassifier(Posterior().fit(p), random_state=0, **options).fit(p, y, degree=degree)
    assert clf.is_random_
    found, chance = clf.predict(p, degree=degree), clf.predict_proba(p, degree=degree)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    assert ((chance[:400] > 0) & (chance[:400] < 1)).any(axis=1).all()
    frequency = np.bincount(found[:400], minlength=3) / 400
    np.testing.assert_allclose(frequency, chance[0], atol=4 * 0.5 / 20)
    np.testing.assert_array_equal(clf.predict(p, degree=degree), found)
    other = DegreeParityClassifier(Posterior().fit(p), random_state=1, **options).fit(p, y, degree=degree)
    assert (other.predict(p, degree=degree) != found).any()
    np.testing.assert_array_equal(other.predict_proba(p, degree=degree), chance)
    assert len(G) == 800


def test_a_node_has_the_same_draw_among_any_other_nodes(biased):
    graph, y = biased.graph, biased.y
    clf = DegreeParityClassifier(GNNClassifier(max_epochs=40, random_state=0), constraint="deo", tolerance=0.0, cv=2)
    clf.set_params(random_state=0).fit(graph, y)
    assert clf.is_random_
    whole = clf.predict(graph)
    np.testing.assert_array_equal(clf.predict(graph[100:300]), whole[100:300])
    np.testing.assert_array_equal(clf.predict(graph[::-1]), whole[::-1])


def test_it_says_how_much_was_leveled_down(biased):
    """Where the better-off group loses, effect_ says so, and it agrees with the predictions of held-out nodes."""
    fitted = GNNClassifier(max_epochs=60, random_state=0).fit(biased.graph[:300], biased.y[:300])
    held_out, y = biased.graph[300:], biased.y[300:]
    clf = DegreeParityClassifier(fitted, cv="prefit", random_state=0).fit(held_out, y)
    effect = clf.effect_
    group = clf.groups_.of(held_out)
    plain = np.eye(3)[fitted.predict(held_out)]
    for step, chance in (("before", plain), ("after", clf.predict_proba(held_out))):
        for (g, k), value in effect[step].items():
            assert chance[group == g, k].mean() == pytest.approx(value)
    assert effect.index.names == ["group", "class"]
    assert clf.expected_accuracy_[1] < clf.expected_accuracy_[0]


def test_searches_pipelines_and_other_wrappers(biased):
    graph, y = biased.graph, biased.y
    found = cross_validate(
        make_pipeline(GraphTransformer(StandardScaler()), DegreeParityClassifier(LogisticRegression(), random_state=0)),
        graph,
        y,
        cv=3,
        scoring=SCORERS,
        n_jobs=2,
    )
    assert (found["test_accuracy"] > 0.3).all()
    grid = GridSearchCV(
        DegreeParityClassifier(LogisticRegression(), cv=2, random_state=0),
        {"tolerance": [0.02, 0.5], "estimator__C": [0.1, 1.0]},
        cv=2,
        scoring=SCORERS,
        refit="neg_delta_dsp",
    ).fit(graph, y)
    assert grid.best_params_["tolerance"] == 0.02
    inner = EmbeddingClassifier(FairWalk(n_components=8))
    assert DegreeParityClassifier(inner, cv=2, random_state=0).fit(graph, y).predict(graph).shape == (700,)


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), GNNClassifier(max_epochs=3, random_state=0), EmbeddingClassifier(FairWalk(n_components=4))],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("constraint", ["dsp", "deo"])
def test_saved_loaded_and_pickled(biased, estimator, constraint, tmp_path):
    clf = DegreeParityClassifier(estimator, constraint=constraint, cv=2, tolerance=0.01, random_state=0)
    clf.fit(biased.graph, biased.y)
    skdegfair.save(clf, tmp_path / "model")
    for other in (skdegfair.load(tmp_path / "model"), pickle.loads(pickle.dumps(clf))):
        np.testing.assert_array_equal(other.predict(biased.graph), clf.predict(biased.graph))
        pd.testing.assert_frame_equal(other.effect_, clf.effect_)


def test_saved_after_a_fit_in_single_precision(biased, tmp_path):
    graph = Graph(biased.X.astype(np.float32), biased.A)
    clf = DegreeParityClassifier(LogisticRegression(), cv=2, random_state=0).fit(graph, biased.y)
    skdegfair.save(clf, tmp_path / "model")
    np.testing.assert_array_equal(skdegfair.load(tmp_path / "model").predict(graph), clf.predict(graph))


def test_only_what_can_be_saved_is(biased, tmp_path):
    clf = DegreeParityClassifier(FOREST, cv=2, random_state=0).fit(biased.graph, biased.y)
    with pytest.raises(TypeError, match="estimator cannot be saved: RandomForestClassifier"):
        skdegfair.save(clf, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_weights_of_nodes(biased):
    weight = np.where(biased.y == 0, 5.0, 1.0)
    new = DegreeParityClassifier(LogisticRegression(), random_state=0)
    plain, weighted = (
        clone(new).fit(biased.graph, biased.y),
        clone(new).fit(biased.graph, biased.y, sample_weight=weight),
    )
    assert (weighted.predict(biased.graph) == 0).sum() > (plain.predict(biased.graph) == 0).sum()


def test_mistakes(biased, data):
    graph, y = biased.graph, biased.y
    for wrong in (Ridge(), LinearSVC(), LogisticRegression, "forest", None):
        with pytest.raises(TypeError, match="estimator must be a classifier with predict_proba"):
            DegreeParityClassifier(wrong).fit(graph, y)
    with pytest.warns(NoEdgesWarning, match="neither edges nor degrees"):
        DegreeParityClassifier(LogisticRegression()).fit(biased.X, y)
    with pytest.warns(NoEffectWarning, match="it compares degree groups of held-out nodes, and all of these nodes"):
        DegreeParityClassifier(LogisticRegression()).fit(Graph(biased.X), y)
    with pytest.warns(NoEffectWarning, match="fairness_hops=2 has no effect with degree="):
        DegreeParityClassifier(LogisticRegression(), fairness_hops=2).fit(biased.X, y, degree=graph.degree())
    with pytest.raises(ValueError, match="has a single labeled node"):
        DegreeParityClassifier(LogisticRegression()).fit(graph, np.where(np.arange(700) == 0, 9, y))
    with pytest.raises(ValueError, match="sample_weight is given"):
        DegreeParityClassifier(Posterior(), cv=2).fit(graph, y, sample_weight=np.ones(700))
    with pytest.raises(ValueError, match="tolerance"):
        DegreeParityClassifier(LogisticRegression(), tolerance=2.0).fit(graph, y)
