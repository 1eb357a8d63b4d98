"""One epoch of OnlineSVM, followed on its way, in a fresh process.

Run as ``python -m benchmarks.online_run <method> <data set> <shuffle> <old> <optimize>
<follow>``: learns from the shuffled training rows in slices and prints a JSON object
with the curve. Only `partial_fit` is timed. If `follow` is 0, no test error is taken.
"""

import json
import sys
from dataclasses import dataclass
from time import perf_counter

import numpy as np

import polymargin

from .data import FALLBACK, Dataset, load
from .fresh import run_module
from .kernel_fit import THREAD_VARIABLES
from .online_data import Setting, load_online_data, setting_of

CHUNK = 256  # slices are multiples of what OnlineSVM learns from at a time
SLICES = 20  # about so many
CACHE_MB = 1000.0


@dataclass(frozen=True)
class Method:
    """A variant of OnlineSVM; `rates` says whose step rates are fixed, if any are."""

    selection: str
    rates: str | None = None

    @property
    def schedule(self) -> str:
        return "fixed" if self.rates else "adaptive"


METHODS: dict[str, Method] = {
    "LaRank": Method("random"),
    "GaLa": Method("gain"),
    "GaLaFix": Method("gain", "measured"),
    "LaRankFix": Method("random", "paper"),
}


def run_in_fresh_process(
    method: str, data: str, shuffle: int, rates: tuple[float, float], follow: bool
) -> dict:
    """Learn from one epoch in a process of its own, on one thread."""
    words = [method, data, str(shuffle), *map(repr, rates), str(int(follow))]
    variables = dict.fromkeys(THREAD_VARIABLES, "1")
    what = f"Learning from {data} by {method}, shuffle {shuffle},"
    return run_module("online_run", words, what, variables)


def build(method: Method, setting: Setting, rates, seed: int):
    """Make the estimator of a method."""
    return polymargin.OnlineSVM(
        **setting.kernel,
        C=setting.C,
        selection=method.selection,
        schedule=method.schedule,
        steps=tuple(rates),
        cache_size=CACHE_MB,
        n_jobs=1,
        random_state=seed,
    )


def slice_rows(n: int) -> int:
    """Rows of a slice: whole chunks, such that there are about `SLICES` slices."""
    return CHUNK * max(1, round(n / (CHUNK * SLICES)))


def learn(model, data: Dataset, shuffle: int, follow: bool) -> dict:
    """Learn from the training rows in the order of a shuffle.

    Returns
    -------
    result : dict
        "rates": steps of processOld and processOptimize for each processNew. "curve",
        after every slice: examples, seconds, work, dual, support and, if `follow`,
        test error.
    """
    n = len(data.y)
    order = np.random.RandomState(shuffle).permutation(n)
    rows = slice_rows(n)
    keys = ["examples", "seconds", "work", "dual", "support", *["error"] * follow]
    curve: dict[str, list] = {key: [] for key in keys}
    seconds = 0.0
    for first in range(0, n, rows):
        part = order[first : first + rows]
        X, y = data.X[part], data.y[part]
        started = perf_counter()
        model.partial_fit(X, y, classes=np.arange(data.n_classes))
        seconds += perf_counter() - started
        point = [model.n_seen_, seconds, model.work_, model.dual_objective_]
        point.append(len(model.support_))
        if follow:
            point.append(1.0 - model.score(data.X_test, data.y_test))
        for key, value in zip(keys, point, strict=True):
            curve[key].append(float(value))
    steps = model.n_steps_
    rates = [steps[kind] / steps["new"] for kind in ("old", "optimize")]
    shape = {**data.shape, "n_test": len(data.y_test)}
    return {"rates": rates, "curve": curve, "shape": shape}


def run(method: str, name: str, shuffle: int, rates, follow: bool) -> dict:
    """Load the data, warm up on another, and learn."""
    setting, small = setting_of(name), load(FALLBACK)
    warm_up = build(METHODS[method], setting, rates, shuffle)
    learn(warm_up, small, shuffle, follow=False)  # lazy loading
    model = build(METHODS[method], setting, rates, shuffle)
    return learn(model, load_online_data(name), shuffle, follow)


if __name__ == "__main__":
    words = sys.argv[1:]
    rates = float(words[3]), float(words[4])
    result = run(words[0], words[1], int(words[2]), rates, words[5] == "1")
    print(json.dumps(result))
