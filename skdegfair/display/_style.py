"""Style of all displays: figures, a palette for color-blind readers, axes in percent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..metrics._inputs import describe

NO_MATPLOTLIB = 'Drawing needs matplotlib: pip install "skdegfair[plot]".'
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]  # the palette of Okabe and Ito
MARKERS = ["o", "s", "D", "^", "v", "P", "X"]
CHANCE = "0.86"
MAJORITY = "0.35"


def axes_for(ax: Any, n: int, *, height: float = 4.0, stacked: bool = False) -> tuple[list[Any], bool]:
    """Return n axes, those given or those of a new figure, and whether the figure is new."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError:
        raise ImportError(NO_MATPLOTLIB) from None
    if ax is None:
        shape: dict[str, Any] = {"nrows": n, "sharex": True} if stacked else {"ncols": n, "sharey": True}
        _, axes = plt.subplots(figsize=(6.0, height), layout="constrained", squeeze=False, **shape)
        return list(axes.ravel()), True
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    for each in given:
        if not isinstance(each, Axes):
            raise TypeError(f"ax must contain matplotlib Axes, as from plt.subplots, got {describe(each)}.")
    if len(given) != n:
        raise ValueError(f"This plot needs {n} axes, got {len(given)}. Make them with plt.subplots.")
    return given, False


def check_kind(name: str, value: Any, kind: type, source: str) -> None:
    """Raise TypeError if the object to draw is not the result of the expected function of skdegfair."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, as from {source}, got {describe(value)}.")


def check_columns(name: str, frame: Any, columns: Collection[str], source: str) -> None:
    """Raise an error if a table does not have the columns that are drawn."""
    check_kind(name, frame, pd.DataFrame, source)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{name} must have the columns of {source}, but {missing[0]!r} is missing.")


def group_colors(n: int) -> list[Any]:
    """Return a color for each group: two contrasting colors, or a scale from dark to light."""
    if n == 2:
        return COLORS[:2]
    import matplotlib

    return [matplotlib.colormaps["viridis"](position) for position in np.linspace(0, 0.85, n)]


def in_percent(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}%"))


def tidy(axes: Sequence[Any]) -> None:
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="both", color="0.93", linewidth=0.8)
        ax.set_axisbelow(True)


def shorten(name: Any, length: int = 20) -> str:
    """Shorten the middle of a long name to fit next to an axis, and escape it for matplotlib."""
    text = str(name)
    if len(text) > length:
        text = f"{text[: length - 9]}…{text[-8:]}"
    return text.replace("$", r"\$")
