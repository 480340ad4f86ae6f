"""Exceptions and warnings of skdegfair, so that they can be caught or filtered by class."""

from __future__ import annotations


class NoEdgesWarning(UserWarning):
    """A graph classifier was fitted without edges, and ``A="none"`` was not passed to say that this is intended.

    Examples
    --------
    >>> import warnings
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.exceptions import NoEdgesWarning
    >>> data = make_degree_biased_graph(50, random_state=0)
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", NoEdgesWarning)
    ...     GNNClassifier(max_epochs=2).fit(data.X, data.y)
    Traceback (most recent call last):
        ...
    skdegfair.exceptions.NoEdgesWarning: GNNClassifier.fit got features and labels, but no edges: ...
    """


class RepeatedEdgesWarning(UserWarning):
    """A list of edges without weights has the same edge more than once.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skdegfair import Graph
    >>> from skdegfair.exceptions import RepeatedEdgesWarning
    >>> edges = pd.DataFrame({"source": [0, 1, 0], "target": [1, 2, 1]})
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", RepeatedEdgesWarning)
    ...     Graph.from_edges(edges, [[1.0], [2.0], [3.0]])
    Traceback (most recent call last):
        ...
    skdegfair.exceptions.RepeatedEdgesWarning: Edges without weights are listed more than once ...
    """


class NoEffectWarning(UserWarning):
    """A parameter, a loss term or a monitor has no effect in the given combination.

    Examples
    --------
    >>> import warnings
    >>> from skdegfair import GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.exceptions import NoEffectWarning
    >>> data = make_degree_biased_graph(50, random_state=0)
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", NoEffectWarning)
    ...     GNNClassifier(patience=3, max_epochs=2).fit(data.graph, data.y)
    Traceback (most recent call last):
        ...
    skdegfair.exceptions.NoEffectWarning: patience=3 has no effect with early_stopping=False.
    """


class FeatureScaleWarning(UserWarning):
    """The columns of the features have very different scales, which slows training down.

    Examples
    --------
    >>> import warnings
    >>> from skdegfair import Graph, GNNClassifier
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> from skdegfair.exceptions import FeatureScaleWarning
    >>> data = make_degree_biased_graph(50, random_state=0)
    >>> data.X[:, 0] *= 10_000
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", FeatureScaleWarning)
    ...     GNNClassifier(max_epochs=2).fit(Graph(data.X, data.A), data.y)
    Traceback (most recent call last):
        ...
    skdegfair.exceptions.FeatureScaleWarning: The features have very different scales: ...
    """


class EmptyGroupWarning(UserWarning):
    """A degree group has no nodes, or none of some class, so a gap is not defined or leaves out the class.

    Examples
    --------
    >>> import warnings
    >>> from skdegfair.exceptions import EmptyGroupWarning
    >>> from skdegfair.metrics import delta_dsp
    >>> y = [0, 1, 0, 1]
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", EmptyGroupWarning)
    ...     delta_dsp(y, y, degree=[3, 3, 3, 3])
    Traceback (most recent call last):
        ...
    skdegfair.exceptions.EmptyGroupWarning: No node in degree group 'high': ...
    """


class VersionWarning(UserWarning):
    """A model was stored by another version of skdegfair.

    Examples
    --------
    >>> import tempfile
    >>> import warnings
    >>> import skdegfair
    >>> from skdegfair.exceptions import VersionWarning
    >>> clf = skdegfair.GNNClassifier(max_epochs=2, random_state=0).fit([[0.0], [1.0]], [0, 1], A="none")
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     skdegfair.save(clf, f"{folder}/model.skdegfair")
    ...     warnings.simplefilter("error", VersionWarning)  # refuse what another version has written
    ...     skdegfair.load(f"{folder}/model.skdegfair")
    GNNClassifier(max_epochs=2, random_state=0)
    """


class GraphAsArrayError(TypeError):
    """A Graph was used as a plain array, which would lose its edges.

    Examples
    --------
    >>> import numpy as np
    >>> from skdegfair import Graph
    >>> from skdegfair.exceptions import GraphAsArrayError
    >>> try:
    ...     np.asarray(Graph(np.eye(2)))
    ... except GraphAsArrayError as error:
    ...     print(str(error).split(",")[0])
    A Graph cannot be used as a plain array
    """


class ModelFileError(ValueError):
    """A model file or a checkpoint is damaged, incompatible, or not one of skdegfair.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import skdegfair
    >>> from skdegfair.exceptions import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.skdegfair")
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         skdegfair.load(path)
    ...     except ModelFileError:
    ...         print("not a model file")
    not a model file
    """
