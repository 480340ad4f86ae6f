"""Checkpoints: the whole training state, to continue after the process was killed, with the same bits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from skorch.callbacks import Callback, EarlyStopping, EpochTimer, GradientNormClipping, PrintLog
from skorch.history import History

from ..exceptions import ModelFileError
from ..nn.dropout import RandomStream
from ..tensorfile import Content, FileKind, read, write
from .callbacks import EpochLog, EpochProgress

KIND = FileKind("skdegfair checkpoint", "checkpoint", schema=1)
SHARE = 0.05
"""Fraction of the training time that writing may take."""
OTHER_FIT = (
    "checkpoint={path!r} belongs to another fit: {what}. Delete the file to start from the beginning, or give another "
    "path. Folds of a cross-validation and trials of a search cannot share a checkpoint: set checkpoint=None for them."
)
HASHED = ("features", "edges", "labels or nodes", "weights of nodes")
"""Parts of an identity whose values are not meaningful to a reader."""
BROKEN = "checkpoint={path!r} cannot be continued: {error} Delete the file to start from the beginning."
NOT_RESTORABLE = (
    "checkpoint cannot restore the callback {name}, because it has no methods state_dict and load_state_dict. Add "
    "them, or set checkpoint=None."
)


class Checkpoint(Callback):
    """Write the state of a training to a file after some epochs, and restore it from there.

    It has to be the last callback: the state contains what the others did in an epoch.

    Parameters
    ----------
    path : str or path-like
    identity : dict from names to texts
        Data, parameters and versions. A file with another identity is not continued.
    saved : Content, default=None
        What :func:`read_checkpoint` read from the file.
    """

    def __init__(self, path: Any, identity: dict[str, str], saved: Content | None = None) -> None:
        self.path, self.identity, self.saved = path, identity, saved

    def initialize(self) -> Checkpoint:
        if self.saved is not None:
            self._check_identity(self.saved.document["identity"])
        self.next_time_ = 0.0
        return self

    @property
    def n_epochs(self) -> int:
        """Number of epochs in the file."""
        return 0 if self.saved is None else int(self.saved.document["n_epochs"])

    @property
    def stop_reason(self) -> str | None:
        """Reason why the training in the file ended, None if it has not ended."""
        return None if self.saved is None else self.saved.document["stop_reason"]

    def on_train_begin(self, net: Any, X: Any = None, **kwargs: Any) -> None:
        for name, callback in net.callbacks_:
            if not _is_restorable(callback):
                raise ValueError(NOT_RESTORABLE.format(name=f"{name} ({type(callback).__name__})"))
        if self.saved is not None:
            X.epoch = self.n_epochs
            self.restore(net)

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        if time.monotonic() >= self.next_time_:
            self.write(net)

    def write(self, net: Any, stop_reason: str | None = None) -> None:
        """Write the state, and determine when to write it next."""
        start = time.monotonic()
        write(Path(self.path), self._content(net, stop_reason), KIND)
        end = time.monotonic()
        self.next_time_ = end + (end - start) / SHARE

    def restore(self, net: Any) -> None:
        """Restore a net and its other callbacks from the state in the file, then drop the state."""
        assert self.saved is not None
        document, arrays = self.saved
        try:
            tensors = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
            net.plain_module.load_state_dict(_under("module", tensors))
            for name, parameter in net.plain_module.named_parameters():
                state = {**document["optimizer"].get(name, {}), **_under(f"optimizer.{name}", tensors)}
                if state:
                    net.optimizer_.state[parameter] = {key: _on(parameter, value) for key, value in state.items()}
            for part, state in zip(_streams(net), document["streams"], strict=True):
                part.random.state = cast(Any, _as_bit_generator_state(state))
            for name, callback in net.callbacks_:
                self._restore_callback(callback, document["callbacks"].get(name), _under(f"best.{name}", tensors))
            net.history = _history(document["n_epochs"], document["columns"], arrays)
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ModelFileError(BROKEN.format(path=str(self.path), error=error)) from error
        self.saved = None  # with the state of the optimizer it is three times the size of the model

    def _restore_callback(self, callback: Any, state: Any, best: dict[str, Any]) -> None:
        if isinstance(callback, EarlyStopping):
            threshold = float(state["dynamic_threshold_"])
            vars(callback).update({**state, "dynamic_threshold_": threshold, "best_model_weights_": best or None})
        elif isinstance(callback, EpochLog):
            callback.lowest_ = dict(state)
        elif hasattr(callback, "load_state_dict"):
            callback.load_state_dict(state)

    def _content(self, net: Any, stop_reason: str | None) -> Content:
        tensors = {f"module.{name}": value for name, value in net.plain_module.state_dict().items()}
        numbers: dict[str, dict[str, Any]] = {}
        for name, parameter in net.plain_module.named_parameters():
            for key, value in net.optimizer_.state.get(parameter, {}).items():
                if isinstance(value, torch.Tensor):
                    tensors[f"optimizer.{name}.{key}"] = value
                else:
                    numbers.setdefault(name, {})[key] = value
        callbacks: dict[str, Any] = {}
        for name, callback in net.callbacks_:
            if isinstance(callback, EarlyStopping):
                threshold = repr(float(callback.dynamic_threshold_))  # JSON has no infinity
                counts = {"misses_": callback.misses_, "best_epoch_": callback.best_epoch_}
                callbacks[name] = {**counts, "dynamic_threshold_": threshold}
                for each, value in (callback.best_model_weights_ or {}).items():
                    tensors[f"best.{name}.{each}"] = value
            elif isinstance(callback, EpochLog):
                callbacks[name] = callback.lowest_
            elif hasattr(callback, "state_dict"):
                callbacks[name] = callback.state_dict()
        document = {
            "identity": self.identity,
            "stop_reason": stop_reason,
            "n_epochs": len(net.history),
            "optimizer": numbers,
            "callbacks": callbacks,
            "streams": [_as_json(part.random.state) for part in _streams(net)],
        }
        arrays = {name: value.detach().cpu().numpy() for name, value in tensors.items()}
        history = _history_arrays(net.history)
        columns = list(_under("history", history))  # a file does not keep the order of arrays
        return Content({**document, "columns": columns}, arrays | history)

    def _check_identity(self, saved: dict[str, Any]) -> None:
        for name in sorted(self.identity.keys() | saved.keys()):
            if saved.get(name) != self.identity.get(name):
                what = f"{name} was {saved.get(name)} and is now {self.identity.get(name)}"
                if name in HASHED:
                    what = f"the {name} differ"
                raise ValueError(OTHER_FIT.format(path=str(self.path), what=what))


def read_checkpoint(path: Any) -> Content | None:
    """The content of a file; None if there is no such file. Raises ModelFileError, with the path, if it is damaged."""
    if not Path(path).exists():
        if not Path(path).absolute().parent.is_dir():
            raise ValueError(f"checkpoint={str(path)!r} is in a folder that does not exist. Create the folder first.")
        return None
    try:
        saved = read(Path(path), KIND)
        identity, n_epochs = saved.document["identity"], saved.document["n_epochs"]
        if not (isinstance(identity, dict) and str(identity["seed"]).isdecimal() and 0 < n_epochs < 2**31):
            raise ModelFileError("parts of it have other types than expected.")
    except (ImportError, PermissionError):
        raise
    except Exception as error:  # a file can be invalid in too many ways to list
        raise ModelFileError(BROKEN.format(path=str(path), error=error)) from error
    return saved


def _is_restorable(callback: Any) -> bool:
    known = isinstance(callback, (EarlyStopping, EpochLog)) or type(callback) in STATELESS
    return known or (hasattr(callback, "state_dict") and hasattr(callback, "load_state_dict"))


def _streams(net: Any) -> Iterator[RandomStream]:
    return (part for part in net.plain_module.modules() if isinstance(part, RandomStream))


def _under(prefix: str, tensors: dict[str, Any]) -> dict[str, Any]:
    """Entries whose names begin with the prefix and a dot, without it."""
    return {name[len(prefix) + 1 :]: value for name, value in tensors.items() if name.startswith(f"{prefix}.")}


def _on(parameter: torch.Tensor, value: Any) -> Any:
    """A value of an optimizer's state on the device of its parameter."""
    return value.to(parameter.device) if isinstance(value, torch.Tensor) else value


def _as_json(state: Any) -> dict[str, Any]:
    """The state of a bit generator, whose numbers of 64 bits are texts."""
    return {**state, "state": {"state": [str(word) for word in state["state"]["state"]]}}


def _as_bit_generator_state(state: dict[str, Any]) -> dict[str, Any]:
    words = np.array([int(word) for word in state["state"]["state"]], dtype=np.uint64)
    return {**state, "state": {"state": words}}


def _history_arrays(history: Any) -> dict[str, Any]:
    """The numbers in a history: an array of each column, and the rows that have it."""
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for number, row in enumerate(history):
        for name, value in row.items():
            if isinstance(value, (bool, int, float, np.generic)):
                rows, values = columns.setdefault(name, ([], []))
                rows.append(number)
                values.append(value)
    arrays = {f"history.{name}": np.array(values) for name, (_, values) in columns.items()}
    return arrays | {f"rows.{name}": np.array(rows) for name, (rows, _) in columns.items()}


def _history(n_epochs: int, columns: list[str], arrays: dict[str, Any]) -> History:
    history: list[dict[str, Any]] = [{"batches": []} for _ in range(n_epochs)]
    for name in columns:
        rows, values = arrays[f"rows.{name}"].tolist(), arrays[f"history.{name}"].tolist()
        for row, value in zip(rows, values, strict=True):
            history[row][name] = value
    return History(history)


STATELESS = (Checkpoint, EpochProgress, EpochTimer, GradientNormClipping, PrintLog)
