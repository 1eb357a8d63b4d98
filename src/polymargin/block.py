"""The block method for kernel machines: working sets of examples.

A round takes the examples that violate their optimality conditions most, gets their
kernel rows by matrix products, solves the problem of these examples by itself, and
carries what has changed to the scores of all others. The solving is C++; kernel rows
are computed here, and stay in a cache from one round to the next.
"""

from math import isqrt
from time import perf_counter

import numpy as np

from ._core import core
from .kernel_rows import KernelRows
from .problem import Problem

_SIZE = 2048  # most examples of a working set
_FRESH = 512  # most kernel rows of a round that are not in the cache
_PATIENCE = 10  # passes over as many examples as there are, without progress
_ACCURACY = 0.1  # of the working set, as a share of the violation before


class BlockDriver:
    """Trains a kernel machine in rounds; see `solver` for the protocol.

    Parameters
    ----------
    kernel : Kernel
    points : Points, Positions or ChosenPoints
        What is trained on, as the kernel knows it.
    problem : Problem
    cache_bytes : float
        Room for kernel values: three quarters of it for rows in the cache, the rest for
        the kernel of the working set. There is always room for two rows.
    seed : int
        Decides between examples that violate their conditions equally, and the order
        of visits in the working set.
    threads : int
        What is trained does not depend on it.
    """

    def __init__(self, kernel, points, problem: Problem, cache_bytes, seed, threads):
        diagonal = kernel.diagonal(points)
        bits = "32" if diagonal.dtype == np.float32 else "64"
        self._core = getattr(core, f"BlockSolver{bits}")(
            diagonal,
            problem.labels.astype(np.int32),
            problem.caps,
            problem.n_columns,
            problem.machine.name,
            problem.machine.loss,
            0.75 * cache_bytes,
            seed,
            threads,
        )
        self._rows = KernelRows(self._core, kernel, points, threads)
        square = isqrt(int(0.25 * cache_bytes / diagonal.itemsize))
        self._size = max(min(_SIZE, square, self._core.capacity), 2)
        # What the dual objective gains by rounding in a pass, as a share of it.
        self._precision = 0.1 * np.finfo(diagonal.dtype).eps
        self._least = np.full(2, np.inf)  # of gaps and violations seen
        self._futile = 0  # examples visited since there was progress
        self._working = None  # chosen at the end of a round, for the next
        self._idle = False
        self._late = False

    def epoch(self, seconds: float) -> dict:
        """Run one round."""
        end = perf_counter() + seconds
        if self._working is None:
            self._select()
        report = {"visits": 0, "moves": 0, "stopped": True}
        _, before, violation = self._core.state()
        if self._rows.fetch(self._working, end):
            left = end - perf_counter()
            report = self._core.solve(self._working, _ACCURACY * violation, left)
            solved = len(self._working)
            self._select()
            if self._is_idle(solved, before):
                report["moves"] = 0  # none that is worth anything
        self._late = report["stopped"]
        primal, dual, violation = self._core.state()
        return report | {
            "primal_estimate": primal,
            "dual": dual,
            "violation": violation,
        }

    def _is_idle(self, solved: int, before: float) -> bool:
        """Whether many examples have been `solved` without progress, or there are none.

        Rounding makes examples move for ever. Progress is what the dual objective gains
        over that, or a gap or a violation smaller than seen before.
        """
        n = len(self._rows.points)
        primal, dual, violation = self._core.state()
        measures = np.array([primal - dual, violation])
        smaller = measures < 0.99 * self._least
        self._least = np.minimum(self._least, measures)
        gained = dual - before > self._precision * dual * solved / n
        self._futile = 0 if gained or smaller.any() else self._futile + solved
        self._idle = solved == 0 or self._futile >= _PATIENCE * n
        return self._idle

    def _select(self) -> None:
        self._working = self._core.select(self._size, _FRESH)

    def rebuild(self) -> None:
        """Sum up the scores again if nothing moves: rounding may be the reason."""
        if self._idle:
            self._rebuild()

    def _rebuild(self) -> tuple[float, float, float]:
        """Sum up the scores from the dual variables, and measure them.

        Takes the kernel rows of the support, as far as they are not in the cache.
        """
        self._working = None
        self._core.clear_scores()
        support = self._core.support()
        step = min(self._core.capacity, _FRESH)
        for start in range(0, len(support), step):
            some = support[start : start + step]
            self._rows.fetch(some)
            self._core.add_blocks(some)
        return self._core.certify()

    def certify(self) -> tuple[float, float, float]:
        """Return (primal, dual, violation) of the dual variables as they are.

        Scores are summed up again before, unless the time is over: they are exact up to
        rounding in any case, and this may take all kernel rows of the support.
        """
        return self._core.certify() if self._late else self._rebuild()

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return self._core.interrupted

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return self._rows.n_evaluations

    def duals(self):
        """Return the dual blocks as (indptr, classes, values)."""
        return self._core.duals()

    def set_duals(self, indptr, classes, values) -> None:
        """Start from these dual blocks, which are feasible."""
        self._core.set_duals(indptr, classes, values)
        self._rebuild()
