"""Recognize data that was seen before."""

from __future__ import annotations

from typing import Any

import joblib
import scipy.sparse as sp


def fingerprint(data: Any) -> str:
    """Return a hash of arrays, to recognize the data of a fit. For a sparse matrix, its shape and arrays are hashed."""
    if sp.issparse(data):
        data = (data.shape, data.data, data.indices, data.indptr)
    return str(joblib.hash(data))
