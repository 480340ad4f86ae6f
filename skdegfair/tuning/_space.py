"""Values that a hyper-parameter may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import BaseTrial
from sklearn.base import BaseEstimator, clone

from ._names import check_estimator, check_names, has_params, name_of, parent_of
from ._ready import ready_space

NOT_FOR_ALL = (
    "{name!r} is not a parameter of {parent}={choice}. For parameters that only some of the choices have, pass a "
    "function of a trial: the docstring of ParetoSearchCV has an example."
)


class NamedChoices:
    """Choices with objects among them. A study stores each object by its name.

    Parameters
    ----------
    param : str
        Name of the parameter, for error messages.
    values : sequence
        Objects with ``get_params``, numbers, strings, bools or None.

    Attributes
    ----------
    distribution : CategoricalDistribution
        The names of objects, and all other values as they are.
    objects : dict from names to objects
    """

    def __init__(self, param: str, values: Sequence[Any]) -> None:
        self.objects: dict[str, Any] = {}
        choices = [name_of(value) if has_params(value) else value for value in values]
        for value, choice in zip(values, choices, strict=True):
            if has_params(value):
                if sum(type(other) is str and other == choice for other in choices) > 1:
                    raise ValueError(
                        f"Two values of {param!r} have the same name, {choice!r}, by which the study stores them. "
                        "Remove one of them, or give them different parameters."
                    )
                self.objects[choice] = value
        self.values = tuple(values)
        self.distribution = CategoricalDistribution(choices)

    def value(self, choice: Any) -> Any:
        """Return the object of a name; other choices are returned as they are."""
        return self.objects.get(choice, choice)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.distribution.choices)})"


Space = dict[str, BaseDistribution | NamedChoices]


def search_space(estimator: BaseEstimator, **changes: Any) -> Space:
    """Make a search space of the usual hyper-parameters of a classifier and its mitigation.

    For every classifier of this package, these are the width of the layers, dropout, learning rate, weight decay and,
    without early stopping, the number of epochs, from half to twice the estimator's own. For DegFairGNN, the weights
    epsilon, mu and lambda, the threshold K, and the groups and the kind of the fairness loss are added; for other
    mitigations, their weights, groups and forms. The space does not contain ``backbone`` and ``mitigation``, nor
    ``context_hops`` and ``n_layers``, whose larger values need much more memory and time. Add them if you want to
    search over them.

    Parameters
    ----------
    estimator : classifier, or an estimator that contains one
        Parameters of a pipeline's step or of a mitigation are prefixed with its name, as in ``mitigation__<name>``.
    **changes
        Values of a parameter, in any form that :class:`ParetoSearchCV` accepts. None removes the parameter. If a
        mitigation is replaced by several choices, the parameters of the mitigation are removed.

    Returns
    -------
    dict from names to optuna distributions
        If the values of a parameter include objects, its entry is not a distribution but an object that
        :class:`ParetoSearchCV` and :class:`FairnessObjective` accept.

    Examples
    --------
    >>> from skdegfair import DegFairGNNClassifier, GNNClassifier
    >>> from skdegfair.mitigation import DegFair, FairGNN
    >>> from skdegfair.tuning import search_space
    >>> list(search_space(GNNClassifier()))
    ['hidden_dim', 'dropout', 'learning_rate', 'weight_decay', 'max_epochs']
    >>> search_space(GNNClassifier(mitigation=FairGNN()))["mitigation__covariance_weight"]
    FloatDistribution(high=100.0, log=True, low=0.3, step=None)
    >>> search_space(DegFairGNNClassifier(), n_layers=[1, 2, 3])["n_layers"]
    CategoricalDistribution(choices=(1, 2, 3))
    >>> list(search_space(GNNClassifier(), mitigation=[None, DegFair(), FairGNN()], hidden_dim=None))
    ['dropout', 'learning_rate', 'weight_decay', 'max_epochs', 'mitigation']
    """
    check_estimator(estimator)
    changed = {name: each for name, each in changes.items() if each is not None}
    ready = ready_space(estimator, changed)
    if not ready and not changes:
        raise ValueError(
            f"There is no ready search space for {type(estimator).__name__}. Pass the parameters to search over and "
            "their values."
        )
    check_names(estimator, changes, replaced=changed)
    space: Space = as_space({name: each for name, each in (ready | changes).items() if each is not None})
    return space


def suggest_params(trial: BaseTrial, estimator: BaseEstimator | None = None, **changes: Any) -> dict[str, Any]:
    """Let a trial choose hyper-parameters, for an Optuna study of your own.

    Parameters
    ----------
    trial : optuna trial
        A finished trial, such as ``study.best_trial``, returns the parameters that it had.
    estimator : classifier, default=None
        The classifier whose parameters are chosen; by default :class:`~skdegfair.DegFairGNNClassifier`.
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
    """Return the values that a trial takes from a space, or from a function that asks the trial for them."""
    if not hasattr(trial, "suggest_float"):
        raise TypeError(f"trial must be an optuna trial, such as study.ask() returns, got {trial!r}.")
    if callable(space):
        params = space(trial)
        if not isinstance(params, Mapping):
            raise TypeError(f"param_distributions must return a dict from names to values for a trial, got {params!r}.")
        return dict(params)
    return {name: _suggest(trial, name, each) for name, each in space.items()}


def space_for(estimator: BaseEstimator, values: Any) -> Any:
    """Convert values as :func:`as_space` does; raises ValueError for parameters that the estimator does not have."""
    space = as_space(values)
    if not callable(space):
        check_names(estimator, space, replaced=space)
    return space


def as_space(values: Mapping[str, Any] | Callable[[BaseTrial], Mapping[str, Any]]) -> Any:
    """Convert values in any of the accepted forms to optuna distributions; a function is returned as it is."""
    if callable(values):
        return values
    if not isinstance(values, Mapping) or not values or not all(isinstance(name, str) for name in values):
        raise TypeError(
            "param_distributions must be a non-empty dict from names of parameters to lists or distributions, or a "
            f"function of a trial such as suggest_params, got {values!r}."
        )
    space = {name: _as_distribution(name, each) for name, each in values.items()}
    for name in space:
        _check_that_all_choices_have(name, space)
    return space


def _as_distribution(name: str, values: Any) -> BaseDistribution | NamedChoices:
    if isinstance(values, CategoricalDistribution) and any(map(has_params, values.choices)):
        values = values.choices
    if isinstance(values, BaseDistribution | NamedChoices):
        return values
    kind = getattr(getattr(values, "dist", None), "name", None)  # of scipy.stats
    if kind in ("uniform", "loguniform", "reciprocal", "randint"):
        low, high = values.support()
        if kind == "randint":
            return IntDistribution(int(low), int(high))
        return FloatDistribution(float(low), float(high), log=kind != "uniform")
    if kind is None and hasattr(values, "__len__") and not isinstance(values, str | Mapping | Set) and len(values):
        choices = [each.item() if hasattr(each, "item") else each for each in values]
        if not all(each is None or isinstance(each, bool | int | float | str) or has_params(each) for each in choices):
            raise TypeError(
                f"Values of {name!r} must be numbers, strings, bools, None or objects with get_params such as "
                "DegFair(), which a study can store. For others, pass a function of a trial that draws names with "
                "trial.suggest_categorical and returns the values."
            )
        return NamedChoices(name, choices) if any(map(has_params, choices)) else CategoricalDistribution(choices)
    raise TypeError(
        f"Values of {name!r} must be a non-empty list, an optuna distribution, or uniform, loguniform or "
        f"randint of scipy.stats, got {values!r}."
    )


def _check_that_all_choices_have(name: str, space: Space) -> None:
    parent = parent_of(name, space)
    choices = None if parent is None else space[parent]
    if parent is None or not isinstance(choices, NamedChoices):
        return
    param = {name.removeprefix(f"{parent}__"): _any_of(space[name])}
    for value in choices.values:
        try:
            clone(value, safe=False).set_params(**param)
        except (AttributeError, ValueError) as error:
            raise ValueError(NOT_FOR_ALL.format(name=name, parent=parent, choice=name_of(value))) from error


def _any_of(values: BaseDistribution | NamedChoices) -> Any:
    """Return one of the values."""
    if isinstance(values, NamedChoices):
        return values.values[0]
    return values.choices[0] if isinstance(values, CategoricalDistribution) else getattr(values, "low", None)


def _suggest(trial: BaseTrial, name: str, values: BaseDistribution | NamedChoices) -> Any:
    if isinstance(values, NamedChoices):
        return values.value(trial.suggest_categorical(name, values.distribution.choices))
    if isinstance(values, FloatDistribution):
        return trial.suggest_float(name, values.low, values.high, step=values.step, log=values.log)
    if isinstance(values, IntDistribution):
        return trial.suggest_int(name, values.low, values.high, step=values.step, log=values.log)
    if isinstance(values, CategoricalDistribution):
        return trial.suggest_categorical(name, values.choices)
    raise TypeError(f"Values of {name!r} are an optuna distribution that is not supported: {values!r}.")
