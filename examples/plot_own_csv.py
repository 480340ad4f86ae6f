"""
Your own files
==============

From two CSV files to a report: a table of people with names, text and missing values, and a list of links between
them. The links refer to people by name. Text and missing values are handled by scikit-learn's transformers, in a
pipeline that is fitted to the training nodes only.
"""

# %%
# Two files
# ---------
# They are written here so that the script needs nothing else. One column is text, one has missing values, and the
# label is text as well.

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skdegfair import DegFairGNNClassifier, Graph, GraphTransformer
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import DegreeGapDisplay
from skdegfair.metrics import DegreeFairnessReport


def write_files(folder, random_state):
    """Write people.csv and links.csv."""
    data = make_degree_biased_graph(800, n_features=4, noise=1.0, random_state=random_state)
    random = np.random.default_rng(random_state)
    names = np.array([f"user{number:03}" for number in random.permutation(800)])
    people = pd.DataFrame(
        {
            "name": names,
            "posts": np.exp(3 + 0.3 * data.X[:, 0]).round(),
            "age": (40 + 5 * data.X[:, 1]).round(),
            "replies": np.exp(2 + 0.3 * data.X[:, 2]).round(),
            "city": np.where(data.X[:, 3] > 0, "Oslo", random.choice(["Lima", "Pune"], size=800)),
        }
    )
    people["age"] = people["age"].where(random.random(800) > 0.1)  # one in ten is missing
    people["badge"] = np.array(["none", "silver", "gold"])[data.y]
    source, target = data.A.nonzero()
    links = pd.DataFrame({"from": names[source], "to": names[target]})[source < target]
    people.to_csv(folder / "people.csv", index=False)
    links.to_csv(folder / "links.csv", index=False)


with TemporaryDirectory() as folder:
    write_files(Path(folder), random_state=0)
    people = pd.read_csv(Path(folder) / "people.csv", index_col="name")
    links = pd.read_csv(Path(folder) / "links.csv")
print(people.head().to_string(), "\n")
print(links.head().to_string())

# %%
# A graph
# -------
# The names are the index of the table, so links can refer to them. A name that is not in the table raises an error.

G = Graph.from_edges(links, people.drop(columns="badge"), source="from", target="to")
train, test, y_train, y_test = train_test_split(
    G, people["badge"], test_size=0.5, stratify=people["badge"], random_state=0
)
print(G)

# %%
# A pipeline
# ----------
# ``GraphTransformer`` applies a transformer to the features and passes the edges on.

numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
columns = ColumnTransformer([("numbers", numbers, ["posts", "age", "replies"]), ("city", OneHotEncoder(), ["city"])])
model = make_pipeline(GraphTransformer(columns), DegFairGNNClassifier(random_state=0)).fit(train, y_train)
print(model.predict(test)[:5])
print(f"Accuracy on the test nodes: {model.score(test, y_test):.3f}")

# %%
# The report
# ----------
# It begins with findings. The tables below them have the numbers, with a majority vote and the true labels for
# orientation.

report = DegreeFairnessReport.from_estimator(model, test, y_test)
print(report)

# %%
# The picture shows both gaps: delta DSP (degree statistical parity) on the left, delta DEO (degree equal opportunity)
# on the right.

DegreeGapDisplay.from_report(report)
plt.show()
