"""The directive ``capabilities``: tables of what the methods support, read from their classes when the site is built.

``.. capabilities:: settings`` is about parameters of ``GNNClassifier`` that a mitigation may not support.
``.. capabilities:: methods`` compares the methods of all kinds.
"""

import csv
import inspect
from collections import defaultdict
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from skdegfair import DegreeParityClassifier, embedding, mitigation
from skdegfair.embedding import GraphEmbedding
from skdegfair.mitigation import Mitigation

TIMES = Path(__file__).parents[2] / "benchmarks" / "results" / "speed_methods.csv"


def mitigations():
    """The methods for ``GNNClassifier(mitigation=...)`` by name."""
    return _subclasses(mitigation, Mitigation)


def embeddings():
    """The embeddings by name."""
    return _subclasses(embedding, GraphEmbedding)


def settings_table():
    """Which settings of ``GNNClassifier`` each mitigation supports: one dict per row."""
    return [
        {
            "method": reference(method),
            "backbone": ", ".join(method.backbones),
            "n_layers": f"{method.min_layers} or more",
            "batches": yes(method.supports_batches),
            "several processes": yes(method.supports_distributed),
            "directed graphs": yes(method.supports_directed),
        }
        for method in mitigations().values()
    ]


def methods_table():
    """What distinguishes methods of all kinds: one dict per row."""
    cost = epoch_costs()
    rows = [
        row(method, "mitigation", directed=method.supports_directed, other_graphs="yes", features="yes", cost=cost)
        for method in mitigations().values()
    ]
    rows += [
        row(method, "embedding", directed=True, other_graphs="no", features=yes(method.reads_features), cost=cost)
        for method in embeddings().values()
    ]
    as_estimator = "as its estimator"
    rows.append(
        row(
            DegreeParityClassifier,
            "post-processing",
            directed=True,
            other_graphs=as_estimator,
            features=as_estimator,
            cost=cost,
        )
    )
    return rows


def row(method, kind, *, directed, other_graphs, features, cost):
    return {
        "method": reference(method),
        "kind": kind,
        "directed graphs": yes(directed),
        "more than two degree groups": degree_groups(method),
        "more than two classes": "yes",
        "graphs not seen in fit": other_graphs,
        "reads features": features,
        "cost of an epoch": cost.get(method.__name__, "not measured" if kind == "mitigation" else "no epochs of a GNN"),
    }


def degree_groups(method):
    """Whether a method compares more than two groups, by its parameters."""
    parameters = inspect.signature(method).parameters
    if "fairness_groups" in parameters:
        return "yes"
    return "no" if "degree_threshold" in parameters else "has no groups"


def epoch_costs():
    """Time of an epoch with the default parameters, relative to the plain GCN: smallest and largest over graphs."""
    with TIMES.open(encoding="utf-8", newline="") as file:
        times = defaultdict(list)
        for line in csv.DictReader(file):
            times[line["mitigation"]].append(float(line["to plain GCN"]))
    shown = {name: (f"{min(each):.1f}", f"{max(each):.1f}") for name, each in times.items()}
    return {
        name.removesuffix("()"): low if low == high else f"{low} to {high}"
        for name, (low, high) in shown.items()
        if name.endswith("()")
    }


def reference(method):
    """The method's name as a link to its page."""
    home = method.__module__.split(".")[1]
    path = method.__name__ if method is DegreeParityClassifier else f"{home}.{method.__name__}"
    return f":class:`~skdegfair.{path}`"


def yes(supported):
    return "yes" if supported else "no"


def _subclasses(package, base):
    """The public subclasses in a package, without the base class itself."""
    classes = {name: getattr(package, name) for name in sorted(package.__all__, key=str.lower)}
    return {
        name: each
        for name, each in classes.items()
        if isinstance(each, type) and issubclass(each, base) and each is not base
    }


TABLES = {"settings": settings_table, "methods": methods_table}


class Capabilities(SphinxDirective):
    required_arguments = 1

    def run(self):
        rows = TABLES[directives.choice(self.arguments[0], tuple(TABLES))]()
        cells = [list(rows[0]), *(list(each.values()) for each in rows)]
        lines = [".. list-table::", "   :header-rows: 1", "   :class: capabilities", ""]
        for line in cells:
            lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(line)]
        for path in (__file__, TIMES):
            self.env.note_dependency(str(path))
        parent = nodes.container()
        self.state.nested_parse(StringList(lines, source=__file__), self.content_offset, parent)
        return parent.children


def setup(app):
    app.add_directive("capabilities", Capabilities)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
