"""The trust-region Newton method for one-vs-one machines: a driver for each pair.

The problems do not meet, so threads take whole problems. One epoch is one Newton step
of every pair that is not finished; a finished one is not touched again.
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
        self.problems = PairProblems(problem)
        self.threads = options.threads
        alone = replace(options, threads=1)
        self.pairs = []
        for number in range(len(self.problems)):
            chosen = self.problems.rows(number)
            self.pairs.append(
                TronDriver(
                    rows.subset(chosen),
                    dtype,
                    empty[chosen],
                    self.problems.binary(number),
                    alone,
                )
            )

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step of every pair that is not finished."""
        end = perf_counter() + seconds
        left = [pair for pair in self.pairs if not pair.finished]
        reports = self._each(lambda pair: pair.epoch(end - perf_counter()), left)
        primal, dual, violation = self.certify()
        return EpochReport(
            sum(report.visits for report in reports),
            sum(report.moves for report in reports),
            violation,
            dual,
            primal,
            any(report.stopped for report in reports),
        )

    def _each(self, work, pairs) -> list:
        """The results of `work(pair)`, on all threads; those of no use help inside."""
        for pair in pairs:
            pair.threads = max(1, self.threads // len(pairs))

        def stop():
            for pair in pairs:
                pair.stop()

        return on_threads(work, pairs, self.threads, stop)

    def rebuild(self) -> None:
        """Do nothing, as `TronDriver`."""

    def certify(self) -> tuple[float, float, float]:
        """Sums of primal and dual, and the largest entry of a gradient."""
        self._each(TronDriver.certify, [p for p in self.pairs if p.point is None])
        primal, dual, violation = np.transpose(
            [(*pair.objective, *pair.dual, *pair.violation) for pair in self.pairs]
        )
        return primal.sum(), dual.sum(), violation.max()

    def weights(self):
        """A copy of W, of shape (features, pairs)."""
        return np.array([pair.full_weights[:, 0] for pair in self.pairs]).T

    def release_weights(self):
        """W, as `weights`."""
        return self.weights()

    def duals(self):
        """The dual variables as (indptr, pairs, values)."""
        duals = self._each(TronDriver.dual_variables, self.pairs)
        return self.problems.join([values[:, 0] for values in duals])

    def set_duals(self, indptr, pairs, values) -> None:
        """Start from the weights that belong to dual variables."""
        coefficients = self.problems.problem.coefficients(indptr, pairs, values)
        starts = self.problems.split(coefficients)
        for pair, start in zip(self.pairs, starts, strict=True):
            pair.start_from(start[:, None])
