"""How a machine is trained: the solvers by name, and which machines each one knows.

A solver makes a driver: an object that trains step by step, which `run_epochs` runs.
The dual coordinate method is one in C++; others may be written in Python. A driver has

- ``epoch(seconds)``: one epoch (of what kind is the solver's business), of which
  ``seconds`` is the time left; returns a dict with "visits", "moves", "violation",
  "dual", "primal_estimate" and "stopped";
- ``rebuild()``: remove accumulated rounding, if there is any;
- ``certify()``: (primal, dual, violation) of the model, or None after a signal;
- ``interrupted``: whether a signal came;
- ``weights()`` and ``release_weights()``: W of shape (features, columns), the constant
  feature last; after the latter the driver is of no use;
- ``duals()``: the dual blocks as (indptr, classes, values), and ``set_duals(...)``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from ._core import core
from .access import rows_of
from .machine import Machine


@dataclass(frozen=True)
class Solver:
    """A way to train.

    Attributes
    ----------
    solves : callable
        Whether it can train a machine.
    driver : callable
        Makes a driver from an estimator with the parameters of `LinearSVM`, X and a
        `Problem`.
    """

    solves: Callable[[Machine], bool]
    driver: Callable


def constant_feature(estimator) -> float:
    """Value of the constant feature; zero if there is none."""
    return estimator.intercept_scaling if estimator.fit_intercept else 0.0


def dual_driver(estimator, X, problem, stream: bool = False):
    """The sequential dual method, in C++; for one-vs-one, one for each pair.

    A pair that reaches the tolerance gets its certificate and weights that are rebuilt
    from the dual variables of these rows. In a stream that would forget the chunks
    before, so there no pair ever does.
    """
    bits = "32" if X.dtype == np.float32 else "64"
    rows = rows_of(X, constant_feature(estimator))
    labels, machine = problem.labels.astype(np.int32), problem.machine
    seed = check_random_state(estimator.random_state).randint(2**31)
    threads = effective_n_jobs(estimator.n_jobs)
    if machine.margin == "one_vs_one":
        by_violation = stream or estimator.violation_tol is not None
        tolerance = estimator.violation_tol if by_violation else estimator.tol
        driver = getattr(core, f"OneVsOne{bits}")(
            rows,
            labels,
            problem.caps,
            len(estimator.classes_),
            machine.loss,
            estimator.restricted,
            -1.0 if stream else tolerance,  # no violation is negative
            by_violation,
            seed,
            threads,
        )
    else:
        driver = getattr(core, f"Sequential{bits}")(
            rows,
            labels,
            problem.caps,
            problem.n_columns,
            machine.name,
            machine.loss,
            estimator.restricted,
            estimator.restricted_tol,
            seed,
            threads,
        )
    epsilon = 1e-3 if estimator.violation_tol is None else estimator.violation_tol
    driver.set_schedule(
        estimator.order, estimator.shrinking, estimator.cooling, epsilon
    )
    return driver


SOLVERS = {
    "dual": Solver(lambda machine: True, dual_driver),
}
SOLVER_NAMES = ("auto", *SOLVERS)


def choose_solver(name: str, machine: Machine, X) -> str:
    """Return the name of the solver to use; "auto" decides by what is known of X."""
    if name == "auto":
        return "dual"
    if not SOLVERS[name].solves(machine):
        able = [other for other, solver in SOLVERS.items() if solver.solves(machine)]
        raise ValueError(
            f"solver={name!r} does not train machine={machine.name!r} with "
            f"loss={machine.loss!r}; choose one of {', '.join(['auto', *able])}."
        )
    return name
