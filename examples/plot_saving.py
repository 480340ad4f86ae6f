"""
Saving a model, with a card
===========================

``skdegfair.save`` writes a model, or a pipeline, to a file without pickle: reading it cannot run code. The loaded model
gives the same probabilities, bit for bit. ``model_card`` writes a page to publish with it: what the model is, how
fair it was found to be, and what that does not say.
"""

# %%
# A model
# -------

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skdegfair
from skdegfair import DegFairGNNClassifier, GraphTransformer, model_card
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.display import DegreeCurveDisplay

data = make_degree_biased_graph(800, random_state=0)
train, test, y_train, y_test = train_test_split(data.graph, data.y, test_size=0.5, stratify=data.y, random_state=0)
model = make_pipeline(GraphTransformer(StandardScaler()), DegFairGNNClassifier(random_state=0)).fit(train, y_train)

# %%
# To a file, and back
# -------------------
# The file contains no nodes and no edges.

with TemporaryDirectory() as folder:
    path = Path(folder) / "model.skdegfair"
    skdegfair.save(model, path)
    print(f"The file has {path.stat().st_size / 1024:.0f} kB.")
    loaded = skdegfair.load(path)
print("Same probabilities:", (loaded.predict_proba(test) == model.predict_proba(test)).all())

# %%
# The card
# --------
# It is a page of Markdown. Assess the model on nodes that it was not trained on. ``path=`` writes the page to a file.

print(model_card(loaded, test, y_test, title="Badges", purpose="An example. Not for decisions about people."))

# %%
# A picture for the card
# ----------------------
# The loaded model can be used like any other.

DegreeCurveDisplay.from_estimator(loaded, test, y_test, name="loaded model", n_bins=6)
plt.show()
