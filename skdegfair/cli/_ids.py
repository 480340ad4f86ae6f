"""Which column of a table of nodes has the ids that edges refer to."""

from __future__ import annotations

import pandas as pd

from ._edges import Edges
from ._errors import InputError
from ._log import Log
from ._tables import Table, row_of

USUAL = ("id", "node", "node_id", "nodeid", "index", "unnamed 1", "name")
"""Names of columns, in lower case, that may hold ids; a table that pandas wrote has ids in a column without a name."""
ROW_NUMBERS = "row"
"""Name of the ids if no column has them."""


def id_candidates(table: Table, given: str | None) -> list[str]:
    """Columns that may have the ids: the given one, or those with a usual name."""
    if given is not None:
        table.check_column(given, "--id")
        return [given]
    lower = {name.lower(): name for name in reversed(table.columns)}
    return [lower[name] for name in USUAL if name in lower]


def choose_ids(
    table: Table, frame: pd.DataFrame, candidates: list[str], given: str | None, edges: Edges | None, log: Log,
    *, may_lack_nodes: bool = False,
) -> pd.Index:  # fmt: skip
    """Return the id of every row, as text. The name of the index is that of the column.

    Without a given column, the first candidate whose ids are unique and include the end points of the edges is chosen,
    then row numbers.

    Parameters
    ----------
    table, frame : the file and its content, with the candidates as text
    candidates : list of str
    given : str or None
    edges : Edges or None
    log : Log
    may_lack_nodes : bool, default=False
        Whether edges may refer to nodes that the table does not have, but not all of them.
    """
    numbers = pd.Index([str(number) for number in range(len(frame))], name=ROW_NUMBERS)
    found = {name: pd.Index(frame[name], name=name) for name in candidates}
    if given is None:
        for name, ids in found.items():
            if ids.is_unique and not ids.hasnans and _fits(ids, edges, may_lack_nodes):
                log.note(f"Ids of nodes: column {name!r} of {table.path}.")
                return ids
        if _fits(numbers, edges, partly=False):
            log.note(f"Ids of nodes: row numbers of {table.path}, counted from 0, because no column has the ids.")
            return numbers
    name = candidates[0] if candidates else None
    ids = numbers if name is None else found[name]
    _check_unique(table.path, ids)
    if edges is not None and not _fits(ids, edges, may_lack_nodes and name is not None):
        raise InputError(_unknown_node(table, frame, ids, edges, given))
    return ids


def _fits(ids: pd.Index, edges: Edges | None, partly: bool) -> bool:
    if edges is None:
        return True
    known = edges.ends.isin(ids)
    return bool(known.any() if partly else known.all())


def _check_unique(path: str, ids: pd.Index) -> None:
    if ids.hasnans:
        raise InputError(
            f"{path}: the id in column {ids.name!r} is missing in row {row_of(ids.isna())}. Every node needs an id; "
            "name another column with --id."
        )
    again = ids.duplicated()
    if again.any():
        row = row_of(again)
        raise InputError(
            f"{path}: the id {ids[row - 1]!r} in column {ids.name!r} appears more than once, again in row {row}. Keep "
            "one row per node, or name another column with --id."
        )


def _unknown_node(table: Table, frame: pd.DataFrame, ids: pd.Index, edges: Edges, given: str | None) -> str:
    unknown = edges.first_unknown(ids)
    assert unknown is not None
    column, row, end = unknown
    what = "row numbers" if ids.name == ROW_NUMBERS and given is None else f"column {ids.name!r}"
    alike = [
        name for name in frame.columns if name != ids.name and edges.ends.isin(table.read([name])[name]).mean() == 1.0
    ]
    advice = (
        f"Column {alike[0]!r} has all of them: pass --id {alike[0]}."
        if alike
        else "Add a row for it, remove the edge, or name the column with ids with --id."
    )
    return (
        f"{edges.path}: the edge in row {row} refers to node {end!r} (column {column!r}), which is not among the ids "
        f"in {table.path} ({what}). {advice}"
    )
