"""A small cluster on this machine, and rows that are already on its processes."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.datasets import load_digits

from .scale_machines import MAXENT, on_partitions

PROCESSES = 2


@contextmanager
def processes() -> Iterator:
    """Give the client of a cluster of single-threaded processes, warmed up."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=PROCESSES, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        X, y = load_digits(return_X_y=True)
        few = scatter(client, (X / 16).astype(np.float32), y, PROCESSES)
        on_partitions(MAXENT, client, tol=0.1).fit(few)
        yield client


def scatter(client, X, y, parts: int) -> list:
    """Send shuffled rows to the processes in turns; returns delayed partitions."""
    from dask import delayed

    workers = sorted(client.scheduler_info()["workers"])
    order = np.random.RandomState(0).permutation(len(y))
    partitions = []
    for number, rows in enumerate(np.array_split(order, parts)):
        home = workers[number % len(workers)]
        [future] = client.scatter([(X[rows], y[rows])], workers=[home])
        partitions.append(delayed(future))
    return partitions
