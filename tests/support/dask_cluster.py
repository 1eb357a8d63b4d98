"""A small cluster of processes, and collections made from local data."""

import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from patience import HANGS
from problems import make_model, make_problem

from polymargin.dask import DaskLinearSVM, DaskMaxEnt
from polymargin.driver.loop import Reporter


def small_cluster(n_workers=2):
    """Real processes, so that a worker can be killed."""
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
    )


def connect(cluster):
    return Client(cluster, set_as_default=False)


def assert_nothing_left(client):
    """No task, future or data is left; what is let go of takes a moment to go."""
    deadline = time.monotonic() + HANGS
    while time.monotonic() < deadline:
        left = [
            client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)),
            len(client.futures),
            *client.run(lambda dask_worker: len(dask_worker.data)).values(),
        ]
        if not any(left):
            return
        time.sleep(0.02)
    raise AssertionError(f"left are tasks, futures, data of workers: {left}")


class WatchedSVM(DaskLinearSVM):
    """Calls its own `begin_round` and `end_round`, and tells nobody else."""

    def _round_reporter(self, *_):
        watcher = Reporter()
        watcher.begin = lambda: self.begin_round()
        watcher.end = lambda done: self.end_round(done)
        return watcher

    def begin_round(self):
        """For tests to override."""

    def end_round(self, done):
        """For tests to override."""


def make_dask_model(machine, loss, **parameters):
    if machine == "maxent":
        return DaskMaxEnt(**parameters)
    return DaskLinearSVM(machine, loss=loss, **parameters)


def as_arrays(*arrays, chunks):
    """Dask arrays with these numbers of rows in their chunks."""
    return [
        da.from_array(a, chunks=(chunks, *((n,) for n in a.shape[1:]))) for a in arrays
    ]


def as_parts(X, y, *weights, sizes):
    """A list of delayed partitions of these sizes."""
    ends = np.cumsum(sizes)
    return [
        dask.delayed(tuple(a[end - size : end] for a in (X, y, *weights)))
        for size, end in zip(sizes, ends, strict=True)
    ]


def easy_problem(n=240, seed=0):
    return make_problem(n=n, d=6, k=4, seed=seed)


def optimum(machine, loss, X, y, sample_weight=None, **parameters):
    """The objective of the local twin, to many digits."""
    model = make_model(
        machine, loss, tol=1e-6, max_iter=10**6, random_state=0, **parameters
    )
    return model.fit(X, y, sample_weight).objective_
