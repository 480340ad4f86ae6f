"""The command ``assess``: a report on predictions of any model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..metrics import degree_fairness_report
from ._edges import as_graph, read_edges
from ._errors import InputError
from ._ids import choose_ids, id_candidates
from ._labels import check_classes, check_predictions, read_labels
from ._log import Log
from ._output import Output
from ._pages import can_draw, page
from ._tables import Table, row_of, same_file


def assess(options: Any, log: Log) -> None:
    """Run the command."""
    output = Output(options.output, options.overwrite)
    if options.edges is not None and same_file(options.edges, options.predictions):
        raise InputError(f"--edges and --predictions are the same file, {options.edges}. Pass a table of edges.")
    table = Table(options.predictions, "--predictions")
    named = {"--target": options.target, "--predicted": options.predicted, "--reference": options.reference}
    for option, name in named.items():
        if name is not None:
            table.check_column(name, option)
    if len({name for name in named.values() if name is not None}) < sum(name is not None for name in named.values()):
        raise InputError("--target, --predicted and --reference must be different columns.")
    candidates = [name for name in id_candidates(table, options.id) if name not in named.values()]
    if options.edges is None:
        _check_no_edge_options(options)
        frame = table.read()
        degree = _degrees(table, frame, options.degree)
    else:
        frame = table.read(texts=candidates)
        degree = _count_degrees(table, frame, candidates, options, log)
    labels, known = read_labels(table.path, frame[options.target])
    check_classes(table.path, options.target, labels[known], folds=1)
    if not known.all():
        log.note(f"{(~known).sum()} nodes without a class in column {options.target!r} are left out.")
    y = labels[known]
    predicted, *reference = (
        check_predictions(table.path, options.target, name, y, frame.loc[known, name])
        for name in (options.predicted, options.reference)
        if name is not None
    )
    report = degree_fairness_report(
        y, predicted, degree=degree[known], hops=options.hops, share=options.share, random_state=options.seed,
        reference=reference[0] if reference else None, name=options.predicted,
    )  # fmt: skip
    title = f"Degree fairness of {options.predicted}"
    written = output.write(page(report, title, draw=output.folder is not None and can_draw(log)))
    print(report)
    if written:
        print(f"\nWritten to {output.folder}: {', '.join(written)}")


def _check_no_edge_options(options: Any) -> None:
    given = [name for name in ("source", "destination", "weight", "directed") if getattr(options, name)]
    if given:
        raise InputError(
            f"--{given[0]} is about edges, but degrees are read from a column. Pass --edges, not --degree."
        )


def _degrees(table: Table, frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Degrees from a column."""
    table.check_column(name, "--degree")
    degree = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~((degree >= 0) & (degree < np.inf))
    if bad.any():
        row = row_of(bad)
        raise InputError(
            f"{table.path}: column {name!r} has {frame[name].iloc[row - 1]!s} in row {row}. A degree must be a number "
            "of at least 0."
        )
    return degree


def _count_degrees(
    table: Table, frame: pd.DataFrame, candidates: list[str], options: Any, log: Log
) -> NDArray[np.float64]:
    """Degrees in the graph of all edges, also of those to nodes without a prediction."""
    edges = read_edges(options, log)
    ids = choose_ids(table, frame, candidates, options.id, edges, log, may_lack_nodes=True)
    others = edges.ends.difference(ids, sort=False)
    if len(others):
        log.note(f"{len(others)} nodes in {edges.path} are not in {table.path}. Edges to them count.")
    alone = ~ids.isin(edges.ends)
    if alone.any():
        log.note(f"{alone.sum()} nodes in {table.path}, such as {ids[alone][0]!r}, have no edges. Their degree is 0.")
    everyone = pd.DataFrame({"none": 0.0}, index=ids.append(others))
    degree: NDArray[np.float64] = as_graph(edges, everyone, options).degree(options.hops)
    return degree[: len(ids)]
