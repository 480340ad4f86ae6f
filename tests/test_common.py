"""scikit-learn's own checks, with a reason for each that is expected to fail."""

import os
import subprocess
import sys

import pytest
from methods import WITH_BACKBONES
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skdegfair import DegFairGNNClassifier, DegreeParityClassifier, EmbeddingClassifier, GNNClassifier, GraphTransformer
from skdegfair.embedding import FairAdj, FairWalk, Residual2Vec
from skdegfair.mitigation import CFC, DSGCN, FairGNN, FairVGNN, RawlsGCN, ReleasedDegFair, TailGNN
from skdegfair.nn import BACKBONES

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    pytest.mark.filterwarnings("ignore::skdegfair.exceptions.NoEdgesWarning"),  # the checks pass no edges
]


REPEATED = "dropout and the scale of the features depend on how often a node is there, not on its weight"
SHORT = {"n_components": 8, "hidden_dim": 16, "n_rounds": 1, "n_steps": 20, "n_edge_steps": 2, "random_state": 0}
NO_SELF_LOOPS = "without edges, the released attention, which has no self-loops, reads no features"


def expected_failures(estimator):
    reads_nodes = GNNClassifier, DegFairGNNClassifier, FairAdj  # not only the labels of nodes
    parts = estimator, getattr(estimator, "estimator", None), getattr(estimator, "embedding", None)
    if not any(isinstance(part, reads_nodes) for part in parts):
        return {}
    if isinstance(getattr(estimator, "mitigation", None), ReleasedDegFair) and estimator.backbone == "gat":
        return {"check_classifiers_train": NO_SELF_LOOPS}
    return {f"check_sample_weight_equivalence_on_{kind}_data": REPEATED for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [
        DegFairGNNClassifier(max_epochs=10),
        GNNClassifier(max_epochs=10),
        GNNClassifier(mitigation=FairGNN(), max_epochs=30),
        GNNClassifier(mitigation=RawlsGCN(), max_epochs=10),
        GraphTransformer(StandardScaler()),
        FairWalk(),
        Residual2Vec(null="groups"),
        FairAdj(**SHORT),
        EmbeddingClassifier(FairWalk()),
        EmbeddingClassifier(FairAdj(**SHORT)),
        DegreeParityClassifier(LogisticRegression()),
        DegreeParityClassifier(LogisticRegression(), constraint="deo", cv=0.3),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None


@pytest.mark.slow
@parametrize_with_checks(
    [
        DegFairGNNClassifier(),
        GNNClassifier(),
        GNNClassifier(mitigation=FairGNN()),
        GNNClassifier(mitigation=RawlsGCN()),
        GNNClassifier(mitigation=CFC()),
        GNNClassifier(mitigation=FairVGNN()),
        GNNClassifier(mitigation=TailGNN()),
        GNNClassifier(mitigation=DSGCN()),
        EmbeddingClassifier(Residual2Vec()),
        EmbeddingClassifier(FairAdj(random_state=0)),
        DegreeParityClassifier(GNNClassifier(max_epochs=30, random_state=0)),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check_of_the_true_defaults(estimator, check):
    assert check(estimator) is None


@pytest.mark.slow
@parametrize_with_checks(
    [
        *(GNNClassifier(backbone=backbone, max_epochs=30) for backbone in BACKBONES),
        *(GNNClassifier(mitigation=method, backbone=backbone, max_epochs=30) for method, backbone in WITH_BACKBONES),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check_of_every_method_and_backbone(estimator, check):
    assert check(estimator) is None


ARRAY_API = """
import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from skdegfair import (
    DegFairGNNClassifier,
    DegreeParityClassifier,
    EmbeddingClassifier,
    GNNClassifier,
    GraphTransformer,
)
from skdegfair.embedding import FairAdj, FairWalk, Residual2Vec
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.tuning import ParetoSearchCV

short = {"max_epochs": 10, "random_state": 0}
search = ParetoSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring="accuracy", n_trials=2, cv=2)
for estimator in (DegFairGNNClassifier(**short), GNNClassifier(**short), GraphTransformer(StandardScaler()), search):
    checks = [check for _, check in estimator_checks_generator(estimator) if "check_array_api_input" in str(check)]
    assert len(checks) == 1 or sklearn.__version__.startswith("1.8")  # which does not have it for every estimator
    for check in checks:
        check(estimator)  # raises SkipTest without the setting

data = make_degree_biased_graph(120, random_state=0)
usual = cross_val_score(DegFairGNNClassifier(**short), data.graph, data.y, cv=2)
with sklearn.config_context(array_api_dispatch=True):
    dispatched = cross_val_score(DegFairGNNClassifier(**short), data.graph, data.y, cv=2)
np.testing.assert_allclose(dispatched, usual)
"""


def test_with_scipys_array_api_support():
    """In a process of its own, because scipy reads the setting when it is imported."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(
        [sys.executable, "-c", ARRAY_API], env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
