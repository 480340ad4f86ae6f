"""Resources of this machine."""

from __future__ import annotations

import os
from pathlib import Path


def available_memory() -> int | None:
    """Memory that this process can still get, in bytes, as far as the system reports it."""
    found = [_of_system(), _of_container()]
    return min((each for each in found if each is not None), default=None)


def _of_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        entries = {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
        return 1024 * (entries["MemAvailable"] + entries.get("SwapFree", 0))
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """Memory that the control group of a container still allows; its files in the page cache can be given up."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        if limit == "max":
            return None
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        cached = sum(int(line.split()[1]) for line in lines if line.startswith(("active_file ", "inactive_file ")))
        return int(limit) - used + cached
    except (OSError, ValueError):
        return None


def readable_bytes(n_bytes: float) -> str:
    """A number of bytes in GB or MB."""
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
