"""Labels that pandas carries. Values are read by position, so labels that say otherwise raise an error."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

OTHER_ORDER = (
    "{name} and {reference} have the same labels in a different order, but values are read by position. Reorder one of "
    "them, as in {name}.loc[{reference}.index], or pass {name}.to_numpy() if the order is right."
)
OTHER_LABELS = (
    "{name} and {reference} have only some labels in common ({name} alone has {label!r}), but values are read by "
    "position. Select the same nodes, as in {name}.loc[{reference}.index], or pass {name}.to_numpy() if the order is "
    "right."
)


class NodeLabels(NamedTuple):
    """One label per node, and whether they are names rather than a count from 0."""

    index: pd.Index
    are_names: bool


def node_labels(value: Any) -> NodeLabels | None:
    """Return the labels of a Graph, a Series or a DataFrame, one per node; None for anything else."""
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return NodeLabels(value.index, not is_count(value.index))
    labels: NodeLabels | None = getattr(value, "node_labels", None)
    return labels


def is_count(index: pd.Index) -> bool:
    """Whether labels are the positions, as pandas sets them where nobody names rows."""
    first = index[:1]  # enough to tell names, which are slow to compare with numbers
    return bool(first.equals(pd.RangeIndex(len(first))) and index.equals(pd.RangeIndex(len(index))))


def is_label_mask(value: Any) -> bool:
    """Whether a selection of nodes is a mask with labels. Those of a list of positions have no meaning."""
    return isinstance(value, pd.Series) and pd.api.types.is_bool_dtype(value)


def check_row_labels(X: Any = None, /, **given: Any) -> None:
    """Raise ValueError if inputs that describe the same nodes have labels that contradict each other.

    Labels contradict each other if they are the same in a different order, or if both sides name their nodes and have
    some labels in common but not all. Anything without labels is read by position.

    Parameters
    ----------
    X : Graph, features or None
    **given : inputs by name
        Only Series, DataFrames and Graphs are compared. Masks of nodes are, lists of positions are not.
    """
    seen: dict[str, NodeLabels] = {}
    for name, value in (given if X is None else {"X": X, **given}).items():
        labels = node_labels(value)
        if labels is None or (name.endswith("nodes") and not is_label_mask(value)):
            continue
        for reference, earlier in seen.items():
            if len(labels.index) == len(earlier.index):
                _check_same(earlier, labels, reference, name)
        seen[name] = labels


def _check_same(one: NodeLabels, other: NodeLabels, reference: str, name: str) -> None:
    if one.index.equals(other.index):
        return
    alone = ~np.asarray(other.index.isin(one.index))
    if not alone.any():  # as many labels, so they are the same
        raise ValueError(OTHER_ORDER.format(name=name, reference=reference))
    if one.are_names and other.are_names and not alone.all():
        label = other.index[alone.argmax()]
        raise ValueError(OTHER_LABELS.format(name=name, reference=reference, label=label))
