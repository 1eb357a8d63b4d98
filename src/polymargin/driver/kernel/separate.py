"""solver="binary": separate binary problems, where all kernel values find room.

The kernel of all rows with each other is computed once, by matrix products. The pairs
of one-vs-one, or the classes of one-vs-rest, are then trained in one call of the core,
one problem after the other on every thread, two variables at a time. Where that matrix
would be far larger than what a processor keeps near, every pair of one-vs-one has one
of its own, for as long as it is trained. Where a large pair seems to need few kernel
rows, it is trained by working sets instead.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np

from ..._core import core
from ...access.gram import Gram
from ...access.symmetric_matrix import padded_to_packs, symmetric_matrix
from ...base.threads import on_threads
from ...machine.problem import Problem
from ...machine.registry import Machine, binary_machine
from ..options import KernelOptions
from ..protocol import EpochReport
from .pair_matrices import PairMatrices

_NEAR = 64e6  # bytes: beyond, a matrix is slow to write and to read
_FAR = 400e6  # bytes: beyond, rows on demand are sooner there than a whole matrix
_LARGEST_PAIR = 4096  # rows, beyond which most kernel values are not needed
SMALL_PAIR = 2000  # rows, up to which all kernel values are soon there
_SAMPLE = 512  # rows that tell of how many support vectors there will be
_FEW = 0.4  # share of them in a sample: of all rows it will be far smaller


def is_separate(machine: Machine) -> bool:
    """Whether a machine is made of binary problems that do not meet."""
    return machine.formulation.separate or machine.formulation.by_pairs


def _sizes_of_classes(problem: Problem) -> np.ndarray:
    return np.bincount(problem.labels - problem.labels.min())  # -1 is the first of two


def _bytes_of(n: int, dtype) -> float:
    return float(n) * padded_to_packs(n, dtype) * dtype.itemsize


def _has_matrices_of_pairs(gram: Gram, problem: Problem) -> bool:
    sizes = np.sort(_sizes_of_classes(problem))
    return (
        problem.machine.formulation.by_pairs
        and len(sizes) > 2
        and sizes[-2:].sum() <= _LARGEST_PAIR
        and _bytes_of(len(gram), np.dtype(gram.kernel.dtype)) > _NEAR
    )


def rests_on_few(gram: Gram, problem: Problem, options: KernelOptions) -> bool:
    """Whether the largest of the binary problems seems to need few of its kernel rows.

    So it is if a sample of its rows has few support vectors. A matrix of all its kernel
    values would then take longer than all the rest.
    """
    if not (problem.machine.formulation.by_pairs or problem.n_columns == 1):
        return False
    sizes = _sizes_of_classes(problem)
    first, second = np.sort(np.argsort(-sizes, kind="stable")[:2])
    total = int(sizes[first] + sizes[second])
    if total <= SMALL_PAIR:
        return False
    labels = problem.labels - problem.labels.min()
    rows = []
    for number in (first, second):
        of_class = np.flatnonzero(labels == number)
        wanted = max(_SAMPLE * len(of_class) // total, min(32, len(of_class)))
        rows.append(of_class[np.linspace(0, len(of_class) - 1, wanted).astype(int)])
    chosen = np.concatenate(rows)
    sample = Problem(
        binary_machine(problem.machine.loss),
        np.repeat([-1, 0], [len(rows[0]), len(rows[1])]),
        1,
        problem.loss_weights[chosen],
    )
    driver = SeparateDriver(gram.choose(chosen), sample, replace(options, threads=1))
    driver.epoch(float("inf"))
    if driver.interrupted:  # the core has taken the signal
        raise KeyboardInterrupt
    share = len(driver.duals()[2]) / len(chosen)
    return share <= _FEW and _values_alone(sizes, share) < float(len(gram)) ** 2


def _values_alone(sizes: np.ndarray, share: float) -> float:
    """Kernel values of all pairs, each trained alone, if large ones need few rows.

    Support vectors grow about like the square root of the rows; as many rows again are
    computed on the way to them.
    """
    first, second = np.triu_indices(len(sizes), 1)
    rows = (sizes[first] + sizes[second]).astype(float)
    needed = 2 * share * np.sqrt(_SAMPLE * rows)
    return float(np.sum(rows * np.where(rows <= SMALL_PAIR, rows, needed)))


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
    working_set_size : {1, 2}
        Variables of a step.
    """

    starts_with_weights = True
    solver = "binary"  # whatever was asked for

    @staticmethod
    def bytes_for(gram: Gram, problem: Problem, threads: int) -> float:
        """How large `cache_bytes` must be for the matrices."""
        dtype = np.dtype(gram.kernel.dtype)
        sizes = _sizes_of_classes(problem)
        if _has_matrices_of_pairs(gram, problem):
            largest = int(np.sort(sizes)[-2:].sum())
            return _bytes_of(largest, dtype) * threads + sum(
                _bytes_of(int(size), dtype) for size in sizes
            )
        return _bytes_of(len(gram), dtype)

    @classmethod
    def pays(cls, gram: Gram, problem: Problem, options: KernelOptions) -> bool:
        """Whether the matrices find room, and are worth computing as a whole."""
        needed = cls.bytes_for(gram, problem, options.threads)
        in_reach = _has_matrices_of_pairs(gram, problem) or needed <= _FAR
        if not (in_reach and needed <= options.cache_bytes):
            return False
        return not rests_on_few(gram, problem, options)

    def __init__(
        self,
        gram: Gram,
        problem: Problem,
        options: KernelOptions,
        working_set_size: int = 2,
    ):
        order = np.argsort(problem.labels, kind="stable")
        self._gram, self._threads = gram.choose(order), options.threads
        gram.kernel.check_finite(gram.points)
        sizes = _sizes_of_classes(problem)
        self._by_pairs = None
        if _has_matrices_of_pairs(gram, problem):
            self._by_pairs = PairMatrices(self._gram, sizes)
        self._matrix: np.ndarray | None = None
        by_violation = options.violation_tol is not None
        room = options.cache_bytes - self.bytes_for(gram, problem, options.threads)
        bits = "32" if gram.kernel.dtype == np.float32 else "64"
        self._core = getattr(core, f"SeparateProblems{bits}")(
            order.astype(np.int32),
            sizes,
            problem.loss_weights[order],
            problem.machine.formulation.by_pairs or problem.n_columns == 1,
            options.violation_tol if by_violation else options.tol,
            by_violation,
            problem.machine.loss == "squared_hinge",
            options.shrinking,
            working_set_size == 2,
            max(room, 0.0) / gram.kernel.dtype.itemsize,
            options.threads,
        )

    def epoch(self, seconds: float) -> EpochReport:
        """Train all problems that are not finished, for a while."""
        end = perf_counter() + seconds
        if self._by_pairs is not None:
            return self._epoch_by_pairs(end)
        if self._matrix is None:
            kernel, points = self._gram.kernel, self._gram.points.take(slice(None))
            self._matrix = symmetric_matrix(kernel, points, self._threads, end)
        if self._matrix is None:
            return self._report(0, 0, True)
        return self._core.epoch(self._matrix, end - perf_counter())

    def _epoch_by_pairs(self, end: float) -> EpochReport:
        def train(number):
            if perf_counter() >= end:
                return None
            matrix = self._by_pairs(number)
            return self._core.epoch_of(number, matrix, end - perf_counter())

        found = on_threads(train, self._core.unfinished().tolist(), self._threads)
        reports = [report for report in found if report is not None]
        return self._report(
            sum(report.visits for report in reports),
            sum(report.moves for report in reports),
            len(reports) < len(found) or any(report.stopped for report in reports),
        )

    def _report(self, visits: int, moves: int, stopped: bool) -> EpochReport:
        primal, dual, violation = self._core.certify()
        return EpochReport(visits, moves, violation, dual, primal, stopped)

    def rebuild(self) -> None:
        """Do nothing: every epoch begins with scores that are summed up anew."""

    def certify(self) -> tuple[float, float, float]:
        """Return the sums of primal and dual of all problems, and their violation."""
        return self._core.certify()

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return self._core.interrupted

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        if self._by_pairs is not None:
            return self._by_pairs.n_evaluations
        return 0 if self._matrix is None else len(self._gram) ** 2

    def duals(self):
        """Return the dual variables as (indptr, problems, values)."""
        return self._core.duals()

    def set_duals(self, indptr, problems, values) -> None:
        """Start from these dual variables, which are feasible."""
        self._core.set_duals(indptr, problems, values)


class SeparateDecomposition(SeparateDriver):
    """The same as SMO or S2DO: what is counted are iterations."""

    def __init__(
        self,
        gram: Gram,
        problem: Problem,
        options: KernelOptions,
        working_set_size: int,
    ):
        super().__init__(gram, problem, options, working_set_size)
        self.solver = ("smo", "s2do")[working_set_size - 1]
        self.iterations = 0  # one is a choice of variables and a step

    def epoch(self, seconds: float) -> EpochReport:
        """Train all problems that are not finished, for a while."""
        report = super().epoch(seconds)
        self.iterations += report.visits
        return report
