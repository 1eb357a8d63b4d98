"""Decomposition with one variable (SMO) or two (S2DO) at a time, for kernel machines.

The method of Dogan, Glasmachers and Igel (2011) in C++; kernel rows are computed here,
one at a time as the method asks for them.
"""

import numpy as np

from ..._core import core
from ...access.gram import Gram
from ...machine.problem import Problem
from ..options import KernelOptions
from ..protocol import EpochReport

VIOLATION = 1e-3  # where the paper on S2DO stops


class _Rows:
    """Kernel rows, for a driver that keeps changing the order of their columns."""

    _MOST_RANGES = 2

    def __init__(self, gram: Gram):
        self.kernel, self.points = gram.kernel, gram.points
        self.columns = None
        self.ranges: dict = {}  # points of ranges of columns, the last used last

    def __call__(self, examples, columns, first, last):
        """Return the kernel of `examples` with those in ``columns[first:last]``."""
        if columns is not self.columns:
            self.columns = columns
            self.ranges.clear()
        return self.kernel(self.points.take(examples), self.range(first, last))

    def range(self, first, last):
        points = self.ranges.pop((first, last), None)
        if points is None:
            while len(self.ranges) >= self._MOST_RANGES:
                del self.ranges[next(iter(self.ranges))]
            chosen = self.columns[first:last]
            if np.array_equal(chosen, np.arange(first, last)):
                points = self.points.take(slice(first, last))  # not a copy
            else:
                points = self.points.take(chosen)
        self.ranges[first, last] = points
        return points


class TwoVariableDriver:
    """A driver (see `protocol`); an epoch is a thousand iterations.

    Parameters
    ----------
    gram : Gram
        Of what is trained on.
    problem : Problem
    options : KernelOptions
        `violation_tol` is aimed at first, 1e-3 if it is None; whoever asks for more
        epochs then gets a tenth of it. `threads` are for scores that are summed up
        from nothing.
    working_set_size : {1, 2}
        Variables of an iteration: 1 is SMO, 2 is S2DO. Crammer-Singer always takes two
        of one example.
    """

    def __init__(
        self,
        gram: Gram,
        problem: Problem,
        options: KernelOptions,
        working_set_size: int = 2,
    ):
        machine = problem.machine
        if machine.loss not in machine.formulation.two_variable:
            raise ValueError(
                f"solver={('smo', 's2do')[working_set_size - 1]!r} does not train "
                f"machine={machine.name!r} with loss={machine.loss!r}; choose "
                f"solver='block'."
            )
        diagonal = gram.diagonal()
        bits = "32" if diagonal.dtype == np.float32 else "64"
        self._core = getattr(core, f"TwoVariable{bits}")(
            diagonal,
            problem.labels.astype(np.int32),
            problem.loss_weights,
            problem.n_columns,
            machine.axes(problem.n_columns),
            options.cache_bytes,
            options.threads,
            working_set_size,
            options.shrinking,
            options.violation_tol or VIOLATION,
            _Rows(gram),
        )
        # Steps after which scores have to be summed up again from the dual variables,
        # at the cost of a kernel row for each support vector that has none.
        self._most_steps = 1e5 if diagonal.dtype == np.float32 else float("inf")
        self._steps = 0
        self._idle = False
        self.iterations = 0  # one is a choice of variables and a step

    def epoch(self, seconds: float) -> EpochReport:
        """Run a thousand iterations, or fewer if the method is where it should be."""
        report = self._core.epoch(seconds)
        self._steps += report.visits
        self.iterations += report.visits
        self._idle = not report.moves
        return report

    def rebuild(self) -> None:
        """Sum up the scores again, if there is something to be gained by it."""
        if self._idle or self._steps >= self._most_steps:
            self._core.rebuild()
            self._steps = 0

    def certify(self):
        """Return (primal, dual, violation), or None after a signal."""
        return self._core.certify()

    def duals(self):
        """Return the dual blocks as (indptr, classes, values)."""
        return self._core.duals()

    def set_duals(self, indptr, classes, values) -> None:
        """Start from these dual blocks, which are feasible."""
        self._core.set_duals(
            np.asarray(indptr, dtype=np.int64),
            np.asarray(classes, dtype=np.int32),
            np.asarray(values, dtype=np.float64),
        )

    @property
    def interrupted(self) -> bool:
        """Whether a signal came."""
        return self._core.interrupted

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return self._core.kernel_evaluations

    @property
    def cached_rows(self) -> int:
        """How many kernel rows are kept."""
        return self._core.cached
