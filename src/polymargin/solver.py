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
from .cutting_plane import CuttingPlane
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


def sequential_driver(estimator, X, problem, restricted=None, order=None):
    """The sequential dual method, in C++.

    `restricted` and `order` replace those of the estimator.
    """
    seed = check_random_state(estimator.random_state).randint(2**31)
    kind = core.Sequential32 if X.dtype == np.float32 else core.Sequential64
    driver = kind(
        rows_of(X, constant_feature(estimator)),
        problem.labels.astype(np.int32),
        problem.caps,
        problem.n_columns,
        problem.machine.name,
        problem.machine.loss,
        restricted or estimator.restricted,
        estimator.restricted_tol,
        seed,
        effective_n_jobs(estimator.n_jobs),
    )
    epsilon = 1e-3 if estimator.violation_tol is None else estimator.violation_tol
    driver.set_schedule(
        order or estimator.order, estimator.shrinking, estimator.cooling, epsilon
    )
    return driver


def exponentiated_gradient_driver(estimator, X, problem):
    """Online exponentiated gradient (Collins et al. 2008): random examples, one step.

    The steps multiply, so every variable has to start above zero: a tenth of C_i is
    shared by the wrong classes. Equal shares for all classes, the label among them,
    start further from the optimum and take half as many epochs again on text.
    """
    driver = sequential_driver(
        estimator, X, problem, restricted="exponentiated_gradient", order="random"
    )
    n, k = len(problem.labels), problem.n_columns
    others = np.arange(k)[None, :] != problem.labels[:, None]
    driver.set_duals(
        np.arange(n + 1) * (k - 1),
        np.nonzero(others)[1].astype(np.int32),
        np.repeat(0.1 * problem.caps / (k - 1), k - 1),
    )
    return driver


def cutting_plane_driver(estimator, X, problem):
    """The one-slack cutting plane method, in Python."""
    return CuttingPlane(X, problem, constant_feature(estimator))


def _is_crammer_singer(machine: Machine) -> bool:
    return (machine.name, machine.loss) == ("cs", "hinge")


SOLVERS = {
    "dual": Solver(lambda machine: True, sequential_driver),
    "exponentiated_gradient": Solver(_is_crammer_singer, exponentiated_gradient_driver),
    "cutting_plane": Solver(_is_crammer_singer, cutting_plane_driver),
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
