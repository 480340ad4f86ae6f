"""Recognize data that was seen before."""

from __future__ import annotations

from typing import Any

import joblib
import scipy.sparse as sp


def fingerprint(data: Any) -> str:
    """A hash of arrays, to recognize the data of a fit. Of sparse matrices without what scipy notes about them."""
    if sp.issparse(data):
        data = (data.shape, data.data, data.indices, data.indptr)
    return str(joblib.hash(data))
