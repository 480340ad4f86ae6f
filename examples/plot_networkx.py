"""
A graph from networkx
=====================

``Graph.from_networkx`` reads node attributes and edges of a networkx graph, and predictions go back as node
attributes. The picture shows who is predicted to be promoted. A plain GraphSAGE network promotes nodes with many links
far more often than others; with DegFair, links make little difference.
"""

# %%
# A network of colleagues
# -----------------------
# The network has grown over ten years. Newcomers prefer to link to those who have many links already, so a few nodes
# are hubs. Everybody has a skill, and a test measures it with some error. Who is promoted depends on skill and,
# unfairly, on the number of links.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.model_selection import train_test_split

from skdegfair import DegFairGNNClassifier, GNNClassifier, Graph
from skdegfair.metrics import compare_models, degree_groups

N_NODES = 600
random = np.random.default_rng(0)
network = nx.powerlaw_cluster_graph(N_NODES, 3, 0.3, seed=0)
skill = random.normal(size=N_NODES)
links = np.log([network.degree[node] for node in network])
merit = skill + (links - links.mean()) / links.std()
for node in network:
    measured = skill[node] + random.normal(scale=0.5)
    network.nodes[node].update(test=float(measured), years=10 * (1 - node / N_NODES))
    network.nodes[node]["promoted"] = "yes" if merit[node] > np.median(merit) else "no"

# %%
# To a Graph, and back
# --------------------
# ``features`` names the attributes to learn from. Nodes may have any names; they keep their order.

G = Graph.from_networkx(network, features=["test", "years"])
y = np.array(list(nx.get_node_attributes(network, "promoted").values()))
train, test, y_train, y_test = train_test_split(G, y, test_size=0.5, stratify=y, random_state=0)
models = {
    "GraphSAGE": GNNClassifier(backbone="sage", random_state=0).fit(train, y_train),
    "DegFair": DegFairGNNClassifier(backbone="sage", random_state=0).fit(train, y_train),
}
for name, model in models.items():
    nx.set_node_attributes(network, dict(zip(network, model.predict(G).tolist(), strict=True)), name)
print(network.nodes[0])

# %%
# Gaps on the test nodes
# ----------------------
# Delta DSP (degree statistical parity) is the difference in how often each class is predicted for the 20 % of the nodes
# with the fewest and with the most links. The labels have a gap of their own, so a fairer model agrees less with them.

comparison = compare_models(models, test, y_test)
print((100 * comparison.table.loc[["accuracy", "delta_dsp"], ["value", "ci_low", "ci_high"]]).round(1).to_string())
group = degree_groups(test.degree())  # 0 and 1 are the two groups
for name, model in models.items():
    low, high = (100 * (model.predict(test)[group == side] == "yes").mean() for side in (0, 1))
    print(f"{name} promotes {low:.0f} % of the nodes with few links and {high:.0f} % of those with many.")

# %%
# The network
# -----------
# Large dots have many links. All nodes are shown, also those that the models were trained on.

place = nx.spring_layout(network, seed=0, iterations=60)
sizes = [5 * network.degree[node] for node in network]
fig, axes = plt.subplots(ncols=2, figsize=(9, 4.6), layout="constrained")
for ax, name in zip(axes, models, strict=True):
    nx.draw_networkx_edges(network, place, ax=ax, alpha=0.08)
    for value, color in {"no": "#D55E00", "yes": "#0072B2"}.items():
        chosen = [node for node in network if network.nodes[node][name] == value]
        nx.draw_networkx_nodes(
            network, place, chosen, ax=ax, node_color=color, node_size=[sizes[node] for node in chosen], alpha=0.8
        )
    ax.set_title(name)
    ax.axis("off")
handles = [plt.Line2D([], [], marker="o", linestyle="", color=color) for color in ("#0072B2", "#D55E00")]
fig.legend(handles, ["predicted to be promoted", "not promoted"], loc="outside lower center", ncols=2, frameon=False)
plt.show()
