"""Vectors of nodes from a matrix of similarities between nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

SMALL = 300
"""Maximum number of rows for which the whole decomposition is computed."""


def positive_log_ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[Any]:
    """max(log(numerator / denominator), 0), and 0 where the numerator is 0. The denominator is broadcast."""
    ratio = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=numerator > 0)
    np.maximum(ratio, 1, out=ratio)
    return np.log(ratio, out=ratio)


def leading_vectors(matrix: NDArray[Any], n_components: int) -> NDArray[np.float64]:
    """U_k S_k^(1/2) of the singular value decomposition. Columns beyond the size of the matrix are 0."""
    n_rows = len(matrix)
    vectors = np.zeros((n_rows, n_components))
    if not matrix.any():
        return vectors
    k = min(n_components, n_rows)
    if n_rows <= SMALL or k >= n_rows - 1:
        left, size, _ = scipy.linalg.svd(matrix.astype(np.float64))
    else:
        start = np.random.default_rng(0).random(n_rows)  # fixed, so that the result is always the same
        left, size, _ = svds(matrix, k, v0=start.astype(matrix.dtype))
        order = np.argsort(-size, kind="stable")
        left, size = left[:, order], size[order]
    left, size = left[:, :k], size[:k]
    sign = np.sign(left[np.abs(left).argmax(axis=0), np.arange(k)])  # a decomposition does not determine the signs
    vectors[:, :k] = left * sign * np.sqrt(size)
    return vectors
