"""Run folds in this process, in other processes or on a cluster."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from joblib import Parallel, parallel_config
from joblib.parallel import get_active_backend

MAPPED = "10K"  # larger arrays are shared through files instead of being sent with every task


@contextmanager
def engine(n_jobs: int | None, shared: Sequence[Any]) -> Iterator[Any]:
    """Provide a function that runs joblib tasks and returns an iterator of their results.

    It can be called many times; ``shared`` arguments are sent to each worker once.
    """
    with _on_dask(shared), _parallel(n_jobs) as parallel:
        yield lambda tasks: iter(parallel(tasks))


def _on_dask(shared: Sequence[Any]) -> Any:
    """Scatter the shared arguments to Dask's workers, which would receive them again with each call otherwise."""
    backend: Any = get_active_backend()[0]
    if type(backend).__name__ != "DaskDistributedBackend" or backend.data_futures:
        return nullcontext()
    own = type(backend)(
        client=backend.client, wait_for_workers_timeout=backend.wait_for_workers_timeout, **backend.submit_kwargs
    )
    scatter = functools.partial(backend.client.scatter, broadcast=True, hash=False)  # hashing would copy the data
    own.data_futures = {id(each): scatter(each) for each in shared if each is not None}
    return parallel_config(backend=own)


def _parallel(n_jobs: int | None) -> Parallel:
    """Return each result as soon as it is available, if the backend supports that."""
    try:
        return Parallel(n_jobs=n_jobs, return_as="generator", max_nbytes=MAPPED)
    except ValueError:  # for example Dask
        return Parallel(n_jobs=n_jobs, max_nbytes=MAPPED)
