"""Measuring: repeated and interleaved timing, how seeds are combined, products."""

import sys
from collections.abc import Callable, Container, Iterable, Sequence
from math import exp, fsum, log
from statistics import fmean, median
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

WITHIN = 1e-3  # of the optimum: what it means to have reached it


def progress(text: str) -> None:
    """Say on stderr what is running."""
    print(f"[bench] {text}", file=sys.stderr, flush=True)


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean; NaN of nothing."""
    logs = [log(value) for value in values]
    return exp(fsum(logs) / len(logs)) if logs else float("nan")


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Minimum of repeated times, and the largest as a multiple of it."""
    return {"seconds": min(seconds), "spread": max(seconds) / min(seconds)}


def combine_seeds(entries: Sequence[dict]) -> dict:
    """Combine what was measured with several seeds.

    Parameters
    ----------
    entries : sequence of dict
        For each seed the tolerance (None if none was good enough) and, if there is
        one, seconds, spread, accuracy and whether the objective was reached; if there
        is none, perhaps "at_least", the seconds after which the search was given up.

    Returns
    -------
    combined : dict
        The median of the seconds, their range, the largest spread, the mean accuracy
        and the entries themselves; without seconds if a seed never got there.
    """
    combined: dict = {"seeds": list(entries)}
    if any(entry["tolerance"] is None for entry in entries):
        bounds = [entry["at_least"] for entry in entries if "at_least" in entry]
        return combined | ({"at_least": max(bounds)} if bounds else {})
    times = [entry["seconds"] for entry in entries]
    combined |= {
        "seconds": median(times),
        "range": [min(times), max(times)],
        "spread": max(entry["spread"] for entry in entries),
        "accuracy": fmean(entry["accuracy"] for entry in entries),
        "reached": all(entry["reached"] for entry in entries),
    }
    return combined


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


def product_seconds(X, n_classes: int, budget: float = 0.5) -> float:
    """Seconds of one ``X @ W`` with W of shape (d, k), C-ordered, as precise as X.

    The minimum over as many products as the budget of seconds allows, at least five.
    """
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((X.shape[1], n_classes)).astype(X.dtype)
    times: list[float] = []
    while len(times) < 5 or fsum(times) < budget:
        start = perf_counter()
        X @ weights
        times.append(perf_counter() - start)
    return min(times)


def epoch_cost(solver, data, repeats: int) -> dict[str, float | None]:
    """Cost of a full epoch and of one product ``X @ W``, in seconds.

    A full epoch visits every row once and looks at all classes. Early means epochs 2
    to 6, late means epochs 26 to 30, where few rows still move; medians of each, and
    of those the minimum over the repeats.

    Returns
    -------
    cost : dict
        Seconds of early and late epochs and of the products: "csr" is SciPy's with a
        sparse X, "blas" the one of a dense X, None if X is sparse.
    """
    early, late = [], []
    for repeat in range(repeats):
        progress(f"{data.name}: cost of an epoch, run {repeat + 1} of {repeats}")
        model = solver.model(
            data.X,
            data.y,
            order="permuted",
            shrinking=False,
            history=True,  # its certificates are not counted
            max_iter=30,
            tol=0,
        )
        epochs = np.diff(model.history_["seconds"])
        early.append(float(np.median(epochs[:5])))
        late.append(float(np.median(epochs[-5:])))
    dense = None if sp.issparse(data.X) else product_seconds(data.X, data.n_classes)
    return {
        "early": min(early),
        "late": min(late),
        "csr": product_seconds(sp.csr_array(data.X), data.n_classes),
        "blas": dense,
    }
