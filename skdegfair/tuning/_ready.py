"""The search space of each classifier and each mitigation of this package."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from sklearn.base import BaseEstimator

from ._names import has_params, parent_of

Space = dict[str, BaseDistribution]
Ready = dict[str, BaseDistribution | Callable[[Any], BaseDistribution]]


def around(epochs: int) -> IntDistribution:
    """From half to twice the estimator's own number of epochs, so that a quick estimator gives a quick search."""
    return IntDistribution(max(int(epochs) // 2, 1), 2 * int(epochs), log=True)


# Values around those of the papers, their released code and later studies.
TRAINING: Ready = {
    "hidden_dim": CategoricalDistribution([16, 32, 64, 128]),
    "dropout": FloatDistribution(0.2, 0.8, step=0.1),
    "learning_rate": FloatDistribution(2e-3, 5e-2, log=True),
    "weight_decay": FloatDistribution(1e-6, 1e-2, log=True),
    "max_epochs": around,
}
THRESHOLD: Ready = {"degree_threshold": CategoricalDistribution(["mean", "median"])}
GROUPS: Ready = {**THRESHOLD, "fairness_groups": CategoricalDistribution(["threshold", 0.2, 5])}
RELEASED: Ready = {
    "fairness_weight": FloatDistribution(0.03, 30.0, log=True),  # mu
    "context_weight": FloatDistribution(0.05, 5.0, log=True),  # epsilon
    "constraint_weight": FloatDistribution(1e-5, 1e-1, log=True),  # lambda
    **THRESHOLD,  # K
    "degree_encoding_dim": CategoricalDistribution([16, 32, 64]),
}
DEGFAIR: Ready = {**RELEASED, **GROUPS, "fairness_loss": CategoricalDistribution(["dsp", "deo", "both"])}
FAIRGNN: Ready = {
    "covariance_weight": FloatDistribution(0.3, 100.0, log=True),  # alpha
    "adversary_weight": FloatDistribution(1e-3, 10.0, log=True),  # beta
    "fairness_groups": GROUPS["fairness_groups"],  # a threshold has an effect with one of them only
}
CFC: Ready = {"adversary_weight": FloatDistribution(0.03, 30.0, log=True), "fairness_groups": GROUPS["fairness_groups"]}
FAIRVGNN: Ready = {
    "adversary_weight": FloatDistribution(0.03, 30.0, log=True),
    "keep_weight": FloatDistribution(0.03, 30.0, log=True),
    "clip": FloatDistribution(0.03, 3.0, log=True),  # epsilon
    "fairness_groups": GROUPS["fairness_groups"],
}
TAILGNN: Ready = {
    "degree_threshold": CategoricalDistribution([2.0, 5.0, 10.0, "mean", "median"]),  # K
    "missing_weight": FloatDistribution(1e-5, 1e-1, log=True),  # mu
    "adversary_weight": FloatDistribution(1e-3, 10.0, log=True),  # eta
}
DSGCN: Ready = {
    "index": CategoricalDistribution(["source", "target"]),
    "n_buckets": CategoricalDistribution([4, 6, 8, 10]),
    "rank": CategoricalDistribution([4, 8, 16, 32]),
}
BY_CLASS: dict[str, Ready] = {  # names, because the classes load torch
    "BaseGNNClassifier": TRAINING,
    "DegFairGNNClassifier": TRAINING | DEGFAIR,
    "DegFair": DEGFAIR,
    "ReleasedDegFair": RELEASED,
    "FairGNN": FAIRGNN,
    "CFC": CFC,
    "FairVGNN": FAIRVGNN,
    "TailGNN": TAILGNN,
    "DSGCN": DSGCN,
    "RawlsGCN": {"form": CategoricalDistribution(["graph", "gradient"])},
}
NEEDS: dict[str, dict[str, Any]] = {  # a parameter has an effect only with these values of others
    "max_epochs": {"early_stopping": False},
    "context_weight": {"modulation": True},
    "constraint_weight": {"modulation": True},
    "degree_encoding_dim": {"modulation": True, "scale_shift": True},
}
PACKAGE = __name__.partition(".")[0]


def ready_space(estimator: BaseEstimator, changed: Container[str] = ()) -> Space:
    """Make the search space of an estimator and of the objects inside it, by the full names of their parameters.

    The caller has other values for the parameters in ``changed``. If one of them is an object, such as a mitigation,
    the parameters of this object are left out.
    """
    own = estimator.get_params(deep=True)
    holders = {"": estimator, **{f"{name}__": value for name, value in own.items() if has_params(value)}}
    return {
        prefix + short: values(own[prefix + short]) if callable(values) else values
        for prefix, holder in holders.items()
        for short, values in _space_of(holder).items()
        if prefix + short in own
        and parent_of(prefix + short, changed) is None
        and _has_effect(prefix, short, own, changed)
    }


def _has_effect(prefix: str, short: str, own: Mapping[str, Any], changed: Container[str]) -> bool:
    needs = {prefix + name: value for name, value in NEEDS.get(short, {}).items()}
    return all(name in changed or own.get(name, value) == value for name, value in needs.items())


def _space_of(holder: Any) -> Ready:
    """Look up the class of an object, or its nearest base class in the table."""
    for cls in type(holder).__mro__:
        if cls.__name__ in BY_CLASS and cls.__module__.partition(".")[0] == PACKAGE:
            return BY_CLASS[cls.__name__]
    return {}
