"""The output folder: checked before the work begins, written when all of it is done."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from ._errors import InputError


class Output:
    """A folder for files. If writing one of them fails, none is left behind.

    Parameters
    ----------
    folder : str or None
        None: nothing is written.
    overwrite : bool
        Whether the folder may have files. Those that are not written again are kept.
    """

    def __init__(self, folder: str | None, overwrite: bool = False) -> None:
        if folder is None:
            if overwrite:
                raise InputError("--overwrite is for an output folder. Pass --output FOLDER, too.")
            self.folder = None
            return
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"--output {folder} is a file. Pass the path of a folder, which need not exist.")
        if self.folder.exists() and any(self.folder.iterdir()) and not overwrite:
            raise InputError(f"--output {folder} exists and is not empty. Pass another folder, or --overwrite.")
        above = self._existing()
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise InputError(f"--output {folder} cannot be created in {above}. Pass a folder that you may write to.")

    def write(self, files: dict[str, Callable[[Path], object]]) -> list[str]:
        """Call each function with the path to write to, then move all files into the folder."""
        if self.folder is None:
            return []
        with tempfile.TemporaryDirectory(prefix=".skdegfair-", dir=self._existing()) as staging:
            for name, write in files.items():
                write(Path(staging) / name)
            self.folder.mkdir(parents=True, exist_ok=True)
            for name in files:
                os.replace(Path(staging) / name, self.folder / name)
        return list(files)

    def _existing(self) -> Path:
        """The folder itself, or the first above it that exists."""
        assert self.folder is not None
        folder = self.folder.absolute()
        return next(each for each in (folder, *folder.parents) if each.exists())
