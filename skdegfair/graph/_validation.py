"""Validation of features and of selections of nodes."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from ._sparse import canonical

OTHER_GRAPHS = (
    (("nodes", "edges", "adj"), "a networkx graph", 'Graph.from_networkx(graph, features=["age"])'),
    (("edge_index", "num_nodes"), "a torch_geometric Data object", "Graph.from_pyg(data)"),
)
NOT_NUMERIC = (
    "Column {name} of X contains text, such as {text!r}, but a graph classifier reads numbers. Encode it in a "
    "pipeline, as in make_pipeline(GraphTransformer(make_column_transformer((OneHotEncoder(), [{name}]), "
    "remainder='passthrough')), classifier)."
)


def check_features(X: Any) -> Any:
    """Return X as a DataFrame, a canonical CSR matrix or a two-dimensional ndarray, without a copy if it is one."""
    if isinstance(X, pd.DataFrame):
        return X
    if sp.issparse(X):
        return canonical(X, "X")
    check_not_a_graph(X)
    kind, X = kind_of(X), as_array(X, "X")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X must contain real numbers, got dtype {X.dtype}.")
    if X.ndim != 2:
        raise ValueError(
            f"X must be a feature matrix with one row per node, got {kind}. "
            "Reshape your data; for a single feature, X.reshape(-1, 1)."
        )
    return X


def check_not_a_graph(X: Any) -> None:
    """Raise TypeError if X is a graph of another library, which has a conversion of its own."""
    for attributes, kind, remedy in OTHER_GRAPHS:
        if all(hasattr(X, name) for name in attributes):
            raise TypeError(f"X is {kind}, not a feature matrix. Convert it with {remedy}.")


def check_column_names(X: Any) -> Any:
    """Return X. Raise ValueError if it is a data frame with two columns of one name, as scikit-learn 1.9 does."""
    if isinstance(X, pd.DataFrame) and not X.columns.is_unique:
        name = X.columns[X.columns.duplicated()][0]
        raise ValueError(
            f"X must have unique column names, but has {name!r} {(X.columns == name).sum()} times. Rename columns."
        )
    return X


def check_numeric(X: Any) -> Any:
    """Return X if a model can read it as numbers. Raise ValueError that names the first column that it cannot read."""
    check_not_a_graph(X)
    if isinstance(X, pd.DataFrame):
        columns = [
            (repr(name), X.iloc[:, k]) for k, name in enumerate(X.columns) if not is_numeric_dtype(X.dtypes.iloc[k])
        ]
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OSUmM":
        columns = [(str(k), column) for k, column in enumerate(X.T)]
    else:
        return X
    for name, column in columns:
        if getattr(column.dtype, "kind", "O") in "mM":
            raise ValueError(f"Column {name} of X contains dates or durations. Convert them to numbers, such as days.")
        try:
            np.asarray(column, dtype=np.float64)
        except TypeError:
            if not pd.isna(column).any():
                raise
            raise ValueError(f"Column {name} of X contains missing values (pd.NA). Impute them first.") from None
        except ValueError:
            text = next((value for value in column if isinstance(value, str)), np.asarray(column)[0])
            raise ValueError(NOT_NUMERIC.format(name=name, text=str(text))) from None
    return X


def as_array(value: Any, name: str) -> NDArray[Any]:
    """Return an array, unless that would lose a mask of values or is impossible."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name} is a masked array, whose mask would be lost. Fill it, as in {name}.filled(0).")
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
    try:
        return np.asarray(value)
    except TypeError as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from None
    except ValueError:
        raise ValueError(f"{name} must have rows of equal length, got {kind_of(value)}.") from None


def check_nodes(nodes: Any, n_nodes: int, *, name: str = "nodes") -> NDArray[np.intp]:
    """Return a mask or an array of positions as positions. Duplicates raise ValueError."""
    kind, nodes = kind_of(nodes), as_array(nodes, name)
    if nodes.ndim != 1:
        raise ValueError(f"{name} must be a mask or a list of positions, got {kind}.")
    if nodes.dtype == bool:
        if len(nodes) != n_nodes:
            raise ValueError(f"{name} is a mask of length {len(nodes)}, but there are {n_nodes} nodes.")
        nodes = np.flatnonzero(nodes)
    if nodes.size == 0:
        raise ValueError(f"{name} is empty: at least one node is needed.")
    if nodes.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must contain booleans or integers, got dtype {nodes.dtype}. Nodes with labels are found with "
            f"X.index.get_indexer({name})."
        )
    low, high = int(nodes.min()), int(nodes.max())
    if low < 0 or high >= n_nodes:
        raise ValueError(
            f"{name} holds position {low if low < 0 else high}, out of range for {n_nodes} nodes (0 to {n_nodes - 1})."
        )
    values, counts = np.unique(nodes, return_counts=True)
    if len(values) < len(nodes) == n_nodes and high <= 1:
        raise ValueError(f"{name} looks like a mask of zeros and ones: pass booleans, as in {name}.astype(bool).")
    if len(values) < len(nodes):
        raise ValueError(f"{name} holds node {values[counts.argmax()]} more than once.")
    return nodes.astype(np.intp, copy=False)


def kind_of(value: Any) -> str:
    """Return what a user passed, in words."""
    if value is None or isinstance(value, (str, Number)):
        return repr(value)
    shape = getattr(value, "shape", ())
    return f"an array of shape {shape}" if shape else f"a {type(value).__name__}"


def n_bytes(matrix: Any) -> int:
    """Return the size of checked features or of an adjacency, 0 for None."""
    if sp.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    if isinstance(matrix, pd.DataFrame):
        return int(matrix.memory_usage().sum())
    return 0 if matrix is None else int(matrix.nbytes)
