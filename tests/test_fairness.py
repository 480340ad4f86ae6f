"""The fairness loss does what it is for."""

import numpy as np
import pytest

from skdegfair import GNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.mitigation import DegFair

SEEDS = range(4)
pytestmark = pytest.mark.filterwarnings("ignore:.*no effect with fairness_weight=0")  # the model to compare with


def gaps(weight, kind, backbone="gcn", **switches):
    """Over seeds: how far the groups' mean predictions on unseen nodes lie apart, in parity and in opportunity."""
    parity, opportunity = [], []
    for seed in SEEDS:
        data = make_degree_biased_graph(400, random_state=seed)
        train, test = np.arange(0, 400, 2), np.arange(1, 400, 2)
        mitigation = DegFair(fairness_groups="threshold", fairness_weight=weight, fairness_loss=kind, **switches)
        clf = GNNClassifier(backbone=backbone, mitigation=mitigation, max_epochs=150, random_state=seed)
        clf.fit(data.graph[train], data.y[train])
        p, y = clf.predict_proba(data.graph[test]), data.y[test]
        low = data.graph[test].degree() <= clf.mitigation_.degree_threshold_
        parity.append(np.abs(p[low].mean(0) - p[~low].mean(0)).mean())
        cells = [[p[side & (y == c), c].mean() for side in (low, ~low)] for c in range(3)]
        opportunity.append(np.mean([abs(a - b) for a, b in cells]))
    return np.array(parity), np.array(opportunity)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"backbone": "sage"},
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in ({"backbone": "gat"}, {"modulation": False}, {"contrast": False}, {"scale_shift": False})
        ),
    ],
    ids=str,
)
def test_more_weight_on_parity_narrows_the_gap(options):
    without, some, much = (gaps(weight, "dsp", **options)[0] for weight in (0, 2, 20))
    assert (some < without).all()
    assert (much < 0.5 * without).all()
    assert much.mean() < some.mean()


def test_more_weight_on_opportunity_narrows_that_gap():
    without, much = (gaps(weight, "deo")[1] for weight in (0, 100))
    assert much.mean() < 0.7 * without.mean()
