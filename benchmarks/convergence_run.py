"""Figure 3 of Keerthi et al. (KDD 2008): methods for Crammer-Singer against time.

The relative difference of the function value, ``(f - f*) / |f*|`` with f the dual
objective as there, and the test accuracy, after every epoch of one run with C = 1.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from polymargin.comparison.convergence import Clock, Examiner

from .data import Dataset, load
from .measure import progress
from .objectives import CRAMMER_SINGER
from .results import Optima
from .solvers import Polymargin
from .speed import optimum

# What is compared, by its name in the figure.
METHODS: dict[str, dict] = {
    "SDM": {"solver": "dual", "order": "permuted"},
    "default": {},
    "EG": {"solver": "exponentiated_gradient"},
    "CP": {"solver": "cutting_plane"},
}
# Data sets of the paper, by those that are or stand for them here.
DATA = {
    "news20_bydate": "NEWS20",
    "clinc150": "SECTOR",
    "mnist": "MNIST",
    "reuters_r52": "RCV1",
    "covtype": "COVER",
}
LEVELS = (1e-1, 1e-2, 1e-3)  # of the relative difference
NEAR = 0.005  # of the final test accuracy
TOL = 1e-4
MAX_SECONDS = 30.0  # of a run
OPTIMUM_SECONDS = 300.0


def follow(data: Dataset, best: float, max_time: float, **params) -> dict:
    """Train once and look at the model after every epoch.

    The looks are not counted: certificates are excused by the history itself, and
    what happens between two epochs is taken off.

    Returns
    -------
    curve : dict
        Lists of seconds, difference and accuracy; status, epochs and final gap.
    """
    clock, examiner = Clock(), Examiner(data.X_test, data.y_test)
    model = Polymargin().estimator(history=True, tol=TOL, max_time=max_time, **params)
    model.set_callbacks(clock, examiner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X.astype(np.float64), data.y)
    history, epochs = model.history_, len(examiner.accuracy)
    seconds = np.asarray(history["seconds"][:epochs]) - clock.looks(epochs)
    duals = np.asarray(history["dual_objective"][:epochs])
    return {
        "seconds": seconds.tolist(),
        "difference": ((best - duals) / best).tolist(),
        "accuracy": examiner.accuracy,
        "status": model.status_,
        "epochs": int(model.n_iter_),
        "gap": float(model.dual_gap_),
    }


def measure(name: str, optima: Optima) -> dict:
    """The record of a data set: a curve for each method.

    f* is the certified primal objective, so a difference is too large by at most the
    gap of the optimum.
    """
    data = load(name)
    best = optimum(data, CRAMMER_SINGER, optima, OPTIMUM_SECONDS)
    curves = {}
    for method, params in METHODS.items():
        progress(f"figure 3, {name}: {method}")
        curves[method] = follow(data, best["objective"], MAX_SECONDS, **params)
    return {"shape": data.shape, "optimum": best, "curves": curves}


def final_accuracy(record: dict) -> float:
    """Test accuracy of the model that is nearest the optimum."""
    curves = [curve for curve in record["curves"].values() if curve["difference"]]
    nearest = min(curves, key=lambda curve: curve["difference"][-1])
    return nearest["accuracy"][-1]


def seconds_to(curve: dict, level: float) -> float | None:
    """Seconds until the difference is at most `level`."""
    hits = np.flatnonzero(np.asarray(curve["difference"]) <= level)
    return curve["seconds"][hits[0]] if len(hits) else None


def seconds_to_accuracy(curve: dict, final: float) -> float | None:
    """Seconds until the accuracy is at most `NEAR` below the final one, for good."""
    below = np.flatnonzero(np.asarray(curve["accuracy"]) < final - NEAR)
    first = below[-1] + 1 if len(below) else 0
    return curve["seconds"][first] if first < len(curve["seconds"]) else None
