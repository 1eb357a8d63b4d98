"""The block method for kernel machines: working sets of examples.

A round takes the examples that violate their optimality conditions most, gets their
kernel rows by matrix products, solves the problem of these examples by itself, and
carries what has changed to the scores of all others. The solving is C++; kernel rows
are computed here, and stay in a cache from one round to the next.

When the cache is full, the problem is shrunk to the examples that violate their
conditions: rows get shorter, and more of them find room. Scores of all examples are
summed up again before a certificate.
"""

from math import isqrt
from time import perf_counter

import numpy as np

from ..._core import core
from ...access.cache_filler import CacheFiller
from ...access.gram import Gram
from ...machine.problem import Problem
from ..options import KernelOptions
from ..protocol import EpochReport

# Kernel rows of a round that are not in the cache: few at first, when any row violates
# its conditions and most will not matter in the end; then a share of those that do.
_LEAST_FRESH, _MOST_FRESH, _FRESH_SHARE = 64, 512, 1 / 3
_PATIENCE = 30  # how often all examples may be tried without progress
_ACCURACY = 0.1  # of the working set, as a share of the violation before
_SHRUNK = 0.1  # of the violation is left where a shrunk problem may be solved
_STALLED = 0.9  # of the gap is left after a round where it is


class BlockDriver:
    """Trains a kernel machine in rounds; a driver (see `protocol`).

    Parameters
    ----------
    gram : Gram
        Of what is trained on.
    problem : Problem
    options : KernelOptions
        `cache_bytes`: three quarters of it are for rows in the cache, the rest for the
        kernel of the working set. `seed` decides between examples that violate their
        conditions equally, and the order of visits in the working set.
    """

    starts_with_weights = True

    def __init__(self, gram: Gram, problem: Problem, options: KernelOptions):
        diagonal = gram.diagonal()
        cache_bytes = options.cache_bytes
        bits = "32" if diagonal.dtype == np.float32 else "64"
        self._core = getattr(core, f"WorkingSets{bits}")(
            diagonal,
            problem.labels.astype(np.int32),
            problem.loss_weights,
            problem.n_columns,
            problem.machine.axes(problem.n_columns),
            0.75 * cache_bytes,
            0.25 * cache_bytes,
            options.seed,
            options.threads,
        )
        self._rows = CacheFiller(self._core, gram, options.threads)
        self._square = isqrt(int(0.25 * cache_bytes / diagonal.itemsize))
        self._shrinking = options.shrinking
        self._shrunk = False
        self._whole_violation = np.inf  # when examples were left out
        self._gap, self._stalled = np.inf, False  # in the last round
        self._working = None  # chosen at the end of a round, for the next
        self.working_size = 0  # examples in the working set of the last round
        self._idle = False
        self._dual, self._violation = -np.inf, np.inf  # at the last progress
        self._vain = 0  # examples in working sets since then
        self._rounding = 0.01 * np.finfo(diagonal.dtype).eps
        self._late = False
        self._end = np.inf  # of the time, as of the last round

    def epoch(self, seconds: float) -> EpochReport:
        """Run one round."""
        end = self._end = perf_counter() + seconds
        if self._working is None:
            self._select()
        self._shrink_or_restore(seconds)
        visits = moves = 0
        self.working_size = len(self._working)
        self._late = True
        if self._rows.fetch(self._working, end):
            accuracy = _ACCURACY * self._core.state()[2]
            left = end - perf_counter()
            report = self._core.solve(self._working, accuracy, left)
            visits, moves, self._late = report.visits, report.moves, report.stopped
            self._select()
        primal, dual, violation = self._core.state()
        self._stalled = primal - dual > _STALLED * self._gap
        self._gap = primal - dual
        moves = moves if self._progresses(dual, violation) else 0
        self._idle = not moves
        return EpochReport(visits, moves, violation, dual, primal, self._late)

    def _progresses(self, dual: float, violation: float) -> bool:
        """Whether the dual grows or the violation falls.

        Where scores are exact up to rounding only, examples may move forever.
        """
        grown = dual - self._dual > self._rounding * abs(dual)
        if grown or violation < 0.9 * self._violation:
            self._dual, self._violation, self._vain = dual, violation, 0
        n = len(self._rows.points)
        self._vain += len(self._working) or n
        return self._vain <= _PATIENCE * n

    def _select(self) -> None:
        size = max(min(self._square, self._core.capacity), 2)
        fresh = int(_FRESH_SHARE * len(self._core.support()))
        fresh = min(max(fresh, _LEAST_FRESH), _MOST_FRESH)
        self._working = self._core.select(size, fresh)

    def certificate_seconds(self) -> float:
        """How long `certify` will take about if the time is over."""
        return self._rebuild_seconds() if self._shrunk else 0.0

    def _rebuild_seconds(self) -> float:
        """How long it would take about to compute the kernel rows of the support."""
        values = len(self._core.support()) * len(self._rows.points)
        return values * self._rows.seconds / max(self._rows.n_evaluations, 1)

    def _shrink_or_restore(self, seconds: float) -> None:
        """Leave examples out, or take them all back; so many seconds are left.

        What is shrunk has to be rebuilt before it is certified; if that would take half
        of the time, nothing is left out.
        """
        violation = self._core.state()[2]
        # What is left of the gap then belongs to examples that were left out.
        solved = self._stalled and violation <= _SHRUNK * self._whole_violation
        if self._shrunk and (solved or not len(self._working)):
            self._rebuild()
            self._select()
            violation = self._core.state()[2]
        room = self._core.capacity
        full = room < len(self._rows.points) and self._core.cached + _MOST_FRESH > room
        in_time = full and 2 * self._rebuild_seconds() <= seconds
        if self._shrinking and in_time and self._core.shrink():
            self._rows.choose_columns()
            self._shrunk, self._whole_violation = True, violation

    def rebuild(self) -> None:
        """Sum up the scores again if nothing moves: rounding may be the reason."""
        if self._idle:
            self._rebuild()

    def _rebuild(self) -> tuple[float, float, float]:
        """Sum up the scores from the dual variables, and measure them.

        Takes the kernel rows of the support, as far as they are not in the cache.
        """
        self._working = None
        if self._shrunk:
            self._core.restore_columns()
            self._rows.choose_columns()
            self._shrunk = False
        self._core.clear_scores()
        support = self._core.support()
        step = min(self._core.capacity, _MOST_FRESH)
        for start in range(0, len(support), step):
            some = support[start : start + step]
            self._rows.fetch(some)
            self._core.add_blocks(some)
        return self._core.certify()

    def certify(self) -> tuple[float, float, float]:
        """Return (primal, dual, violation) of the dual variables as they are.

        Scores are summed up again before, unless they are there and no time is left for
        it: they are exact up to rounding, and this may take all kernel rows of the
        support.
        """
        if not self._shrunk and (self._late or self._rebuild_ends() > self._end):
            return self._core.certify()
        return self._rebuild()

    def _rebuild_ends(self) -> float:
        return perf_counter() + self._rebuild_seconds()

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
