"""Memory that the process keeps between epochs, for users who train on large graphs."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD, MMAP_MAX = -1, -2, -3, -4  # numbers of the options in malloc.h
NAMES = {TRIM_THRESHOLD: "trim_threshold", TOP_PAD: "top_pad", MMAP_THRESHOLD: "mmap_threshold", MMAP_MAX: "mmap_max"}
KEEP = {MMAP_MAX: 0, TRIM_THRESHOLD: -1}  # take all arrays from the heap, and never shrink the heap
# glibc's defaults, see mallopt(3). It raises both thresholds as larger arrays are freed, up to ADJUSTED, unless the
# environment sets one of the options: then they stay at STATIC.
STATIC = {MMAP_MAX: 65536, MMAP_THRESHOLD: 2**17, TRIM_THRESHOLD: 2**17}
ADJUSTED = {MMAP_MAX: 65536, MMAP_THRESHOLD: 2**25, TRIM_THRESHOLD: 2**26}
LARGEST = 2**31 - 1  # mallopt takes a C int


@contextmanager
def memory_kept() -> Iterator[None]:
    """Keep freed memory in the process instead of returning it to the system.

    Every epoch allocates the same arrays again. The C library of Linux (glibc) returns
    large arrays to the system as soon as they are freed, and the system clears every page
    before it hands it out again. On a graph of a million nodes this takes about a third
    of an epoch. In this context the memory is retained and reused. It is returned to the
    system when the context ends, so the process needs its peak memory until then.

    The setting applies to the whole process. Contexts may be nested and may be active in
    several threads; the last one to end restores the setting. A process that is forked
    inside the context starts outside of it. With other C libraries the context has no
    effect.

    Notes
    -----
    glibc cannot be asked for its settings. The context restores those that the
    environment sets (``MALLOC_TRIM_THRESHOLD_``, ``MALLOC_MMAP_THRESHOLD_``,
    ``MALLOC_MMAP_MAX_`` or ``GLIBC_TUNABLES``), and glibc's defaults for the others. It
    cannot restore glibc's dynamic adjustment of its thresholds: the adjustment stays off,
    with both thresholds at its upper limits (32 MiB to map an array, 64 MiB to trim).

    Arrays of more than 64 MB are retained only if they are allocated in the main thread.

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.training import memory_kept
    >>> data = make_degree_biased_graph(100, random_state=0)
    >>> clf = DegFairGNNClassifier(max_epochs=2, random_state=0)
    >>> with memory_kept():
    ...     clf = clf.fit(data.graph, data.y)
    >>> len(clf.history_)
    2
    """
    users = _users
    users.enter()
    try:
        yield
    finally:
        if users is _users:  # otherwise the process was forked inside the context, and this is the child
            users.leave()


class _Users:
    """The active contexts of this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a signal handler may enter while its own thread holds the lock
        self.count = 0
        self.changed = False  # True before the first option is changed, until the last one is restored

    def enter(self) -> None:
        with self.lock:
            self.count += 1
            if self.count == 1:
                self.changed = True
                _set_options(KEEP)

    def leave(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                self.restore()
                libc = _glibc()
                if libc is not None:
                    libc.malloc_trim(0)

    def restore(self) -> None:
        _set_options(_usual_options())
        self.changed = False


_users = _Users()


def _start_outside() -> None:
    """Leave the contexts of the parent process, whose threads do not exist here and cannot release the lock."""
    global _users
    inherited, _users = _users, _Users()
    if inherited.changed:
        inherited.restore()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_start_outside)


@cache
def _glibc() -> Any:
    """The C library if it is glibc, else None."""
    try:
        libc = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library without a name
        return None
    return libc if all(hasattr(libc, name) for name in ("gnu_get_libc_version", "mallopt", "malloc_trim")) else None


def _set_options(options: dict[int, int]) -> None:
    libc = _glibc()
    if libc is not None:
        for option, value in options.items():
            libc.mallopt(option, value)


def _usual_options() -> dict[int, int]:
    """The options as they are outside of a context."""
    given = {option: value for option, name in NAMES.items() if (value := _from_environment(name)) is not None}
    usual = STATIC if given else ADJUSTED
    return {option: given.get(option, default) for option, default in usual.items()}


def _from_environment(name: str) -> int | None:
    """The value of a malloc option in the environment, where GLIBC_TUNABLES takes precedence."""
    text = os.environ.get(f"MALLOC_{name.upper()}_")
    for setting in os.environ.get("GLIBC_TUNABLES", "").split(":"):
        tunable, _, value = setting.partition("=")
        if tunable == f"glibc.malloc.{name}":
            text = value
    try:
        return None if text is None else min(int(text, 0), LARGEST)
    except ValueError:
        return None
