"""Memory that stays with the process while a model is trained.

Every epoch asks for the same arrays again. The C library of Linux (glibc) returns
large ones to the system as soon as they are free, and the system must clear each page
anew when it is asked for the next ones: a third or more of an epoch on a graph of a
million nodes. Meanwhile kept, they are returned after training.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4  # of malloc.h
KEEP = {MMAP_MAX: 0, TRIM_THRESHOLD: -1}  # no mappings of single arrays, and nothing is returned
# What glibc arrives at by itself once an array of 32 MB was freed; a process starts with less.
USUAL = {MMAP_MAX: 65536, MMAP_THRESHOLD: 2**25, TRIM_THRESHOLD: 2**26}

_lock = threading.Lock()
_n_users = 0


@contextmanager
def memory_kept() -> Iterator[None]:
    """Keep what is freed for what is asked for next.

    It does nothing with other C libraries, or where environment variables already say how
    malloc is to behave. Outside of the main thread, glibc maps arrays over 64 MB all the same.
    """
    libc = _glibc()
    if libc is None:
        yield
        return
    _enter(libc)
    try:
        yield
    finally:
        _leave(libc)


def _enter(libc: Any) -> None:
    global _n_users
    with _lock:  # models may be trained in several threads
        if _n_users == 0:
            _set(libc, KEEP)
        _n_users += 1


def _leave(libc: Any) -> None:
    global _n_users
    with _lock:
        _n_users -= 1
        if _n_users == 0:
            _set(libc, USUAL)
            libc.malloc_trim(0)


def _set(libc: Any, options: dict[int, int]) -> None:
    for option, value in options.items():
        libc.mallopt(option, value)


def _glibc() -> Any:
    """The C library, if it is one with these options and nobody has set them."""
    if any(name.startswith("MALLOC_") for name in os.environ) or "malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return None
    try:
        libc = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library without a name
        return None
    return libc if all(hasattr(libc, name) for name in ("gnu_get_libc_version", "mallopt", "malloc_trim")) else None
