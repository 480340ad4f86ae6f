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

A node is an article, an edge a link in either direction, a feature says whether the article has a certain noun, the
class is its average monthly traffic in five steps. {n_nodes} nodes, {n_edges} edges, {n_features} features, 5 classes.
{duplicates}

From Rozemberczki, Allen and Sarkar, "Multi-scale attributed node embedding" (2021), as released by the authors of
DegFairGNN."""
DUPLICATES = """About half of the nodes have the same neighbours as another one, nearly always of the same class: a
model that sees one of them in training knows the others. drop_duplicates=True keeps one of each."""
DROPPED = """Of nodes with the same neighbours and the same class one was kept, and {n_dropped} others were dropped."""
EMNLP_DESCR = """EMNLP: papers of a conference on language processing, and which of them are cited together.

A node is a paper, an edge joins papers that were cited together, the features are eight numbers, the class is whether
the paper was cited outside of the conference at least as often as the mean (4.77 times). {n_nodes} nodes, {n_edges}
edges, {n_features} features, 2 classes. Half of the nodes have no edge, and 78 % are of class 0, so that a majority
vote is hard to beat. {duplicates}

From Ma, Chang, Zhang and Mei, "CopulaGNN" (2020), as released by the authors of DegFairGNN."""


def fetch_chameleon(
    *,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_A_y: bool = False,
    drop_duplicates: bool = False,
) -> Any:
    """Load Chameleon: Wikipedia articles about chameleons, 2277 nodes in 5 classes.

    The archive is downloaded when first needed, checked against its sha256, parsed once,
    and kept as numpy arrays.

    Parameters
    ----------
    data_home : path, default=None
        Folder of archives and of what was parsed from them; by default ``skdegfair`` in
        scikit-learn's data home. An archive in it, or in the folder that the environment
        variable SKDEGFAIR_DATA names, is used and nothing is downloaded.
    download_if_missing : bool, default=True
        If False, raise an OSError where there is no local archive.
    return_X_A_y : bool, default=False
        Return ``(X, A, y)`` instead of a Bunch.
    drop_duplicates : bool, default=False
        Of all nodes with the same neighbours (at least one) and the same class, keep the
        first. Features do not matter. Published filtered versions of these data sets
        follow rules of their own, so their results do not compare.

    Returns
    -------
    Bunch, or (X, A, y)
        With ``graph``, ``X`` (as released), ``A``, ``y``, ``target_names``, ``DESCR`` and
        ``nodes``, the positions in the released data of the nodes that were kept.
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
    """Load EMNLP: papers of a conference, linked where they are cited together, 2600 nodes in 2 classes.

    Parameters
    ----------
    data_home, download_if_missing, return_X_A_y, drop_duplicates
        As for :func:`fetch_chameleon`. Duplicates are no matter here: the few that the rule
        finds are different papers.

    Returns
    -------
    Bunch, or (X, A, y)
    """
    names = ["cited less than the mean", "cited at least as the mean"]
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
    """The first node of each set of neighbours and class, and every node without neighbours."""
    A = A.sorted_indices()
    rows = [A.indices[start:end].tobytes() for start, end in zip(A.indptr[:-1], A.indptr[1:], strict=True)]
    seen: dict[tuple[bytes, int], int] = {}
    return np.array([node for node, row in enumerate(rows) if not row or seen.setdefault((row, y[node]), node) == node])
