"""The command ``report``: from two files to a comparison of a plain and a fair model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from .. import model_card, save
from ..graph import Graph
from ..metrics import ModelComparison, compare_models
from ._edges import as_graph, read_edges
from ._errors import InputError
from ._features import Features, read_features
from ._ids import choose_ids, id_candidates
from ._labels import check_classes, read_labels
from ._log import Log
from ._models import FAIR, cross_validated, make_models
from ._output import Output
from ._pages import Files, can_draw, page, plots
from ._tables import Table, same_file

CARD = (
    "The numbers on this page are from a cross-validation with {folds} folds: each node was predicted by a model that "
    "was not trained on it. The model itself was then fitted on all {n_labeled} labeled nodes. Say here what it is "
    "meant for, and what it is not meant for."
)


class Task(NamedTuple):
    """A graph with the classes of its labeled nodes."""

    graph: Graph
    features: Features
    labels: NDArray[Any]
    known: NDArray[np.bool_]

    @property
    def labeled(self) -> Graph:
        part: Graph = self.graph[self.known]
        return part

    @property
    def y(self) -> NDArray[Any]:
        return self.labels[self.known]


def report(options: Any, log: Log) -> None:
    """Run the command."""
    output = Output(options.output, options.overwrite)
    task = read_task(options, log)
    models = make_models(task.features, options)
    out_of_fold = cross_validated(models, task.labeled, task.y, options, log)
    log.progress("comparing the models")
    comparison = compare_models(
        out_of_fold, task.labeled, task.y, hops=options.hops, share=options.share, random_state=options.seed
    )
    written = []
    if output.folder is not None:
        log.progress(f"{FAIR}: all labeled nodes")
        fitted = models[FAIR].fit(task.labeled, task.y)
        written = output.write(_files(task, fitted, out_of_fold[FAIR], comparison, options, log))
    print(f"{task.graph}, {task.known.sum()} nodes with a class. {options.folds}-fold cross-validation.\n")
    print(comparison)
    print(f"\nFindings about {FAIR}, compared with {comparison.reference}\n{comparison.report(FAIR).findings}")
    if written:
        print(f"\nWritten to {output.folder}: {', '.join(written)}")
    else:
        log.note("Nothing was written. To get a report page, a model and predictions, pass --output FOLDER.")


def read_task(options: Any, log: Log) -> Task:
    """Read both files."""
    if same_file(options.edges, options.nodes):
        raise InputError(
            f"--edges and --nodes are the same file, {options.nodes}. Pass a table of edges and one of nodes."
        )
    edges = read_edges(options, log)
    table = Table(options.nodes, "--nodes")
    table.check_column(options.target, "--target")
    for name in options.ignore:
        table.check_column(name, "--ignore")
    candidates = [name for name in id_candidates(table, options.id) if name != options.target]
    if options.id == options.target:
        raise InputError(f"--id and --target are the same column, {options.id!r}. Pass two columns.")
    frame = table.read(texts=candidates)
    ids = choose_ids(table, frame, candidates, options.id, edges, log)
    labels, known = read_labels(table.path, frame[options.target])
    check_classes(table.path, options.target, labels[known], options.folds)
    features = read_features(table.path, frame, {ids.name, options.target, *options.ignore}, log)
    graph = as_graph(edges, features.frame.set_axis(ids), options)
    n_known = int(known.sum())
    log.note(
        f"{graph}, {len(np.unique(labels[known]))} classes, {n_known} nodes with a class, "
        f"{len(known) - n_known} without."
    )
    return Task(graph, features, labels, known)


def _files(
    task: Task, fitted: Pipeline, out_of_fold: NDArray[Any], comparison: ModelComparison, options: Any, log: Log
) -> Files:
    """What is written, by name."""
    draw, fair = can_draw(log), comparison.report(FAIR)
    files = page(fair, f"Degree fairness of {FAIR} for {options.target}", draw=draw)
    if draw:
        files |= plots(comparison, FAIR)
    if find_spec("safetensors") is None:
        log.warn('The model will not be saved, which needs safetensors: pip install "skdegfair[save]".')
    else:
        files["model.skdegfair"] = lambda path: save(fitted, path)
    card = CARD.format(folds=options.folds, n_labeled=len(task.y))
    files["model_card.md"] = lambda path: model_card(
        fitted, task.labeled, task.y, report=fair, title=f"{FAIR} for {options.target}", purpose=card, path=path
    )
    files["predictions.csv"] = lambda path: _write_predictions(path, task, fitted, out_of_fold, options.target)
    return files


def _write_predictions(path: Path, task: Task, fitted: Pipeline, out_of_fold: NDArray[Any], target: str) -> None:
    """Write the predictions of the model with probabilities, and for labeled nodes also those of cross-validation."""
    chances = fitted.predict_proba(task.graph)
    true, validated = (pd.Series("", index=range(len(task.known)), dtype=object) for _ in range(2))
    true[task.known], validated[task.known] = task.y, out_of_fold
    columns = [
        pd.Series(fitted.classes_[chances.argmax(axis=1)], name="predicted"),
        *(pd.Series(chances[:, k], name=f"probability_{name}") for k, name in enumerate(fitted.classes_)),
        true.rename(target),
        validated.rename("cross_validated"),
    ]
    frame = pd.concat(columns, axis=1).set_axis(task.graph.index)
    frame.to_csv(path, index_label=task.graph.index.name, encoding="utf-8")
