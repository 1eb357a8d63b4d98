"""solver="binary": separate binary problems, where all kernel values find room.

The kernel of all rows with each other is computed once, by matrix products. The pairs
of one-vs-one, or the classes of one-vs-rest, are then trained in one call of the core,
one problem after the other on every thread, two variables at a time.
"""

from time import perf_counter

import numpy as np

from ..._core import core
from ...access.gram import Gram
from ...access.symmetric_matrix import padded_to_packs, symmetric_matrix
from ...certify.certificate import UNCERTIFIED
from ...machine.problem import Problem
from ...machine.registry import Machine
from ..options import KernelOptions
from ..protocol import EpochReport


def is_separate(machine: Machine) -> bool:
    """Whether a machine is made of binary problems that do not meet."""
    return machine.formulation.separate or machine.formulation.by_pairs


class SeparateDriver:
    """Trains binary problems on one kernel matrix; a driver (see `protocol`).

    An epoch takes some steps for every row of every problem that is not finished, which
    most problems are after the first.

    Parameters
    ----------
    gram : Gram
    problem : Problem
        Of one-vs-one or one-vs-rest.
    options : KernelOptions
        A problem is finished when its own gap or violation is small enough.
    """

    starts_with_weights = True
    solver = "binary"  # whatever was asked for

    @staticmethod
    def bytes_for(gram: Gram) -> float:
        """How large `cache_bytes` must be for the matrix."""
        dtype = np.dtype(gram.kernel.dtype)
        return float(len(gram)) * padded_to_packs(len(gram), dtype) * dtype.itemsize

    def __init__(self, gram: Gram, problem: Problem, options: KernelOptions):
        labels = problem.labels - problem.labels.min()  # a binary problem begins at -1
        order = np.argsort(labels, kind="stable")
        self._gram, self._threads = gram.choose(order), options.threads
        self._matrix: np.ndarray | None = None
        self._given = False  # dual variables that nobody has measured
        by_violation = options.violation_tol is not None
        bits = "32" if gram.kernel.dtype == np.float32 else "64"
        self._core = getattr(core, f"SeparateProblems{bits}")(
            order.astype(np.int32),
            np.bincount(labels),
            problem.loss_weights[order],
            problem.machine.formulation.by_pairs or problem.n_columns == 1,
            options.violation_tol if by_violation else options.tol,
            by_violation,
            problem.machine.loss == "squared_hinge",
            options.shrinking,
            max(options.cache_bytes - self.bytes_for(gram), 0.0)
            / gram.kernel.dtype.itemsize,
            options.threads,
        )

    def _fetch(self, end: float = float("inf")) -> bool:
        """Compute the matrix if it is not there, and say whether it is."""
        if self._matrix is None:
            kernel, points = self._gram.kernel, self._gram.points
            if len(points) and not hasattr(points, "matrix"):
                points = points.take(slice(None))  # once, and not for every block
            self._matrix = symmetric_matrix(kernel, points, self._threads, end)
        return self._matrix is not None

    def epoch(self, seconds: float) -> EpochReport:
        """Train all problems that are not finished, for a while."""
        end = perf_counter() + seconds
        if not self._fetch(end):
            primal, dual, violation = self._core.certify()
            return EpochReport(0, 0, violation, dual, primal, True)
        report = self._core.epoch(self._matrix, end - perf_counter())
        self._given = False
        return report

    def rebuild(self) -> None:
        """Do nothing: every epoch begins with scores that are summed up anew."""

    def certify(self) -> tuple[float, float, float]:
        """Return the sums of primal and dual of all problems, and their violation."""
        if self._given and self._matrix is None:
            return UNCERTIFIED.primal, UNCERTIFIED.dual, UNCERTIFIED.violation
        return self._core.certify()

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return self._core.interrupted

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return 0 if self._matrix is None else len(self._gram) ** 2

    def duals(self):
        """Return the dual variables as (indptr, problems, values)."""
        return self._core.duals()

    def set_duals(self, indptr, problems, values) -> None:
        """Start from these dual variables, which are feasible."""
        self._core.set_duals(indptr, problems, values)
        self._given = True
