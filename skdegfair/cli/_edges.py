"""The list of edges: its columns, end points and weights, and the graph that they make with a table of nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..graph import Graph
from ._errors import InputError
from ._log import Log
from ._tables import Table, row_of

PAIRS = (("source", "target"), ("source", "destination"), ("src", "dst"), ("from", "to"), ("u", "v"))
"""Usual names of the columns with the end points."""


class Edges(NamedTuple):
    """Edges as a table with the columns source, target and, if they have weights, weight. End points are text."""

    path: str
    frame: pd.DataFrame
    names: tuple[str, str]

    @property
    def ends(self) -> pd.Index:
        """All nodes that have an edge."""
        return pd.Index(pd.unique(pd.concat([self.frame["source"], self.frame["target"]])))

    def first_unknown(self, ids: pd.Index) -> tuple[str, int, str] | None:
        """Column, row and end point of the first edge that refers to none of the ids."""
        for column, name in zip(("source", "target"), self.names, strict=True):
            unknown = ~self.frame[column].isin(ids)
            if unknown.any():
                first = unknown.idxmax()  # repeated edges were removed, so positions are no row numbers
                return name, int(first) + 1, str(self.frame.loc[first, column])
        return None


def read_edges(options: Any, log: Log) -> Edges:
    """Read the list of edges that the options name."""
    table = Table(options.edges, "--edges")
    if len(table.columns) < 2:
        raise InputError(
            f"{table.path} has only one column, {table.columns[0]!r}, but an edge has two end points. Separate them by "
            "commas, tabs or semicolons, as in source,target."
        )
    _check_header(table)
    source, target = names = _end_points(table, options)
    if names != ("source", "target"):
        log.note(f"End points of edges: columns {source!r} and {target!r} of {table.path}.")
    weight = options.weight
    if weight is not None:
        table.check_column(weight, "--weight")
        if weight in names:
            raise InputError(f"--weight {weight} is a column with end points. Pass another column.")
    elif "weight" in table.columns:
        log.note(f"The column 'weight' of {table.path} is not used. To use it, pass --weight weight.")
    frame = table.read(texts=names)
    for name in names:
        if frame[name].isna().any():
            row = row_of(frame[name].isna())
            raise InputError(f"{table.path}: column {name!r} is empty in row {row}. Every edge needs two end points.")
    columns = {"source": frame[source], "target": frame[target]}
    if weight is not None:
        columns["weight"] = _weights(table.path, weight, frame[weight])
    edges = pd.DataFrame(columns)
    if weight is None:
        kept = edges.drop_duplicates()
        if len(kept) < len(edges):
            log.note(f"{len(edges) - len(kept)} edges of {table.path} are repeated; each edge counts once.")
        edges = kept
    loops = int((edges["source"] == edges["target"]).sum())
    if loops:
        log.note(f"{loops} edges of {table.path} join a node with itself and are ignored.")
    return Edges(table.path, edges, names)


def as_graph(edges: Edges, features: pd.DataFrame, options: Any) -> Graph:
    """Return the graph of nodes whose ids are the index of the features."""
    weight = "weight" if "weight" in edges.frame else None
    return Graph.from_edges(edges.frame, features, weight=weight, directed=options.directed)


def _end_points(table: Table, options: Any) -> tuple[str, str]:
    """Names of the columns with the end points."""
    for name, option in ((options.source, "--source"), (options.destination, "--destination")):
        if name is not None:
            table.check_column(name, option)
    given = (options.source, options.destination)
    if None not in given:
        chosen = given
    elif given != (None, None):
        missing = "--destination" if options.source is not None else "--source"
        raise InputError(f"{table.path}: only one end point of the edges is named. Pass {missing}, too.")
    else:
        lower = {name.lower(): name for name in table.columns}
        usual = next((pair for pair in PAIRS if set(pair) <= set(lower)), None)
        chosen = tuple(table.columns[:2]) if usual is None else (lower[usual[0]], lower[usual[1]])
    if chosen[0] == chosen[1]:
        raise InputError(f"--source and --destination are the same column, {chosen[0]!r}. Pass two columns.")
    return chosen


def _check_header(table: Table) -> None:
    """Raise InputError if the first line looks like an edge."""
    if all(_is_number(name) for name in table.columns[:2]):
        first = ",".join(table.columns)
        raise InputError(
            f"{table.path} has no header: its first line is {first!r}. Add a line with the names of the columns, such "
            "as source,target."
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _weights(path: str, name: str, column: pd.Series) -> pd.Series:
    weights = pd.to_numeric(column, errors="coerce").astype(np.float64)
    for bad, what in (
        (weights.isna() & column.notna(), "is not a number"),
        (weights.isna(), "is missing"),
        (~(np.abs(weights) < np.inf), "is infinite"),
        (weights < 0, "is negative"),
    ):
        if bad.any():
            row = row_of(bad)
            shown = "a weight" if pd.isna(column.iloc[row - 1]) else f"{column.iloc[row - 1]!s}"
            raise InputError(
                f"{path}: {shown} {what} (column {name!r}, row {row}). Weights must be numbers of at least 0."
            )
    return weights
