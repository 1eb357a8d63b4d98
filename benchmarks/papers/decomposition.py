"""Tables 3 and 2 of Dogan et al. at its own parameters: machines by SMO and S2DO.

Accuracy, iterations and time of Weston-Watkins, Lee-Lin-Wahba, Crammer-Singer and
one-vs-all machines with a Gaussian kernel and without bias: medians over splits.
"""

from statistics import median

import polymargin

from ..harness.contest import Run
from ..harness.timing import progress, timed
from .kernel_data import MACHINES, MARGINS, PAPER, Split, parts_of, sizes_of, splits

VIOLATION = 1e-3  # of the paper's optimality conditions
PRECISE = "CS 1e-5"  # Crammer-Singer once more, as in section 6.1
FIT_SECONDS = 20.0  # what a fit may take
GIVE_UP = 2  # splits that hit the limit before a method is not run on further ones
DEFAULT = "block"
METHODS = (
    *PAPER.columns,
    PRECISE,
    *(f"{machine} {DEFAULT}" for machine in MACHINES),
)


def parameters(name: str, method: str) -> dict:
    """What a method of a data set is trained with, in our convention."""
    machine, solver = method.split()
    theirs = PAPER.theirs["parameters"].get(name)
    log_gamma, log_C = theirs[list(MACHINES).index(machine)] if theirs else (-5, 3)
    margin = MARGINS[machine]
    precise = method == PRECISE
    return {
        "machine": MACHINES[machine],
        "gamma": 2.0**log_gamma,
        "C": 2.0**log_C / margin,
        "violation_tol": (1e-5 if precise else VIOLATION) / margin,
        "solver": "s2do" if precise else solver.lower(),
    }


def fit(split: Split, **params) -> dict:
    """Train once; seconds, iterations, accuracy and whether the clock stopped it."""
    limits = {"max_iter": 2**62, "max_time": FIT_SECONDS}
    model = polymargin.KernelSVM(**params, **limits, n_jobs=1, random_state=0)
    seconds, _ = timed(lambda: model.fit(split.X, split.y))
    return {
        "seconds": seconds,
        "iterations": int(model.n_iter_),
        "accuracy": float((model.predict(split.X_test) == split.y_test).mean()),
        "stopped": model.status_ == "max_time",
    }


def combine(fits: list[dict]) -> dict:
    """Medians over splits, and how many of how many hit the limit."""
    keys = ("seconds", "iterations", "accuracy")
    medians = {key: median(one[key] for one in fits) for key in keys}
    stopped = sum(one["stopped"] for one in fits)
    return {**medians, "stopped": stopped, "splits": len(fits)}


def measure(key: str, run: Run) -> dict:
    """The record of a data set in a scaling: all methods over the splits, in turns."""
    name, _ = parts_of(key)
    fits: dict[str, list[dict]] = {method: [] for method in METHODS}
    all_splits = list(splits(key, run.seeds))
    for number, split in enumerate(all_splits):
        for method, done in fits.items():
            if sum(one["stopped"] for one in done) >= GIVE_UP:
                continue
            progress(f"{key}: {method}, split {number + 1} of {run.seeds}")
            done.append(fit(split, **parameters(name, method)))
    return sizes_of(all_splits[0]) | {
        "methods": {method: combine(done) for method, done in fits.items()}
    }
