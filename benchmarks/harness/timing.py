"""Timing in turns, and how repeated times are combined."""

import sys
import warnings
from collections.abc import Callable, Container, Iterable, Sequence
from math import exp, fsum, log
from time import perf_counter
from typing import Any


def progress(text: str) -> None:
    """Say on stderr what is running."""
    print(f"[bench] {text}", file=sys.stderr, flush=True)


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Geometric mean of those values that there are; None of none."""
    logs = [log(value) for value in values if value is not None]
    return exp(fsum(logs) / len(logs)) if logs else None


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Minimum of repeated times, and the largest as a multiple of it."""
    return {"seconds": min(seconds), "spread": max(seconds) / min(seconds)}


def quickest(runs: Sequence[dict]) -> dict:
    """The first of repeated runs, with the minimum and the spread of all seconds."""
    return runs[0] | spread([run["seconds"] for run in runs])


def timed(task: Callable) -> tuple[float, Any]:
    """Seconds of a task, and what it returns; warnings are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = perf_counter()
        result = task()
        return perf_counter() - start, result


def interleave(
    label: str,
    tasks: dict[str, Callable[[], Any]],
    repeats: int,
    once: Container[str] = (),
) -> dict[str, list]:
    """Run every task `repeats` times, in turns, so that all see the same machine.

    Parameters
    ----------
    label : str
        For the lines of progress.
    tasks : dict of str to callable
    repeats : int
    once : container of str
        Tasks that take so long that they are run in the first turn only.

    Returns
    -------
    results : dict of str to list
        What each task returned in each turn.
    """
    results: dict[str, list] = {name: [] for name in tasks}
    for turn in range(repeats):
        for name, task in tasks.items():
            if turn and name in once:
                continue
            progress(f"{label}: {name}, run {turn + 1} of {repeats}")
            results[name].append(task())
    return results
