"""The driver of proximal Newton steps, for every linear machine.

One iteration is one Newton step; of machines whose columns are problems of their own,
one of every column that is not finished. They share no steps, so that threads take
whole problems; BLAS itself runs on one thread, and the model does not depend on their
number.
"""

from dataclasses import replace
from math import isinf
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ...._core import core
from ....access.csr import narrow_indices
from ....access.rows import Rows
from ....base.one_thread import blas_on_one_thread
from ....base.threads import affordable
from ....machine.problem import Problem
from ....machine.registry import binary_machine
from ...options import LinearOptions
from ...protocol import EpochReport
from .blas import BLAS
from .solution import Solution, is_smooth

SPARSE_BELOW = 0.2  # non-zeros, as a share


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

    starts_with_weights = True

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.dtype, self.problem = rows.dtype, problem
        self.shape = rows.shape[1] + bool(rows.bias), problem.n_columns
        row, machine = problem.machine.formulation, problem.machine
        division = "pair" if row.by_pairs else "class" if row.separate else "none"
        self._parts = 1 if division == "none" else problem.n_columns
        if division != "none":
            machine = binary_machine(machine.loss)
        by_violation = options.violation_tol is not None
        sets = problem.label_sets
        self.core = core.Newton(
            double_rows(rows),
            machine.axes(problem.n_columns if division == "none" else 1),
            problem.labels.astype(np.int32),
            problem.loss_weights,
            problem.n_columns,
            division,
            options.violation_tol if by_violation else options.tol,
            by_violation,
            _threads_for_blas(options.threads),
            np.zeros(0, np.int64) if sets is None else sets.indptr.astype(np.int64),
            np.zeros(0, np.int32) if sets is None else sets.indices.astype(np.int32),
        )
        self._before: Solution | None = None
        self.newton_steps = 0
        self._step_seconds = self._certificate_seconds = 0.0

    @property
    def interrupted(self) -> bool:
        return self.core.interrupted

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step of every problem that is not finished."""
        return self.epochs_at_once(seconds, 1)

    def epochs_at_once(self, seconds: float, most: int) -> EpochReport:
        """Take so many, or fewer if all problems are finished, or time is limited."""
        # What has begun by the end of the time must be certified, and nobody knows how
        # long that takes: less than the steps.
        within = seconds if self.core.has_started else seconds / 2
        start = perf_counter()
        with blas_on_one_thread():
            report = self.core.epochs(within, most if isinf(seconds) else 1)
        self._step_seconds = (perf_counter() - start) / report.epochs
        self.newton_steps += report.epochs - report.stopped
        return report

    def certificate_seconds(self) -> float:
        """How long a certificate takes: as the last one, or less than a step."""
        return self._certificate_seconds or self._step_seconds

    @property
    def dual(self) -> float:
        """The best dual objective so far; minus infinity before the first step."""
        return self.core.dual

    def first(self) -> None:
        """Evaluate what the steps begin with, if that has not been done."""
        with blas_on_one_thread():
            self.core.first()

    def rebuild(self) -> None:
        """Do nothing: every step evaluates its weights afresh."""

    def certify(self) -> tuple[float, float, float]:
        """Objectives of the weights, as they are rounded, and of the dual variables."""
        start = perf_counter()
        with blas_on_one_thread():
            certificate = self.core.certify(self.dtype == np.float32)
        if self.core.has_started:
            self._certificate_seconds = perf_counter() - start
        return certificate

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        self.first()
        return self.core.weights().astype(self.dtype, copy=False)

    def release_weights(self) -> np.ndarray:
        """W, as `weights`."""
        return self.weights()

    def solution(self) -> Solution:
        """What another C can start from, besides dual variables."""
        return Solution(
            self.core.weights(),
            self.core.growths(),
            None if is_smooth(self.problem) else self.duals(),
            self.problem.loss_weights,
            self._before,
        )

    def start_near(self, near: Solution) -> None:
        """Start from the `solution` of another C, if it is of such rows."""
        rows = len(self.problem.labels)
        if near.weights.shape != self.shape or len(near.loss_weights) != rows:
            return
        self._before = replace(near, before=None)
        duals = near.duals_at(self.problem)
        if duals is not None:
            self.set_duals(*duals)
        growths = near.growths_at(self.problem)
        if growths is None:
            growths = np.ones(self._parts)
        self.core.start_near(near.weights_at(self.problem), growths)

    def duals(self):
        """The dual blocks as (indptr, classes, values), in double precision."""
        self.first()
        return self.core.duals()

    def set_duals(self, indptr, classes, values) -> None:
        """Start from dual blocks."""
        self.core.set_duals(
            np.asarray(indptr, dtype=np.int64),
            np.asarray(classes, dtype=np.int32),
            np.asarray(values, dtype=np.float64),
        )


def are_sparse(rows: Rows) -> bool:
    """Whether rows are stored sparse for Newton steps: BLAS, which multiplies several
    times as fast, is for dense ones.
    """
    n, d = rows.shape
    return rows.is_sparse and rows.matrix.nnz < SPARSE_BELOW * n * d


def double_rows(rows: Rows):
    """Return the rows for the core in double precision, with the constant feature."""
    X, bias = rows.matrix, float(rows.bias)
    if rows.is_sparse and not are_sparse(rows):
        X = X.toarray()
    if sp.issparse(X):
        if bias:
            X = sp.hstack([X, np.full((X.shape[0], 1), bias)], format="csr")
        indices, _ = narrow_indices(X, "solver='newton'")
        return core.DoubleRows(
            BLAS,
            np.ascontiguousarray(X.data, dtype=np.float64),
            indices,
            np.ascontiguousarray(X.indptr, dtype=np.int64),
            X.shape[1],
        )
    n, d = X.shape
    if bias:
        wide = np.empty((n, d + 1))
        wide[:, :d], wide[:, d] = X, bias
        X = wide
    return core.DoubleRows(BLAS, np.ascontiguousarray(X, dtype=np.float64))


def _threads_for_blas(wanted: int) -> int:
    """Return how many threads can call BLAS, which waits for ever for memory."""
    threads = affordable(wanted)
    if threads == 0:
        raise MemoryError(
            "Newton steps need some 64 MB of memory for BLAS, which the system does "
            "not give; free memory, raise the limit of this process, or choose "
            "solver='dual', which needs less."
        )
    return threads
