"""From runs to the paper's tables: means with their spread, differences with their intervals, as frames and as text."""

import numpy as np
import pandas as pd
from _study import HERE, SETTINGS
from scipy.stats import t as student

METRICS = ["accuracy", "delta_dsp", "delta_deo"]
KEYS = ["dataset", "setting", "model"]
MAIN = "r=1, 20 %"
COMPARED = [
    ("DegFairGCN", "GCN"),
    ("DegFairGAT", "GAT"),
    ("DegFairSAGE", "SAGE"),
    ("DegFairGCN", "no scale & shift"),
    ("DegFairGCN", "no contrast"),
    ("DegFairGCN", "no modulation"),
]
TEST_TO_TRAIN = 20 / 60


def as_frame(rows):
    """A row per run and setting, in percent."""
    flat = []
    for row in rows:
        known = {name: row[name] for name in ("protocol", "dataset", "model", "split", "seed", "changes")}
        for setting in SETTINGS:
            gaps = {name: 100 * row[setting][name] for name in ("delta_dsp", "delta_deo", "null_dsp", "null_deo")}
            cells = {name: row[setting][name] for name in ("smallest_cell", "largest_cell")}
            flat.append({**known, "setting": setting, "accuracy": 100 * row["accuracy"], **gaps, **cells})
    return pd.DataFrame(flat)


def summary(frame):
    """Mean, standard deviation and half width of the 95 % interval over splits (or seeds, of one split)."""
    several = frame["split"].nunique() > 1
    units = frame.groupby([*KEYS, "split"], sort=False)[METRICS].mean() if several else frame.set_index(KEYS)[METRICS]
    groups = units.groupby(level=KEYS, sort=False)
    n = groups.count().min(axis=1)  # a gap that is undefined on a split does not count
    table = groups.mean().join(groups.std().add_suffix("_sd"))
    reach = student.ppf(0.975, np.maximum(n - 1, 1)) / np.sqrt(n)
    for metric in METRICS:
        table[f"{metric}_ci"] = table[f"{metric}_sd"] * reach
    by_model = frame.groupby(KEYS, sort=False)
    table = table.join(by_model[["null_dsp", "null_deo"]].mean())
    table = table.join(by_model["smallest_cell"].min()).join(by_model["largest_cell"].max())
    table["n"] = n
    return table


def differences(frame):
    """One model minus another, split by split: mean, its 95 % interval, and the interval for overlapping splits.

    The first interval is about the mean over all random splits of this very graph. Splits share nodes, so it is too
    narrow for a claim about new nodes; the corrected one (Nadeau and Bengio, 2003) is about twice as wide.
    """
    rows = []
    means = frame.groupby([*KEYS, "split"], sort=False)[METRICS].mean()
    for (dataset, setting), part in means.groupby(level=["dataset", "setting"], sort=False):
        part = part.droplevel(["dataset", "setting"])
        for one, other in COMPARED:
            if not {one, other} <= set(part.index.get_level_values("model")):
                continue
            gain = (part.loc[one] - part.loc[other]).dropna()
            mean, n = gain.mean(), len(gain)
            reach = student.ppf(0.975, n - 1) * gain.std()
            row = {"dataset": dataset, "setting": setting, "model": f"{one} - {other}", "n": n}
            for metric in METRICS:
                row[metric] = mean[metric]
                for name, factor in {"": 1 / n, "_corrected": 1 / n + TEST_TO_TRAIN}.items():
                    half = reach[metric] * np.sqrt(factor)
                    row |= {f"{metric}_low{name}": mean[metric] - half, f"{metric}_high{name}": mean[metric] + half}
            rows.append(row)
    return pd.DataFrame(rows)


def study(frame):
    """Mean and standard deviation over seeds for each value of each parameter."""
    frame["parameter"] = [next(iter(change)) for change in frame["changes"]]
    frame["value"] = [str(next(iter(change.values()))) for change in frame["changes"]]
    table = frame.groupby(["dataset", "setting", "parameter", "value"], sort=False)[METRICS].agg(["mean", "std"])
    table.columns = ["_".join(column) for column in table.columns]
    return table


def detailed(table, protocol, paper):
    """A text table for each data set and setting, with the paper's numbers beside ours."""
    spread, suffix = ("sd over seeds", "_sd") if protocol == "authors" else ("95 % interval over splits", "_ci")
    lines = []
    for (dataset, setting), part in table.groupby(level=["dataset", "setting"], sort=False):
        known = of_paper(paper, dataset, setting)
        cells = f"cells of {part['smallest_cell'].iloc[0]:.0f} to {part['largest_cell'].iloc[0]:.0f} nodes"
        body = [["model", "accuracy", "delta DSP", "by chance", "delta DEO", "by chance", "paper"]]
        for (_, _, model), row in part.iterrows():
            values = [f"{row[m]:.1f} ± {row[m + suffix]:.1f}" for m in METRICS]
            chance = [f"{row['null_dsp']:.1f}", f"{row['null_deo']:.1f}"]
            body.append([model, *values[:2], chance[0], values[2], chance[1], known.get(model, "")])
        title = f"{dataset}, {setting}, protocol {protocol} (± {spread}, n = {part['n'].iloc[0]}, {cells})"
        lines += [title, "", *boxed(body), ""]
    return "\n".join(lines)


def compact(table, paper):
    """One text table of the main setting: accuracy / delta DSP / delta DEO of each model on each data set."""
    part = table.xs(MAIN, level="setting")
    datasets = part.index.unique("dataset")
    known = {dataset: of_paper(paper, dataset, MAIN) for dataset in datasets}
    body = [["model", *datasets]]
    for model in part.index.unique("model"):
        body.append([model, *(triple(part.loc[(dataset, model)]) for dataset in datasets)])
        if model in known[datasets[0]]:
            body.append(["\\ (paper)", *(known[dataset][model] for dataset in datasets)])
    return "\n".join([*boxed(body), ""])


def compared(gains):
    """One text table of the main setting: the differences with both intervals' verdicts."""
    body = [["data set", "difference", "accuracy", "delta DSP", "delta DEO"]]
    for _, row in gains[gains["setting"] == MAIN].iterrows():
        cells = []
        for metric in METRICS:
            clear = row[f"{metric}_low_corrected"] > 0 or row[f"{metric}_high_corrected"] < 0
            interval = f"({row[f'{metric}_low']:+.1f} to {row[f'{metric}_high']:+.1f})"
            cells.append(f"{row[metric]:+.1f} {interval}{' !' if clear else ''}")
        body.append([row["dataset"], row["model"], *cells])
    return "\n".join([*boxed(body), ""])


def into_page(page, mark, paragraphs):
    """Write tables between two marks of a page in docs/."""
    path = HERE.parent / "docs" / page
    before, rest = path.read_text(encoding="utf-8").split(f".. {mark}: begin\n")
    _, after = rest.split(f".. {mark}: end\n")
    marked = [before, f".. {mark}: begin\n\n", "\n".join(paragraphs), f"\n.. {mark}: end\n", after]
    path.write_text("".join(marked), encoding="utf-8")


def of_paper(paper, dataset, setting):
    """The paper's three numbers for each of its models."""
    same = (paper["dataset"] == dataset) & (paper[["hops", "share"]] == list(SETTINGS[setting])).all(axis=1)
    return {row["model"]: triple(row) for _, row in paper[same].iterrows()}


def triple(row):
    return " / ".join(f"{row[metric]:.1f}" for metric in METRICS)


def boxed(body):
    """Lines of a reStructuredText table; the first row is its head."""
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in body]
    return [rule, rows[0], rule, *rows[1:], rule]
