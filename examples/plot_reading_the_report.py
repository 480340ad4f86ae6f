"""
Reading a report: noise, or a gap?
==================================

Few test nodes and many classes give large gaps by chance alone. A report says how large a gap chance gives. Here a
model that does not depend on degree has a gap that looks alarming and is noise, and a model that does depend on it has
a gap of similar size that is real.
"""

# %%
# Two situations
# --------------
# In the first graph, labels do not depend on popularity, and logistic regression reads features without edges. So
# degree plays next to no role. It has 5 classes, and 150 nodes are assessed. In the second graph, the labels of popular
# nodes are better than their merit, and 1,000 nodes are assessed.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import degree_fairness_report


def assessed(model, n_test, **options):
    """The report of a model on test nodes of a new graph."""
    data = make_degree_biased_graph(2000, random_state=0, **options)
    train, test = train_test_split(np.arange(2000), test_size=n_test, stratify=data.y, random_state=0)
    if isinstance(model, GNNClassifier):
        predicted = model.fit(data.graph[train], data.y[train]).predict(data.graph[test])
    else:
        predicted = model.fit(data.X[train], data.y[train]).predict(data.X[test])
    return degree_fairness_report(data.y[test], predicted, degree=data.graph[test])


reports = {
    "no bias, 150 nodes, 5 classes": assessed(LogisticRegression(), 150, n_classes=5, bias=0),
    "bias, 1000 nodes, 3 classes": assessed(GNNClassifier(random_state=0), 1000),
}

# %%
# What the reports say
# --------------------
# Delta DSP (degree statistical parity) is about how often a class is predicted, delta DEO (degree equal opportunity)
# about how often nodes of a class are recognized. Compare ``gap`` with ``null_95``: if degree played no role, 95 % of
# the gaps would be at most this large. ``corrected`` is the gap without the part that noise adds, and the interval is
# around it.

columns = ["gap", "null_mean", "null_95", "p_value", "corrected", "ci_low", "ci_high"]
gaps = pd.concat({name: report.gaps.loc[["delta_dsp", "delta_deo"], columns] for name, report in reports.items()})
print(gaps.astype(float).round(3).to_string())
for name, report in reports.items():
    print(f"\n{name}")
    for finding in report.findings:
        if finding.code in ("DF01", "DF02", "DF07"):
            print(f"  {finding.code} {finding.statement}")

# %%
# DF02 does not say that the first model is fair. It says that these nodes are not enough to tell: see DF07 for the
# size of a gap that would be found.
#
# The picture
# -----------
# A gap is real if it lies beyond the gray bar. The interval of the corrected gap reaches down to 0 if it does not.

fig, ax = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
place = np.arange(len(gaps))
ax.barh(place, gaps["null_95"], height=0.5, color="0.86", label="95 % of the gaps by chance")
ax.plot(gaps["gap"], place, "o", color="#D55E00", label="observed gap")
reach = [gaps["corrected"] - gaps["ci_low"], gaps["ci_high"] - gaps["corrected"]]
ax.errorbar(gaps["corrected"], place + 0.12, xerr=reach, fmt="s", color="#0072B2", capsize=3, label="corrected gap")
names = {"delta_dsp": "ΔDSP", "delta_deo": "ΔDEO"}
ax.set_yticks(place, [f"{situation}: {names[gap]}" for situation, gap in gaps.index])
ax.set(xlabel="Gap between nodes of low and high degree", xlim=(0, None))
ax.invert_yaxis()
ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
ax.spines[["top", "right"]].set_visible(False)
fig.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()
