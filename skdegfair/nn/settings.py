"""Global torch settings of the user, suspended while a model is computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch


@contextmanager
def own_settings(device: Any) -> Iterator[None]:
    """Compute on the requested device, in the requested precision, with gradients where needed.

    ``torch.inference_mode``, ``torch.autocast`` and ``torch.set_default_device`` of the caller have no effect inside.
    """
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        for kind in {"cpu", torch.device(device).type}:
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        if torch.get_default_device().type != "cpu":  # the context costs time in every call of torch
            stack.enter_context(torch.device("cpu"))
        yield
