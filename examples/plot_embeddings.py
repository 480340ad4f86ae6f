"""
How much do embeddings tell about the degree?
=============================================

Node embeddings from random walks reveal the degree of a node, so a classifier can use it. FairWalk balances the
walks over degree groups; Residual2Vec removes what degrees explain. This script measures how well the degree can be
predicted from the vectors, next to how well the class can. Residual2Vec reveals a little less about the degree, and as
much about the class; neither hides the degree completely.
"""

# %%
# Vectors of nodes
# ----------------
# Both embeddings read the edges only. Nodes without edges are left out: all of them have the vector 0.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skdegfair.datasets import make_degree_biased_graph
from skdegfair.embedding import FairWalk, Residual2Vec

data = make_degree_biased_graph(1000, bias=0, random_state=0)
linked = data.graph.degree() > 0
embeddings = {
    "FairWalk": FairWalk(n_components=32),
    "Residual2Vec": Residual2Vec(n_components=32),
    "Residual2Vec, groups": Residual2Vec(n_components=32, null="groups"),
}
vectors = {name: embedding.fit_transform(data.graph)[linked] for name, embedding in embeddings.items()}

# %%
# Degree and class from the same vectors
# --------------------------------------
# By cross-validation: the share of the variance of log(degree) that a linear model explains (R²), and the accuracy
# for the class. In this graph, labels do not depend on popularity, so the degree is not needed to predict the class.

degree, y = np.log(data.graph.degree()[linked]), data.y[linked]
by_degree = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 4, 13)))
by_class = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
folds, class_folds = KFold(5, shuffle=True, random_state=0), StratifiedKFold(5, shuffle=True, random_state=0)
rows = {}
for name, V in vectors.items():
    r2, accuracy = (
        cross_val_score(model, V, target, cv=cv)
        for model, target, cv in ((by_degree, degree, folds), (by_class, y, class_folds))
    )
    rows[name] = {"R² of the degree": r2.mean(), "± ": r2.std(ddof=1), "accuracy": accuracy.mean(),
                  "±": accuracy.std(ddof=1)}  # fmt: skip
table = pd.DataFrame(rows).T
print(table.round(3).to_string())
print(f"Majority vote: {np.bincount(y).max() / len(y):.3f}")

# %%
# Predicted and true degree
# -------------------------

_, axes = plt.subplots(ncols=3, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
for ax, (name, V) in zip(axes, vectors.items(), strict=True):
    predicted = cross_val_predict(by_degree, V, degree, cv=folds)
    ax.scatter(np.exp(degree), np.exp(predicted), s=8, alpha=0.4, color="#0072B2", linewidths=0)
    ax.plot([1, 100], [1, 100], color="0.5", linewidth=1)
    ax.set(xscale="log", yscale="log", xlabel="Degree")
    ax.set_title(f"{name}\nR² = {table.loc[name, 'R² of the degree']:.2f}", fontsize=10)
axes[0].set_ylabel("Degree predicted from the vector")
plt.show()
