"""Which values a hyper-parameter may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import BaseTrial
from sklearn.base import BaseEstimator

Space = dict[str, BaseDistribution]
# Around what the paper, its released code and later studies of it use.
TRAINING: Space = {
    "hidden_dim": CategoricalDistribution([16, 32, 64, 128]),
    "dropout": FloatDistribution(0.2, 0.8, step=0.1),
    "learning_rate": FloatDistribution(2e-3, 5e-2, log=True),
    "weight_decay": FloatDistribution(1e-6, 1e-2, log=True),
}
FAIRNESS: Space = {
    "fairness_weight": FloatDistribution(0.03, 30.0, log=True),  # mu
    "context_weight": FloatDistribution(0.05, 5.0, log=True),  # epsilon
    "constraint_weight": FloatDistribution(1e-5, 1e-1, log=True),  # lambda
    "degree_threshold": CategoricalDistribution(["mean", "median"]),  # K
    "fairness_loss": CategoricalDistribution(["dsp", "deo"]),
    "degree_encoding_dim": CategoricalDistribution([16, 32, 64]),
}


def search_space(estimator: BaseEstimator, **changes: Any) -> Space:
    """Make a search space for a classifier: those of the usual hyper-parameters that it has.

    They are the paper's (widths, dropout, learning rate, weight decay; epsilon, mu, lambda and
    K) and the kind of fairness loss. Left out are ``context_hops`` and ``n_layers``, as more of
    them takes much more memory and time, and ``backbone``: add them if you want them.

    Parameters
    ----------
    estimator : classifier, or a pipeline that has one
        Names of a pipeline's parameters get its step in front.
    **changes
        Values for a parameter, of any kind that :class:`ParetoSearchCV` takes; None leaves
        the parameter out.

    Returns
    -------
    dict from names to optuna distributions

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier, GNNClassifier
    >>> from skdegfair.tuning import search_space
    >>> list(search_space(GNNClassifier()))
    ['hidden_dim', 'dropout', 'learning_rate', 'weight_decay']
    >>> search_space(DegFairGNNClassifier(), n_layers=[1, 2, 3])["n_layers"]
    CategoricalDistribution(choices=(1, 2, 3))
    """
    own = estimator.get_params(deep=True)
    ready = {
        name: each for short, each in (TRAINING | FAIRNESS).items() for name in own if name.split("__")[-1] == short
    }
    if not ready and not changes:
        raise ValueError(
            f"{type(estimator).__name__} has none of the parameters of the ready search space: say what to search."
        )
    unknown = sorted(set(changes) - set(own))
    if unknown:
        raise ValueError(f"{type(estimator).__name__} has no parameter {unknown[0]!r}.")
    return as_space({name: each for name, each in (ready | changes).items() if each is not None})


def suggest_params(trial: BaseTrial, estimator: BaseEstimator | None = None, **changes: Any) -> dict[str, Any]:
    """Let a trial choose hyper-parameters, for an Optuna study of your own.

    Parameters
    ----------
    trial : optuna trial
    estimator : classifier, default=None
        Whose parameters; :class:`~skdegfair.DegFairGNNClassifier` by default.
    **changes
        As for :func:`search_space`.

    Returns
    -------
    dict from names to values
        For ``estimator.set_params``.

    Examples
    --------
    >>> import optuna
    >>> from skdegfair.tuning import suggest_params
    >>> trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0)).ask()
    >>> suggest_params(trial, weight_decay=None, fairness_weight=[0, 1, 10])["fairness_weight"] in [0, 1, 10]
    True
    """
    if estimator is None:
        from ..estimators import DegFairGNNClassifier

        estimator = DegFairGNNClassifier()
    return suggested(trial, search_space(estimator, **changes))


def suggested(trial: BaseTrial, space: Any) -> dict[str, Any]:
    """Values that a trial takes from a space, or from a function that asks the trial for them."""
    if callable(space):
        return dict(space(trial))
    return {name: _suggest(trial, name, each) for name, each in space.items()}


def as_space(values: Mapping[str, Any] | Callable[[BaseTrial], Mapping[str, Any]]) -> Any:
    """Values in any of the usual forms as optuna distributions; a function is left alone."""
    if callable(values):
        return values
    if not isinstance(values, Mapping) or not values:
        raise TypeError(
            "param_distributions must be a dict from names of parameters to lists or distributions, or a function of a "
            f"trial such as suggest_params, got {values!r}."
        )
    return {name: _as_distribution(name, each) for name, each in values.items()}


def _as_distribution(name: str, values: Any) -> BaseDistribution:
    if isinstance(values, BaseDistribution):
        return values
    kind = getattr(getattr(values, "dist", None), "name", None)  # of scipy.stats
    if kind in ("uniform", "loguniform", "reciprocal", "randint"):
        low, high = values.support()
        if kind == "randint":
            return IntDistribution(int(low), int(high))
        return FloatDistribution(float(low), float(high), log=kind != "uniform")
    if kind is None and hasattr(values, "__len__") and not isinstance(values, str | Mapping) and len(values):
        choices = [each.item() if hasattr(each, "item") else each for each in values]
        if not all(each is None or isinstance(each, bool | int | float | str) for each in choices):
            raise TypeError(
                f"Values of {name!r} must be numbers, strings, bools or None, which a study can keep. For others, pass "
                "a function of a trial that draws their names by trial.suggest_categorical and returns what they mean."
            )
        return CategoricalDistribution(choices)
    raise TypeError(
        f"Values of {name!r} must be a list that is not empty, an optuna distribution, or uniform, loguniform or "
        f"randint of scipy.stats, got {values!r}."
    )


def _suggest(trial: BaseTrial, name: str, values: BaseDistribution) -> Any:
    if isinstance(values, FloatDistribution):
        return trial.suggest_float(name, values.low, values.high, step=values.step, log=values.log)
    if isinstance(values, IntDistribution):
        return trial.suggest_int(name, values.low, values.high, step=values.step, log=values.log)
    if isinstance(values, CategoricalDistribution):
        return trial.suggest_categorical(name, values.choices)
    raise TypeError(f"Values of {name!r} are of a kind that cannot be suggested: {values!r}.")
