"""scikit-learn's own checks, on the true defaults, none expected to fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([DegFairGNNClassifier(), GNNClassifier(), GraphTransformer(StandardScaler())])
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None


def test_what_needs_scipys_array_api_support():
    here = Path(__file__).parent
    files = [str(here / "test_common.py"), str(here / "test_model_selection.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-k", "array_api and not needs_scipys", *files]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "4 passed" in run.stdout, run.stdout
