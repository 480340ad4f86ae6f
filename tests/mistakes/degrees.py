"""Mistakes with degrees, groups, clusters and options of metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skdegfair.metrics import degree_curve, delta_dsp

from .cases import Mistake
from .metrics import OTHER_ORDER, assessed, compared, named, report

DEGREES_AND_GROUPS = [
    Mistake("neither degree nor groups", lambda w: delta_dsp(w.y, w.y), ValueError, ("either degree", "or groups")),
    Mistake("a word as degree", lambda w: delta_dsp(w.y, w.y, degree="auto"), ValueError, ("degree", "got 'auto'")),
    Mistake(
        "NaN among the degrees",
        lambda w: report(w, degree=np.where(w.degree > 8, np.nan, w.degree)),
        ValueError,
        ("degree must contain one finite number per node", "got nan at position"),
    ),
    Mistake(
        "an infinite degree",
        lambda w: degree_curve(w.y, np.where(w.degree > 8, np.inf, w.degree)),
        ValueError,
        ("degree must contain one finite number per node", "got inf at position"),
    ),
    Mistake(
        "degrees as a column",
        lambda w: delta_dsp(w.y, w.y, degree=w.degree[:, None]),
        ValueError,
        ("degree", "an array of shape (40, 1)"),
    ),
    Mistake(
        "degrees as strings", lambda w: delta_dsp(w.y, w.y, degree=w.degree.astype(str)), ValueError, ("degree must",)
    ),
    Mistake(
        "an adjacency instead of degrees",
        lambda w: delta_dsp(w.y, w.y, degree=w.A),
        ValueError,
        ("or be a Graph of the nodes", "of shape (40, 40)"),
    ),
    Mistake(
        "a graph of other nodes",
        lambda w: delta_dsp(w.y[:20], w.y[:20], degree=w.G),
        ValueError,
        ("same length, got 20, 20 and 40",),
    ),
    Mistake(
        "groups in another order",
        lambda w: delta_dsp(w.series, w.y, groups=named(w, w.degree > 5, shuffled=True)),
        ValueError,
        ("groups and y_true", OTHER_ORDER),
    ),
    Mistake(
        "clusters in another order",
        lambda w: report(w, degree=w.named, clusters=named(w, w.y, shuffled=True)),
        ValueError,
        ("clusters and degree", OTHER_ORDER),
    ),
    Mistake(
        "reference in another order",
        lambda w: report(w, degree=w.named, reference=named(w, w.y, shuffled=True)),
        ValueError,
        ("reference and degree", OTHER_ORDER),
    ),
    Mistake(
        "scores of nodes in another order",
        lambda w: degree_curve(named(w, w.y, shuffled=True), w.named),
        ValueError,
        ("degree and score", OTHER_ORDER),
    ),
    Mistake(
        "groups of some other nodes",
        lambda w: delta_dsp(w.series, w.y, groups=pd.Series(w.y, index=["v99", *w.nodes[1:]])),
        ValueError,
        ("groups and y_true have only some labels in common", "'v99'"),
    ),
    Mistake(
        "no group as -1 in a categorical",
        lambda w: report(w, degree=None, groups=pd.Categorical(w.y - 1)).groups,
        lambda w: report(w, degree=None, groups=w.y - 1).groups,
    ),
    Mistake("a number of groups", lambda w: report(w, groups=4), ValueError, ("groups", "got 4", "n_groups=4")),
    Mistake("a word as groups", lambda w: report(w, groups="quartiles"), ValueError, ("groups", "got 'quartiles'")),
    Mistake("a number of groups for a model", lambda w: assessed(w, groups=4), ValueError, ("groups", "got 4")),
    Mistake("a word as groups of models", lambda w: compared(w, groups="low"), ValueError, ("groups", "got 'low'")),
    Mistake("one group", lambda w: report(w, groups=["a"] * 40), ValueError, ("at least two groups", "got only 'a'")),
    Mistake(
        "groups that are missing",
        lambda w: report(w, groups=[None] * 40),
        ValueError,
        ("at least two groups", "got 0 groups"),
    ),
    Mistake(
        "each node is a group",
        lambda _: delta_dsp([0, 1] * 500, [0, 1] * 500, groups=np.arange(1000)),
        ValueError,
        ("at most 100: integers", "got 1000 groups", "degree_groups(degree, n_groups=4)"),
    ),
    Mistake(
        "degrees as groups", lambda w: delta_dsp(w.y, w.y, groups=w.degree + 0.5), ValueError, ("groups", "not whole")
    ),
    Mistake(
        "groups as a data frame",
        lambda w: delta_dsp(w.y, w.y, groups=w.series.to_frame()),
        ValueError,
        ("groups", "a DataFrame of shape (40, 1)"),
    ),
    Mistake(
        "groups of two types",
        lambda w: delta_dsp(w.y, w.y, groups=["a", 1] * 20),
        ValueError,
        ("groups mixes labels of the types int, str",),
    ),
    Mistake(
        "unknown clusters",
        lambda w: report(w, clusters="community"),
        ValueError,
        ("clusters", "got 'community'. Did you mean 'communities'?"),
    ),
    Mistake("clusters without a graph", lambda w: report(w, clusters="communities"), ValueError, ("as a Graph",)),
    Mistake("a number of clusters", lambda w: report(w, clusters=5), ValueError, ("clusters", "got 5")),
]

OPTIONS = [
    *(
        Mistake(
            f"report with hops={hops!r}",
            lambda w, hops=hops: report(w, hops=hops),
            ValueError,
            ("hops must be", repr(hops)),
        )
        for hops in (0, 1.5, "2", None)
    ),
    *(
        Mistake(
            f"share={share!r}", lambda w, share=share: report(w, share=share), ValueError, ("share must", repr(share))
        )
        for share in ("0.2", 20, 0)
    ),
    *(
        Mistake(
            f"confidence_level={level!r}",
            lambda w, act=act, level=level: act(w, confidence_level=level),
            ValueError,
            ("confidence_level must be between 0 and 1, such as 0.95", repr(level)),
        )
        for level, act in ((95, report), ("0.95", report), (0, compared))
    ),
    *(
        Mistake(
            f"n_resamples={n!r}", lambda w, n=n: compared(w, n_resamples=n), ValueError, ("n_resamples must", repr(n))
        )
        for n in (0, 1.5, "99", None)
    ),
    Mistake("pairs", lambda w: report(w, pairs="maximum"), ValueError, ("pairs", "'maximum'")),
    Mistake("groups and share", lambda w: report(w, groups=w.y, share=0.1), ValueError, ("share", "groups is given")),
    Mistake("mute a number", lambda w: report(w, mute=8), TypeError, ("mute", "'DF08'", "got 8")),
    Mistake("mute an unknown code", lambda w: compared(w, mute="DF99"), ValueError, ("mute contains 'DF99'",)),
    Mistake("level of a curve", lambda w: degree_curve(w.y, w.G, confidence_level=95), ValueError, ("such as 0.95",)),
    Mistake("bins of a curve", lambda w: degree_curve(w.y, w.G, n_bins=1), ValueError, ("n_bins must be", "got 1")),
    Mistake("scores as words", lambda w: degree_curve(w.nodes, w.G), ValueError, ("score must contain one finite",)),
]

MISTAKES = [*DEGREES_AND_GROUPS, *OPTIONS]
