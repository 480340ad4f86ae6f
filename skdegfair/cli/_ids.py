"""Which column of a table of nodes has the ids that edges refer to."""

from __future__ import annotations

import pandas as pd

from ._edges import Edges
from ._errors import InputError
from ._log import Log
from ._tables import Table, as_text, row_of

USUAL = ("id", "node", "node_id", "nodeid", "index", "unnamed 1", "name")
"""Names of columns, in lower case, that may hold ids; a table that pandas wrote has ids in a column without a name."""
ROW_NUMBERS = "row"
"""Name of the ids if no column has them."""
MEANT = 0.5
"""A column with at least this share of the end points is taken as the ids, even if some of them are wrong."""


def id_candidates(table: Table, given: str | None) -> list[str]:
    """Columns that may have the ids: the given one, or those with a usual name."""
    if given is not None:
        table.check_column(given, "--id")
        return [given]
    lower = {name.lower(): name for name in reversed(table.columns)}
    return [lower[name] for name in USUAL if name in lower]


def choose_ids(
    table: Table, frame: pd.DataFrame, candidates: list[str], given: str | None, edges: Edges, log: Log,
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
    edges : Edges
    log : Log
    may_lack_nodes : bool, default=False
        Whether edges may refer to nodes that the table does not have, but not all of them.
    """
    numbers = pd.Index([str(number) for number in range(len(frame))], name=ROW_NUMBERS)
    found = {name: pd.Index(frame[name], name=name) for name in candidates}
    shares = {name: float(edges.ends.isin(ids).mean()) for name, ids in found.items()}
    fitting = [name for name, share in shares.items() if (share > 0 if may_lack_nodes else share == 1)]
    if given is None:
        for name in fitting:
            ids = found[name]
            if ids.is_unique and not ids.hasnans:
                log.note(f"Ids of nodes: column {name!r} of {table.path}.")
                return ids
        if max(shares.values(), default=0) < MEANT and edges.ends.isin(numbers).all():
            log.note(f"Ids of nodes: row numbers of {table.path}, counted from 0, because no column has the ids.")
            return numbers
    chosen = max(shares, key=lambda name: shares[name], default=None)
    ids = numbers if chosen is None else found[chosen]
    _check_unique(table.path, ids)
    if chosen not in fitting:
        raise InputError(_unknown_node(table, frame, ids, edges))
    return ids


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


def _unknown_node(table: Table, frame: pd.DataFrame, ids: pd.Index, edges: Edges) -> str:
    unknown = edges.first_unknown(ids)
    assert unknown is not None
    column, row, end = unknown
    what = "row numbers" if ids.name not in frame.columns else f"column {ids.name!r}"
    alike = [name for name in frame.columns if name != ids.name and _has_all(frame[name], edges)]
    advice = (
        f"Column {alike[0]!r} has all of them: pass --id {alike[0]}."
        if alike
        else "Add a row for it, remove the edge, or name the column with ids with --id."
    )
    return (
        f"{edges.path}: the edge in row {row} refers to node {end!r} (column {column!r}), which is not among the ids "
        f"in {table.path} ({what}). {advice}"
    )


def _has_all(column: pd.Series, edges: Edges) -> bool:
    """Whether a column could be the ids that edges refer to."""
    return not pd.api.types.is_float_dtype(column.dtype) and bool(edges.ends.isin(as_text(column)).all())
