"""Progress, notes and warnings on stderr."""

from __future__ import annotations

import sys
from time import monotonic


class Log:
    """Lines on stderr. Warnings are always shown, each of them once; all else only if the log is not quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.start = monotonic()
        self.warned: set[str] = set()

    def note(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def progress(self, text: str) -> None:
        self.note(f"[{monotonic() - self.start:.0f} s] {text}")

    def warn(self, text: str) -> None:
        if text not in self.warned:
            self.warned.add(text)
            print(f"skdegfair: warning: {text}", file=sys.stderr, flush=True)
