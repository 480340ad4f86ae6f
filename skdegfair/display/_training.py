"""Plot of the training history of a model."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from ..metrics._assessed import unwrap
from ._style import COLORS, axes_for, check_columns, in_percent, tidy

TERMS = {
    "classification": "classification, L1",
    "fairness": "fairness, L2",
    "context": "context, L3",
    "scale_shift": "scale, shift, L4",
}
SCORES = {"accuracy": "accuracy", "delta_dsp": "ΔDSP", "delta_deo": "ΔDEO"}


class TrainingDisplay:
    """Plot of loss terms, accuracy and both gaps by epoch.

    Parameters
    ----------
    history : DataFrame
        One row per epoch, as in a classifier's ``history_``.
    best_epoch : int, default=None
        Epoch to mark, whose weights were kept.

    Attributes
    ----------
    axes_ : list of two matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.display import TrainingDisplay
    >>> data = make_degree_biased_graph(60, random_state=0)
    >>> clf = DegFairGNNClassifier(max_epochs=5, random_state=0).fit(data.graph, data.y)
    >>> len(TrainingDisplay.from_estimator(clf).axes_)
    2
    """

    def __init__(self, history: pd.DataFrame, *, best_epoch: int | None = None) -> None:
        check_columns("history", history, ["train_loss"], "clf.history_")
        self.history, self.best_epoch = history, best_epoch

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> TrainingDisplay:
        """Draw the history of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier, alone, in a pipeline or in a search
        ax : two matplotlib Axes, default=None
        """
        check_is_fitted(estimator)
        classifier = unwrap(estimator)
        if not hasattr(classifier, "history_"):
            raise TypeError(
                f"{type(classifier).__name__} has no history_ of its training. Pass a classifier of skdegfair."
            )
        return cls(classifier.history_, best_epoch=classifier.best_epoch_).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> TrainingDisplay:
        """Draw the history.

        Parameters
        ----------
        ax : two matplotlib Axes, default=None
            Axes to draw into. A new figure by default.

        Returns
        -------
        self
        """
        self.axes_, _ = axes_for(ax, 2, stacked=True)
        self.figure_ = self.axes_[0].figure
        tidy(self.axes_)
        self._draw_losses(self.axes_[0])
        self._draw_scores(self.axes_[1])
        for axes in self.axes_:
            if self.best_epoch is not None:
                axes.axvline(self.best_epoch, color="0.3", linestyle=":", linewidth=1.2, label="weights kept")
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
        self.axes_[1].set_xlabel("Epoch")
        return self

    def _draw_losses(self, ax: Any) -> None:
        for part, style in (("train", "-"), ("valid", "--")):
            if f"{part}_loss" in self.history:
                ax.plot(self.history[f"{part}_loss"], style, color="black", linewidth=1.4, label=f"total, {part}")
        columns = [name for name in self.history if name.startswith("train_") and name.endswith("_loss")]
        terms = [name.removeprefix("train_").removesuffix("_loss") for name in columns if name != "train_loss"]
        for color, term in zip(cycle(COLORS), terms, strict=False):
            label = TERMS.get(term, term.replace("_", " "))
            ax.plot(self.history[f"train_{term}_loss"], color=color, linewidth=1.2, label=label)
        ax.set_yscale("log", nonpositive="mask")
        ax.set_ylabel("Loss, before weights")

    def _draw_scores(self, ax: Any) -> None:
        part, nodes = ("valid", "Validation") if "valid_accuracy" in self.history else ("train", "Training")
        for color, (score, name) in zip(["black", *COLORS], SCORES.items(), strict=False):
            ax.plot(self.history[f"{part}_{score}"], color=color, linewidth=1.2, label=name)
        ax.set_ylabel(f"{nodes} nodes")
        ax.set_ylim(-0.02, 1.02)
        in_percent(ax.yaxis)
