"""What an epoch of the sequential method and what Newton steps cost, in nanoseconds.

The factors were measured once, on dense rows of 10 to 64 features and 2 to 28 classes;
see `prediction` for what they are compared for.
"""

from functools import cached_property
from math import log10

import numpy as np

from ..._core import core
from ...access.rows import Rows
from ...machine.problem import Problem
from ...machine.projection import SMOOTH, is_smooth
from .newton.driver import are_sparse

LANES = 8  # numbers that are multiplied at once
# Of the sequential method: a visit, each class of it, and a feature of a row times
# `LANES` classes. Entropies take iterations.
VISIT, VISIT_OF_ENTROPY = 80.0, 200.0
VISIT_OF_ONE = 30.0  # class, in a loop of its own
CLASS, CLASS_OF_ENTROPY = 4.0, 10.0
FEATURE = 0.45
EPOCH = 1.5e4  # what happens between two of them
# Of Newton steps: calls, those of each problem, passes over blocks, multiplications.
CALLS, CALLS_OF_PART = 2e4, 6e3
PASSES, PASSES_OF_ENTROPY = 45.0, 110.0
DENSE_PRODUCT, SPARSE_PRODUCT = 0.15, 1.0
# Newton steps to the end grow with the logarithm of C |x|^2, as proximal steps get
# longer by factors: least squares for 30 data sets, raw and scaled, C = 1 and 100.
STEPS, STEPS_PER_TENFOLD = 14.0, 6.0
# Fewer of smooth losses: many features take twice as many as the fit, 2.5, has.
STEPS_OF_SMOOTH, STEPS_OF_SMOOTH_PER_TENFOLD = 6.0, 1.8
HARDEST = 1e8  # C |x|^2, beyond which nothing was measured
# What of the work of Newton steps is done by epochs before these begin (see `Course`):
# the first few epochs make the rest look longer than it is.
TRIED = 0.1
# Arrays of rows times classes, and of features times classes, that Newton steps hold,
# and the most bytes of all.
ARRAYS, ARRAYS_OF_WEIGHTS = 12, 8
MOST_BYTES = 2**31


class Work:
    """What the ways to train cost, for the rows of one problem.

    Parameters
    ----------
    rows : Rows
    problem : Problem
    columns : int or None
        How many columns a visit of the sequential method has; None for all.
    """

    def __init__(self, rows: Rows, problem: Problem, columns: int | None = None):
        self.problem, self.rows, self.sparse = problem, rows, rows.is_sparse
        self.columns = problem.n_columns if columns is None else columns
        self.n, self.k = rows.shape[0], problem.n_columns
        self.d = rows.shape[1] + bool(rows.bias)
        entries = rows.matrix.nnz if self.sparse else rows.matrix.size
        self.row = entries / self.n + bool(rows.bias)  # entries of one
        self.newton_sparse = are_sparse(rows)
        self.newton_row = self.row if self.newton_sparse else self.d
        row = problem.machine.formulation
        self.smooth = is_smooth(problem.machine.loss, row.aggregation == "max")
        self.apart = row.separate or row.by_pairs
        self.entropy = problem.machine.loss in SMOOTH
        self._systems = core.SystemPrediction(
            self.d,
            self.k,
            self.newton_row,
            self.newton_sparse,
            separate=self.apart,
            coupled=row.aggregation == "max" or problem.machine.loss == "log",
            relative=row.margin == "relative",
            centred=row.sums_to_zero,
            bounded=problem.machine.loss == "hinge",
            entropy=self.entropy,
        )

    def of_epoch(self, visits: int, moves: int) -> float:
        """Of an epoch of the sequential method; who moved is added to the weights."""
        visit = VISIT_OF_ENTROPY if self.entropy else VISIT
        of_class = CLASS_OF_ENTROPY if self.entropy else CLASS
        vectors = -(-self.columns // LANES)
        if self.columns == 1:
            visit = visit if self.entropy else VISIT_OF_ONE
            vectors = 1 if self.sparse else 1 / LANES  # they run along dense features
        return (
            EPOCH
            + visits * (visit + of_class * self.columns)
            + ((visits + moves) * FEATURE * self.row * vectors)
        )

    @property
    def newton_fits(self) -> bool:
        """Whether there is memory for Newton steps."""
        rows = self.n * self.newton_row * (1 + self.newton_sparse)
        numbers = ARRAYS * self.n * self.k + rows
        numbers += ARRAYS_OF_WEIGHTS * self.d * self.k
        return 8 * numbers <= MOST_BYTES

    def least_of_newton(self) -> float:
        """Of Newton steps to the end, if their systems were for nothing."""
        return self._steps * self._step_without_system()

    def of_newton(self, indptr, classes, values) -> float:
        """Of Newton steps to the end, with systems as large as for these blocks."""
        systems = self._systems.cost(indptr, classes, values, self.problem.loss_weights)
        return self._steps * (self._step_without_system() + systems)

    @cached_property
    def _steps(self) -> float:
        matrix = self.rows.matrix
        values = matrix.data if self.sparse else np.ravel(matrix, order="K")
        square = float(np.vdot(values, values)) / self.n + self.rows.bias**2
        hardness = float(self.problem.loss_weights.mean()) * square
        tenfold = log10(min(max(hardness, 1.0), HARDEST))
        if self.smooth:
            return STEPS_OF_SMOOTH + STEPS_OF_SMOOTH_PER_TENFOLD * tenfold
        return STEPS + STEPS_PER_TENFOLD * tenfold

    @property
    def _product(self) -> float:
        return SPARSE_PRODUCT if self.newton_sparse else DENSE_PRODUCT

    def _step_without_system(self) -> float:
        products = 3 * self.n * self.newton_row * self.k * self._product
        blocks = self.n * self.k
        if self.problem.machine.formulation.by_pairs:  # a row is in few of them
            share = 2 / (1 + self.problem.labels.max())
            blocks, products = blocks * share, products * share
        passes = PASSES_OF_ENTROPY if self.entropy else PASSES
        return CALLS + CALLS_OF_PART * self._parts + passes * blocks + products

    @property
    def _parts(self) -> int:
        return self.k if self.apart else 1
