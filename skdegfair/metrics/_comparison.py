"""Table of models that are compared on the same nodes."""

from __future__ import annotations

from html import escape

import pandas as pd

from ._findings import wrap
from ._inputs import check_choice
from ._render import STYLE, percent, what_is_drawn
from ._report import DegreeFairnessReport

BASELINES = ["majority vote", "true labels"]
SHOWN = {"accuracy": "Accuracy", "delta_dsp": "delta DSP", "delta_deo": "delta DEO"}
HOW_TO_READ = (
    "Noise makes gaps larger. Corrected gaps and differences are estimates without this part; the intervals are around "
    "them. An interval of a difference excludes 0 if and only if its p-value is below {level:g}. The p-values are not "
    "adjusted for multiple comparisons."
)


class ModelComparison:
    """Accuracy and fairness of models on the same nodes. Use :func:`compare_models` to make one.

    ``print`` shows accuracy, delta DSP and delta DEO as text, and a notebook shows them as
    HTML. :meth:`skdegfair.display.ParetoDisplay.from_comparison` draws them.

    Parameters
    ----------
    table : DataFrame
    reports : dict from names to DegreeFairnessReport
    reference : str

    Attributes
    ----------
    table : DataFrame
        One row per measure and model, so ``table.loc["delta_dsp"]`` has one row per model.
        The last two models are a vote for the most frequent true class and the true labels
        themselves, which can have a gap, too. Measures are the accuracy of all nodes,
        ``delta_dsp``, ``delta_deo``, and the gaps in accuracy, balanced accuracy and
        macro-F1 between groups. Columns:

        - ``value``: the observed accuracy or gap;
        - ``corrected``, ``ci_low``, ``ci_high``: an estimate without the part that noise
          adds to a gap, and its interval, as in :attr:`DegreeFairnessReport.gaps`;
        - ``difference``: value minus that of the reference;
        - ``corrected_difference``, ``difference_low``, ``difference_high``: an estimate
          without the part that noise adds to both gaps, and its interval;
        - ``p_value``: how often resampling gives a deviation from the corrected difference
          that is at least as large as this difference. The interval of the difference
          excludes 0 if and only if the p-value is below ``1 - confidence_level``.

    reports : dict from names to DegreeFairnessReport
        One report per model; :meth:`report` returns one of them by name.
    reference : str
        Name of the model that the others are compared with.

    Examples
    --------
    >>> from skdegfair.metrics import compare_models
    >>> y, degree = [0, 1] * 20, range(40)
    >>> models = {"all zero": [0] * 40, "perfect": y}
    >>> comparison = compare_models(models, None, y, degree=list(degree))
    >>> comparison.reference
    'all zero'
    >>> comparison.table.loc["accuracy", "value"].tolist()
    [0.5, 1.0, 0.5, 1.0]
    """

    def __init__(self, table: pd.DataFrame, *, reports: dict[str, DegreeFairnessReport], reference: str) -> None:
        self.table, self.reports, self.reference = table, reports, reference

    def report(self, name: str) -> DegreeFairnessReport:
        """Return the report of one model.

        Parameters
        ----------
        name : str
            As in the dict that was passed to :func:`compare_models`.
        """
        check_choice("name", name, self.reports)
        return self.reports[name]

    def __repr__(self) -> str:
        parts = [self._heading()]
        for title, frame in self._sections().items():
            parts.append(f"{title}\n{frame.to_string(index_names=False)}")
        return "\n\n".join([*parts, wrap(HOW_TO_READ.format(level=self._level))])

    def _repr_html_(self) -> str:
        parts = [f'<style>{STYLE}</style><div class="skdegfair">', f"<p>{escape(self._heading())}</p>"]
        for title, frame in self._sections().items():
            table = frame.to_html(border=0, index_names=False)
            parts.append(f'<h2>{escape(title)}</h2><div class="wide">{table}</div>')
        return "\n".join([*parts, f"<p>{escape(HOW_TO_READ.format(level=self._level))}</p></div>"])

    @property
    def _level(self) -> float:
        return round(1 - self._report.confidence_level, 10)

    @property
    def _report(self) -> DegreeFairnessReport:
        return self.reports[self.reference]

    def _heading(self) -> str:
        table = self._report.table
        return (
            f"{len(self.reports)} models on {table.n_nodes} nodes, {len(table.classes)} classes, "
            f"{len(table.groups)} groups. Differences are relative to {self.reference}.\n"
            f"All numbers except p-values are percentages. {self._report.n_resamples} resamples. "
            f"{what_is_drawn(self._report)}"
        )

    def _sections(self) -> dict[str, pd.DataFrame]:
        interval = f"{100 * self._report.confidence_level:g} % interval"
        sections = {}
        for measure, title in SHOWN.items():
            rows = self.table.loc[measure]
            others = rows.drop(index=self.reference).reindex(rows.index)
            corrected = [] if measure == "accuracy" else ["corrected"]  # noise does not change the mean of an accuracy
            names = ["observed", *corrected, interval]
            values = _texts(rows, ["value", *corrected], ["ci_low", "ci_high"])
            differences = _texts(
                others,
                ["difference", *(f"{name}_difference" for name in corrected)],
                ["difference_low", "difference_high"],
            )
            p_values = ["" if pd.isna(p) else f"{p:.3f}" for p in others["p_value"]]
            frame = pd.DataFrame([*values, *differences, p_values], columns=rows.index).T
            below = [("model", name) for name in names] + [(f"minus {self.reference}", name) for name in names]
            frame.columns = pd.MultiIndex.from_tuples([*below, (f"minus {self.reference}", "p-value")])
            sections[title] = frame
        return sections


def _texts(rows: pd.DataFrame, numbers: list[str], bounds: list[str]) -> list[list[str]]:
    """Return columns of percentages, and of an interval, that are empty for values that are not defined."""
    columns = [["" if pd.isna(value) else percent(value) for value in rows[name]] for name in numbers]
    ends = rows[bounds].itertuples(index=False)
    return [*columns, ["" if pd.isna(low) else f"[{percent(low)}, {percent(high)}]" for low, high in ends]]
