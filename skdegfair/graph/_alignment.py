"""Row labels of pandas objects. Values are read by position, so labels that contradict it raise an error."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

REMEDY = (
    "but values are read by position. If the index of {name} names nodes, select the same nodes in the same order, as "
    "in {name}.loc[{reference}.index]. If it only counts rows, pass {name}.to_numpy()."
)
OTHER_ORDER = "{name} and {reference} have the same labels in a different order, " + REMEDY
OTHER_LABELS = "{name} and {reference} have only some labels in common ({name} alone has {label}), " + REMEDY
OTHER_NODES = "{name} has the labels of other nodes of the graph than {reference}, for example {label}, " + REMEDY


class NodeLabels(NamedTuple):
    """One label per node, whether they are names rather than a count from 0, and labels of the whole graph, if any."""

    index: pd.Index
    are_names: bool
    whole: pd.Index | None = None


def node_labels(value: Any) -> NodeLabels | None:
    """Return the labels of a Graph, a Series or a DataFrame, one per node; None for anything else."""
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return NodeLabels(value.index, not is_count(value.index))
    labels: NodeLabels | None = getattr(value, "node_labels", None)
    return labels


def is_count(index: pd.Index) -> bool:
    """Whether labels are the positions, as pandas sets them by default."""
    first = index[:1]  # enough to tell names, which are slow to compare with numbers
    return bool(first.equals(pd.RangeIndex(len(first))) and index.equals(pd.RangeIndex(len(index))))


def is_label_mask(value: Any) -> bool:
    """Whether a selection of nodes is a mask with labels. Labels of a list of positions have no meaning."""
    return isinstance(value, pd.Series) and pd.api.types.is_bool_dtype(value)


def check_row_labels(X: Any = None, /, **given: Any) -> None:
    """Raise ValueError if inputs that describe the same nodes have labels that contradict each other.

    Labels contradict each other if they are the same in a different order; if both sides name their nodes, or X does,
    and they have some labels in common but not all; or if they are those of other nodes of the same graph. Anything
    without labels is read by position.

    Parameters
    ----------
    X : Graph, features or None
    **given : inputs by name
        Only Series, DataFrames and Graphs are compared. Masks of nodes are, lists of positions are not.
    """
    inputs = given if X is None else {"X": X, **given}
    labeled = [name for name, value in inputs.items() if _is_labeled(name, value)]
    if len(labeled) < 2:  # most calls: the labels of a large graph are not looked at
        return
    labels = {name: node_labels(inputs[name]) for name in labeled}
    for (reference, one), (name, other) in combinations(labels.items(), 2):
        if one is not None and other is not None and len(one.index) == len(other.index):
            message = _contradiction(one, other, is_x=reference == "X")
            if message is not None:
                alone = other.index[~other.index.isin(one.index)].tolist()
                raise ValueError(message.format(name=name, reference=reference, label=repr(alone[0] if alone else "")))


def _is_labeled(name: str, value: Any) -> bool:
    if name.endswith("nodes"):
        return is_label_mask(value)
    return isinstance(value, (pd.Series, pd.DataFrame)) or hasattr(type(value), "node_labels")


def _contradiction(one: NodeLabels, other: NodeLabels, *, is_x: bool) -> str | None:
    """Return what is wrong with two indexes of the same length; ``is_x``: the first one is that of the features."""
    if one.index.equals(other.index):
        return None
    common = np.asarray(other.index.isin(one.index))
    if common.all():
        return OTHER_ORDER
    for graph, named in ((one, other), (other, one)):
        if graph.whole is not None and not is_count(named.index) and named.index.isin(graph.whole).all():
            return OTHER_NODES
    if common.any() and one.are_names and (other.are_names or is_x):
        return OTHER_LABELS
    return None
