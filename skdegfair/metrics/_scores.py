"""Scores of all nodes and of each group, next to those of simple baselines."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ._inference import BY_CLASS, MEASURES
from ._table import SCORES, Counts, GroupTable, mean_gap


def overall_scores(table: GroupTable, pairs: str) -> pd.DataFrame:
    """Compute the scores of all nodes and both gaps, for predictions, a majority vote and the true labels."""
    truth = np.stack([*table.counts.sum(-1), table.outside.sum(-1)])  # nodes in no group come last
    vote = np.zeros((*truth.shape, truth.shape[1]))
    vote[:, :, truth.sum(0).argmax()] = truth
    rows = {
        "predictions": np.concatenate([table.counts, table.outside[None]]),
        "majority vote": vote,
        "true labels": truth[:, :, None] * np.eye(truth.shape[1]),
    }
    return pd.DataFrame.from_dict({name: _row(counts, pairs) for name, counts in rows.items()}, orient="index")


def scores_by_group(table: GroupTable, ranges: pd.DataFrame | None) -> pd.DataFrame:
    """Compute the size, the degrees if they are known, and the scores of each group."""
    frame = pd.DataFrame({"n": table.counts.sum((1, 2)).astype(int)}, index=pd.Index(table.groups, name="group"))
    if ranges is not None:
        for name in ranges:
            frame[name] = ranges[name].to_numpy()
    for name, score in SCORES.items():
        frame[name] = score(table.counts)
    return frame


def _row(counts: Counts, pairs: str) -> dict[str, float]:
    overall = counts.sum(0, keepdims=True)
    row = {name: float(score(overall)[0]) for name, score in SCORES.items()}
    for name in BY_CLASS:
        row[name] = float(mean_gap(MEASURES[name].rates(counts[:-1]), pairs))
    return row
