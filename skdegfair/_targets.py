"""Which nodes a model is trained on, which it is validated on, and what their classes are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .graph import check_nodes

Positions = NDArray[np.intp]


class Targets(NamedTuple):
    """Positions of the nodes among those that were handed over, and the class of every such node."""

    train: Positions
    valid: Positions | None
    classes: NDArray[Any]
    codes: NDArray[np.intp]  # of all nodes; meaningless where a node is in neither set


def check_labels(y: Any, n_nodes: int) -> NDArray[Any]:
    """Return y as one label per node; whether they are sensible is asked of the nodes in use only."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None.")
    shape = np.asarray(y).shape
    if len(shape) > 1 and shape[1:] != (1,):
        raise ValueError(f"y should be a 1d array with one class per node, got an array of shape {shape} instead.")
    y = column_or_1d(y, warn=True)
    if len(y) != n_nodes:
        raise ValueError(
            f"y has {len(y)} labels for {n_nodes} nodes (inconsistent numbers of samples). Give one label per node; "
            "where only some nodes are to be trained on, name them with nodes=."
        )
    return y


def is_unlabelled(y: NDArray[Any], placeholder: Any) -> NDArray[np.bool_]:
    """Where y holds the placeholder for an unknown label."""
    if placeholder is None:
        return np.zeros(len(y), dtype=bool)
    return np.asarray(pd.isna(y) if pd.isna(placeholder) else y == placeholder)


def check_targets(y: Any, n_nodes: int, nodes: Any, validation_nodes: Any, unlabelled: Any) -> Targets:
    """Choose the nodes and encode their classes, or say what is wrong with them."""
    y = check_labels(y, n_nodes)
    valid = None if validation_nodes is None else check_nodes(validation_nodes, n_nodes, name="validation_nodes")
    if nodes is not None:
        train = check_nodes(nodes, n_nodes)
        common = np.intersect1d(train, [] if valid is None else valid)
        if len(common):
            raise ValueError(f"nodes and validation_nodes overlap: both hold node {common[0]:.0f}.")
    else:
        train = np.setdiff1d(np.arange(n_nodes), [] if valid is None else valid)
    known = ~is_unlabelled(y, unlabelled)
    train = _labelled(train, known, "training")
    valid = None if valid is None else _labelled(valid, known, "validation")
    used = train if valid is None else np.concatenate([train, valid])
    _check_classes(y, used)
    if len(np.unique(y[train])) < 2:
        raise ValueError(f"The training nodes hold one class only ({y[train][0]!r}): a classifier needs two.")
    classes = np.unique(y[used])
    codes = np.zeros(n_nodes, dtype=np.intp)
    codes[used] = np.searchsorted(classes, y[used])
    return Targets(train, valid, classes, codes)


def hold_out(targets: Targets, nodes: Positions, fraction: float, seed: int) -> Targets:
    """Set part of the training nodes aside for validation, class by class where there are enough of each.

    A node that was selected several times stays on one side. Every class keeps a
    training node; if that leaves none to set aside, there is no validation set.
    """
    unique, first = np.unique(nodes[targets.train], return_index=True)
    codes = targets.codes[targets.train][first]
    n_valid = int(np.ceil(fraction * len(unique)))
    counts = np.bincount(codes, minlength=len(targets.classes))
    if counts.min() >= 2 and n_valid >= len(counts) and len(unique) - n_valid >= len(counts):
        chosen = train_test_split(unique, test_size=n_valid, stratify=codes, random_state=seed)[1]
    else:
        chosen = []
        for k in np.random.RandomState(seed).permutation(len(unique)):
            if counts[codes[k]] > 1 and len(chosen) < n_valid:
                counts[codes[k]] -= 1
                chosen.append(unique[k])
    if not len(chosen):
        return targets
    aside = np.isin(nodes[targets.train], chosen)
    return targets._replace(train=targets.train[~aside], valid=targets.train[aside])


def _labelled(positions: Positions, known: NDArray[np.bool_], purpose: str) -> Positions:
    positions = positions[known[positions]]
    if not len(positions):
        raise ValueError(f"There is no labelled {purpose} node.")
    return positions


def _check_classes(y: NDArray[Any], used: Positions) -> None:
    missing = np.asarray(pd.isna(y[used]))
    if missing.any():
        raise ValueError(
            f"Input y contains NaN, at node {used[missing.argmax()]}. Train on the labelled nodes only (nodes=), or "
            "say what stands for an unknown label (unlabelled=)."
        )
    if y.dtype.kind == "f":
        assert_all_finite(y[used], input_name="y")
    check_classification_targets(y[used])
