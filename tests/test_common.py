"""scikit-learn's own checks, on the true defaults, none expected to fail."""

import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skdegfair import DegFairGNNClassifier, GNNClassifier, GraphTransformer


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([DegFairGNNClassifier(), GNNClassifier(), GraphTransformer(StandardScaler())])
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None
