"""Render a fairness report as text and as HTML."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import scipy.sparse as sp

from ._evidence import Reference
from ._findings import Findings, wrap
from ._table import GroupTable

TITLE = "Degree fairness report"
TITLES = {
    "delta_dsp": "delta DSP",
    "delta_deo": "delta DEO",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro-F1",
}
STYLE = """
.skdegfair { font-family: system-ui, sans-serif; font-size: 0.95rem; line-height: 1.45; }
.skdegfair h2, .skdegfair h3 { font-size: 1.05rem; margin: 1.4em 0 0.3em; }
.skdegfair table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.skdegfair th, .skdegfair td { padding: 0.2em 0.8em; text-align: right; border: 0; }
.skdegfair thead th { border-bottom: 1px solid currentColor; }
.skdegfair tbody th { text-align: left; font-weight: normal; }
.skdegfair p { max-width: 46rem; margin: 0.3em 0; }
.skdegfair dt { font-weight: 600; margin-top: 0.8em; }
.skdegfair dd { margin-left: 1.2em; }
.skdegfair summary { cursor: pointer; }
.skdegfair .wide { overflow-x: auto; }
.skdegfair img { max-width: 100%; height: auto; background: white; }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 2rem auto; padding: 0 1rem; max-width: 60rem; color: #222; background: white; }}
h1 {{ font: 600 1.5rem system-ui, sans-serif; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


class Report(Protocol):
    """The parts of a ``DegreeFairnessReport`` that are rendered. ``_report`` imports this module, not the reverse."""

    table: GroupTable
    hops: int
    pairs: str
    confidence_level: float
    n_resamples: int
    share: float | None
    name: str | None
    by_cluster: sp.csr_array | None

    @property
    def findings(self) -> Findings: ...
    @property
    def scores(self) -> pd.DataFrame: ...
    @property
    def group_scores(self) -> pd.DataFrame: ...
    @property
    def gaps(self) -> pd.DataFrame: ...
    @property
    def class_gaps(self) -> pd.DataFrame: ...
    @property
    def reference(self) -> Reference | None: ...
    @property
    def rates(self) -> pd.DataFrame: ...


def as_text(report: Report) -> str:
    """Render the report as text."""
    definitions = "\n".join(wrap(text, hanging="  ") for text in terms(report))
    parts = [heading(report), definitions, f"Findings\n{report.findings!r}", note(report)]
    for title, _, frame in sections(report):
        parts.append(f"{title}\n{frame.to_string(index_names=False)}")
    return "\n\n".join(parts)


def as_fragment(report: Report) -> str:
    """Render the report as an HTML fragment for notebooks."""
    return f"<style>{STYLE}</style>{_body(report, {})}"


def write_page(report: Report, path: str | Path | None, title: str, figures: Mapping[str, bytes] | None = None) -> str:
    """Render the report as a self-contained HTML page, and write it to a file if there is a path.

    Parameters
    ----------
    report : Report
    path : str, Path or None
    title : str
    figures : dict from titles to SVG files, default=None
        Plots to show after the tables.

    Returns
    -------
    str
        The page.
    """
    body = f"<style>{STYLE}</style>{_body(report, figures or {})}"
    page = PAGE.format(title=escape(title), body=body)
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def heading(report: Report) -> str:
    """Say what was assessed."""
    return (
        f"Degree fairness of {report.name or 'predictions'} for {report.table.n_nodes} nodes, "
        f"{len(report.table.classes)} classes, {len(report.table.groups)} groups"
        f"{'' if report.share is None else f' by {_degree(report)}'}."
    )


def terms(report: Report) -> list[str]:
    """Define the groups and both gaps."""
    groups = ", ".join(map(str, report.table.groups))
    if report.share is not None:
        groups += f"; the {100 * report.share:g} % of the nodes with the lowest and with the highest {_degree(report)}"
    return [
        f"Groups: {groups}.",
        "Delta DSP (degree statistical parity): the gap in how often a class is predicted, mean over classes.",
        "Delta DEO (degree equal opportunity): the gap in the recall of a class, mean over classes.",
    ]


def note(report: Report) -> str:
    """Say how to read the tables."""
    return (
        f"In the tables, all numbers except counts, degrees and p-values are percentages. {report.n_resamples} "
        "resamples." + (f" {what_is_drawn(report)}" if report.by_cluster is not None else "")
    )


def what_is_drawn(report: Report) -> str:
    """Say whether nodes or whole clusters are resampled."""
    if report.by_cluster is None:
        return "Nodes are treated as independent."
    return f"Nodes are resampled in {report.by_cluster.shape[0]} clusters."


def sections(report: Report) -> list[tuple[str, str, pd.DataFrame]]:
    """Return title, explanation and table of each section."""
    level = f"{100 * report.confidence_level:g} % interval"
    groups = report.table.groups
    compared = [] if report.reference is None else [_compared(report.reference)]
    return [
        (
            "All nodes",
            "The majority vote predicts the most frequent class for every node. The true labels can have a gap, too.",
            report.scores.map(percent).rename(columns=TITLES),
        ),
        ("Groups", "Scores within each group of nodes.", _groups(report)),
        *compared,
        (
            "Gaps between groups" if len(groups) == 2 else f"Gaps between groups, {report.pairs} over pairs",
            "The observed gap; an estimate corrected for the part that noise adds, with its interval; the mean and the "
            "95 % quantile of the gap under chance; and how often chance gives a gap at least this large. Use the "
            f"p-value to judge whether there is a gap, and the interval to judge its size. {what_is_drawn(report)}",
            _gaps(report, level),
        ),
        (
            f"Gaps by class, {groups[-1]} minus {groups[0]}",
            "How often the class is predicted, and its recall.",
            _class_gaps(report, level),
        ),
    ]


def _degree(report: Report) -> str:
    return "degree" if report.hops == 1 else f"{report.hops}-hop degree"


def percent(value: float) -> str:
    """Format a fraction as a percentage, or as a dash if it is not defined."""
    return "-" if pd.isna(value) else f"{100 * value:.1f}"


def _compared(reference: Reference) -> tuple[str, str, pd.DataFrame]:
    """The section about the change from a reference model."""
    groups, gaps = reference.groups, reference.gaps
    rows = {
        f"accuracy, {name}": ((row["both"] + row["lost"]) / row["n"], (row["both"] + row["gained"]) / row["n"])
        for name, row in groups.iterrows()
    }
    rows |= {TITLES[str(name)]: (row["reference"], row["predictions"]) for name, row in gaps.iterrows()}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["reference", "model"])
    frame["change"] = [f"{100 * change:+.1f}" for change in frame["model"] - frame["reference"]]
    frame[["reference", "model"]] = frame[["reference", "model"]].map(percent)
    text = "Accuracy within each group and both gaps: of the reference, of this model, and the change."
    return "Compared with the reference", text, frame


def _groups(report: Report) -> pd.DataFrame:
    scores = report.group_scores
    frame = pd.DataFrame({"nodes": scores["n"]})
    if "degree_min" in scores:
        frame["degree"] = [_range(*row) for row in scores[["degree_min", "degree_max"]].itertuples(index=False)]
    for name in TITLES:
        if name in scores:
            frame[TITLES[name]] = scores[name].map(percent)
    return frame


def _gaps(report: Report, level: str) -> pd.DataFrame:
    gaps = report.gaps
    frame = pd.DataFrame(
        {
            "gap": gaps["gap"].map(percent),
            "corrected": gaps["corrected"].map(percent),
            level: _intervals(gaps),
            "chance mean": gaps["null_mean"].map(percent),
            "chance 95 %": gaps["null_95"].map(percent),
            "p-value": gaps["p_value"].map(_p_value),
            "classes": ["" if pd.isna(n) else f"{n} of {len(report.table.classes)}" for n in gaps["n_defined"]],
        },
        index=gaps.index,
    )
    return frame.rename(index=TITLES)


def _class_gaps(report: Report, level: str) -> pd.DataFrame:
    columns: dict[tuple[str, str], Any] = {}
    for measure, rate in (("delta_dsp", "predicted"), ("delta_deo", "recall")):
        rates, gaps = report.rates.loc[rate], report.class_gaps.loc[measure]
        for group in report.table.groups:
            columns[rate, str(group)] = rates.xs(group, level="group")["rate"].map(percent)
            if measure == "delta_deo":
                columns[rate, f"n {group}"] = rates.xs(group, level="group")["n"]
        columns[rate, "gap"] = gaps["gap"].map(percent)
        columns[rate, level] = pd.Series(_intervals(gaps), index=gaps.index)
    return pd.DataFrame(columns).reindex(report.table.classes)


def _intervals(frame: pd.DataFrame) -> list[str]:
    bounds = zip(frame["ci_low"], frame["ci_high"], strict=True)
    return ["-" if pd.isna(low) else f"[{percent(low)}, {percent(high)}]" for low, high in bounds]


def _p_value(p: float) -> str:
    return "-" if pd.isna(p) else f"{p:.3f}"


def _range(low: float, high: float) -> str:
    return "-" if pd.isna(low) else f"{low:g} to {high:g}"


def _body(report: Report, figures: Mapping[str, bytes]) -> str:
    definitions = "".join(f"<li>{escape(text)}</li>" for text in terms(report))
    parts = [
        '<div class="skdegfair">',
        f"<p>{escape(heading(report))}</p><ul>{definitions}</ul>",
        f"<h2>Findings</h2>{report.findings._repr_html_()}",
        f"<p>{escape(note(report))}</p>",
    ]
    for title, text, frame in sections(report):
        table = frame.to_html(border=0, index_names=False)
        parts.append(f'<h2>{escape(title)}</h2><p>{escape(text)}</p><div class="wide">{table}</div>')
    for title, picture in figures.items():
        source = f"data:image/svg+xml;base64,{b64encode(picture).decode()}"
        parts.append(f'<h2>{escape(title)}</h2><img alt="{escape(title)}" src="{source}">')
    return "\n".join([*parts, "</div>"])
