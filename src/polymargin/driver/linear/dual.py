"""The sequential dual method in C++: which of its drivers, and what it is told."""

from dataclasses import replace

import numpy as np

from ..._core import core
from ...access.rows import Rows
from ...machine.block_algebra import class_pairs
from ...machine.problem import Problem
from ...machine.registry import binary_machine
from ..options import LinearOptions
from ..protocol import LinearDriver

# Where one-vs-rest trains its classes one by one: dense rows with so many features for
# each class, in so many bytes, which a cache holds.
FEATURES_PER_CLASS = 16
CACHED_BYTES = 2**24
# Where it trains them in groups: a visit has so many products of a number and a vector
# of classes, and the weights, of which there are two copies in the end, so many bytes.
LANES = 16
GROUPED_PRODUCTS = 512
GROUPED_BYTES = 2**28


def separation_pays(rows: Rows, problem: Problem) -> bool:
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
        machine.formulation.separate
        and machine.loss != "logistic"
        and problem.label_sets is None
        and problem.n_columns > 1
        and rows.is_contiguous
        and rows.shape[1] >= FEATURES_PER_CLASS * problem.n_columns
        and rows.nbytes <= CACHED_BYTES
    )


def class_groups(rows: Rows, problem: Problem) -> int:
    """In how many groups one-vs-rest classes are trained, each in lockstep.

    Threads share the groups, but their number says nothing about how many there are:
    same seed, same model. Two groups read every row twice and solve two blocks, which
    is nothing beside the products where rows are long or classes are many: one thread
    took 0.64 instead of 0.65 s on debian_maintainer (540 products in a visit), but 0.19
    instead of 0.14 s on clinc150 (130).
    """
    k = problem.n_columns
    if separation_pays(rows, problem):
        return k
    d = rows.shape[1] + bool(rows.bias)
    products = rows.mean_length * -(-k // LANES)
    if (
        not problem.machine.formulation.separate
        or problem.label_sets is not None
        or k <= LANES
        or products < GROUPED_PRODUCTS
        or d * k * rows.dtype.itemsize > GROUPED_BYTES
    ):
        return 1
    return 2 * max(1, int(products) // (4 * GROUPED_PRODUCTS))


def dual_driver(rows: Rows, problem: Problem, options: LinearOptions) -> LinearDriver:
    """The sequential dual method; for separate binary problems, one for each."""
    full = options.features == "full"
    groups = class_groups(rows, problem) if full else 1
    if problem.machine.formulation.by_pairs:
        driver = _separate_problems("OneVsOne", rows, problem, options)
    elif groups > 1:
        driver = _separate_problems("OneVsRest", rows, problem, options, groups)
    else:
        kind = "Sequential" if full else "ReducedSequential"
        driver = sequential_driver(kind, rows.core, rows.dtype, problem, options)
    set_schedule(driver, options)
    return driver


def stream_driver(rows: Rows, problem: Problem, options: LinearOptions) -> LinearDriver:
    """The sequential dual method for rows that come once, and are visited once.

    No pair is done when it reaches the tolerance, because that would rebuild its
    weights from these rows alone: no violation is negative.
    """
    options = replace(options, order="permuted")
    if problem.machine.formulation.by_pairs:
        endless = replace(options, violation_tol=-1.0)
        driver = _separate_problems("OneVsOne", rows, problem, endless)
    else:
        driver = sequential_driver(
            "Sequential", rows.core, rows.dtype, problem, options
        )
    set_schedule(driver, options)
    return driver


def exponentiated_gradient_driver(
    rows: Rows, problem: Problem, options: LinearOptions
) -> LinearDriver:
    """Online exponentiated gradient (Collins et al. 2008): random examples, one step.

    The steps multiply, so every variable has to start above zero: a tenth of C_i is
    shared by the wrong classes. Equal shares for all classes, the label among them,
    start further from the optimum and take half as many epochs again on text.
    """
    driver = dual_driver(
        rows,
        problem,
        replace(options, restricted="exponentiated_gradient", order="random"),
    )
    n, k = len(problem.labels), problem.n_columns
    others = np.arange(k)[None, :] != problem.labels[:, None]
    driver.set_duals(
        np.arange(n + 1) * (k - 1),
        np.nonzero(others)[1].astype(np.int32),
        np.repeat(0.1 * problem.loss_weights / (k - 1), k - 1),
    )
    return driver


def _separate_problems(
    kind: str, rows: Rows, problem: Problem, options: LinearOptions, *groups: int
):
    """The driver of this `kind` of the core, with a binary problem for each column."""
    n_classes = problem.n_columns
    if problem.machine.formulation.by_pairs:
        n_classes = class_pairs(problem.n_columns)[1].max() + 1
    by_violation = options.violation_tol is not None
    return _core_class(kind, rows.dtype)(
        rows.core,
        problem.labels.astype(np.int32),
        problem.loss_weights,
        binary_machine(problem.machine.loss).axes(1),
        options.restricted,
        options.violation_tol if by_violation else options.tol,
        by_violation,
        options.seed,
        options.threads,
        n_classes,
        *groups,
    )


def sequential_driver(
    kind: str,
    rows,
    dtype,
    problem: Problem,
    options: LinearOptions,
    weights_of: LinearDriver | None = None,
):
    """The driver of this `kind` of the core, which visits a row for all columns.

    Parameters
    ----------
    kind : {"Sequential", "ReducedSequential"}
    rows : core object
    dtype : dtype
        Of the rows.
    problem : Problem
    options : LinearOptions
    weights_of : driver or None
        Of other rows, whose weights it shares: steps on the one are steps on the other.
    """
    driver = _core_class(kind, dtype)(
        rows,
        problem.labels.astype(np.int32),
        problem.loss_weights,
        problem.n_columns,
        problem.machine.axes(problem.n_columns),
        options.restricted,
        options.restricted_tol,
        options.restricted_sweeps,
        options.seed,
        options.threads,
        options.shrinking == "classes",
        weights_of,
    )
    if problem.label_sets is not None:
        sets = problem.label_sets
        driver.set_label_sets(
            sets.indptr.astype(np.int64), sets.indices.astype(np.int32)
        )
    return driver


def _core_class(kind: str, dtype):
    bits = "32" if dtype == np.float32 else "64"
    return getattr(core, f"{kind}{bits}")


def set_schedule(driver, options: LinearOptions) -> None:
    """Say who is visited next."""
    epsilon = 1e-3 if options.violation_tol is None else options.violation_tol
    shrinking = bool(options.shrinking)
    driver.set_schedule(options.order, shrinking, options.cooling, epsilon)
