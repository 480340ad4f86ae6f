"""Which nodes a model is trained on, which it is validated on, and what their classes are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from ._graph import Graph
from ._labels import as_labels, as_typed_array, is_unlabeled
from ._validation import check_nodes

Positions = NDArray[np.intp]


class Targets(NamedTuple):
    """Positions of the nodes among those that were passed, and the class of every passed node."""

    train: Positions
    valid: Positions | None
    classes: NDArray[Any]
    codes: NDArray[np.intp]  # of all nodes; meaningless where a node is in neither set


def check_labels(y: Any, n_nodes: int) -> NDArray[Any]:
    """Return y as one label per node. Labels are checked later, and only those of nodes in use."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    y = as_labels(y)
    if len(y) != n_nodes:
        raise ValueError(
            f"y has {len(y)} labels for {n_nodes} nodes (inconsistent numbers of samples). Give one label per node; "
            "to train on some nodes only, select them with nodes=."
        )
    return y


def check_selection(graph: Graph, **selections: Any) -> None:
    """Raise ValueError for labels, and for positions that could refer to a view or to the whole graph."""
    for name, nodes in selections.items():
        if isinstance(nodes, pd.Index) and graph.node_labels.are_names:
            raise ValueError(
                f"{name} takes positions or a mask, got an index, which holds labels of nodes. Pass "
                f"X.index.get_indexer({name}), or X.index.isin({name})."
            )
        if nodes is not None and not graph.is_whole and np.asarray(nodes).dtype.kind in "iu":
            raise ValueError(
                f"{name} holds positions, but X is a part of a graph, so they could refer to the part or to the whole "
                "graph. This also happens in cross-validation, which splits X and y but not positions. Pass a mask "
                f"with one entry per label, or select the nodes first, as in G[{name}]."
            )


def check_targets(y: Any, nodes: Positions, train: Any, valid: Any, unlabeled: Any) -> Targets:
    """Choose the nodes and encode their classes. Raises ValueError if they do not fit.

    Parameters
    ----------
    y : one label for each of ``nodes``
    nodes : the nodes that were passed, some of them possibly more than once
    train, valid : masks or positions among them, or None
    unlabeled : placeholder for an unknown label, or None
    """
    y = check_labels(y, len(nodes))
    if valid is not None:
        valid = check_nodes(valid, len(nodes), name="validation_nodes")
    held_back = np.isin(nodes, [] if valid is None else nodes[valid])
    if train is not None:
        train = check_nodes(train, len(nodes))
        if held_back[train].any():
            common = nodes[train][held_back[train]][0]
            raise ValueError(f"nodes and validation_nodes overlap: both hold node {common}.")
    else:
        train = np.flatnonzero(~held_back)
    known = ~is_unlabeled(y, unlabeled)
    train = _labeled(train, known, "training", nodes)
    valid = None if valid is None else _labeled(valid, known, "validation", nodes)
    used = train if valid is None else np.concatenate([train, valid])
    labels = _checked_classes(y, used)
    classes, found = np.unique(labels, return_inverse=True)
    codes = np.zeros(len(nodes), dtype=np.intp)
    codes[used] = found
    if (codes[train] == codes[train[0]]).all():
        raise ValueError(f"The training nodes have one class only ({labels[0]}): a classifier needs two.")
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


def node_weights(targets: Targets, sample_weight: Any, class_weight: Any) -> NDArray[np.float64] | None:
    """Weight of each node in the classification loss, 1 on average over the training and over the validation nodes.

    Parameters
    ----------
    targets : Targets
    sample_weight : array-like of shape (n_nodes,), or None
    class_weight : dict, "balanced" or None

    Returns
    -------
    ndarray of shape (n_nodes,), or None if all weights are the same
    """
    if sample_weight is None and class_weight is None:
        return None
    n_nodes = len(targets.codes)
    weights = np.array(
        _check_sample_weight(sample_weight, np.empty((n_nodes, 1)), dtype=np.float64, ensure_non_negative=True)
    )
    if class_weight is not None:
        codes = targets.codes[targets.train]
        trained = np.unique(codes)  # a class of validation nodes alone has weight 1
        of_class = np.ones(len(targets.classes))
        chosen = targets.classes[trained] if class_weight == "balanced" else targets.classes
        found = compute_class_weight(class_weight, classes=chosen, y=targets.classes[codes])
        of_class[trained if class_weight == "balanced" else slice(None)] = found
        if not ((of_class >= 0) & (of_class < np.inf)).all():
            raise ValueError(f"class_weight must be finite and at least 0, got {class_weight}.")
        weights *= of_class[targets.codes]
    for part in (targets.train, targets.valid):
        if part is None:
            continue
        with np.errstate(over="ignore"):
            mean = weights[part].mean()
        if np.isinf(mean):
            raise ValueError(
                "sample_weight or class_weight is too large: its mean is infinite. Divide it by its maximum."
            )
        if mean == 0:
            raise ValueError("All training nodes, or all validation nodes, have weight 0. Give some a non-zero weight.")
        weights[part] /= mean
    return weights


def _labeled(positions: Positions, known: NDArray[np.bool_], purpose: str, nodes: Positions) -> Positions:
    """Positions with a label, in the order of the graph: the order in which users list nodes must not matter."""
    positions = positions[known[positions]]
    if not len(positions):
        raise ValueError(f"There is no labeled {purpose} node.")
    return positions[np.argsort(nodes[positions], kind="stable")]


def _checked_classes(y: NDArray[Any], used: Positions) -> NDArray[Any]:
    """The labels in use, none missing, with a proper dtype."""
    labels = y[used]
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise ValueError(
            f"Input y contains NaN, at node {used[missing.argmax()]}. Train on the labeled nodes only (nodes=), or "
            "say what stands for an unknown label (unlabeled=)."
        )
    labels = as_typed_array(labels)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels
