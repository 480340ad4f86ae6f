"""
Adjusting the predictions of a random forest
============================================

``DegreeParityClassifier`` changes the predictions of any classifier until degree groups are treated alike. Nothing is
trained anew. It is a control that every other method should be compared with, and it shows a danger of all of them:
leveling down, where groups become alike because the better-off group is treated worse.
"""

# %%
# A forest, plain and adjusted
# ----------------------------
# The forest reads features without edges; degrees come from the graph. ``constraint="deo"`` makes the recall of each
# class alike (degree equal opportunity, DEO), ``constraint="dsp"`` how often it is predicted (degree statistical
# parity, DSP). The adjustment is learned by cross-validation on the training nodes.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from skdegfair import DegreeParityClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.metrics import compare_models

data = make_degree_biased_graph(2000, random_state=0)
train, test = train_test_split(np.arange(2000), test_size=0.5, stratify=data.y, random_state=0)
forest = RandomForestClassifier(min_samples_leaf=5, random_state=0)
models = {"forest": forest.fit(data.X[train], data.y[train]).predict(data.X[test])}
adjusted = {}
for constraint in ("dsp", "deo"):
    clf = DegreeParityClassifier(forest, constraint=constraint, tolerance=0.02, random_state=0)
    adjusted[constraint] = clf.fit(data.graph[train], data.y[train])
    models[f"adjusted, {constraint}"] = clf

# %%
# What it did
# -----------
# ``effect_`` has the recall of each class in each group before and after, estimated on held-out training nodes. A
# recall that fell in the better-off group was leveled down.

effect = 100 * adjusted["deo"].effect_
effect["change"] = effect["after"] - effect["before"]
print(effect.round(1).to_string())
before, after = 100 * adjusted["deo"].expected_accuracy_
print(f"\nExpected accuracy in the two groups: {before:.1f} % before, {after:.1f} % after.")

# %%
# What it does for other nodes
# ----------------------------
# The test nodes have not been used so far. Differences are relative to the plain forest. Both adjustments cost
# accuracy. The intervals of delta DEO are wide, because few nodes of high degree are in class 0.

comparison = compare_models(models, data.graph[test], data.y[test])
columns = ["value", "corrected", "ci_low", "ci_high", "corrected_difference", "difference_low", "difference_high"]
print((100 * comparison.table.loc[["accuracy", "delta_dsp", "delta_deo"], columns]).round(1).to_string())

# %%
# Gains and losses
# ----------------
# Bars to the left are recalls that fell. Equal recalls have been reached by errors as well as by improvements: read the
# effect before you use such a model.

_, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.barh(
    [f"class {label}, {('low', 'high')[group]} degree" for group, label in effect.index],
    effect["change"],
    color=["#0072B2" if change > 0 else "#D55E00" for change in effect["change"]],
)
ax.axvline(0, color="0.3", linewidth=0.8)
ax.set(xlabel="Change of the expected recall, in points", ylabel="Class and group")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
plt.show()
