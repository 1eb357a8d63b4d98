"""One fit of the kernel benchmark, in a fresh process.

Run as ``python -m benchmarks.kernel_fit <entrant> <data set> <threads> <evaluate>``:
trains once and prints a JSON object with seconds, peak memory above the loaded data,
what the model says of itself and, if `evaluate` is 1, its accuracy. After a fit of
polymargin the kernel rows of its support vectors are computed once more by matrix
products alone: the limit to come near.
"""

import json
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter, process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from .data import FALLBACK, load
from .fresh import peak, resident_and_reset_peak, run_module
from .kernel_data import load_kernel_data, setting_of
from .kernel_entrants import ENTRANTS

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SHORT_SECONDS, SHORT_REPEATS = 0.5, 4  # fits as short as that are repeated so often
TILE = (256, 1024)  # support vectors and rows at a time: 1 MB of the kernel matrix
# Of a fitted KernelSVM, by what they are called here.
_OWN = {
    "iterations": ("n_iter_", int),
    "evaluations": ("n_kernel_evaluations_", int),
    "gap": ("dual_gap_", float),
    "objective": ("objective_", float),
    "violation": ("violation_", float),
    "status": ("status_", str),
}


def fit_in_fresh_process(
    entrant: str, data: str, threads: int, evaluate: bool = True
) -> dict:
    """Train once in a process of its own, on so many threads."""
    variables = dict.fromkeys(THREAD_VARIABLES, str(threads))
    arguments = [entrant, data, str(threads), str(int(evaluate))]
    what = f"Training {entrant} on {data}"
    return run_module("kernel_fit", arguments, what, variables)


def kernel_rows_seconds(
    X: np.ndarray, support: np.ndarray, gamma: float, threads: int
) -> float:
    """Seconds of computing the kernel rows of the support vectors against all rows.

    Tiles of the Gaussian kernel matrix from a matrix product in the precision of X;
    none is kept. The threads share the tiles, each with BLAS on one thread.
    """

    def tiles(first: int) -> None:
        rows = X[support[first : first + TILE[0]]]
        lengths = gamma * squares[support[first : first + TILE[0]]]
        scaled = (2 * gamma) * rows
        whole = np.empty((len(rows), TILE[1]), X.dtype)
        for column in range(0, len(X), TILE[1]):
            others = X[column : column + TILE[1]]
            kernel = whole[:, : len(others)]
            np.matmul(scaled, others.T, out=kernel)
            kernel -= lengths[:, None]
            kernel -= shrunk[column : column + TILE[1]]
            np.exp(kernel, out=kernel)

    gamma = X.dtype.type(gamma)
    start = perf_counter()
    squares = np.einsum("ij,ij->i", X, X)
    shrunk = gamma * squares
    with threadpool_limits(limits=1), ThreadPoolExecutor(threads) as pool:
        list(pool.map(tiles, range(0, len(support), TILE[0])))
    return perf_counter() - start


def timed_fit(model, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Train; returns seconds and seconds of the processors."""
    started, busy = perf_counter(), process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status says it
        model.fit(X, y)
    return perf_counter() - started, process_time() - busy


def train(name: str, data_name: str, threads: int, evaluate: bool) -> dict:
    """Train an entrant and look at its model."""
    entrant = ENTRANTS[name]
    setting = setting_of(data_name)
    small = load(FALLBACK)
    warm_up = entrant.build(setting, small.n_classes, threads)
    warm_up.fit(small.X[:200].astype(entrant.dtype), small.y[:200])  # lazy loading
    data = load_kernel_data(data_name)
    X = data.X.astype(entrant.dtype, copy=False)
    model = entrant.build(setting, data.n_classes, threads)
    before = resident_and_reset_peak()
    seconds, processor_seconds = timed_fit(model, X, data.y)
    peak_bytes = peak() - before
    if seconds < SHORT_SECONDS:
        again = [timed_fit(model, X, data.y) for _ in range(SHORT_REPEATS)]
        seconds, processor_seconds = min([(seconds, processor_seconds), *again])
    result = {
        "seconds": seconds,
        "processor_seconds": processor_seconds,
        "peak_bytes": peak_bytes,
        "support": len(model.support_),
        "shape": data.shape,
        "data_bytes": data.nbytes,
    }
    if entrant.ours:
        result |= {key: kind(getattr(model, at)) for key, (at, kind) in _OWN.items()}
        gamma = setting.gamma
        limit = partial(kernel_rows_seconds, X, model.support_, gamma, threads)
        repeats = 1 + SHORT_REPEATS * (seconds < SHORT_SECONDS)
        result["limit"] = min(limit() for _ in range(repeats))
    if evaluate:
        X_test = data.X_test.astype(entrant.dtype, copy=False)
        result["accuracy"] = float((model.predict(X_test) == data.y_test).mean())
    return result


if __name__ == "__main__":
    words = sys.argv[1:]
    print(json.dumps(train(words[0], words[1], int(words[2]), words[3] == "1")))
