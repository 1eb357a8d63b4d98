"""Peak memory of training, measured in a fresh process.

Run as ``python -m benchmarks.memory <solver> <data set> <tolerance>``: trains once and
prints a JSON object with the peak above what the loaded data takes. The solver's own
copy of the data counts.
"""

import json
import sys

from threadpoolctl import threadpool_limits

from .contests import CONTESTS
from .data import FALLBACK, load
from .fresh import peak, resident_and_reset_peak, run_module
from .measure import progress
from .objectives import accuracy


def train_in_fresh_process(solver: str, data: str, tolerance: float) -> dict:
    """Train once in a process of its own.

    Returns
    -------
    result : dict
        ``peak_bytes``, ``seconds``, ``accuracy``, the shape and bytes of the data, and
        the details of the solver.
    """
    progress(f"{data}: {solver}, peak memory in a fresh process")
    arguments = [solver, data, str(tolerance)]
    return run_module("memory", arguments, f"Training {solver} on {data}")


def _train(solver_name: str, data_name: str, tolerance: float) -> dict:
    rivals, _ = CONTESTS[1].rivals()
    solver = rivals[solver_name]
    small = load(FALLBACK)
    solver.fit(small.X[:200], small.y[:200], 0.1)  # loads what is loaded lazily
    data = load(data_name)
    before = resident_and_reset_peak()
    fit = solver.fit(data.X, data.y, tolerance)
    peak_bytes = peak() - before
    return {
        "peak_bytes": peak_bytes,
        "seconds": fit.seconds,
        "accuracy": accuracy(data.X_test, data.y_test, fit.raw_weights),
        "shape": data.shape,
        "data_bytes": data.nbytes,
        **fit.details,
    }


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        print(json.dumps(_train(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
