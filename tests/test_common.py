"""scikit-learn's own checks, on the true defaults, none expected to fail."""

import os
import subprocess
import sys

import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([DegFairGNNClassifier(), GNNClassifier(), GraphTransformer(StandardScaler())])
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None


def test_the_check_that_scikit_learn_skips_without_array_api_support():
    command = [sys.executable, "-m", "pytest", "-q", "-k", "test_scikit_learn_check and array_api", __file__]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "3 passed" in run.stdout, run.stdout
