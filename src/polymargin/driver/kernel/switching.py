"""solver="auto": working sets, and Newton steps from there if they are sooner.

Working sets begin. Rounds show what they cost and by how much they bring the gap down;
when no new examples come in any more and that predicts a later end than Newton steps
would have, these begin with the dual variables. Both are counted in operations (see
`prediction`): same seed, same model. Newton steps that take more than the rounds were
predicted to, or more kernel rows than there is room for, are given up again, until
rounds have taken as much.
"""

import numpy as np

from ...access.gram import Gram
from ...certify.certificate import relative_gap
from ...machine.problem import Problem
from ..options import KernelOptions
from ..prediction import Course
from ..protocol import EpochReport, KernelDriver
from .newton.driver import KernelNewtonDriver
from .newton.kernel_rows import NoRoom
from .work import LEAST_WORK, newton_work, round_work
from .working_sets import BlockDriver

# What `solver` says after Newton steps.
BOTH = "block+newton"
_SLOWING = 2.0  # rounds gain less and less: how much longer they take than predicted
_SETTLED = 0.05  # new kernel rows of a round, of those of the support
_PATIENT = 10.0  # times the work so far, if there is no telling how much is left


class BlockThenNewton:
    """Working sets, perhaps followed by Newton steps; a driver (see `protocol`).

    Parameters
    ----------
    gram : Gram
    problem : Problem
    options : KernelOptions

    Attributes
    ----------
    solver : str
        What was done: "block" or "block+newton".
    """

    def __init__(self, gram: Gram, problem: Problem, options: KernelOptions):
        self.gram, self.problem, self.options = gram, problem, options
        self.solver = "block"
        self._driver: KernelDriver = BlockDriver(gram, problem, options)
        self._course = Course(options.tol)
        # Newton steps have no violation to speak of until the last.
        self._undecided = options.violation_tol is None and options.tol > 0
        self._budget = np.inf  # of the work of Newton steps
        self._in_vain = 0.0  # work of Newton steps that were given up
        # Kernel values and Newton steps, of drivers that are no longer there.
        self._evaluated = self._steps_before = 0

    def epoch(self, seconds: float) -> EpochReport:
        """Run one round, or take one Newton step."""
        driver = self._driver
        if isinstance(driver, KernelNewtonDriver):
            return self._newton_step(driver, seconds)
        before = driver.kernel_evaluations
        report = driver.epoch(seconds)
        if self._undecided and not report.stopped:
            work = round_work(self.problem, driver.working_size, report.visits)
            gap = relative_gap(report.primal_estimate, report.dual)
            self._course.add(work, gap)
            fresh = (driver.kernel_evaluations - before) / max(len(self.gram), 1)
            if gap > self.options.tol and self._newton_is_sooner(fresh, gap):
                self._replace(KernelNewtonDriver)
                self._driver.newton.stays = True  # working sets can go on from there
        return report

    def _newton_step(self, driver: KernelNewtonDriver, seconds) -> EpochReport:
        try:
            report = driver.epoch(seconds)
        except NoRoom:
            report = driver.report(moved=True)
            self._budget = -np.inf
        self.solver = BOTH
        gap = relative_gap(report.primal_estimate, report.dual)
        if report.stopped or gap <= self.options.tol:
            return report
        if driver.newton.operations > self._budget or not report.moves:
            self._in_vain = driver.newton.operations
            self._course = Course(self.options.tol)
            self._replace(BlockDriver)
        return report

    def _newton_is_sooner(self, fresh: float, gap: float) -> bool:
        course = self._course
        if not course.is_time or course.spent < self._in_vain:
            return False
        if not course.is_longer_than(LEAST_WORK / _SLOWING):  # without a look at them
            return False
        duals = self.problem.blocks(*self._driver.duals())
        if fresh > _SETTLED * np.count_nonzero(np.diff(duals.indptr)):
            return False
        work = newton_work(self.problem, duals, self.options, gap / self.options.tol)
        if not course.is_longer_than(work / _SLOWING):
            course.wait()
            return False
        self._budget = min(_SLOWING * course.left, _PATIENT * course.spent)
        return True

    def _replace(self, make) -> None:
        """Let another driver go on; the one before gives its memory back first."""
        duals = self._driver.duals()
        self._evaluated = self.kernel_evaluations
        self._steps_before = self.newton_steps
        self._driver = None
        self._driver = make(self.gram, self.problem, self.options)
        indptr, classes, values = duals
        self._driver.set_duals(
            indptr.astype(np.int64), classes.astype(np.int32), values.astype(np.float64)
        )

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return self._driver.interrupted

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return self._evaluated + self._driver.kernel_evaluations

    @property
    def newton_steps(self) -> int:
        return self._steps_before + getattr(self._driver, "newton_steps", 0)

    def rebuild(self) -> None:
        """Remove accumulated rounding."""
        self._driver.rebuild()

    def certify(self) -> tuple[float, float, float] | None:
        """Return (primal, dual, violation) of the dual variables."""
        return self._driver.certify()

    def duals(self):
        """Return the dual blocks as (indptr, classes, values)."""
        return self._driver.duals()

    def set_duals(self, indptr, classes, values) -> None:
        """Start from these dual blocks, which are feasible."""
        self._driver.set_duals(indptr, classes, values)
