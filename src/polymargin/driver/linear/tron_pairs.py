"""The trust-region Newton method for one-vs-one machines: a driver for each pair.

The problems do not meet, so threads take whole problems. One epoch is one Newton step
of every pair that is not finished; a finished one is not touched again. A pair has a
driver from its first step on: until then its weights and dual variables are zero, and
it costs nothing, however many there are.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np

from ...base.threads import on_threads
from ...machine.pair_problems import PairProblems
from ...machine.problem import Problem
from ..options import LinearOptions
from ..protocol import EpochReport
from .tron import TronDriver


class TronPairs:
    """Trains all pairs of classes by Newton steps; a driver (see `protocol`).

    Parameters
    ----------
    rows, dtype, empty, problem, options
        As of `TronDriver`; a pair is finished when its own gap or gradient is small.
    """

    interrupted = False  # as in `TronDriver`

    def __init__(self, rows, dtype, empty, problem: Problem, options: LinearOptions):
        self.rows, self.dtype, self.empty = rows, np.dtype(dtype), empty
        self.problems = PairProblems(problem)
        self.losses_at_zero = self.problems.losses_at_zero()
        self.threads = options.threads
        self.options = replace(options, threads=1)
        self.pairs: dict[int, TronDriver] = {}  # those that have begun

    def _begin(self, number: int) -> TronDriver:
        """Return the driver of a pair, made if there is none."""
        if number not in self.pairs:
            chosen = self.problems.rows(number)
            self.pairs[number] = TronDriver(
                self.rows.subset(chosen),
                self.dtype,
                self.empty[chosen],
                self.problems.binary(number),
                self.options,
            )
        return self.pairs[number]

    def _is_left(self, number: int) -> bool:
        return number not in self.pairs or not self.pairs[number].finished

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step of every pair that is not finished."""
        end = perf_counter() + seconds

        def step(number):
            if perf_counter() >= end:
                return None
            return self._begin(number).epoch(end - perf_counter())

        left = [number for number in range(len(self.problems)) if self._is_left(number)]
        found = self._each(step, left)
        reports = [report for report in found if report is not None]
        primal, dual, violation = self.certify()
        return EpochReport(
            sum(report.visits for report in reports),
            sum(report.moves for report in reports),
            violation,
            dual,
            primal,
            len(reports) < len(left) or any(report.stopped for report in reports),
        )

    def _each(self, work, numbers) -> list:
        """``work(number)`` of pairs, on all threads; those of no use help inside."""
        helping = max(1, self.threads // max(len(numbers), 1))
        self.options = replace(self.options, threads=helping)
        for pair in self.pairs.values():
            pair.threads = helping

        def stop():
            for pair in list(self.pairs.values()):
                pair.stop()

        return on_threads(work, numbers, self.threads, stop)

    def rebuild(self) -> None:
        """Do nothing, as `TronDriver`."""

    def certify(self) -> tuple[float, float, float]:
        """Sums of primal and dual, and the largest entry of a gradient."""
        pairs = self.pairs
        self._each(lambda number: pairs[number].certify(), self._not_evaluated())
        primal, dual = self.losses_at_zero.copy(), np.zeros(len(self.problems))
        violation = np.full(len(self.problems), np.inf)
        for number, pair in pairs.items():
            primal[number], dual[number] = pair.objective[0], pair.dual[0]
            violation[number] = pair.violation[0]
        return primal.sum(), dual.sum(), violation.max()

    def _not_evaluated(self) -> list[int]:
        return [number for number, pair in self.pairs.items() if pair.point is None]

    def weights(self):
        """A copy of W, of shape (features, pairs)."""
        weights = np.zeros((len(self.problems), self.rows.features), dtype=self.dtype)
        for number, pair in self.pairs.items():
            weights[number] = pair.full_weights[:, 0]
        return weights.T

    def release_weights(self):
        """W, as `weights`."""
        return self.weights()

    def duals(self):
        """The dual variables as (indptr, pairs, values)."""
        numbers = sorted(self.pairs)
        duals = self._each(lambda number: self.pairs[number].dual_variables(), numbers)
        return self.problems.join(
            {number: u[:, 0] for number, u in zip(numbers, duals, strict=True)}
        )

    def set_duals(self, indptr, pairs, values) -> None:
        """Start from the weights that belong to dual variables."""
        coefficients = self.problems.problem.coefficients(indptr, pairs, values)
        for number, start in enumerate(self.problems.split(coefficients)):
            if start.any():
                self._begin(number).start_from(start[:, None])
