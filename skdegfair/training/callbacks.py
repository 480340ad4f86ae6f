"""Callbacks that record each epoch, show progress and stop training early."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skorch.callbacks import Callback, EarlyStopping, PrintLog
from skorch.utils import noop

from ..graph import Graph
from ..metrics import gaps, group_counts, mean_of_defined, prediction_rates, recalls
from ..nn import Output
from ..nn.block import one_process

DIVERGED = (
    "The {what} became {value} in epoch {epoch}. Lower learning_rate, or scale the features, for example "
    "with GraphTransformer(StandardScaler())."
)


MONITORS = {
    "valid_score": False,
    "valid_accuracy": False,
    "valid_loss": True,
    "valid_delta_dsp": True,
    "valid_delta_deo": True,
}
"""Values that early stopping can monitor, and whether lower is better."""


class StopTraining(KeyboardInterrupt):
    """Raise it in a callback to end training without an error.

    skorch ends training quietly on any KeyboardInterrupt, so that Ctrl-C in a search would end one fold only. Here a
    plain KeyboardInterrupt ends everything, and a callback that wants a quiet end raises this class.

    Examples
    --------
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.training import StopTraining
    >>> from skorch.callbacks import Callback
    >>> class StopAfter(Callback):
    ...     def __init__(self, n_epochs):
    ...         self.n_epochs = n_epochs
    ...
    ...     def on_epoch_end(self, net, **kwargs):
    ...         if len(net.history) >= self.n_epochs:
    ...             raise StopTraining
    >>> data = make_degree_biased_graph(100, random_state=0)
    >>> clf = GNNClassifier(max_epochs=50, callbacks=[("stop", StopAfter(3))], random_state=0)
    >>> clf.fit(data.graph, data.y).n_iter_
    3
    """


class JoinedNodes:
    """Nodes that came in several batches. It replaces a Batch for loss terms that use all of them."""

    def __init__(self, view: Graph) -> None:
        self.degree = view.degree
        self.reduce = one_process
        self.everyone, self.labeled, self.sample_weight, self.weight = self, None, None, 1.0

    def derived(self, key: Any, make: Any) -> Any:
        return make()


class EpochLog(Callback):
    """Write to the history each loss term, and the accuracy and gaps of the training and the validation nodes.

    The records of single batches are kept until the next epoch begins.

    Parameters
    ----------
    groups : dict from "train" and "valid" to ndarray of shape (n_nodes,)
        Degree group of each node: 0 low, 1 high, -1 neither.
    """

    def __init__(self, groups: dict[str, NDArray[np.intp]]) -> None:
        self.groups = groups

    def on_train_begin(self, net: Any, **kwargs: Any) -> None:
        self.lowest_: dict[str, float] = {}

    def on_epoch_begin(self, net: Any, **kwargs: Any) -> None:
        self.seen_: dict[str, list[Any]] = {}
        self.valid_: list[Any] = []
        for row in list(net.history)[-2:-1]:
            row["batches"] = []  # what an epoch needs of them is in its row; each batch takes 2 kB

    def on_batch_end(self, net: Any, batch: Any = None, training: bool = False, **kwargs: Any) -> None:
        prefix, logits = "train" if training else "valid", kwargs["y_pred"]
        parts = batch[1].cpu().numpy(), logits.argmax(1).cpu().numpy(), self.groups[prefix][batch[0].places]
        self.seen_.setdefault(prefix, []).append(parts)
        self.n_classes_ = logits.shape[1]
        if not training:
            self.valid_.append((logits, batch[1]))

    def on_epoch_end(self, net: Any, dataset_valid: Any = None, **kwargs: Any) -> None:
        history = net.history
        for key, value in self._losses(net, dataset_valid).items():
            history.record(key, value)
            if key in ("train_loss", "valid_loss"):  # skorch's Checkpoint and PrintLog look for this
                history.record(f"{key}_best", value < self.lowest_.get(key, np.inf))
                self.lowest_[key] = min(value, self.lowest_.get(key, np.inf))
        row = history[-1]
        if not np.isfinite(row["train_loss"]):
            raise ValueError(DIVERGED.format(what="training loss", value=row["train_loss"], epoch=row["epoch"]))
        seen: dict[str, Any] = {
            name: [np.concatenate(part) for part in zip(*each, strict=True)] for name, each in self._all_seen(net)
        }
        counts = np.stack(
            [group_counts(y, predicted, groups, self.n_classes_) for y, predicted, groups in seen.values()]
        )
        rates = np.stack([prediction_rates(counts), recalls(counts)]).swapaxes(-1, -2)  # groups last
        both = mean_of_defined(gaps(rates))  # of parity and of opportunity, for training and validation nodes
        for (prefix, (truth, predicted, _)), dsp, deo in zip(seen.items(), *both, strict=True):
            accuracy = float((truth == predicted).mean())
            if prefix == "valid":
                objective = net.criterion_
                unfairness = sum(objective.weights[each] * row[f"valid_{each}_loss"] for each in objective.unfairness)
                history.record("valid_score", accuracy - unfairness)
            history.record(f"{prefix}_accuracy", accuracy)
            history.record(f"{prefix}_delta_dsp", float(dsp))
            history.record(f"{prefix}_delta_deo", float(deo))

    def _losses(self, net: Any, dataset_valid: Any) -> dict[str, float]:
        """Each loss of the epoch, averaged over all processes."""
        means = _batch_means(net.history[-1]["batches"])
        if len(self.valid_) > 1:
            logits, y = map(torch.cat, zip(*self.valid_, strict=True))
            joined = net.criterion_.of_all_batches(Output(logits, {}), y, JoinedNodes(dataset_valid.view))
            for name, value in joined.items():
                means["valid_loss"] += net.criterion_.weights[name] * (value - means[f"valid_{name}_loss"])
                means[f"valid_{name}_loss"] = value
        everywhere = net.of_all_processes(means)
        return {key: sum(each[key] for each in everywhere) / len(everywhere) for key in means}

    def _all_seen(self, net: Any) -> Iterator[tuple[str, list[Any]]]:
        """Results for the nodes from all processes, each of which has a part of the training nodes."""
        for name, batches in self.seen_.items():
            parts = net.of_all_processes(batches) if name == "train" else [batches]
            yield name, [batch for part in parts for batch in part]

    def on_train_end(self, net: Any, **kwargs: Any) -> None:
        self.seen_, self.valid_, self.groups = {}, [], {}  # the data is not part of a fitted model
        for row in list(net.history)[-1:]:
            row["batches"] = []


class BestWeights(EarlyStopping):
    """Early stopping that restores the best weights.

    It ignores undefined scores, and epochs in which the weight of a loss term is still growing: their objective is not
    yet the requested one.
    """

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        is_grown = net.progress >= max(net.criterion_.ramps.values(), default=0.0)
        if is_grown and not np.isnan(net.history[-1, self.monitor]):
            super().on_epoch_end(net, **kwargs)


class EpochProgress(Callback):
    """A progress bar over the epochs (skorch's own counts the batches of one epoch)."""

    bar: Any = None

    def on_train_begin(self, net: Any, **kwargs: Any) -> None:
        from tqdm.auto import tqdm

        self.bar = tqdm(total=net.max_epochs, unit="epoch", desc="training")

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        row = net.history[-1]
        shown = {key: row[key] for key in ("train_loss", "valid_accuracy", "valid_delta_dsp") if key in row}
        self.bar.set_postfix({key: f"{value:.3f}" for key, value in shown.items()}, refresh=False)
        self.bar.update()

    def on_train_end(self, net: Any, **kwargs: Any) -> None:
        self.close()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def epoch_callbacks(
    groups: dict[str, NDArray[np.intp]],
    stopping: dict[str, Any] | None,
    *,
    user: Iterable[Any] | None,
    verbose: int,
    last: Iterable[tuple[str, Callback]] = (),
) -> list[Any]:
    """The callbacks of a fit: those that record and show first, the one that may stop it last.

    Parameters
    ----------
    groups : as for EpochLog
    stopping : dict with monitor and patience, or None for no early stopping; without validation nodes there is none
    user : skorch callbacks, copied because training changes them
    verbose : {0, 1, 2}, silent, progress bar or table
    last : further callbacks, which run after all others
    """
    callbacks = [("log", EpochLog(groups)), *copy.deepcopy(list(user or []))]
    if verbose == 1:
        callbacks.append(("progress", EpochProgress()))
    elif verbose == 2:
        callbacks.append(("print_log", PrintLog()))
    if stopping is not None and "valid" in groups:
        lower = MONITORS[stopping["monitor"]]
        stopper = BestWeights(**stopping, lower_is_better=lower, threshold=0, load_best=True, sink=noop)
        callbacks.append(("early_stopping", stopper))
    return [*callbacks, *last]


def _batch_means(batches: list[dict[str, Any]]) -> dict[str, float]:
    """Mean over the batches of an epoch of each loss, weighted by the batches' sizes."""
    means = {}
    for prefix in ("train", "valid"):
        size = f"{prefix}_batch_size"
        part = [batch for batch in batches if size in batch]
        for key in part[0] if part else ():
            if key.endswith("_loss"):
                means[key] = sum(batch[key] * batch[size] for batch in part) / sum(batch[size] for batch in part)
    return means
