"""save and load."""

from __future__ import annotations

import os
import platform
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import torch
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from .._version import __version__
from ..exceptions import ModelFileError, VersionWarning
from ..tensorfile import Content, FileKind, read, write
from ._estimators import CLASSIFIERS, LAST_STEPS, TRANSFORMERS, check_steps, describe, restore
from ._values import Decoder, Encoder, mapping

KIND = FileKind("skdegfair", "model", schema=1)
NO_MODEL = (
    "save takes a fitted {classifiers}, or a pipeline that ends with one, got {given}. {instead}The pipeline may "
    "also contain GraphTransformer of {transformers}, or of a pipeline of them."
)
CHANGED = (
    "The model cannot be saved, because it would not load again: {error} Were parameters or attributes changed after "
    "fit? Fit it again."
)
NO_CALLBACKS = (
    "callbacks are code and are not saved: the loaded classifier has callbacks=None. Predictions do not need them."
)
OTHER_SKLEARN = (
    "{path} contains transformers of scikit-learn {saved}, but this is scikit-learn {here}, where their attributes "
    "may have another meaning. Compare some predictions, or fit and save the model again."
)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted classifier, or a pipeline that ends with one, to a file that :func:`load` reads.

    The file is a safetensors file: weights and other arrays, and a JSON document with parameters, classes, degree
    statistics, feature names and versions. It contains no code and no pickle. It is written completely or not at all:
    if something fails, an earlier file at the same path stays as it is.

    Parameters
    ----------
    model : fitted classifier of this library, or a Pipeline
        Other steps of a pipeline are GraphTransformers of scikit-learn's scalers and encoders, or an embedding and a
        LogisticRegression; docs/saving.rst lists them.
    path : str or path-like
        The name may have any suffix; ``.skdegfair`` is suggested.

    Raises
    ------
    TypeError
        If the model, or a parameter, cannot be saved; the message names it. Examples are a RandomState
        instance, a class in ``net_params``, and functions.
    ValueError
        If the model does not fit its parameters, because they were changed after ``fit``.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    OSError
        If the file cannot be written.

    Warns
    -----
    UserWarning
        If the classifier has ``callbacks``: they are left out.

    Notes
    -----
    The state of the optimizer is not saved. ``fit`` with ``warm_start=True`` continues with the weights of a loaded
    classifier and a new optimizer.

    Examples
    --------
    >>> import tempfile
    >>> import skdegfair
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> X, A, y = make_degree_biased_graph(100, random_state=0, return_X_A_y=True)
    >>> clf = skdegfair.DegFairGNNClassifier(max_epochs=5, random_state=0).fit(X, A, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     skdegfair.save(clf, f"{folder}/model.skdegfair")
    ...     loaded = skdegfair.load(f"{folder}/model.skdegfair")
    >>> bool((loaded.predict_proba(X, A) == clf.predict_proba(X, A)).all())
    True
    """
    is_pipeline = type(model) is Pipeline and model.steps
    classifier = model.steps[-1][1] if is_pipeline else model
    if type(classifier) not in (LAST_STEPS if is_pipeline else CLASSIFIERS):
        raise TypeError(_no_model(model))
    check_is_fitted(model)
    if getattr(classifier, "callbacks", None):
        warnings.warn(NO_CALLBACKS, stacklevel=2)
    encode = Encoder(describe)
    content = Content({"versions": _versions(), "model": encode(model, "model")}, encode.arrays)
    try:
        _restored(content)
    except Exception as error:
        raise ValueError(CHANGED.format(error=error)) from error
    write(Path(path), content, KIND)


def load(path: str | os.PathLike[str], *, device: str | torch.device | None = None) -> Any:
    """Load a model that :func:`save` wrote.

    No code in the file is run, because there is none: the model is made by the constructors of a fixed list of
    classes, and everything in the file is checked before it is used. A checksum finds accidental damage.

    Parameters
    ----------
    path : str or path-like
    device : str or torch.device, default=None
        Device to predict on. By default the one that the model was trained on.

    Returns
    -------
    fitted classifier or pipeline
        It gives the same predictions as the saved one, bit for bit on the same kind of machine.

    Raises
    ------
    ModelFileError
        If the file is damaged, was written by a newer version, or was not written by :func:`save`. It is a ValueError.
    OSError
        If the file cannot be read.

    Warns
    -----
    VersionWarning
        If the model contains transformers of another version of scikit-learn.

    Examples
    --------
    >>> import tempfile
    >>> import skdegfair
    >>> from skdegfair.datasets import make_degree_biased_graph
    >>> X, A, y = make_degree_biased_graph(100, random_state=0, return_X_A_y=True)
    >>> clf = skdegfair.GNNClassifier(max_epochs=2, random_state=0).fit(X, A, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     skdegfair.save(clf, f"{folder}/model.skdegfair")
    ...     loaded = skdegfair.load(f"{folder}/model.skdegfair")
    >>> loaded
    GNNClassifier(max_epochs=2, random_state=0)
    """
    path = Path(path)
    try:
        content = read(path, KIND)
        versions = mapping(content.document.get("versions"), "versions")
        model = _restored(content, device=device)
    except (OSError, ImportError):
        raise
    except Exception as error:  # a file can be wrong in more ways than anyone can list
        reason = error if isinstance(error, ValueError) else f"it was not written by skdegfair.save ({error})."
        raise ModelFileError(f"{path} cannot be loaded: {reason}") from error
    saved = str(versions.get("scikit-learn"))[:20]
    if type(model) is Pipeline and saved != sklearn.__version__:
        warnings.warn(OTHER_SKLEARN.format(path=path, saved=saved, here=sklearn.__version__), VersionWarning, 2)
    return model


def _restored(content: Content, *, device: Any = None) -> Any:
    """The model that a file describes; raises an error if anything in it does not fit."""
    decode = Decoder(dict(content.arrays), partial(restore, device=device))
    model = decode(content.document.get("model"), "model")
    if type(model) is Pipeline:
        check_steps(model)
    elif type(model) not in CLASSIFIERS:
        raise ModelFileError("it does not contain a classifier.")
    else:
        check_is_fitted(model)
    if decode.arrays:
        raise ModelFileError(f"it contains an array that nothing needs: {min(decode.arrays)[:100]}.")
    return model


def _versions() -> dict[str, str]:
    return {
        "skdegfair": __version__,
        "scikit-learn": sklearn.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _no_model(model: Any) -> str:
    instead = "Save the model that a search found: save(search.best_estimator_, path). "
    return NO_MODEL.format(
        classifiers=" or ".join(cls.__name__ for cls in CLASSIFIERS),
        given=model if isinstance(model, type) else f"a {type(model).__name__}",
        instead=instead if hasattr(model, "best_estimator_") or hasattr(model, "cv") else "",
        transformers=", ".join(cls.__name__ for cls in TRANSFORMERS if cls is not FunctionTransformer),
    )
