"""The driver of proximal Newton steps, for every machine with a kernel.

One iteration is one Newton step. BLAS is on one thread; threads share the columns of
products and the factors of the classes, and the model does not depend on their number.
"""

from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ....access.gram import Gram
from ....base.one_thread import blas_on_one_thread
from ....machine.problem import Problem
from ....machine.projection import Blocks
from ...loop import OutOfTime
from ...options import KernelOptions
from ...protocol import EpochReport
from .kernel_rows import KernelRows
from .space import KernelSpace
from .steps import KernelNewton


class KernelNewtonDriver:
    """Trains a kernel machine by Newton steps; a driver (see `protocol`).

    Parameters
    ----------
    gram : Gram
    problem : Problem
    options : KernelOptions
        `cache_bytes`: half of it is for kernel rows, the other for Newton systems.
    """

    @staticmethod
    def bytes_for(n_rows: int, n: int) -> float:
        """How large `cache_bytes` must be for so many kernel rows of n examples."""
        return 2.0 * 8 * n_rows * n

    @staticmethod
    def room_of(options: KernelOptions) -> float:
        """How many numbers there is room for in kernel rows, and again in systems."""
        return options.cache_bytes / 2 / 8

    interrupted = False  # a signal raises KeyboardInterrupt, here as in any Python code
    starts_with_weights = True

    def __init__(self, gram: Gram, problem: Problem, options: KernelOptions):
        self.problem = problem
        self.tol, self.violation_tol = options.tol, options.violation_tol
        self.end = float("inf")  # of the time for an epoch
        self.newton_steps = 0
        self.used = np.flatnonzero(problem.loss_weights > 0)
        if len(self.used) < len(gram):
            gram = gram.choose(self.used)
        room = self.room_of(options)
        capacity = int(room / max(len(gram), 1))
        self.rows = KernelRows(gram, capacity, options.threads, self._poll)
        self.blocks = Blocks(
            problem.machine,
            problem.labels[self.used],
            problem.loss_weights[self.used],
            problem.n_columns,
        )
        self.space = KernelSpace(self.rows, room)
        together = self.violation_tol is not None
        self.newton = KernelNewton(
            self.space, self.blocks, self._enough, self._poll, together
        )
        precision = np.finfo(gram.kernel.dtype).eps
        self.newton.longest = 1 / (float(precision) * self.space.mean_square())

    def _enough(self, primal, dual, violation) -> bool:
        if self.violation_tol is not None:
            return violation <= self.violation_tol
        return primal - dual <= self.tol * primal

    def _poll(self) -> None:
        if perf_counter() > self.end:
            raise OutOfTime

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step."""
        self.end = perf_counter() + seconds
        moved, stopped = False, False
        try:
            with blas_on_one_thread():
                moved = self.newton.step()
            self.newton_steps += 1
        except OutOfTime:
            stopped = True
        finally:
            self.end = float("inf")
        return self.report(moved, stopped)

    def report(self, moved: bool, stopped: bool = False) -> EpochReport:
        """What is known now."""
        newton, n = self.newton, len(self.used)
        if not newton.started:
            return EpochReport(n, int(moved), np.inf, -np.inf, np.inf, stopped)
        violation = newton.violation() if self.violation_tol is not None else np.inf
        return EpochReport(
            n, int(moved), violation, newton.dual, newton.primal, stopped
        )

    def rebuild(self) -> None:
        """Do nothing: scores are summed up anew from time to time."""

    def certify(self) -> tuple[float, float, float]:
        """Objectives and violation of the dual variables."""
        blocks = self.blocks
        u = self._variables()
        b = blocks.coefficients(u)
        support = np.flatnonzero(b.any(axis=1))
        with blas_on_one_thread():
            scores = self.rows.combine(support, b[support])
        half_norm, h = np.vdot(b, scores) / 2, blocks.violations(scores)
        violation = blocks.violation(h, u) if len(h) else 0.0
        return half_norm + blocks.losses(h), blocks.dual_terms(u) - half_norm, violation

    def _variables(self) -> np.ndarray:
        """The best dual variables."""
        return self.newton.duals if self.newton.started else self.newton.u

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return self.rows.n_evaluations

    def duals(self):
        """Return the dual blocks as (indptr, classes, values), in double precision.

        In single precision, their scores would be those of other variables: with large
        C and many of them free, some per mille of the objective away.
        """
        found = sp.coo_array(self._variables())
        shape = len(self.problem.labels), self.problem.n_columns
        blocks = sp.csr_array(
            (found.data, (self.used[found.row], found.col)), shape=shape
        )
        return blocks.indptr, blocks.indices, blocks.data

    def set_duals(self, indptr, classes, values) -> None:
        """Start from these dual blocks, which are feasible."""
        u = self.problem.blocks(indptr, classes, values)[self.used].toarray()
        self.newton.start(u.astype(np.float64))
