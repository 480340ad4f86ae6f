"""The rules behind the findings: each reads a report and yields statements, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ._codes import FINDING_CODES, MIN_CELL, SHARE_TOLERANCE, SMALL_GAP
from ._evidence import exact_p_value
from ._findings import Finding, Findings
from ._inference import BY_CLASS
from ._render import TITLES, percent
from ._report_tables import ReportTables
from ._table import gaps, prediction_rates

N_NAMED = 3
"""Number of missing classes that are listed by name."""

Statements = Iterator[tuple[str | None, str]]
"""The measure that a statement is about, if any, and the statement."""
Rule = Callable[[ReportTables], Statements]


def find(report: ReportTables) -> Findings:
    """Apply every rule that is not muted."""
    return Findings(
        (
            Finding(**vars(FINDING_CODES[code]), statement=statement, measure=measure)
            for code, rule in RULES.items()
            if code not in report.mute
            for measure, statement in rule(report)
        ),
        report.mute,
    )


def clear_gap(report: ReportTables) -> Statements:
    for name, gap in _tested_gaps(report):
        if gap["p_value"] < _alpha(report):
            yield (
                name,
                f"The {TITLES[name]} is {percent(gap['gap'])} points, or {percent(gap['corrected'])} without the part "
                f"that noise adds ({100 * report.confidence_level:g} % interval {percent(gap['ci_low'])} to "
                f"{percent(gap['ci_high'])}, {_p(gap['p_value'])}). {_largest_difference(report, name)}",
            )


def gap_within_chance(report: ReportTables) -> Statements:
    for name, gap in _tested_gaps(report):
        if gap["p_value"] >= _alpha(report):
            yield (
                name,
                f"The {TITLES[name]} is {percent(gap['gap'])} points. If the group played no role, it would be "
                f"{percent(gap['null_mean'])} on average ({_p(gap['p_value'])}).",
            )


def leveling_down(report: ReportTables) -> Statements:
    if report.reference is None:
        return
    changes, groups = report.reference
    # The interval is that of the corrected difference, whose sign may differ from that of the observed one.
    narrowed = changes[(changes["difference_high"] < 0) & (changes["difference"] < 0)]
    occupied = groups[groups["n"] > 0]
    mean_accuracy = (occupied["both"] + (occupied["lost"] + occupied["gained"]) / 2) / occupied["n"]
    if narrowed.empty or mean_accuracy.nunique() < 2:
        return
    # The mean does not depend on which of the models is right, so choosing groups by it leaves the test exact.
    better, worse = mean_accuracy.idxmax(), mean_accuracy.idxmin()
    p_value = groups["p_value"][better]
    if p_value < _alpha(report) and groups["gained"][worse] <= groups["lost"][worse]:
        by_gap = " and ".join(
            f"{TITLES[name]} narrowed from {percent(row['reference'])} to {percent(row['predictions'])} points"
            for name, row in narrowed.iterrows()
        )
        before, after = ((groups["both"] + groups[kind]) / groups["n"] for kind in ("lost", "gained"))
        yield (
            None,
            f"Compared with the reference, {by_gap}. Accuracy went from {percent(before[better])} to "
            f"{percent(after[better])} % in group {better} ({_p(p_value)}), and from {percent(before[worse])} to "
            f"{percent(after[worse])} % in group {worse}.",
        )


def labels_have_a_gap(report: ReportTables) -> Statements:
    labels, n_nodes = report.label_gap, int(report.table.counts.sum())
    if labels["p_value"] < _alpha(report):
        yield (
            "delta_dsp",
            f"The delta DSP of the true labels is {percent(labels['gap'])} points ({_p(labels['p_value'])}), that of "
            f"the predictions {percent(report.gaps.loc['delta_dsp', 'gap'])}. With a delta DSP of 0, at least "
            f"{int(labels['n_errors'])} of the {n_nodes} nodes in the groups are classified incorrectly.",
        )


def no_better_than_a_majority_vote(report: ReportTables) -> Statements:
    counts = report.table.counts.sum(0) + report.table.outside
    vote = counts.sum(1).argmax()
    wins = np.trace(counts) - counts[vote, vote]
    p_value = exact_p_value(wins, counts[vote].sum() - counts[vote, vote])
    if p_value >= _alpha(report):
        accuracy = report.scores["accuracy"]
        yield (
            None,
            f"The accuracy is {percent(accuracy['predictions'])} %. Class {report.table.classes[vote]} for every node "
            f"gives {percent(accuracy['majority vote'])} % ({_p(p_value)}), with gaps of 0.",
        )


def missing_class(report: ReportTables) -> Statements:
    truth = report.table.counts.sum(-1)
    for group, nodes in zip(report.table.groups, truth, strict=True):
        missing = [str(label) for label, n in zip(report.table.classes, nodes, strict=True) if not n]
        if not nodes.any():
            yield None, f"Group {group} has no nodes."
        elif missing:
            more = f" and {len(missing) - N_NAMED} more" if len(missing) > N_NAMED else ""
            names = (
                f"Class {missing[0]} has" if len(missing) == 1 else f"Classes {', '.join(missing[:N_NAMED])}{more} have"
            )
            yield "delta_deo", f"{names} no nodes in group {group}."


def too_few_nodes(report: ReportTables) -> Statements:
    sizes = report.group_scores["n"]
    smallest = sizes[sizes > 0].min()
    for name, gap in _tested_gaps(report):
        size = report.detectable_gaps[name]
        if gap["p_value"] < _alpha(report) or size <= SMALL_GAP:
            continue
        if np.isinf(size):
            yield (
                name,
                f"With {smallest} nodes in the smallest group, no {TITLES[name]} of any size can be seen reliably.",
            )
            continue
        factor = (size / SMALL_GAP) ** 2
        yield (
            name,
            f"A true {TITLES[name]} can be seen reliably from {percent(size)} points. For {100 * SMALL_GAP:g} points, "
            f"it takes about {factor:{'.2g' if factor < 10 else ',.0f'}} times as many nodes: "
            f"{_rounded(factor * smallest)} instead of {smallest} in the smallest group.",
        )


def small_cells(report: ReportTables) -> Statements:
    truth = report.table.counts.sum(-1)
    small = (truth > 0) & (truth < MIN_CELL)
    if small.any():
        group, label = np.unravel_index(np.where(truth > 0, truth, np.inf).argmin(), truth.shape)
        n = int(truth[group, label])
        yield (
            "delta_deo",
            f"This holds for {small.sum()} of {(truth > 0).sum()} pairs of class and group. The smallest is class "
            f"{report.table.classes[label]} in group {report.table.groups[group]} with {n} node{'s' if n > 1 else ''}.",
        )


def unequal_shares(report: ReportTables) -> Statements:
    if report.share is None:
        return
    n_nodes = report.table.n_nodes
    intended = report.share * n_nodes
    for group, n in report.group_scores["n"].items():
        if abs(n - intended) > max(SHARE_TOLERANCE * intended, 1):
            actual, share = percent(n / n_nodes), f"{100 * report.share:g}"
            yield None, f"Group {group} has {n} of {n_nodes} nodes ({actual} %). Its share is {share} %."


def between_the_groups(report: ReportTables) -> Statements:
    found, outer = report.fifths_gap, report.gaps.loc["delta_dsp", "gap"]
    if found is None or report.fifths is None or not found["p_value"] < _alpha(report):
        return
    if not found["gap"] - found["null_mean"] > max(2 * outer, SMALL_GAP):
        return
    rates = pd.DataFrame(prediction_rates(report.fifths.table.counts), columns=report.fifths.table.classes)
    label = (rates.max() - rates.min()).idxmax()
    high, low = rates[label].idxmax(), rates[label].idxmin()
    degrees = {fifth: "{:g} to {:g}".format(*report.fifths.ranges.loc[fifth]) for fifth in (high, low)}
    yield (
        "delta_dsp",
        f"The delta DSP of the two groups is {percent(outer)} points, that of any two fifths of the nodes "
        f"{percent(found['gap'])} ({_p(found['p_value'])}). Class {label} is predicted for "
        f"{percent(rates.loc[high, label])} % of the nodes with degree {degrees[high]} and for "
        f"{percent(rates.loc[low, label])} % of those with degree {degrees[low]}.",
    )


RULES: dict[str, Rule] = {
    "DF01": clear_gap,
    "DF02": gap_within_chance,
    "DF03": leveling_down,
    "DF04": labels_have_a_gap,
    "DF05": no_better_than_a_majority_vote,
    "DF06": missing_class,
    "DF07": too_few_nodes,
    "DF08": small_cells,
    "DF09": unequal_shares,
    "DF10": between_the_groups,
}


def _alpha(report: ReportTables) -> float:
    return 1 - report.confidence_level


def _tested_gaps(report: ReportTables) -> Iterator[tuple[str, pd.Series]]:
    """Yield the gaps that are defined, if there are enough resamples for any p-value to be small."""
    if 1 / (1 + report.n_resamples) < _alpha(report):
        yield from ((name, row) for name, row in report.gaps.loc[list(BY_CLASS)].iterrows() if pd.notna(row["gap"]))


def _largest_difference(report: ReportTables, name: str) -> str:
    """Name the class that groups differ most in."""
    rates = report.rates["rate"].loc[BY_CLASS[name]].unstack("group").reindex(columns=report.table.groups)
    label = rates.index[np.nanargmax(gaps(rates.to_numpy()))]
    row = rates.loc[label]
    high, low = row.idxmax(), row.idxmin()
    verb = "is predicted for" if name == "delta_dsp" else "has a recall of"
    end = "of the nodes " if name == "delta_dsp" else ""
    return (
        f"The largest difference: class {label} {verb} {percent(row[high])} % {end}in group {high} and "
        f"{percent(row[low])} % in group {low}."
    )


def _p(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.0005 else f"p = {p_value:.3f}"


def _rounded(n: float) -> str:
    """Round up to two digits."""
    digits = 10 ** max(0, int(np.log10(n)) - 1)
    return f"{int(np.ceil(n / digits) * digits):,}"
