"""
One study, many machines
========================

Start this script in several terminals or on several machines. All of them work on the same study, each on its own
trials, and each stops when the study has enough trials. The trials of a worker that is killed are tried again by
the next worker that starts on its machine.

* ``python study_on_many_machines.py --storage sqlite:///study.db``: several processes on one machine.
* ``--storage journal.log``: a file that several machines share, for example over NFS.
* ``--storage postgresql://user:password@host/database``: many machines (needs psycopg2).

Alternatively, run a single search whose folds run on a Dask cluster: ``--dask tcp://scheduler:8786`` or
``--dask local``.
"""

import argparse
from contextlib import nullcontext

from joblib import parallel_config
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from sklearn.model_selection import StratifiedKFold

from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.tuning import ParetoSearchCV


def on_dask(address):
    """Run joblib's tasks on a Dask cluster; each worker receives the graph once."""
    from dask.distributed import Client, LocalCluster

    if address == "local":
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        return cluster, Client(cluster), parallel_config(backend="dask")
    return nullcontext(), Client(address), parallel_config(backend="dask")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--storage", help="URL of a database, or path of a journal file; default: in memory")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--dask", help="address of a scheduler, or 'local'")
    parser.add_argument("--quick", action="store_true", help="a small graph and few epochs")
    options = parser.parse_args()

    storage = options.storage
    if storage is not None and "://" not in storage:
        storage = JournalStorage(JournalFileBackend(storage))
    data = make_degree_biased_graph(200 if options.quick else 1500, random_state=0)  # the same graph for all workers
    search = ParetoSearchCV(
        DegFairGNNClassifier(max_epochs=10 if options.quick else 200, random_state=0),
        n_trials=options.trials,
        cv=StratifiedKFold(2 if options.quick else 3, shuffle=True, random_state=0),  # the same folds for all workers
        batch_size=1 if options.dask is None else 4,
        storage=storage,
        study_name=None if storage is None else "many machines",
        random_state=0,  # each trial has its own seed, so workers do not repeat each other's trials
    )
    cluster, client, backend = (nullcontext(),) * 3 if options.dask is None else on_dask(options.dask)
    with cluster, client, backend:
        search.fit(data.graph, data.y)
    print(f"{len(search.cv_results_['trial'])} trials in the study, {len(search.pareto_)} of them on the front")
    print(search.pareto_.filter(regex="mean_test|fairness_weight").round(3).to_string())


if __name__ == "__main__":
    main()
