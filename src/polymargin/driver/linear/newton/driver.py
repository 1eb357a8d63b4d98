"""The driver of proximal Newton steps, for every linear machine.

One iteration is one Newton step; of machines whose columns are problems of their own,
one of every column that is not finished. They share no steps, so that threads take
whole problems; BLAS itself runs on one thread, and the model does not depend on their
number.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ....access.rows import Rows
from ....base.threads import blas_on_one_thread, on_threads
from ....machine.pair_problems import PairProblems
from ....machine.problem import Problem
from ....machine.projection import Blocks
from ....machine.smooth_loss import SMOOTH_LOSSES
from ...loop import OutOfTime
from ...newton.proximal import ProximalNewton
from ...options import LinearOptions
from ...protocol import EpochReport
from .lockstep import LockstepNewton
from .space import RowSpace

# Of dense rows, for which classes share products with the rows.
MOST_FEATURES = 1024


@dataclass
class Part:
    """A problem that is solved by itself.

    Attributes
    ----------
    rows : ndarray of int
        Its rows: with a weight, and with features.
    columns : slice
        Its columns of W and of the blocks.
    newton : ProximalNewton or LockstepNewton
    constant : float
        Losses of its rows without features, in both objectives.
    """

    rows: np.ndarray
    columns: slice
    newton: ProximalNewton | LockstepNewton
    constant: float


class NewtonDriver:
    """Trains by Newton steps; a driver (see `protocol`).

    Parameters
    ----------
    rows : Rows
    problem : Problem
    options : LinearOptions
        A problem is finished when its relative gap is at most `tol` or, if
        `violation_tol` is given, when no optimality condition is violated by more.
    """

    interrupted = False  # a signal raises KeyboardInterrupt, here as in any Python code
    starts_with_weights = True

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.dtype, self.problem = rows.dtype, problem
        self.tol, self.violation_tol = options.tol, options.violation_tol
        self.threads = options.threads
        self.end = float("inf")  # of the time for an epoch
        self.X = double_rows(rows)
        self.parts = [
            self._part(*each, rows.empty)
            for each in separate_problems(
                problem,
                steps_in_lockstep(problem, sp.issparse(self.X), self.X.shape[1]),
            )
        ]

    def _part(self, of_part: Problem, chosen, columns, empty) -> Part:
        machine, k = of_part.machine, of_part.n_columns
        weighs = of_part.loss_weights > 0
        without = of_part.of_rows(empty[chosen] & weighs)
        constant = Blocks(
            machine, without.own, without.loss_weights, k
        ).losses_at_zero()
        used = weighs & ~empty[chosen]
        stated, chosen = of_part.of_rows(used), chosen[used]
        whole = np.array_equal(chosen, np.arange(self.X.shape[0]))
        X = self.X if whole else self.X[chosen]
        if k > 1 and machine.formulation.separate:
            newton = LockstepNewton(X, stated, self._enough, self._poll)
        else:
            blocks = Blocks(machine, stated.own, stated.loss_weights, k)
            together = self.violation_tol is not None
            space = RowSpace(X)
            newton = ProximalNewton(space, blocks, self._enough, self._poll, together)
        return Part(chosen, columns, newton, constant)

    def _enough(self, primal, dual, violation):
        if self.violation_tol is not None:
            return violation <= self.violation_tol
        return primal - dual <= self.tol * primal

    def _poll(self) -> None:
        if perf_counter() > self.end:
            raise OutOfTime

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step of every problem that is not finished."""
        self.end = perf_counter() + seconds
        operations = self.operations

        def work(part):
            newton = part.newton
            newton.first()
            return not newton.finished and newton.step()

        try:
            moves = sum(self._each(work))
        except OutOfTime:
            return self._report(0, operations, stopped=True)
        finally:
            self.end = float("inf")
        return self._report(moves, operations)

    def _each(self, work) -> list:
        def stop():
            self.end = float("-inf")

        with blas_on_one_thread():
            return on_threads(work, self.parts, self.threads, stop)

    @property
    def dual(self) -> float:
        """The best dual objective so far; minus infinity before the first step."""
        if not self.started:
            return -np.inf
        return sum(part.newton.dual + part.constant for part in self.parts)

    @property
    def started(self) -> bool:
        """Whether every problem has been looked at."""
        return all(part.newton.started for part in self.parts)

    def first(self) -> None:
        """Evaluate what the steps begin with, if that has not been done."""
        self._each(lambda part: part.newton.first())

    @property
    def operations(self) -> float:
        """Multiplications so far, about."""
        return sum(part.newton.operations for part in self.parts)

    def _report(self, moves, operations, stopped=False) -> EpochReport:
        visits = int((self.operations - operations) / self.X.shape[1])
        if not self.started:
            return EpochReport(visits, moves, np.inf, -np.inf, np.inf, stopped)
        primal = sum(part.newton.primal + part.constant for part in self.parts)
        violation = np.inf
        if self.violation_tol is not None:
            violation = max(part.newton.violation() for part in self.parts)
        return EpochReport(visits, moves, violation, self.dual, primal, stopped)

    def rebuild(self) -> None:
        """Do nothing: every step evaluates its weights afresh."""

    def certify(self) -> tuple[float, float, float]:
        """Objectives of the weights, as they are rounded, and of the dual variables."""

        def certificate(part):
            newton = part.newton
            newton.first()
            W = newton.weights.astype(self.dtype).astype(np.float64)
            primal, violation = newton.objective_at(W)
            return primal + part.constant, newton.dual + part.constant, violation

        found = np.array(self._each(certificate))
        return found[:, 0].sum(), found[:, 1].sum(), found[:, 2].max()

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        self.first()
        W = np.empty((self.X.shape[1], self.problem.n_columns), dtype=self.dtype)
        for part in self.parts:
            W[:, part.columns] = part.newton.weights
        return W

    def release_weights(self) -> np.ndarray:
        """W, as `weights`."""
        return self.weights()

    def duals(self):
        """The dual blocks as (indptr, classes, values), in double precision."""
        self.first()
        found = []
        for part in self.parts:
            inner = sp.coo_array(part.newton.duals)
            found.append(
                (part.rows[inner.row], inner.col + part.columns.start, inner.data)
            )
        rows, classes, values = map(np.concatenate, zip(*found, strict=True))
        shape = len(self.problem.labels), self.problem.n_columns
        blocks = sp.csr_array((values, (rows, classes)), shape=shape)
        return blocks.indptr, blocks.indices, blocks.data

    def set_duals(self, indptr, classes, values) -> None:
        """Start from dual blocks."""
        shape = len(self.problem.labels), self.problem.n_columns
        duals = sp.csr_array((values, classes, indptr), shape=shape).toarray()
        for part in self.parts:
            u = duals[part.rows, part.columns]
            part.newton.start(u.astype(np.float64))


def steps_in_lockstep(problem: Problem, sparse: bool, d: int) -> bool:
    """Whether separate classes are to share their products with rows of d features."""
    machine = problem.machine
    return (
        machine.formulation.separate
        and machine.loss in SMOOTH_LOSSES
        and not sparse
        and d <= MOST_FEATURES
    )


def double_rows(rows: Rows):
    """Return the rows in double precision, with the constant feature."""
    X = rows.matrix
    if not rows.bias:
        if sp.issparse(X):
            return sp.csr_array(X, dtype=np.float64)
        return np.ascontiguousarray(X, dtype=np.float64)
    constant = np.full((X.shape[0], 1), float(rows.bias))
    if sp.issparse(X):
        return sp.csr_array(sp.hstack([X, constant], format="csr", dtype=np.float64))
    return np.hstack([X, constant], dtype=np.float64, casting="same_kind")


def separate_problems(problem: Problem, in_lockstep: bool):
    """Yield the problems that do not meet, as (problem, rows, columns).

    Those of classes are one if they are to be solved in lockstep.
    """
    every = np.arange(len(problem.labels))
    row = problem.machine.formulation
    if row.by_pairs:
        pairs = PairProblems(problem)
        for number in range(len(pairs)):
            columns = slice(number, number + 1)
            yield pairs.binary(number), pairs.rows(number), columns
    elif row.separate and not in_lockstep:
        for m in range(problem.n_columns):
            labels, weights = problem.labels_of(m), problem.loss_weights
            binary = Problem(problem.machine, labels, 1, weights)
            yield binary, every, slice(m, m + 1)
    else:
        yield problem, every, slice(0, problem.n_columns)
