"""One-vs-one machines with kernels: a driver for each pair of classes.

The problems do not meet, so threads take whole problems. As many pairs are trained at a
time as have room for all their kernel values in the cache; one that is finished makes
room for the next, and is not touched again.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ...access.gram import Gram
from ...base.threads import on_threads
from ...certify.certificate import UNCERTIFIED, Certificate, relative_gap
from ...machine.pair_problems import PairProblems
from ...machine.problem import Problem
from ..loop import Stopping
from ..options import KernelOptions
from ..protocol import EpochReport
from .newton.driver import KernelNewtonDriver


class _Pair:
    """A pair of classes: waiting without a driver, in training, or finished.

    Parameters
    ----------
    n_rows : int
    losses_at_zero : float
        Of scores of zero.
    dtype : dtype
        Of the dual variables.
    """

    def __init__(self, n_rows: int, losses_at_zero: float, dtype):
        # As of when there was no driver.
        self.duals = np.zeros(n_rows, dtype=dtype)
        self.driver = None
        self.idle = 0  # rounds in which nothing moved
        self.evaluations = 0
        self.solver: str | None = None  # what the driver says it has done
        self.certificate = Certificate(losses_at_zero, 0.0, 1.0)

    def start(self, driver) -> None:
        support = np.flatnonzero(self.duals)
        if len(support):
            indptr = np.searchsorted(support, np.arange(len(self.duals) + 1))
            classes = np.zeros(len(support), dtype=np.int32)
            values = self.duals[support].astype(np.float64)
            driver.set_duals(indptr.astype(np.int64), classes, values)
        self.driver = driver

    def advance(self, stopping: Stopping, end: float) -> EpochReport:
        """Run one round, and finish if it was the last."""
        report = self.driver.epoch(end - perf_counter())
        self.idle = 0 if report.moves else self.idle + 1
        gap = relative_gap(report.primal_estimate, report.dual)
        self.certificate = Certificate(
            report.primal_estimate, report.dual, report.violation
        )
        if not report.stopped and (
            self.idle > 1 or stopping.enough(gap, report.violation)
        ):
            self.certify()
            if self.idle > 1 or stopping.enough(
                self.certificate.gap, self.certificate.violation
            ):
                self.finish()
        return report

    def certify(self) -> None:
        self.certificate = Certificate(*self.driver.certify())

    def finish(self) -> None:
        self.read_driver()
        self.driver = None

    def read_driver(self) -> None:
        """Note what can be known of the driver."""
        if self.driver is None:
            return
        indptr, _, values = self.driver.duals()
        self.duals = np.zeros(len(self.duals), dtype=values.dtype)
        self.duals[np.diff(indptr) > 0] = values
        self.evaluations = self.driver.kernel_evaluations
        self.solver = getattr(self.driver, "solver", None)


class KernelPairs:
    """Trains all pairs of classes; a driver (see `protocol`).

    Parameters
    ----------
    gram : Gram
    problem : Problem
        Of one-vs-one.
    options : KernelOptions
        A pair is finished when its own gap or violation is small enough.
    make_driver : callable
        Makes the driver of a pair from the same kind of arguments.
    """

    starts_with_weights = True

    def __init__(
        self, gram: Gram, problem: Problem, options: KernelOptions, make_driver
    ):
        self.gram, self.options = gram, options
        self.make_driver = make_driver
        self.stopping = Stopping(options.tol, options.violation_tol)
        self.problems = PairProblems(problem)
        dtype = gram.kernel.dtype
        self.pairs = [
            _Pair(n_rows, losses, dtype)
            for n_rows, losses in zip(
                self.problems.n_rows(), self.problems.losses_at_zero(), strict=True
            )
        ]
        self.waiting = list(reversed(range(len(self.pairs))))
        largest = max(len(pair.duals) for pair in self.pairs)
        whole = KernelNewtonDriver.bytes_for(largest, largest)  # others need less
        self.at_a_time = int(np.clip(options.cache_bytes / whole, 1, len(self.pairs)))

    def _open_pairs(self) -> list[_Pair]:
        return [pair for pair in self.pairs if pair.driver is not None]

    def _start(self, number: int) -> None:
        """Make the driver of a pair."""
        options = replace(
            self.options,
            cache_bytes=self.options.cache_bytes / self.at_a_time,
            seed=self.options.seed + number,
            threads=self.options.threads if self.at_a_time == 1 else 1,
        )
        gram = self.gram.choose(self.problems.rows(number))
        problem = self.problems.binary(number)
        self.pairs[number].start(self.make_driver(gram, problem, options))

    def epoch(self, seconds: float) -> EpochReport:
        """Run one round of every pair that is in training, or finds room to begin."""
        end = perf_counter() + seconds
        training = [n for n, pair in enumerate(self.pairs) if pair.driver is not None]
        room = min(self.at_a_time - len(training), len(self.waiting))
        training += [self.waiting.pop() for _ in range(room)]

        def advance(number):
            if perf_counter() >= end:
                return None
            if self.pairs[number].driver is None:
                self._start(number)
            return self.pairs[number].advance(self.stopping, end)

        found = on_threads(advance, training, self.options.threads)
        reports = [report for report in found if report is not None]
        primal, dual, violation = self._sums()
        moves = sum(report.moves for report in reports)
        return EpochReport(
            sum(report.visits for report in reports),
            max(moves, 1) if self.waiting else moves,  # there will be some
            violation,
            dual,
            # Pairs that have not begun are worth nothing, however small they are.
            float("inf") if self.waiting else primal,
            len(reports) < len(found) or any(report.stopped for report in reports),
        )

    def _sums(self) -> tuple[float, float, float]:
        """Primal and dual of all pairs, and their largest violation."""
        known = [pair.certificate for pair in self.pairs]
        return (
            sum(certificate.primal for certificate in known),
            sum(certificate.dual for certificate in known),
            max(certificate.violation for certificate in known),
        )

    def rebuild(self) -> None:
        """Rebuild the pairs that are in training."""
        for pair in self._open_pairs():
            pair.driver.rebuild()

    def certify(self) -> tuple[float, float, float]:
        """Certify the pairs that are in training; the others have been."""
        on_threads(_Pair.certify, self._open_pairs(), self.options.threads)
        return self._sums()

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return any(pair.driver.interrupted for pair in self._open_pairs())

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        for pair in self.pairs:
            pair.read_driver()
        return sum(pair.evaluations for pair in self.pairs)

    @property
    def solver(self) -> str | None:
        """What the pairs have done: the longest of their names."""
        for pair in self.pairs:
            pair.read_driver()
        return max((pair.solver or "" for pair in self.pairs), key=len) or None

    def duals(self):
        """Return the dual variables as (indptr, pairs, values)."""
        for pair in self.pairs:
            pair.read_driver()
        known = {n: pair.duals for n, pair in enumerate(self.pairs) if pair.duals.any()}
        return self.problems.join(known)

    def set_duals(self, indptr, pairs, values) -> None:
        """Start from these dual variables, which are feasible."""
        shape = (len(self.problems.problem.labels), len(self.pairs))
        blocks = sp.csr_array((values, pairs, indptr), shape=shape)
        starts = self.problems.split(blocks)
        for pair, start in zip(self.pairs, starts, strict=True):
            pair.duals[:] = start
            if start.any():
                pair.certificate = UNCERTIFIED  # until there is a driver
