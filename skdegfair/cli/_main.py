"""Parse the options, run the command, and turn errors into one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ._arguments import parsed
from ._errors import InputError
from ._log import Log

EXPECTED = (InputError, ValueError, TypeError, ImportError, OSError, MemoryError)
"""What wrong input raises here or in the library. Anything else is a defect of the library, so its traceback helps."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments, by default those of the process.

    Returns
    -------
    int
        0 if all went well, 2 if a file or an option is wrong, 130 if the user interrupted the command.
    """
    try:
        options = parsed(argv)
        log = Log(options.quiet)
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _shown_by(log)
            _run(options, log)
        sys.stdout.flush()
        return 0
    except BrokenPipeError:  # the reader of the output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EXPECTED as error:
        print(f"skdegfair: error: {_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("skdegfair: interrupted, nothing was written", file=sys.stderr)
        return 130


def _run(options: Any, log: Log) -> None:
    """Import the command when it is needed: help needs no torch, and neither does the assessment of predictions."""
    if options.command == "report":
        from ._report import report

        report(options, log)
    else:
        from ._assess import assess

        assess(options, log)


def _shown_by(log: Log) -> Any:
    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        log.warn(" ".join(str(message).split()))

    return show


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"There is not enough memory. {' '.join(str(error).split())}".strip()
    return " ".join(str(error).split()) or type(error).__name__
