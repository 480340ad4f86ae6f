"""A fairness report as text and as HTML."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from ._report import DegreeFairnessReport

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


def as_text(report: DegreeFairnessReport) -> str:
    """The report in lines of text."""
    parts = [heading(report)]
    for title, _, frame in sections(report):
        parts.append(f"{title}\n{frame.to_string(index_names=False)}")
    return "\n\n".join(parts)


def as_fragment(report: DegreeFairnessReport) -> str:
    """The report as a piece of a page, for notebooks."""
    return f"<style>{STYLE}</style>{_body(report, plots=False)}"


def as_page(report: DegreeFairnessReport, title: str) -> str:
    """The report as a page of its own, with plots."""
    body = f"<style>{STYLE}</style>{_body(report, plots=True)}"
    return PAGE.format(title=escape(title), body=body)


def heading(report: DegreeFairnessReport) -> str:
    """What was assessed, in a sentence or two."""
    n_nodes = int(report.counts.sum() + report.table.outside.sum())
    kind = "degree" if report.hops == 1 else f"{report.hops}-hop degree"
    return (
        f"Degree fairness of predictions for {n_nodes} nodes, {len(report.classes)} classes, "
        f"{len(report.groups)} groups by {kind}.\n"
        f"All numbers but counts, degrees and p-values are percentages. {report.n_resamples} resamples."
    )


def sections(report: DegreeFairnessReport) -> list[tuple[str, str, pd.DataFrame]]:
    """Title, explanation and table of each part."""
    level = f"{100 * report.confidence_level:g} % interval"
    return [
        (
            "All nodes",
            "The majority vote gives every node the most frequent class; the true labels may have a gap themselves.",
            report.scores.map(percent).rename(columns=TITLES),
        ),
        ("Groups", "Scores within each group of nodes.", _groups(report)),
        (
            "Gaps between groups" if len(report.groups) == 2 else f"Gaps between groups, {report.pairs} over pairs",
            "The gap as observed; an estimate of it without the part that noise adds, with its interval; what chance "
            "alone gives on average and in 95 % of cases; how often it gives at least as much. Whether there is a gap "
            "is for the p-value to say, how large it is for the interval. Nodes are taken for independent.",
            _gaps(report, level),
        ),
        (
            f"Gaps by class, {report.groups[-1]} minus {report.groups[0]}",
            "How often the class is predicted, and how often it is recognised.",
            _class_gaps(report, level),
        ),
    ]


def percent(value: float) -> str:
    """A share as a percentage, or a dash if it is not defined."""
    return "-" if pd.isna(value) else f"{100 * value:.1f}"


def _groups(report: DegreeFairnessReport) -> pd.DataFrame:
    scores = report.group_scores
    frame = pd.DataFrame({"nodes": scores["n"]})
    if "degree_min" in scores:
        frame["degree"] = [_range(*row) for row in scores[["degree_min", "degree_max"]].itertuples(index=False)]
    for name in TITLES:
        if name in scores:
            frame[TITLES[name]] = scores[name].map(percent)
    return frame


def _gaps(report: DegreeFairnessReport, level: str) -> pd.DataFrame:
    gaps = report.gaps
    frame = pd.DataFrame(
        {
            "gap": gaps["gap"].map(percent),
            "corrected": gaps["corrected"].map(percent),
            level: _intervals(gaps),
            "chance mean": gaps["null_mean"].map(percent),
            "chance 95 %": gaps["null_95"].map(percent),
            "p-value": gaps["p_value"].map(_p_value),
            "classes": ["" if pd.isna(n) else f"{n} of {len(report.classes)}" for n in gaps["n_defined"]],
        },
        index=gaps.index,
    )
    return frame.rename(index=TITLES)


def _class_gaps(report: DegreeFairnessReport, level: str) -> pd.DataFrame:
    columns: dict[tuple[str, str], Any] = {}
    for measure, rate in (("delta_dsp", "predicted"), ("delta_deo", "recall")):
        rates, gaps = report.rates.loc[rate], report.class_gaps.loc[measure]
        for group in report.groups:
            columns[rate, str(group)] = rates.xs(group, level="group")["rate"].map(percent)
            if measure == "delta_deo":
                columns[rate, f"n {group}"] = rates.xs(group, level="group")["n"]
        columns[rate, "gap"] = gaps["gap"].map(percent)
        columns[rate, level] = pd.Series(_intervals(gaps), index=gaps.index)
    return pd.DataFrame(columns).reindex(report.classes)


def _intervals(frame: pd.DataFrame) -> list[str]:
    bounds = zip(frame["ci_low"], frame["ci_high"], strict=True)
    return ["-" if pd.isna(low) else f"[{percent(low)}, {percent(high)}]" for low, high in bounds]


def _p_value(p: float) -> str:
    return "-" if pd.isna(p) else f"{p:.3f}"


def _range(low: float, high: float) -> str:
    return "-" if pd.isna(low) else f"{low:g} to {high:g}"


def _body(report: DegreeFairnessReport, *, plots: bool) -> str:
    parts = ['<div class="skdegfair">', f"<p>{escape(heading(report))}</p>"]
    for title, text, frame in sections(report):
        table = frame.to_html(border=0, index_names=False)
        parts.append(f'<h2>{escape(title)}</h2><p>{escape(text)}</p><div class="wide">{table}</div>')
    if plots:
        from ..display import report_figures

        for title, picture in report_figures(report).items():
            source = f"data:image/svg+xml;base64,{b64encode(picture).decode()}"
            parts.append(f'<h2>{escape(title)}</h2><img alt="{escape(title)}" src="{source}">')
    return "\n".join([*parts, "</div>"])
