"""The three data sets of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Bunch

from ..graph import Graph
from ._fetch import Archive, load
from ._parse import RawGraph, read_emnlp, read_wikipedia

CHAMELEON = Archive("Chameleon.zip", "d13aa22251f941e3dd92efe4710c286d7484e024777db3091eabf82d6cd21e9e", read_wikipedia)
SQUIRREL = Archive("Squirrel.zip", "71e8ceb96da38d10277c3b4f68fa015fc065e132573a4f27ce50e74670f13a42", read_wikipedia)
EMNLP = Archive("EMNLP.zip", "388527535fcfe8cf3a5f89409d51e7a846a3532b03a198a7c20cd5db42306d01", read_emnlp)

WIKIPEDIA_DESCR = """{name}: Wikipedia articles about {topic} and the links between them.

Nodes are articles, and edges are links in either direction. A feature says whether the article contains a certain
noun. The class is the average monthly traffic in five levels. {n_nodes} nodes, {n_edges} edges, {n_features} features,
5 classes.
{duplicates}

From Rozemberczki, Allen and Sarkar, "Multi-scale attributed node embedding" (2021), as released by the authors of
DegFairGNN."""
DUPLICATES = """About half of the nodes have the same neighbors as another node, nearly always of the same class. A
model that is trained on one of them has effectively seen the others. drop_duplicates=True keeps one of each."""
DROPPED = """Of the nodes with the same neighbors and class, one was kept, and {n_dropped} others were dropped."""
EMNLP_DESCR = """EMNLP: papers of a conference on language processing, linked if they are cited together.

Nodes are papers, and edges join papers that were cited together. The features are eight numbers. The class is whether
the paper was cited outside of the conference at least as often as the mean (4.77 times). {n_nodes} nodes, {n_edges}
edges, {n_features} features, 2 classes. Half of the nodes have no edges, and 78 % are in class 0, so a majority vote is
hard to beat. {duplicates}

From Ma, Chang, Zhang and Mei, "CopulaGNN" (2020), as released by the authors of DegFairGNN."""


def fetch_chameleon(
    *,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_A_y: bool = False,
    drop_duplicates: bool = False,
) -> Any:
    """Load Chameleon: Wikipedia articles about chameleons, 2277 nodes in 5 classes.

    The archive is downloaded when it is first needed, verified by its sha256, parsed once
    and cached as numpy arrays.

    Parameters
    ----------
    data_home : path, default=None
        Folder for archives and cached arrays, by default ``skdegfair`` in scikit-learn's
        data home. If the archive is in this folder, or in the folder that the environment
        variable SKDEGFAIR_DATA is set to, nothing is downloaded.
    download_if_missing : bool, default=True
        If False, raise OSError if there is no local archive.
    return_X_A_y : bool, default=False
        Return ``(X, A, y)`` instead of a Bunch.
    drop_duplicates : bool, default=False
        Of all nodes with the same neighbors (at least one) and the same class, keep the
        first, whatever their features. Published filtered versions of these data sets
        follow other rules, so results on them are not comparable.

    Returns
    -------
    Bunch, or (X, A, y)
        The Bunch contains ``graph``, ``X`` (as released), ``A``, ``y``, ``target_names``,
        ``DESCR`` and ``nodes``, the positions of the kept nodes in the released data.

    Examples
    --------
    >>> from skdegfair.datasets import fetch_chameleon
    >>> X, A, y = fetch_chameleon(return_X_A_y=True)  # doctest: +SKIP
    >>> A.shape  # doctest: +SKIP
    (2277, 2277)
    """
    names = [f"traffic {step}" for step in range(5)]
    raw = load(CHAMELEON, data_home, download_if_missing)
    return _bunch(raw, names, WIKIPEDIA_DESCR, return_X_A_y, drop_duplicates, name="Chameleon", topic="chameleons")


def fetch_squirrel(
    *,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_A_y: bool = False,
    drop_duplicates: bool = False,
) -> Any:
    """Load Squirrel: Wikipedia articles about squirrels, 5201 nodes in 5 classes.

    Parameters
    ----------
    data_home, download_if_missing, return_X_A_y, drop_duplicates
        As for :func:`fetch_chameleon`.

    Returns
    -------
    Bunch, or (X, A, y)

    Examples
    --------
    >>> from skdegfair.datasets import fetch_squirrel
    >>> X, A, y = fetch_squirrel(return_X_A_y=True)  # doctest: +SKIP
    >>> A.shape  # doctest: +SKIP
    (5201, 5201)
    """
    names = [f"traffic {step}" for step in range(5)]
    raw = load(SQUIRREL, data_home, download_if_missing)
    return _bunch(raw, names, WIKIPEDIA_DESCR, return_X_A_y, drop_duplicates, name="Squirrel", topic="squirrels")


def fetch_emnlp(
    *,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_A_y: bool = False,
    drop_duplicates: bool = False,
) -> Any:
    """Load EMNLP: conference papers, linked if they are cited together, 2600 nodes in 2 classes.

    Parameters
    ----------
    data_home, download_if_missing, return_X_A_y, drop_duplicates
        As for :func:`fetch_chameleon`. Dropping duplicates is not needed here: the few nodes
        that the rule finds are different papers.

    Returns
    -------
    Bunch, or (X, A, y)

    Examples
    --------
    >>> from skdegfair.datasets import fetch_emnlp
    >>> X, A, y = fetch_emnlp(return_X_A_y=True)  # doctest: +SKIP
    >>> A.shape  # doctest: +SKIP
    (2600, 2600)
    """
    names = ["cited less often than the mean", "cited at least as often as the mean"]
    raw = load(EMNLP, data_home, download_if_missing)
    return _bunch(raw, names, EMNLP_DESCR, return_X_A_y, drop_duplicates)


def _bunch(raw: RawGraph, names: list[str], descr: str, return_X_A_y: bool, drop_duplicates: bool, **facts: str) -> Any:
    X, A, y = raw
    n_released = len(y)
    kept = _first_of_each(A, y) if drop_duplicates else np.arange(n_released)
    if drop_duplicates:
        X, A, y = X[kept], A[kept][:, kept], y[kept]
    if return_X_A_y:
        return X, A, y
    graph = Graph(X, A)
    if drop_duplicates:
        facts["duplicates"] = DROPPED.format(n_dropped=n_released - len(kept))
    else:
        facts["duplicates"] = DUPLICATES if "topic" in facts else ""
    text = descr.format(n_nodes=graph.n_nodes, n_edges=graph.n_edges, n_features=X.shape[1], **facts)
    return Bunch(graph=graph, X=X, A=graph.A, y=y, nodes=kept, target_names=names, DESCR=text)


def _first_of_each(A: sp.csr_array, y: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first node for each set of neighbors and class, and every node without neighbors."""
    A = A.sorted_indices()
    rows = [A.indices[start:end].tobytes() for start, end in zip(A.indptr[:-1], A.indptr[1:], strict=True)]
    seen: dict[tuple[bytes, int], int] = {}
    return np.array([node for node, row in enumerate(rows) if not row or seen.setdefault((row, y[node]), node) == node])
