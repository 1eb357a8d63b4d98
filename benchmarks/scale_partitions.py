"""Time and rounds to the gap: in memory, and on more and more partitions."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .data import Dataset
from .measure import progress, spread
from .scale_cluster import processes, scatter
from .scale_machines import in_memory, on_partitions

TABLE = "partitions"
PARTS = (1, 2, 4, 8, 16, 32)
ALONE = 0  # so many partitions has one machine, in memory
TOL = 1e-3
# A short fit is repeated, so often and as long as all together are short.
REPEATS, SHORT = 3, 6.0
EARLY_EPOCHS = 6


@dataclass(frozen=True)
class Limits:
    """Where a fit ends that does not converge."""

    rounds: int = 300
    seconds: float = 60.0
    tol: float = TOL


def measure_row(
    data: Dataset, machine: str, parts: Sequence[int], limits: Limits
) -> Iterator[tuple[int, dict]]:
    """Measure a machine on one number of partitions after the other.

    Parameters
    ----------
    data : Dataset
    machine : str
    parts : sequence of int
        `ALONE` for rows in memory.
    limits : Limits

    Yields
    ------
    parts : int
    record : dict
    """
    with ExitStack() as stack:
        client = None
        for number in parts:
            progress(f"{data.name}, {machine}: {describe(number)}")
            if number == ALONE:
                record = _alone(data, machine, limits)
            else:
                if client is None:
                    client = stack.enter_context(processes())
                record = _parted(client, data, machine, number, limits)
            yield number, {"shape": data.shape, "limits": asdict(limits), **record}


def describe(parts: int) -> str:
    return "in memory" if parts == ALONE else f"{parts} partitions"


def _alone(data: Dataset, machine: str, limits: Limits) -> dict:
    def fit():
        model = in_memory(machine, tol=limits.tol, max_time=limits.seconds)
        return model.fit(data.X, data.y)

    facts, model = _repeat(fit)
    early = in_memory(machine, tol=0, max_iter=EARLY_EPOCHS, history=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early.fit(data.X, data.y)
    epochs = np.diff(early.history_["seconds"])
    return {
        **facts,
        **_outcome(model, data),
        "epoch_seconds": float(np.median(epochs)),
    }


def _parted(client, data: Dataset, machine: str, parts: int, limits: Limits) -> dict:
    partitions = scatter(client, data.X, data.y, parts)

    def fit():
        model = on_partitions(
            machine,
            client,
            tol=limits.tol,
            max_iter=limits.rounds,
            max_time=limits.seconds,
        )
        return model.fit(partitions)

    facts, model = _repeat(fit)
    history = model.history_
    return {
        **facts,
        **_outcome(model.to_local(), data),
        "visits": int(np.sum(history["visits"])),
        "bytes_per_round": float(np.mean(history["bytes"])),
        "round_seconds": _seconds_per_round(history["seconds"]),
    }


def _seconds_per_round(seconds: np.ndarray) -> float:
    """The median: the first round and those that rebuild W do not count."""
    return float(np.median(np.diff(seconds, prepend=0.0)))


def _outcome(model, data: Dataset) -> dict:
    return {
        "rounds": int(model.n_iter_),
        "gap": float(model.dual_gap_),
        "status": model.status_,
        "objective": float(model.objective_),
        "accuracy": float(model.score(data.X_test, data.y_test)),
    }


def _repeat(fit):
    """Fit once or, if that is short, some times; returns seconds, and a model."""
    times: list[float] = []
    while len(times) < REPEATS and (not times or sum(times) + times[0] < SHORT):
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = fit()
        times.append(perf_counter() - start)
    return {**spread(times), "runs": len(times)}, model
