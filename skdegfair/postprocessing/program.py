"""The linear program: which classes to predict in each group so that the groups are alike, with the smallest loss of
accuracy.

An assignment gives node i of group g the class k with probability x_ik. Its accuracy, as far as the probabilities p_ik
are right, is the mean of sum_k x_ik p_ik. Each group has a *rate* per class: how often the class is predicted (parity),
or the expected recall (equal opportunity). Both are linear in x. The program maximizes the accuracy such that the rates
of a class in any two groups differ by at most a tolerance.

For n nodes it has n times the number of classes variables. Its solution, however, is a mixture of a few *rules*: each
predicts argmax_k m_k p_ik + b_k with multipliers m and offsets b that belong to the group. So the program is solved
over mixtures of rules. A small program finds the best mixture of the rules known so far; its dual values say which
rule would improve it most. Once no rule does, the mixture is optimal among all assignments.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

MAX_ROUNDS = 1000
GAIN = 1e-7
"""Smallest improvement of the expected accuracy for which a rule is added; the solver is not more exact than that."""
SMOOTHING = 0.7
"""How much prices stay near the best ones so far. Without it, prices and rules vary widely in early rounds."""
SLACK = 0.02
"""A single rule may exceed the tolerance by this, because it cannot divide nodes that are tied."""
STOPPED = "The linear program was stopped after {rounds} rounds; its rules may cost more accuracy than necessary."
NEGLIGIBLE = 1e-7
"""Rules that are used with a smaller probability are left out."""
FEWEST = 1.0
"""A recall is constrained if this number of nodes of the class is expected in the group."""


class Members(NamedTuple):
    """The nodes of one group.

    Attributes
    ----------
    p : (n_nodes, n_classes), probabilities
    per_node, per_probability : (n_classes,)
        A prediction of class k for node i adds per_node_k + per_probability_k p_ik to the rate of k.
    defined : (n_classes,), whether the rate of a class is defined
    """

    p: NDArray[np.float64]
    per_node: NDArray[np.float64]
    per_probability: NDArray[np.float64]
    defined: NDArray[np.bool_]

    @property
    def cost(self) -> NDArray[np.float64]:
        """What each prediction adds to the rate of its class, (n_nodes, n_classes)."""
        return self.per_node + self.per_probability * self.p


class Rule(NamedTuple):
    """A rule for one group: it predicts argmax_k multiplier_k p_k + offset_k.

    Attributes
    ----------
    multiplier, offset : (n_classes,)
    gain : float, what the group adds to the expected accuracy of all nodes
    rate : (n_classes,)
    """

    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    gain: float
    rate: NDArray[np.float64]


class Mixture(NamedTuple):
    """Rules for one group, one of which is chosen at random for each node.

    Attributes
    ----------
    multiplier, offset : (n_rules, n_classes)
    chance : (n_rules,), how often each rule is chosen; they sum to 1
    """

    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    chance: NDArray[np.float64]

    def choices(self, p: NDArray[np.float64]) -> NDArray[np.intp]:
        """Class that each rule predicts for each node, (n_nodes, n_rules)."""
        return np.column_stack([(p * m + b).argmax(axis=1) for m, b in zip(self.multiplier, self.offset, strict=True)])

    def probability(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability that each class is predicted for each node, (n_nodes, n_classes)."""
        probability = np.zeros_like(p)
        for choice, chance in zip(self.choices(p).T, self.chance, strict=True):
            probability[np.arange(len(p)), choice] += chance
        return probability


def members(p: NDArray[np.float64], constraint: str, counts: NDArray[np.intp] | None = None) -> Members:
    """The nodes of a group, with rates as the constraint defines them.

    ``counts`` is the number of nodes with each label, if labels are known: a class that does not occur has no recall.
    """
    zeros = np.zeros(p.shape[1])
    if constraint == "dsp":  # the rate of a class is the fraction of nodes for which it is predicted
        return Members(p, zeros + 1 / len(p), zeros, np.ones(p.shape[1], dtype=bool))
    expected = p.sum(axis=0)  # number of nodes of each class
    occurs = expected >= FEWEST if counts is None else (expected >= FEWEST) & (counts > 0)
    return Members(p, zeros, 1 / np.maximum(expected, FEWEST), occurs)


def rates(group: Members, assigned: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rate of each class for an assignment, NaN where it is not defined."""
    return np.where(group.defined, (assigned * group.cost).sum(axis=0), np.nan)


def largest_gap(table: NDArray[np.float64]) -> float:
    """Largest difference between two groups in the rate of a class: (n_groups, n_classes). 0 if none is defined."""
    table = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    return float((np.nanmax(table, axis=0) - np.nanmin(table, axis=0)).max()) if table.size else 0.0


def fair_rules(groups: list[Members], tolerance: float) -> list[Mixture]:
    """The rules of each group that solve the program; a single rule each if these meet the tolerance, too.

    A single rule cannot divide nodes that are tied between classes. Usually these are few. But many nodes can have the
    same probabilities, and all nodes of a group are tied if it has to be made worse in every class.
    """
    mixtures, rules = _solve(groups, tolerance)
    reached = [np.where(group.defined, rule.rate, np.nan) for group, rule in zip(groups, rules, strict=True)]
    if largest_gap(np.array(reached)) > tolerance + SLACK:
        return mixtures
    return [Mixture(rule.multiplier[None], rule.offset[None], np.ones(1)) for rule in rules]


def _solve(groups: list[Members], tolerance: float) -> tuple[list[Mixture], list[Rule]]:
    """The optimal mixture of each group, and the single rule given by the dual values of the solution."""
    n_nodes = sum(len(group.p) for group in groups)
    known = [_first_rules(group, n_nodes) for group in groups]
    center, lowest = np.zeros((len(groups), groups[0].p.shape[1])), np.inf
    for _ in range(MAX_ROUNDS):
        chances, price, worth = _best_mixture(groups, known, tolerance)
        improved = False
        for trial in (SMOOTHING * center + (1 - SMOOTHING) * price, price):
            best = [_best_rule(group, trial[g], n_nodes) for g, group in enumerate(groups)]
            bound = _bound(best, trial, tolerance)
            if bound < lowest:
                center, lowest = trial, bound
            for g, rule in enumerate(best):
                if rule.gain - price[g] @ rule.rate > worth[g] + GAIN and not _is_known(rule, known[g]):
                    known[g].append(rule)
                    improved = True
            if improved:
                break
        if not improved:
            break
    else:
        warnings.warn(STOPPED.format(rounds=MAX_ROUNDS), ConvergenceWarning, stacklevel=2)
    return [_mixture(rules, chance) for rules, chance in zip(known, chances, strict=True)], best


def _bound(best: list[Rule], price: NDArray[np.float64], tolerance: float) -> float:
    """Upper bound of the expected accuracy of any assignment, from any prices (weak duality)."""
    common = np.maximum(price.sum(axis=0), 0).sum()  # of the common rates, which are between 0 and 1
    worth = sum(rule.gain - price[g] @ rule.rate for g, rule in enumerate(best))
    return float(worth + common + tolerance / 2 * np.abs(price).sum())


def _is_known(rule: Rule, known: list[Rule]) -> bool:
    return any(abs(rule.gain - each.gain) < 1e-12 and np.allclose(rule.rate, each.rate, atol=1e-12) for each in known)


def _evaluated(group: Members, multiplier: NDArray[np.float64], offset: NDArray[np.float64], n_nodes: int) -> Rule:
    choice = (group.p * multiplier + offset).argmax(axis=1)
    chosen = group.p[np.arange(len(choice)), choice]
    cost = group.per_node[choice] + group.per_probability[choice] * chosen
    rate: NDArray[np.float64] = np.bincount(choice, cost, minlength=len(multiplier)).astype(np.float64)
    return Rule(multiplier, offset, float(chosen.sum()) / n_nodes, rate)


def _first_rules(group: Members, n_nodes: int) -> list[Rule]:
    """The plain rule, and one for each class that always predicts it: with these the program has a solution."""
    ones, zeros = np.ones(group.p.shape[1]), np.zeros(group.p.shape[1])
    constant = [_evaluated(group, zeros, offset, n_nodes) for offset in np.eye(len(zeros))]
    return [_evaluated(group, ones, zeros, n_nodes), *constant]


def _best_rule(group: Members, price: NDArray[np.float64], n_nodes: int) -> Rule:
    """The rule that is worth most at these prices: argmax_k p_ik / n - price_k cost_ik for each node."""
    weight = n_nodes * price
    return _evaluated(group, 1 - weight * group.per_probability, -weight * group.per_node, n_nodes)


def _best_mixture(
    groups: list[Members], known: list[list[Rule]], tolerance: float
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64], NDArray[np.float64]]:
    """Solve the program over the known rules.

    Returns how often each rule is used, the price of a rate (n_groups, n_classes), and the worth of each group.
    """
    n_groups, n_classes = len(groups), groups[0].p.shape[1]
    owner = np.repeat(np.arange(n_groups), [len(rules) for rules in known])
    every = [rule for rules in known for rule in rules]
    defined = np.array([group.defined for group in groups])
    n_rules = len(every)
    # variables: the chance of each rule, and the rate of each class that all groups have in common
    rate = np.zeros((n_groups, n_classes, n_rules + n_classes))
    rate[owner, :, np.arange(n_rules)] = [rule.rate for rule in every]
    rate[:, :, n_rules:] = -np.eye(n_classes)
    one_each = np.zeros((n_groups, n_rules + n_classes))
    one_each[owner, np.arange(n_rules)] = 1
    above = rate[defined]
    solution = linprog(
        np.append([-rule.gain for rule in every], np.zeros(n_classes)),
        A_ub=np.vstack([above, -above]),
        b_ub=np.full(2 * len(above), tolerance / 2),
        A_eq=one_each,
        b_eq=np.ones(n_groups),
        bounds=(0, 1),
        method="highs",
    )
    if solution.status != 0:
        raise RuntimeError(f"The linear program was not solved: {solution.message}")
    price = np.zeros((n_groups, n_classes))
    over, under = np.split(-solution.ineqlin.marginals, 2)
    price[defined] = over - under
    return np.split(solution.x[:n_rules], np.flatnonzero(np.diff(owner)) + 1), price, -solution.eqlin.marginals


def _mixture(rules: list[Rule], chance: NDArray[np.float64]) -> Mixture:
    used = np.flatnonzero(chance > NEGLIGIBLE)
    multiplier, offset = (np.array([rules[k][part] for k in used]) for part in (0, 1))
    return Mixture(multiplier, offset, chance[used] / chance[used].sum())
