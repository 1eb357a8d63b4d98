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
- ``duals()``: the dual blocks as (indptr, classes, values), and ``set_duals(...)``;
- perhaps ``iterations``: what `n_iter_` is to be, if not the number of epochs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from ._core import core
from .access import rows_of
from .cutting_plane import CuttingPlane
from .machine import Machine
from .margin_loss import SMOOTH_LOSSES
from .pairs import TronPairs
from .problem import Problem
from .threads import thread_count
from .tron import TronDriver


@dataclass(frozen=True)
class Solver:
    """A way to train.

    Attributes
    ----------
    solves : callable
        Whether it can train a machine (on all features).
    driver : callable
        Makes a driver from an estimator with the parameters of `LinearSVM`, X and a
        `Problem`.
    """

    solves: Callable[[Machine], bool]
    driver: Callable


def constant_feature(estimator) -> float:
    """Value of the constant feature; zero if there is none."""
    return estimator.intercept_scaling if estimator.fit_intercept else 0.0


def dual_driver(estimator, X, problem, restricted=None, order=None, stream=False):
    """The sequential dual method, in C++; for separate binary problems, one for each.

    `restricted` and `order` replace those of the estimator. In a stream every row is
    visited once, whatever the order of a fit; and no pair is done when it reaches the
    tolerance, because that would rebuild its weights from these rows alone.
    """
    bits = "32" if X.dtype == np.float32 else "64"
    rows = rows_of(X, constant_feature(estimator))
    labels, machine = problem.labels.astype(np.int32), problem.machine
    seed = check_random_state(estimator.random_state).randint(2**31)
    threads = thread_count(estimator.n_jobs)
    full = estimator.features == "full"
    separate = full and not stream and separation_pays(X, problem)
    if machine.margin == "one_vs_one" or separate:
        kind = "OneVsRest" if separate else "OneVsOne"
        by_violation = stream or estimator.violation_tol is not None
        tolerance = estimator.violation_tol if by_violation else estimator.tol
        driver = getattr(core, f"{kind}{bits}")(
            rows,
            labels,
            problem.caps,
            len(estimator.classes_),
            machine.loss,
            restricted or estimator.restricted,
            -1.0 if stream else tolerance,  # no violation is negative
            by_violation,
            seed,
            threads,
        )
    else:
        kind = "Sequential" if full else "ReducedSequential"
        driver = sequential_driver(
            f"{kind}{bits}", estimator, rows, problem, seed, threads, restricted
        )
    order = "permuted" if stream else order or estimator.order
    set_schedule(driver, estimator, order)
    return driver


def sequential_driver(
    kind, estimator, rows, problem, seed, threads, restricted=None, weights_of=None
):
    """The driver of this `kind` of the core, which visits a row for all columns.

    It shares the weights of the driver `weights_of`, if there is one.
    """
    return getattr(core, kind)(
        rows,
        problem.labels.astype(np.int32),
        problem.caps,
        problem.n_columns,
        problem.machine.name,
        problem.machine.loss,
        restricted or estimator.restricted,
        estimator.restricted_tol,
        seed,
        threads,
        weights_of,
    )


def set_schedule(driver, estimator, order: str) -> None:
    """Say who is visited next."""
    epsilon = 1e-3 if estimator.violation_tol is None else estimator.violation_tol
    driver.set_schedule(order, estimator.shrinking, estimator.cooling, epsilon)


# Where one-vs-rest trains its classes one by one: dense rows with so many features for
# each class, in so many bytes, which a cache holds.
FEATURES_PER_CLASS = 16
CACHED_BYTES = 2**24


def separation_pays(X, problem: Problem) -> bool:
    """Whether one-vs-rest classes are likely to train faster apart than in lockstep.

    Apart, every class visits the examples it needs and ends when it is done, and on
    dense rows vectors run along the features; in lockstep, a row is read once for all
    classes. With hinge on usps (256 features, 10 classes, 7 MiB) 1.1 s instead of 1.8
    s; on satimage and optdigits, of 6 features for each class, 1.2 to 1.5 times as
    long; on mnist, whose rows come from memory, 1.6 times; on the sparse rows of
    ohsumed23 7 times. The logistic loss is costly to evaluate for a single class.
    """
    machine = problem.machine
    return (
        machine.margin == "one_vs_rest"
        and machine.loss != "logistic"
        and problem.n_columns > 1
        and isinstance(X, np.ndarray)
        and X.flags.c_contiguous
        and X.shape[1] >= FEATURES_PER_CLASS * problem.n_columns
        and X.nbytes <= CACHED_BYTES
    )


def tron_driver(estimator, X, problem):
    """The trust-region Newton method, in Python on products in C++.

    One-vs-rest problems share their passes over the rows; of one-vs-one, every pair has
    rows of its own and is trained by itself.
    """
    bias = constant_feature(estimator)
    if bias:
        empty = np.zeros(X.shape[0], dtype=bool)
    else:
        empty = np.asarray(abs(X).sum(axis=1)).ravel() == 0
    kind = TronPairs if problem.machine.margin == "one_vs_one" else TronDriver
    return kind(
        rows_of(X, bias),
        X.dtype,
        empty,
        problem,
        estimator.tol,
        estimator.violation_tol,
        thread_count(estimator.n_jobs),
    )


def exponentiated_gradient_driver(estimator, X, problem):
    """Online exponentiated gradient (Collins et al. 2008): random examples, one step.

    The steps multiply, so every variable has to start above zero: a tenth of C_i is
    shared by the wrong classes. Equal shares for all classes, the label among them,
    start further from the optimum and take half as many epochs again on text.
    """
    driver = dual_driver(
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
    "dual": Solver(lambda machine: True, dual_driver),
    "tron": Solver(
        lambda machine: (
            machine.name in ("ovr", "ovo") and machine.loss in SMOOTH_LOSSES
        ),
        tron_driver,
    ),
    "exponentiated_gradient": Solver(_is_crammer_singer, exponentiated_gradient_driver),
    "cutting_plane": Solver(_is_crammer_singer, cutting_plane_driver),
}
SOLVER_NAMES = ("auto", *SOLVERS)
# Machines that can leave out weights: they have one for each class and feature, and no
# constraint that ties them together.
REDUCIBLE = ("cs", "ww", "ovr", "maxent")


# Where "auto" takes Newton steps: at least so many rows of a binary problem, and such a
# mean of C_i |x_i|^2. Pairs share no passes over the rows and need more to be worth it.
MANY_ROWS = 1000
FEW_FEATURES = 100
ILL_CONDITIONED = {"ovr": 20.0, "ovo": 50.0}


def newton_pays(X, problem: Problem) -> bool:
    """Whether Newton steps are likely to beat the dual method, if they can be taken.

    They do where rows are many for the features, and C_i |x_i|^2, by which the dual
    problem is ill-conditioned, is large. One-vs-rest with squared hinge, on six dense
    data sets: the dual method was ahead for means up to 5, both were equal at 10, and
    Newton steps were 1.4 to 36 times faster for means from 23 to 2000; with logistic
    loss on letter, satimage and shuttle, 0.4 to 0.7 times as fast up to 10, 1.3 to 1.5
    times at 23 and 31, 2.4 to 14 times from 99 to 990. One-vs-one on these three and
    page blocks: 0.3 to 1.2 times as fast up to 10, 0.9 to 1.5 times from 23 to 31, 1.4
    to 17 times from 69 to 990. These have up to 36 features. With the 256 of usps and
    the 784 of mnist, in these newer measurements, the dual method was mostly ahead
    even for means from 90 to 2000, and 20 times and more on the separable pairs of usps
    with squared hinge.
    """
    n, d = X.shape
    machine, rows = problem.machine, n
    if machine.margin == "one_vs_one":
        rows = 2 * n / (1 + problem.labels.max())  # of a pair, in the mean
    if rows < MANY_ROWS or rows < 10 * d:
        return False
    if d > FEW_FEATURES and (machine.name, machine.loss) != ("ovr", "squared_hinge"):
        return False
    sample = slice(None, None, 1 + n // 1000)
    squares = row_norms(X[sample], squared=True)
    mean = float(np.mean(problem.caps[sample] * squares))
    return mean >= ILL_CONDITIONED[machine.name]


def choose_solver(name: str, problem: Problem, X, features: str = "full") -> str:
    """Return the name of the solver; "auto" decides by what is known of X and C_i."""
    machine = problem.machine
    if features == "reduced":
        _check_reduced(name, machine)
        return "dual"
    if name == "auto":
        able = SOLVERS["tron"].solves(machine)
        return "tron" if able and newton_pays(X, problem) else "dual"
    if not SOLVERS[name].solves(machine):
        able = [other for other, solver in SOLVERS.items() if solver.solves(machine)]
        raise ValueError(
            f"solver={name!r} does not train machine={machine.name!r} with "
            f"loss={machine.loss!r}; choose one of {', '.join(['auto', *able])}."
        )
    return name


def _check_reduced(name: str, machine: Machine) -> None:
    if machine.name not in REDUCIBLE:
        raise ValueError(
            f"features='reduced' is not for machine={machine.name!r}; choose one of "
            f"{', '.join(REDUCIBLE)}, or features='full'."
        )
    if name not in ("auto", "dual"):
        raise ValueError(
            f"features='reduced' is not for solver={name!r}; choose 'dual', or "
            f"features='full'."
        )
