"""One fit of the benchmark of low-rank features, in a fresh process.

Run as ``python -m benchmarks.nystroem_fit <entrant> <data set> <seed> <threads>``:
trains once and prints a JSON object with seconds, peak memory above the loaded data and
accuracy.
"""

import json
import sys

import polymargin

from .data import FALLBACK, load
from .fresh import peak, resident_and_reset_peak, run_module
from .kernel_data import Setting, setting_of
from .kernel_entrants import CACHE_MB
from .kernel_fit import THREAD_VARIABLES, timed_fit

EXACT, LINEAR = "exact", "linear"
RANKS = (100, 300, 1000)
MACHINE = "cs"


def rank_name(rank: int) -> str:
    """The name of the machine on so many landmarks."""
    return f"rank {rank}"


ENTRANTS = {EXACT: None, LINEAR: None} | {rank_name(rank): rank for rank in RANKS}


def build(entrant: str, setting: Setting, seed: int, threads: int):
    """Make the estimator of an entrant."""
    rank = ENTRANTS[entrant]
    common = {"C": setting.C, "n_jobs": threads, "random_state": seed}
    if entrant == LINEAR:
        return polymargin.LinearSVM(MACHINE, **common)
    low_rank = {"approximation": "nystroem", "rank": rank} if rank else {}
    common |= {"gamma": setting.gamma, "cache_size": CACHE_MB}
    return polymargin.KernelSVM(MACHINE, **common, **low_rank)


def train(entrant: str, data_name: str, seed: int, threads: int) -> dict:
    """Train an entrant and look at its model."""
    setting, small = setting_of(data_name), load(FALLBACK)
    build(entrant, setting, seed, threads).fit(small.X[:200], small.y[:200])
    data = load(data_name)
    model = build(entrant, setting, seed, threads)
    before = resident_and_reset_peak()
    seconds, _ = timed_fit(model, data.X, data.y)
    peak_bytes = peak() - before
    return {
        "seconds": seconds,
        "peak_bytes": peak_bytes,
        "accuracy": float((model.predict(data.X_test) == data.y_test).mean()),
        "status": model.status_,
        "shape": data.shape,
    }


def fit_in_fresh_process(entrant: str, data: str, seed: int, threads: int) -> dict:
    """Train once in a process of its own, on so many threads."""
    variables = dict.fromkeys(THREAD_VARIABLES, str(threads))
    arguments = [entrant, data, str(seed), str(threads)]
    return run_module("nystroem_fit", arguments, f"{entrant} on {data}", variables)


if __name__ == "__main__":
    words = sys.argv[1:]
    print(json.dumps(train(words[0], words[1], int(words[2]), int(words[3]))))
