"""Findings of a report: coded statements, each with how it was found, why it matters and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from textwrap import fill

from ._codes import FindingCode

WIDTH = 104
"""Characters in a line of text."""


def wrap(text: str, indent: str = "", hanging: str = "") -> str:
    """Wrap text; percent signs and p-values stay together with their numbers."""
    joined = re.sub(r" %| [=<] ", lambda sign: sign[0].replace(" ", "\xa0"), text)
    lines = fill(joined, WIDTH, initial_indent=indent, subsequent_indent=indent + hanging)
    return lines.replace("\xa0", " ")


@dataclass(frozen=True)
class Finding(FindingCode):
    """One statement about a report.

    It has the attributes of its :class:`FindingCode`, and two of its own.

    Parameters
    ----------
    statement : str
        What was found, with numbers.
    measure : {"delta_dsp", "delta_deo"} or None, default=None
        The gap that the statement is about, if it is about one.

    Examples
    --------
    >>> from skdegfair.metrics import degree_fairness_report
    >>> report = degree_fairness_report([0, 1] * 20, [0, 1] * 20, groups=["a"] * 20 + ["b"] * 20)
    >>> finding = report.findings[-1]
    >>> finding.code, finding.title
    ('DF08', 'A class has fewer than 30 nodes in a group')
    >>> finding.statement
    'This holds for 4 of 4 pairs of class and group. The smallest is class 0 in group a with 10 nodes.'
    """

    statement: str = ""
    measure: str | None = None

    def __str__(self) -> str:
        parts = {"How it was found": self.how, "Why it matters": self.why, "What to do": self.advice}
        lines = [_heading(self), wrap(self.statement, "  ")]
        return "\n".join(lines + [wrap(f"{label}: {text}", "  ") for label, text in parts.items()])


class Findings(tuple[Finding, ...]):
    """The findings of a report, the most important first.

    A tuple that prints as text and that a notebook shows as HTML.

    Parameters
    ----------
    findings : iterable of Finding
        In the order of their codes.
    muted : sequence of str, default=()
        Codes that were left out.

    Examples
    --------
    >>> from skdegfair.metrics import degree_fairness_report
    >>> report = degree_fairness_report([0, 1] * 20, [0, 1] * 20, groups=["a"] * 20 + ["b"] * 20, mute="DF02")
    >>> [finding.code for finding in report.findings]
    ['DF07', 'DF08']
    >>> report.findings.muted
    ('DF02',)
    """

    muted: tuple[str, ...]

    def __new__(cls, findings: Iterable[Finding] = (), muted: Sequence[str] = ()) -> Findings:
        self = super().__new__(cls, findings)
        self.muted = tuple(muted)
        return self

    def __repr__(self) -> str:
        parts = []
        for same in self._by_code():
            statements = [wrap(f"- {finding.statement}", "  ", hanging="  ") for finding in same]
            parts.append("\n".join([_heading(same[0]), *statements, wrap(f"What to do: {same[0].advice}", "  ")]))
        return "\n".join([*parts, *self._remarks()])

    def _repr_html_(self) -> str:
        parts = []
        for same in self._by_code():
            first = same[0]
            statements = "".join(f"<p>{escape(finding.statement)}</p>" for finding in same)
            parts.append(
                f"<dt>{escape(_heading(first))}</dt><dd>{statements}<p>What to do: {escape(first.advice)}</p>"
                f"<details><summary>How {first.code} was found, and why it matters</summary>"
                f"<p>{escape(first.how)}</p><p>{escape(first.why)}</p></details></dd>"
            )
        listed = [f"<dl>{''.join(parts)}</dl>"] if parts else []
        return "\n".join(listed + [f"<p>{remark}</p>" for remark in self._remarks()])

    def _by_code(self) -> list[list[Finding]]:
        """Findings of the same code differ in their statements only."""
        return [list(same) for _, same in groupby(self, key=lambda finding: finding.code)]

    def _remarks(self) -> list[str]:
        muted = [f"Muted: {', '.join(self.muted)}."] if self.muted else []
        return muted if self else ["No findings.", *muted]


def _heading(finding: Finding) -> str:
    return f"{finding.code} ({finding.severity}): {finding.title}"
