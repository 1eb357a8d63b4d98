"""Decomposition with one variable (SMO) or two (S2DO) at a time, for kernel machines.

The method of Dogan, Glasmachers and Igel (2011) in C++; kernel rows are computed here,
one at a time as the method asks for them.
"""

import numpy as np

from ._core import core
from .problem import Problem


class _Rows:
    """Kernel rows, for a driver that keeps changing the order of their columns."""

    _MOST_RANGES = 2

    def __init__(self, kernel, points):
        self.kernel, self.points = kernel, points
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
    """A driver, as `run_epochs` knows them; an epoch is a thousand iterations.

    Parameters
    ----------
    kernel : Kernel
    points : Points
        What is trained on, as the kernel knows it.
    problem : Problem
    working_set_size : {1, 2}
        Variables of an iteration: 1 is SMO, 2 is S2DO. Crammer-Singer always takes two
        of one example.
    cache_bytes : float
        Room for kernel rows. There is always room for two.
    violation_tol : float
        Largest violation of the optimality conditions that is aimed at first; whoever
        asks for more epochs then gets a tenth of it.
    shrinking : bool
        Whether to leave out examples whose variables are likely to stay at bounds.
    threads : int
        For scores that are summed up from nothing.
    """

    def __init__(
        self,
        kernel,
        points,
        problem: Problem,
        working_set_size: int = 2,
        *,
        cache_bytes: float = 200e6,
        violation_tol: float = 1e-3,
        shrinking: bool = True,
        threads: int = 1,
    ):
        machine = problem.machine
        if (machine.name, machine.loss) not in SOLVED:
            raise ValueError(
                f"solver={('smo', 's2do')[working_set_size - 1]!r} does not train "
                f"machine={machine.name!r} with loss={machine.loss!r}; choose "
                f"solver='block'."
            )
        diagonal = kernel.diagonal(points)
        bits = "32" if diagonal.dtype == np.float32 else "64"
        self._core = getattr(core, f"TwoVariable{bits}")(
            diagonal,
            problem.labels.astype(np.int32),
            problem.caps,
            problem.n_columns,
            machine.name,
            machine.loss,
            cache_bytes,
            threads,
            working_set_size,
            shrinking,
            violation_tol,
            _Rows(kernel, points),
        )
        # Steps after which scores have to be summed up again from the dual variables,
        # at the cost of a kernel row for each support vector that has none.
        self._most_steps = 1e5 if diagonal.dtype == np.float32 else float("inf")
        self._steps = 0
        self._idle = False
        self.iterations = 0  # one is a choice of variables and a step

    def epoch(self, seconds: float) -> dict:
        """Run a thousand iterations, or fewer if the method is where it should be."""
        report = self._core.epoch(seconds)
        self._steps += report["visits"]
        self.iterations += report["visits"]
        self._idle = not report["moves"]
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


# Machine and loss; of "cs" with squared hinge the penalty couples all of a block.
SOLVED = [("cs", "hinge")] + [
    (name, loss) for name in ("ww", "llw", "ovr") for loss in ("hinge", "squared_hinge")
]
