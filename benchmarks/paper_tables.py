"""Does it reproduce, and does it hold on other splits? The paper's tables, rebuilt.

Two protocols. *authors*: their one split, five seeds, mean and standard deviation over seeds. *splits*: ten random
splits with two seeds each, mean over splits with its 95 % interval, and the difference of each DegFair model to its
base GNN on the same splits. Hyper-parameters are those in benchmarks/presets/ (see search_presets.py); training stops
by the validation nodes; all numbers are of test nodes. Runs are kept in benchmarks/results/ as they finish: to go on
after a kill, start again.

Usage: python benchmarks/paper_tables.py [--quick] [--protocols authors splits studies] [--datasets ...] [--models ...]
       [--jobs 2]

Results: benchmarks/results/*.csv, *.rst and figures; the main tables also go to README.rst.
"""

import argparse
import platform
from importlib.metadata import version

import numpy as np
import pandas as pd
from _study import HERE, MODELS, RESULTS, SETTINGS, Run, carry_out, fit_and_assess, preset
from scipy.stats import t as student

AUTHORS_SEEDS = [26, 86, 2, 55, 75]
DATASETS = ["Chameleon", "Squirrel", "EMNLP"]
STUDIES = {
    "fairness_weight": [0.0, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0],
    "context_weight": [0.0, 0.01, 0.1, 0.5, 1.0, 2.0],
    "constraint_weight": [0.0, 1e-4, 1e-3, 1e-2, 1e-1],
    "degree_threshold": ["median", "mean", 5.0, 10.0, 50.0],
}
BASES = {"DegFairGCN": "GCN", "DegFairGAT": "GAT", "DegFairSAGE": "SAGE"}


def planned(protocol, datasets, models, quick):
    """The runs of a protocol."""
    if protocol == "authors":
        seeds = AUTHORS_SEEDS[:1] if quick else AUTHORS_SEEDS
        return [Run(protocol, d, m, 0, s) for d in datasets for m in models for s in seeds]
    if protocol == "splits":
        splits, seeds = (2, 1) if quick else (10, 2)
        chosen = [(s, seed) for s in range(1, splits + 1) for seed in range(seeds)]
        return [Run(protocol, d, m, s, seed) for d in datasets for m in models for s, seed in chosen]
    values = {name: each[::3] if quick else each for name, each in STUDIES.items()}
    return [
        Run("authors", d, "DegFairGCN", 0, seed, ((name, value),))
        for d in datasets
        for name, each in values.items()
        for value in each
        for seed in AUTHORS_SEEDS[: 1 if quick else 3]
    ]


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
    metrics = ["accuracy", "delta_dsp", "delta_deo"]
    keys = ["dataset", "setting", "model"]
    several = frame["split"].nunique() > 1
    units = frame.groupby([*keys, "split"], sort=False)[metrics].mean() if several else frame.set_index(keys)[metrics]
    groups = units.groupby(level=keys, sort=False)
    n = groups.size()
    table = groups.mean().join(groups.std().add_suffix("_sd"))
    for metric in metrics:
        reach = student.ppf(0.975, np.maximum(n - 1, 1)) / np.sqrt(n)
        table[f"{metric}_ci"] = table[f"{metric}_sd"] * reach
    extra = frame.groupby(keys, sort=False)[["null_dsp", "null_deo", "smallest_cell", "largest_cell"]].mean()
    table = table.join(extra)
    table["n"] = n
    return table


def differences(frame):
    """DegFair minus base GNN, split by split: mean and 95 % interval."""
    rows = []
    metrics = ["accuracy", "delta_dsp", "delta_deo"]
    means = frame.groupby(["dataset", "setting", "model", "split"], sort=False)[metrics].mean()
    for (dataset, setting), part in means.groupby(level=["dataset", "setting"], sort=False):
        part = part.droplevel(["dataset", "setting"])
        for fair, base in BASES.items():
            if {fair, base} <= set(part.index.get_level_values("model")):
                gain = part.loc[fair] - part.loc[base]
                reach = student.ppf(0.975, len(gain) - 1) * gain.std() / np.sqrt(len(gain))
                row = {"dataset": dataset, "setting": setting, "model": f"{fair} - {base}", "n": len(gain)}
                for metric in metrics:
                    low, high = gain[metric].mean() - reach[metric], gain[metric].mean() + reach[metric]
                    row |= {metric: gain[metric].mean(), f"{metric}_low": low, f"{metric}_high": high}
                rows.append(row)
    return pd.DataFrame(rows)


def as_rst(table, protocol, paper):
    """The tables as text, with the paper's numbers beside ours."""
    spread = "sd over seeds" if protocol == "authors" else "95 % interval over splits"
    suffix = "_sd" if protocol == "authors" else "_ci"
    lines = []
    for (dataset, setting), part in table.groupby(level=["dataset", "setting"], sort=False):
        same = (paper["dataset"] == dataset) & (paper[["hops", "share"]] == list(SETTINGS[setting])).all(axis=1)
        known = paper[same].set_index("model")
        cells = f"cells of {part['smallest_cell'].iloc[0]:.0f} to {part['largest_cell'].iloc[0]:.0f} nodes"
        body = [["model", "accuracy", "delta DSP", "by chance", "delta DEO", "by chance", "paper"]]
        for (_, _, model), row in part.iterrows():
            values = [f"{row[m]:.1f} ± {row[m + suffix]:.1f}" for m in ("accuracy", "delta_dsp", "delta_deo")]
            beside = "" if model not in known.index else " / ".join(f"{x:.1f}" for x in known.loc[model].iloc[-3:])
            body.append(
                [model, values[0], values[1], f"{row['null_dsp']:.1f}", values[2], f"{row['null_deo']:.1f}", beside]
            )
        widths = [max(map(len, column)) for column in zip(*body, strict=True)]
        rule = "  ".join("=" * width for width in widths)
        rows = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in body
        ]
        title = f"{dataset}, {setting}, protocol {protocol} (± {spread}, n = {part['n'].iloc[0]}, {cells})"
        lines += [title, "", rule, rows[0], rule, *rows[1:], rule, ""]
    return "\n".join(lines)


def study(frame):
    """Mean and standard deviation over seeds for each value of each parameter."""
    frame["parameter"] = [next(iter(change)) for change in frame["changes"]]
    frame["value"] = [str(next(iter(change.values()))) for change in frame["changes"]]
    keys = ["dataset", "setting", "parameter", "value"]
    table = frame.groupby(keys, sort=False)[["accuracy", "delta_dsp", "delta_deo"]].agg(["mean", "std"])
    table.columns = ["_".join(column) for column in table.columns]
    return table


def draw_frontiers(table, folder):
    """What fairness costs on each data set: DegFairGCN with more and more of the fairness loss."""
    import matplotlib as mpl

    mpl.use("Agg")
    from skdegfair.display import ParetoDisplay

    for dataset in table.index.unique("dataset"):
        part = table.xs((dataset, "r=1, 20 %", "fairness_weight"), level=["dataset", "setting", "parameter"]) / 100
        vote = Run("authors", dataset, "majority vote", 0, AUTHORS_SEEDS[0])
        display = ParetoDisplay(
            part["accuracy_mean"],
            part["delta_dsp_mean"],
            names=[f"fairness_weight={value}" for value in part.index],
            accuracy_sd=part["accuracy_std"].fillna(0),
            gap_sd=part["delta_dsp_std"].fillna(0),
            majority=fit_and_assess(vote)["accuracy"],
        ).plot()
        display.figure_.savefig(folder / f"frontier_{dataset.lower()}.png", dpi=120)


def into_readme(tables):
    """Put the main tables between the two marks in README.rst."""
    path = HERE.parent / "README.rst"
    before, rest = path.read_text(encoding="utf-8").split(".. tables of the paper: begin\n")
    _, after = rest.split(".. tables of the paper: end\n")
    marked = [before, ".. tables of the paper: begin\n\n", *tables, "\n.. tables of the paper: end\n", after]
    path.write_text("".join(marked), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed, two splits, few values, not Squirrel")
    parser.add_argument("--protocols", nargs="+", default=["authors", "splits", "studies"])
    parser.add_argument("--datasets", nargs="+", default=None)
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    datasets = options.datasets or (["Chameleon", "EMNLP"] if options.quick else DATASETS)
    folder = RESULTS / "quick" if options.quick else RESULTS
    paper = pd.read_csv(HERE / "paper_numbers.csv")
    versions = {name: version(name) for name in ("skdegfair", "torch", "scikit-learn", "skorch", "numpy", "scipy")}
    made_with = f"Python {platform.python_version()}, " + ", ".join(f"{n} {v}" for n, v in versions.items())
    presets = {(d, m): preset(d, m) for d in datasets for m in options.models if MODELS[m].preset == m}
    chosen = ["Presets", "", *(f"* {d}, {m}: {p or 'defaults'}" for (d, m), p in presets.items()), ""]
    main_tables = []
    for protocol in options.protocols:
        runs = planned(protocol, datasets, options.models, options.quick)
        frame = as_frame(carry_out(runs, folder / f"runs_{protocol}.jsonl", options.jobs))
        if protocol == "studies":
            table = study(frame)
            draw_frontiers(table, folder)
        else:
            table = summary(frame)
            text = "\n".join([f"Made with {made_with}.", "", as_rst(table, protocol, paper), *chosen])
            (folder / f"{protocol}.rst").write_text(text, encoding="utf-8")
            print(text)
            main_tables.append(as_rst(table.loc[(slice(None), "r=1, 20 %"), :], protocol, paper))
        table.round(3).to_csv(folder / f"{protocol}.csv")
        if protocol == "splits":
            differences(frame).round(3).to_csv(folder / "differences.csv", index=False)
    if main_tables and not options.quick:
        into_readme(main_tables)


if __name__ == "__main__":
    main()
