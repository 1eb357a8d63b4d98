"""What a round costs that has next to nothing to do, by the number of partitions."""

import warnings
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from .measure import progress
from .scale_cluster import processes, scatter
from .scale_machines import MAXENT, on_partitions

TABLE = "overhead"
PARTS = (8, 16, 32, 64, 128, 256)
ROUNDS = 12


def measure(parts=PARTS) -> dict:
    """The record: seconds of a round, and of empty tasks, one for each partition."""
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    rounds = {}
    with processes() as client:
        for number in parts:
            progress(f"overhead of a round: {number} partitions")
            partitions = scatter(client, X, y, number)
            model = on_partitions(MAXENT, client, tol=0, max_iter=ROUNDS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(partitions)
            seconds = np.diff(model.history_["seconds"])
            rounds[str(number)] = {
                "round_seconds": float(np.median(seconds)),
                "empty_seconds": _empty_tasks(client, number),
                "bytes_per_round": float(np.mean(model.history_["bytes"])),
            }
    return {"shape": {"n": len(y), "d": X.shape[1], "k": 10}, "rounds": rounds}


def _empty_tasks(client, number: int) -> float:
    """Seconds of so many tasks that return at once, each on the result of another."""
    before = client.map(int, range(number), pure=False)
    client.gather(before)
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        client.gather(client.map(int, before, pure=False))
        times.append(perf_counter() - start)
    return median(times)
