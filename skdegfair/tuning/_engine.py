"""Where folds are computed: in this process, in others, or on a cluster."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from joblib import Parallel, parallel_config
from joblib.parallel import get_active_backend

MAPPED = "10K"  # larger arrays go to processes as files, once, and not with every task


@contextmanager
def engine(n_jobs: int | None, shared: Sequence[Any]) -> Iterator[Any]:
    """A joblib engine for many calls, each of which gives an iterator of results; ``shared`` arguments travel once."""
    with _on_dask(shared), _parallel(n_jobs) as parallel:
        yield lambda tasks: iter(parallel(tasks))


def _on_dask(shared: Sequence[Any]) -> Any:
    """Dask would get large arguments anew with each call, unless it is told beforehand which they are."""
    backend: Any = get_active_backend()[0]
    if type(backend).__name__ != "DaskDistributedBackend" or backend.data_futures:
        return nullcontext()
    own = type(backend)(
        client=backend.client, wait_for_workers_timeout=backend.wait_for_workers_timeout, **backend.submit_kwargs
    )
    scatter = functools.partial(backend.client.scatter, broadcast=True, hash=False)  # a hash would be of a copy
    own.data_futures = {id(each): scatter(each) for each in shared if each is not None}
    return parallel_config(backend=own)


def _parallel(n_jobs: int | None) -> Parallel:
    """Each result as soon as it is there, where the engine can do that."""
    try:
        return Parallel(n_jobs=n_jobs, return_as="generator", max_nbytes=MAPPED)
    except ValueError:  # such as Dask's
        return Parallel(n_jobs=n_jobs, max_nbytes=MAPPED)
