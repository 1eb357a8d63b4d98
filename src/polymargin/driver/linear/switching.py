"""solver="auto": the sequential method, and Newton steps from there if they are sooner.

The sequential method begins. Its epochs show what they cost and by how much they bring
the gap down; as long as that predicts an earlier end than Newton steps would have, it
goes on, otherwise these begin with its dual variables; also if nothing moves any more.
Both are counted in operations (see `work` and `prediction`): same seed, same model.
"""

from time import perf_counter

import numpy as np

from ...access.rows import Rows
from ...certify.certificate import relative_gap
from ...machine.problem import Problem
from ..options import LinearOptions
from ..prediction import Course
from ..protocol import EpochReport, LinearDriver
from .dual import dual_driver
from .newton.driver import NewtonDriver
from .newton.solution import Solution
from .work import TRIED, Work

# What `solver` says after Newton steps.
BOTH = "dual+newton"


def may_switch(options: LinearOptions) -> bool:
    """Whether Newton steps may follow: not if the sequential method was told how to go
    on, or when to end, in ways that mean nothing to them.
    """
    asked = LinearOptions()
    return options.violation_tol is None and all(
        getattr(options, name) == getattr(asked, name)
        for name in ("features", "order", "restricted")
    )


class SwitchingDriver:
    """The sequential method, perhaps followed by Newton steps; a driver (`protocol`).

    Parameters
    ----------
    rows : Rows
    problem : Problem
    options : LinearOptions

    Attributes
    ----------
    solver : str
        What was done: "dual" or "dual+newton".
    """

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.rows, self.problem, self.options = rows, problem, options
        self.solver = "dual"
        self._dual: LinearDriver = dual_driver(rows, problem, options)
        self._newton: NewtonDriver | None = None
        columns = getattr(self._dual, "columns_of_visit", None)
        self._work = Work(rows, problem, columns)
        self._course = Course(options.tol, TRIED)
        self._undecided = may_switch(options) and self._work.newton_fits
        self._stuck = False

    @property
    def _driver(self) -> LinearDriver:
        """Who has the model."""
        return self._newton if self.solver == BOTH else self._dual

    @property
    def interrupted(self) -> bool:
        return self._dual.interrupted or (
            self._newton is not None and self._newton.interrupted
        )

    @property
    def newton_steps(self) -> int:
        return 0 if self._newton is None else self._newton.newton_steps

    def epoch(self, seconds: float) -> EpochReport:
        """Run an epoch, or take a Newton step of every problem."""
        return self.epochs_at_once(seconds, 1)

    def epochs_at_once(self, seconds: float, most: int) -> EpochReport:
        """Run an epoch, or take so many Newton steps, or fewer if all are finished."""
        if self._undecided and self._newton_is_sooner():
            start = perf_counter()
            self._switch()
            seconds -= perf_counter() - start
        if self._newton is None:
            return self._sequential_epoch(seconds)
        report = self._newton.epochs_at_once(seconds, most)
        if report.epochs > report.stopped:
            self.solver = BOTH
        return report

    def _sequential_epoch(self, seconds: float) -> EpochReport:
        report = self._dual.epoch(seconds)
        if self._undecided and not report.stopped:
            work = self._work.of_epoch(report.visits, report.moves)
            gap = relative_gap(report.primal_estimate, report.dual)
            self._course.add(work, gap)
            self._stuck = report.moves == 0
        return report

    def _newton_is_sooner(self) -> bool:
        course = self._course
        if self._stuck:  # in single precision, perhaps: Newton steps have all digits
            return True
        if not course.is_time or not course.is_longer_than(
            self._work.least_of_newton()
        ):
            return False
        sooner = course.is_longer_than(self._work.of_newton(*self._dual.duals()))
        if not sooner:
            course.wait()
        return sooner

    def _switch(self, near: Solution | None = None) -> None:
        """Hand the dual variables over.

        A signal on the way changes nothing, and until the first Newton step is done the
        model is that of the sequential method.
        """
        self._undecided = False
        newton = NewtonDriver(self.rows, self.problem, self.options)
        newton.set_duals(*self._dual.duals())
        if near is not None:
            newton.start_near(near)
        newton.first()
        self._newton = newton

    def start_near(self, near: Solution) -> None:
        """Go on with Newton steps from what such steps have found: epochs would leave
        it first.
        """
        if may_switch(self.options) and self._work.newton_fits:
            self._switch(near)

    @property
    def both_ways(self) -> tuple[float, float] | None:
        """The work of the epochs so far, and of Newton steps that would begin now; None
        if there is no choice, or it has been made.
        """
        if not self._undecided:
            return None
        return self._course.spent, self._work.of_newton(*self._dual.duals())

    def solution(self):
        """What Newton steps at another C can start from; None if there were none."""
        return self._newton.solution() if self.solver == BOTH else None

    def rebuild(self) -> None:
        """Remove accumulated rounding."""
        self._driver.rebuild()

    def certify(self) -> tuple[float, float, float] | None:
        """Objectives and violation of the model."""
        certificate = self._driver.certify()
        if self._driver is self._dual and certificate is not None:
            self._course.correct(relative_gap(*certificate[:2]))
        return certificate

    def duals(self):
        """The dual blocks as (indptr, classes, values)."""
        return self._driver.duals()

    def set_duals(self, indptr, classes, values) -> None:
        """Start from dual blocks."""
        self._dual.set_duals(indptr, classes, values)

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        return self._driver.weights()

    def release_weights(self) -> np.ndarray:
        """W; the driver is of no use afterwards."""
        return self._driver.release_weights()
