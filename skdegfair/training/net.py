"""The skorch net: how a module is fitted to the nodes of a graph."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback, EarlyStopping, EpochTimer
from skorch.history import History
from torch import Tensor

from ..mitigation import Phase
from ..nn import Batch
from .callbacks import EpochProgress, StopTraining
from .checkpoint import Checkpoint
from .data import NodeDataset, WholeGraph
from .phases import Phases, heads_again, set_gradients


class NodeNet(NeuralNetClassifier):
    """skorch's classifier net for nodes of a graph and an objective of several terms.

    It takes a NodeDataset where other nets take X and y.

    Parameters
    ----------
    module : GNN
    criterion : Objective
    phases : sequence of Phase, default=()
        Phases of a training step; empty: one step of all parameters on all terms.
    **kwargs
        Parameters of skorch's net.
    """

    history: Any

    def __init__(self, *args: Any, phases: Sequence[Phase] = (), **kwargs: Any) -> None:
        defaults = {"train_split": None, "iterator_train": WholeGraph, "iterator_valid": WholeGraph}
        super().__init__(*args, **(defaults | kwargs))
        self.phases = phases
        self._phases: Phases | None = None
        self._is_continued = False

    @property
    def progress(self) -> float:
        """Fraction of the epochs that have begun; 1 if this net continues the training of another."""
        return 1.0 if self._is_continued else min(len(self.history) / self.max_epochs, 1.0)

    @property
    def _default_callbacks(self) -> list[tuple[str, Callback]]:
        return [("epoch_timer", EpochTimer())]

    def initialize_criterion(self) -> NodeNet:
        self.criterion_ = self.criterion  # an objective, ready to use
        return self

    def check_data(self, X: Any, y: Any = None) -> None:
        """Nothing to check: the data was checked before it became tensors."""

    def get_split_datasets(self, X: NodeDataset, y: Any = None, **fit_params: Any) -> tuple[Any, Any]:
        return X, X.valid

    def infer(self, x: Batch, **fit_params: Any) -> Any:
        return self.module_(x)

    def get_loss(
        self,
        y_pred: Any,
        y_true: Tensor,
        X: Any = None,
        training: bool = False,
        weights: Mapping[str, float] | None = None,
        record: bool = True,
    ) -> Tensor:
        terms = self.criterion_.terms(y_pred, y_true, X, only=None if record else weights)
        if record:
            prefix = "train" if training else "valid"
            for name, value in terms.items():
                self.history.record_batch(f"{prefix}_{name}_loss", value.item())
        total: Tensor = self.criterion_.total(terms, weights, progress=self.progress if training else 1.0)
        return total

    def evaluation_step(self, batch: Any, training: bool = False) -> Tensor:
        """The logits of a batch, for predictions and scorers."""
        logits: Tensor = super().evaluation_step(batch, training=training).logits
        return logits

    def validation_step(self, batch: Any, **fit_params: Any) -> dict[str, Any]:
        return logits_alone(super().validation_step(batch, **fit_params))

    def train_step_single(self, batch: Any, **fit_params: Any) -> dict[str, Any]:
        return logits_alone(super().train_step_single(batch, **fit_params))

    def train_step(self, batch: Any, **fit_params: Any) -> Any:
        """One step, or one of each phase. The loss and the output are those of the first phase."""
        step = self._phased_step(batch) if self.phases else super().train_step(batch, **fit_params)
        self.plain_module.constrain()
        return step

    def _phased_step(self, batch: Any) -> dict[str, Any]:
        self._set_training(True)
        x, y = batch
        first: dict[str, Any] = {}
        output: Any = None
        for phase, parameters in self._all_phases():
            self._zero_grad_optimizer()
            output = heads_again(self.module_, output) if phase.reuse and output is not None else self.infer(x)
            loss = self.get_loss(output, y, X=x, training=True, weights=phase.weights, record=not first)
            set_gradients(loss, parameters)
            moving = self.get_all_learnable_params()
            self.notify("on_grad_computed", named_parameters=moving, batch=batch, training=True)
            self._step_optimizer(None)
            first = first or {"loss": loss, "y_pred": output}
        return logits_alone(first)

    def _all_phases(self) -> Phases:
        if self._phases is None or self._phases.module is not self.module_:
            self._phases = Phases(self.module_, self.phases)
        return self._phases

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "module": None, "_phases": None}  # the module is there once, as module_

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.module = self.module_

    def of_all_processes(self, value: Any) -> list[Any]:
        """The value that each process has."""
        return [value]

    def fit_loop(self, *args: Any, **kwargs: Any) -> Any:
        self.interruption = None
        try:
            return super().fit_loop(*args, **kwargs)
        except KeyboardInterrupt as interruption:
            self.interruption = interruption
            raise

    def train(self, data: NodeDataset) -> str:
        """Train until ``max_epochs``, or until a callback or the user ends it, and return the reason.

        If a checkpoint was written before, training continues from there.

        Returns
        -------
        {"max_epochs", "early_stopping", "callback"}
        """
        checkpoint = next((each for _, each in self.callbacks_ if isinstance(each, Checkpoint)), None)
        if checkpoint is not None and checkpoint.stop_reason is not None:
            reason = checkpoint.stop_reason
            checkpoint.restore(self)
            self.notify("on_train_end", X=data, y=None)  # early stopping has its best weights already
            self.module_.eval()
            return reason
        n_done = 0 if checkpoint is None else checkpoint.n_epochs
        reason = self._train(data, self.max_epochs - n_done)
        if checkpoint is not None:
            checkpoint.write(self, reason)
        return reason

    def _train(self, data: NodeDataset, epochs: int) -> str:
        try:
            self.partial_fit(data, epochs=epochs)  # swallows KeyboardInterrupt
        finally:
            for _, callback in self.callbacks_:
                if isinstance(callback, EpochProgress):
                    callback.close()
        self._forget_processes()
        self.module_.eval()
        interruption, self.interruption = self.interruption, None
        if interruption is None:
            return "max_epochs"
        if any(_has_stopped(callback) for _, callback in self.callbacks_):
            return "early_stopping"
        if isinstance(interruption, StopTraining):
            return "callback"
        raise interruption

    @property
    def plain_module(self) -> Any:
        """The module itself, without wrappers that training adds."""
        return self.module_

    def _forget_processes(self) -> None:
        """Undo changes that training in several processes needs."""

    def best_epoch(self) -> int:
        """The epoch whose weights the module has: the best one under early stopping, else the last."""
        for _, callback in reversed(self.callbacks_):  # of several that restore weights, the last one wins
            if isinstance(callback, EarlyStopping) and callback.load_best and callback.best_epoch_:
                return int(callback.best_epoch_)
        return len(self.history)

    def history_frame(self) -> pd.DataFrame:
        """The history as a table with one row per epoch, counted from 1."""
        frame = pd.DataFrame([{key: value for key, value in row.items() if key != "batches"} for row in self.history])
        frame = frame.drop(columns=[name for name in frame if name.endswith(("_batch_count", "_loss_best"))])
        return frame.rename(columns={"dur": "seconds"}).set_index("epoch")

    def set_history(self, frame: pd.DataFrame) -> None:
        """Restore the history from a table of ``history_frame``."""
        rows = frame.rename(columns={"seconds": "dur"}).reset_index().to_dict("records")
        self.history_ = History({**row, "batches": []} for row in rows)

    def continue_from(self, before: NodeNet) -> None:
        """Take over weights, the optimizer's state and the history; the parameters stay those of this net."""
        try:
            self.plain_module.load_state_dict(before.plain_module.state_dict())
        except RuntimeError as error:
            raise ValueError(f"warm_start=True needs the features and layers of the earlier fit: {error}") from None
        optimizer: Any = getattr(self.optimizer_, "optimizer", self.optimizer_)  # whatever wraps it
        if _same_kind(optimizer, before.optimizer_):
            own = dict(self.plain_module.named_parameters())  # by name: their order depends on the learning rates
            for name, parameter in before.plain_module.named_parameters():
                if parameter in before.optimizer_.state:
                    optimizer.state[own[name]] = copy.deepcopy(before.optimizer_.state[parameter])
        self.history = copy.deepcopy(before.history)
        self._is_continued = True


def logits_alone(step: dict[str, Any]) -> dict[str, Any]:
    """What a step returned, for skorch's callbacks: the logits, without the data that their gradients need."""
    return {"loss": step["loss"].detach(), "y_pred": step["y_pred"].logits.detach()}


def _same_kind(one: Any, other: Any) -> bool:
    """Whether two optimizers have the same kind of state: everything except their rates must agree."""
    settings = [
        {name: value for name, value in optimizer.defaults.items() if name not in ("lr", "weight_decay")}
        for optimizer in (one, other)
    ]
    return type(one) is type(other) and settings[0] == settings[1]


def _has_stopped(callback: Callback) -> bool:
    return isinstance(callback, EarlyStopping) and callback.misses_ == callback.patience
