"""Probabilities of a classifier, corrected so that they agree with how often each class occurs in a group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

SMALLEST = 1e-6
"""Probabilities are at least this, so that they have a logarithm."""
PENALTY = 1.0
"""L2 penalty on the bias and on the logarithm of the slope, in nodes."""


def calibrated(p: NDArray[np.float64], slope: float, bias: NDArray[np.float64]) -> NDArray[np.float64]:
    """softmax(slope log p + bias): (n_nodes, n_classes) -> (n_nodes, n_classes)."""
    return np.exp(log_softmax(slope * np.log(np.maximum(p, SMALLEST)) + bias, axis=1))


def fit_calibration(p: NDArray[np.float64], codes: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
    """Slope and bias with the largest likelihood for the classes of the nodes, minus a small penalty.

    Classifiers with few errors on their training nodes are too sure about others; a slope below 1 corrects that.
    """
    logarithm = np.log(np.maximum(p, SMALLEST))
    member = np.eye(p.shape[1])[codes]

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, bias = np.exp(parameters[0]), parameters[1:]
        log_p = log_softmax(slope * logarithm + bias, axis=1)
        error = np.exp(log_p) - member
        gradient = np.append(slope * (error * logarithm).sum(), error.sum(axis=0)) + PENALTY * parameters
        return float(-(log_p * member).sum() + PENALTY / 2 * parameters @ parameters), gradient

    found = minimize(loss, np.zeros(p.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return float(np.exp(found[0])), found[1:]
