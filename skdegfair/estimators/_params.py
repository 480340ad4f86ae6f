"""Parameters that all graph classifiers share, and skorch's own by name."""

from __future__ import annotations

import inspect
import os
from numbers import Integral, Real
from typing import Any

import torch
from sklearn.utils._param_validation import Interval, StrOptions  # private, but what third parties use

from ..nn import BACKBONES
from ..parameters import LARGEST
from ..training import MONITORS

NET_CONSTRAINTS: dict[str, Any] = {
    "backbone": [StrOptions(set(BACKBONES))],
    "hidden_dim": [Interval(Integral, 1, None, closed="left")],
    "n_layers": [Interval(Integral, 1, None, closed="left")],
    "n_heads": [Interval(Integral, 1, None, closed="left")],
    "dropout": [Interval(Real, 0, 1, closed="left")],
    "learning_rate": [Interval(Real, 0, LARGEST, closed="right")],
    "weight_decay": [Interval(Real, 0, LARGEST, closed="both")],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "max_epochs": [Interval(Integral, 1, None, closed="left")],
    "early_stopping": ["boolean"],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "patience": [Interval(Integral, 1, None, closed="left")],
    "monitor": [StrOptions(set(MONITORS))],
    "batch_size": [Interval(Integral, 1, None, closed="left"), None],
    "n_neighbors": [Interval(Integral, 1, None, closed="left"), list, tuple, None],
    "distributed": ["boolean"],
    "directed": ["boolean"],
    "device": [str, torch.device],
    "random_state": ["random_state"],
    "warm_start": ["boolean"],
    "checkpoint": [str, os.PathLike, None],
    "callbacks": [list, tuple, None],
    "net_params": [dict, None],
    "verbose": ["boolean", Interval(Integral, 0, 2, closed="both")],
    "unlabeled": "no_validation",
}

PREFIXES = ("module__", "optimizer__", "criterion__", "callbacks__", "iterator_train__", "iterator_valid__")
SET_BY = {  # what the estimator decides itself, and the parameter that sets it, if any
    "lr": "learning_rate",
    "optimizer__lr": "learning_rate",
    "optimizer__weight_decay": "weight_decay",
    "max_epochs": "max_epochs",
    "callbacks": "callbacks",
    "callbacks__early_stopping__monitor": "monitor",
    "callbacks__early_stopping__patience": "patience",
    "device": "device",
    "verbose": "verbose",
    "warm_start": "warm_start",
    "module": None,
    "criterion": None,
    "classes": None,
    "train_split": None,
    "phases": None,
    "batch_size": "batch_size",
    "iterator_train__batch_size": "batch_size",
    "iterator_valid__batch_size": "batch_size",
    "accelerator": "distributed",
    "iterator_train": None,
    "iterator_valid": None,
}
SET_BY_PREFIX = ("module__", "criterion__", "iterator_train__", "iterator_valid__", "callbacks__log__")


def takes_weight_decay(net_params: dict[str, Any] | None) -> bool:
    """Whether the optimizer supports an L2 penalty."""
    optimizer = (net_params or {}).get("optimizer", torch.optim.Adam)
    return "weight_decay" in inspect.signature(optimizer).parameters


class NetParams:
    """Let skorch's parameters be set by name, as a parameter grid does.

    They are kept in the parameter ``net_params``, a dict.
    """

    net_params: dict[str, Any] | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the estimator and, if ``deep``, those in ``net_params`` by their own names."""
        params: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        return {**self._given_net_params(), **params} if deep else params

    def set_params(self, **params: Any) -> Any:
        """Set parameters; ``optimizer`` and names such as ``optimizer__amsgrad`` go into ``net_params``."""
        own = super().get_params(deep=False)  # type: ignore[misc]
        inside = {"optimizer", *self._given_net_params()} - set(own)
        nested = {name: value for name, value in params.items() if name in inside or name.startswith(PREFIXES)}
        super().set_params(**{name: params[name] for name in params.keys() - nested.keys()})  # type: ignore[misc]
        if nested:
            self.net_params = {**self._given_net_params(), **nested}
        return self

    def _given_net_params(self) -> dict[str, Any]:
        return self.net_params if isinstance(self.net_params, dict) else {}  # fit raises an error for anything else

    def _check_net_params(self) -> None:
        """Raise ValueError for entries that contradict a parameter of the estimator, or an optimizer given by name."""
        optimizer = self._given_net_params().get("optimizer", torch.optim.Adam)
        if not callable(optimizer):
            raise ValueError(f"net_params['optimizer'] must be a class such as torch.optim.SGD, got {optimizer!r}.")
        for name in self._given_net_params():
            if name not in SET_BY and not name.startswith(SET_BY_PREFIX):
                continue
            last = name.rpartition("__")[2]
            own = SET_BY.get(name) or (last if last in self.get_params(deep=False) else None)
            instead = f" Use {own}= instead." if own else ""
            raise ValueError(f"net_params must not contain {name!r}, which the estimator sets itself.{instead}")
