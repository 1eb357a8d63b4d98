"""What an epoch of the sequential method and what Newton steps cost, in nanoseconds.

The factors were measured once, on dense rows of 10 to 64 features and 2 to 28 classes;
see `prediction` for what they are compared for.
"""

import numpy as np
import scipy.sparse as sp

from ...access.rows import Rows
from ...machine.problem import Problem
from ...machine.projection import SMOOTH, is_smooth
from .newton.driver import steps_in_lockstep
from .newton.system import SystemSize

LANES = 8  # numbers that are multiplied at once
# Of the sequential method: a visit, each class of it, and a feature of a row times
# `LANES` classes. Entropies take iterations.
VISIT, VISIT_OF_ENTROPY = 80.0, 200.0
CLASS, CLASS_OF_ENTROPY = 4.0, 10.0
FEATURE = 0.45
# Of Newton steps: calls of a problem, passes over the blocks, multiplications.
CALLS, CALLS_IN_LOCKSTEP, CALLS_OF_CLASS = 7e5, 3e5, 8e4
PASSES, PASSES_IN_LOCKSTEP = 90.0, 25.0
DENSE_PRODUCT, SPARSE_PRODUCT = 0.2, 1.5
# Newton steps to the end; they hardly depend on the data.
STEPS, STEPS_OF_SMOOTH = 35, 12
# Arrays of rows times classes that Newton steps hold, and the most bytes of all.
ARRAYS = 12
MOST_BYTES = 2**31


class Work:
    """What the ways to train cost, for the rows of one problem.

    Parameters
    ----------
    rows : Rows
    problem : Problem
    """

    def __init__(self, rows: Rows, problem: Problem):
        self.problem, self.sparse = problem, rows.is_sparse
        self.n, self.k = rows.shape[0], problem.n_columns
        self.d = rows.shape[1] + bool(rows.bias)
        entries = rows.matrix.nnz if self.sparse else rows.matrix.size
        self.row = entries / self.n + bool(rows.bias)  # entries of one
        self.in_lockstep = steps_in_lockstep(problem, self.sparse, self.d)
        row = problem.machine.formulation
        self.smooth = is_smooth(problem.machine.loss, row.aggregation == "max")
        self.apart = (row.separate or row.by_pairs) and not self.in_lockstep
        self.entropy = problem.machine.loss in SMOOTH

    def of_epoch(self, visits: int, moves: int) -> float:
        """Of an epoch of the sequential method; who moved is added to the weights."""
        visit = VISIT_OF_ENTROPY if self.entropy else VISIT
        of_class = CLASS_OF_ENTROPY if self.entropy else CLASS
        vectors = -(-self.k // LANES)
        return visits * (visit + of_class * self.k) + (
            (visits + moves) * FEATURE * self.row * vectors
        )

    @property
    def newton_fits(self) -> bool:
        """Whether there is memory for Newton steps."""
        numbers = ARRAYS * self.n * self.k + self.n * self.row * (1 + self.sparse)
        return 8 * numbers <= MOST_BYTES

    def least_of_newton(self) -> float:
        """Of Newton steps to the end, if their systems were for nothing."""
        return self._steps * self._step_without_system()

    def of_newton(self, blocks: sp.csr_array) -> float:
        """Of Newton steps to the end, with systems as large as for these duals."""
        systems = sum(self._system(size) for size in self._sizes(blocks))
        return self._steps * (self._step_without_system() + systems)

    @property
    def _steps(self) -> int:
        return STEPS_OF_SMOOTH if self.smooth else STEPS

    @property
    def _product(self) -> float:
        return SPARSE_PRODUCT if self.sparse else DENSE_PRODUCT

    def _step_without_system(self) -> float:
        products = 3 * self.n * self.row * self.k * self._product
        blocks = self.n * self.k
        if self.in_lockstep:
            calls = CALLS_IN_LOCKSTEP + CALLS_OF_CLASS * self.k
            return calls + PASSES_IN_LOCKSTEP * blocks + products
        parts = self.k if self.apart else 1
        if self.problem.machine.formulation.by_pairs:  # a row is in few of them
            share = 2 / (1 + self.problem.labels.max())
            blocks, products = blocks * share, products * share
        return CALLS * parts + PASSES * blocks + products

    def _system(self, size: SystemSize) -> float:
        return self._product * min(size.operations().values())

    def _sizes(self, blocks: sp.csr_array) -> list[SystemSize]:
        """Of the systems of a step: one, or one of every column."""
        by_column = self.apart or self.in_lockstep
        if self.entropy:  # all variables are free
            free = np.full(self.n, 1 if by_column else self.k)
            each = SystemSize(self.d, 1 if by_column else self.k, self.row, free, True)
            return [each] * (self.k if by_column else 1)
        rows, columns = self._free(blocks)
        if by_column:
            counts = np.bincount(columns, minlength=self.k)
            return [
                SystemSize(self.d, 1, self.row, np.ones(count, int), False)
                for count in counts
            ]
        counts = np.bincount(rows, minlength=self.n)
        coupled = self.problem.machine.formulation.aggregation == "max"
        return [SystemSize(self.d, self.k, self.row, counts[counts > 0], coupled)]

    def _free(self, blocks: sp.csr_array):
        """Rows and columns of the variables that are not at a bound."""
        rows = np.repeat(np.arange(self.n), np.diff(blocks.indptr))
        bound = self.problem.loss_weights * (1 - 1e-6)
        free = blocks.data > 0
        if self.problem.machine.loss == "hinge":
            free &= blocks.data < bound[rows]
        return rows[free], blocks.indices[free]
