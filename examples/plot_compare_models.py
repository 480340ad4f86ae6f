"""
Comparing many models
=====================

``compare_models`` puts classifiers of any kind into one table: graph neural networks, classifiers that read features
only, classifiers on node embeddings, and a majority vote. All are assessed on the same test nodes, and differences have
intervals.
"""

# %%
# Models of all kinds
# -------------------
# Logistic regression and the random forest read the features of a node, the embeddings read the edges only, and the
# graph neural networks read both. Nothing is tuned.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skdegfair import DegFairGNNClassifier, EmbeddingClassifier, GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import ParetoDisplay
from skdegfair.embedding import FairWalk, Residual2Vec
from skdegfair.metrics import compare_models

data = make_degree_biased_graph(1500, random_state=0)
train, test = train_test_split(np.arange(1500), test_size=0.5, stratify=data.y, random_state=0)
on_graphs = {
    "GCN": GNNClassifier(random_state=0),
    "DegFair": DegFairGNNClassifier(random_state=0),
    "FairWalk": EmbeddingClassifier(FairWalk()),
    "Residual2Vec": EmbeddingClassifier(Residual2Vec()),
}
on_features = {"logistic regression": LogisticRegression(), "random forest": RandomForestClassifier(random_state=0)}

# %%
# One table
# ---------
# ``compare_models`` accepts fitted classifiers and arrays of predictions. Differences are relative to the first model.
# Delta DSP (degree statistical parity) is the gap in how often a class is predicted, delta DEO (degree equal
# opportunity) the gap in recall.

models = {name: model.fit(data.graph[train], data.y[train]) for name, model in on_graphs.items()}
models |= {name: model.fit(data.X[train], data.y[train]).predict(data.X[test]) for name, model in on_features.items()}
comparison = compare_models(models, data.graph[test], data.y[test])
print(comparison)

# %%
# How to read it
# --------------
# The true labels have a large delta DSP themselves, so every accurate model has one. Logistic regression does not
# see the edges, but is not fair: its features tell how popular a node is. Only DegFair has a much smaller delta
# DSP, and it is the only one of these models that aims at it. The price is accuracy, and its delta DEO is not smaller.

ParetoDisplay.from_comparison(comparison)
plt.show()
