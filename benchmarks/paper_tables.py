"""Can the paper's tables be reproduced, and do the results hold on other splits?

Two protocols. *authors*: their one split, five seeds, mean and standard deviation over seeds. *splits*: ten random
splits with two seeds each, mean over splits with its 95 % interval, and the difference of each DegFair model from its
base GNN, and from its ablations, on the same splits. Then *studies* of one parameter at a time. Hyper-parameters are
chosen as described in _presets.py, by predictions for nodes that are not test nodes; ablations and studies use those of
DegFairGCN. Models are fitted to the training nodes; all numbers are of test nodes. Each run is saved in
benchmarks/results/ when it finishes. To continue after an interruption, start the script again.

Usage: python benchmarks/paper_tables.py [--quick] [--protocols authors splits studies] [--datasets ...] [--models ...]
       [--jobs 2]

Complete results are written to benchmarks/results/ (*.csv, *.rst and figures), and the main tables also to
docs/evidence.rst. Results for some of the data sets, models or protocols are written to benchmarks/results/partial/,
results with --quick to benchmarks/results/quick/.
"""

import argparse
import platform
from importlib.metadata import version

import pandas as pd
from _presets import preset
from _study import HERE, MODELS, RELEASED, RESULTS, Run, carry_out, fit_and_assess, job_of
from _tables import MAIN, as_frame, compact, compared, detailed, differences, into_page, study, summary

AUTHORS_SEEDS = [26, 86, 2, 55, 75]
PROTOCOLS = ["authors", "splits", "studies"]
DATASETS = ["Chameleon", "EMNLP", "Squirrel"]  # the largest last
STUDIES = {
    "fairness_weight": [0.0, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0],
    "context_weight": [0.0, 0.1, 0.5, 1.0, 2.0, 4.0],
    "constraint_weight": [0.0, 1e-4, 1e-2, 1.0],
    "degree_threshold": ["median", "mean", 5.0, 50.0],
}
HEADS = {
    "authors": "The authors' split, mean of five seeds: accuracy / delta DSP / delta DEO in percent.",
    "splits": "Ten random splits, mean of two seeds each: accuracy / delta DSP / delta DEO in percent.",
}


def planned(protocol, datasets, models, quick):
    """The runs of a protocol. The released code's settings are for its authors' split."""
    if protocol == "authors":
        seeds = AUTHORS_SEEDS[:1] if quick else AUTHORS_SEEDS
        return [Run(protocol, d, m, 0, s) for d in datasets for m in models for s in seeds]
    if protocol == "splits":
        splits, seeds = (2, 1) if quick else (10, 2)
        chosen = [(s, seed) for s in range(1, splits + 1) for seed in range(seeds)]
        return [Run(protocol, d, m, s, seed) for d in datasets for m in models if m != RELEASED for s, seed in chosen]
    values = {name: each[::3] if quick else each for name, each in STUDIES.items()}
    return [
        Run("authors", d, "DegFairGCN", 0, seed, ((name, value),))
        for d in datasets
        for name, each in values.items()
        for value in each
        for seed in AUTHORS_SEEDS[: 1 if quick else 3]
    ]


def draw_frontiers(table, folder):
    """What fairness costs on each data set: DegFairGCN with more and more of the fairness loss."""
    import matplotlib as mpl

    mpl.use("Agg")
    from skdegfair.display import ParetoDisplay

    for dataset in table.index.unique("dataset"):
        part = table.xs((dataset, MAIN, "fairness_weight"), level=["dataset", "setting", "parameter"]) / 100
        vote = Run("authors", dataset, "majority vote", 0, AUTHORS_SEEDS[0])
        display = ParetoDisplay(
            part["accuracy_mean"],
            part["delta_dsp_mean"],
            names=[f"mu={value}" for value in part.index],
            accuracy_sd=part["accuracy_std"].fillna(0),
            gap_sd=part["delta_dsp_std"].fillna(0),
            majority=fit_and_assess(job_of(vote))["accuracy"],
        ).plot()
        display.figure_.savefig(folder / f"frontier_{dataset.lower()}.png", dpi=120, bbox_inches="tight")


def provenance(datasets, models):
    """Versions and presets behind the results."""
    versions = {name: version(name) for name in ("skdegfair", "torch", "scikit-learn", "skorch", "numpy", "scipy")}
    presets = {(d, m): preset(d, m) for d in datasets for m in models if MODELS[m].preset == m}
    return [
        f"Made with Python {platform.python_version()}, " + ", ".join(f"{n} {v}" for n, v in versions.items()) + ".",
        "",
        *(f"* {dataset}, {model}: {chosen or 'defaults'}" for (dataset, model), chosen in presets.items()),
        "",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed, two splits, few values, not Squirrel")
    parser.add_argument("--protocols", nargs="+", default=PROTOCOLS, choices=PROTOCOLS)
    parser.add_argument("--datasets", nargs="+", default=None, choices=DATASETS)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    datasets = options.datasets or (["Chameleon", "EMNLP"] if options.quick else DATASETS)
    runs_folder = RESULTS / "quick" if options.quick else RESULTS
    whole = (options.protocols, datasets, options.models) == (PROTOCOLS, DATASETS, list(MODELS))
    folder = runs_folder if whole or options.quick else RESULTS / "partial"
    folder.mkdir(parents=True, exist_ok=True)
    paper = pd.read_csv(HERE / "paper_numbers.csv")
    for_page = []
    for protocol in options.protocols:
        runs = planned(protocol, datasets, options.models, options.quick)
        frame = as_frame(carry_out(runs, runs_folder / f"runs_{protocol}.jsonl", options.jobs))
        if protocol == "studies":
            table = study(frame)
            draw_frontiers(table, folder)
        else:
            table = summary(frame)
            text = "\n".join([*provenance(datasets, options.models), detailed(table, protocol, paper)])
            (folder / f"{protocol}.rst").write_text(text, encoding="utf-8")
            for_page += [HEADS[protocol], "", compact(table, paper)]
        table.round(3).to_csv(folder / f"{protocol}.csv")
        if protocol == "splits":
            gains = differences(frame)
            gains.round(3).to_csv(folder / "differences.csv", index=False)
            for_page += [
                "Differences on the same splits, with the 95 % interval of their mean. An exclamation mark means that\n"
                "the wider interval, which allows for splits that share nodes, does not include 0 either.",
                "",
                compared(gains),
            ]
    print("\n".join(for_page))
    if whole:
        into_page("evidence.rst", "tables of the paper", for_page)


if __name__ == "__main__":
    main()
