"""The driver of coordinate descent, for penalties that make weights zero.

The objective is ``sum_f |w_f| + sum_i C_i loss_i``, where ``|w_f|`` is the sum of the
absolute values of a feature's weights ("l1") or their Euclidean norm ("group"). The
gradients of the losses at the scores are dual variables u; the dual is the sum of their
terms, if no ``|X_f^T b(u)|`` in the dual norm is above one. Shrunk until that holds,
and with intercepts that are not penalised moved until they are balanced, they prove a
gap.

An epoch looks at all features once, and then sweeps some times over those that count:
weights other than zero, and features that are to leave zero; Newton steps follow, where
their system is small. Columns of "l1" where
classes are problems of their own are solved one by one, each with its own features.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ...._core import core
from ....access.rows import Rows
from ....base.threads import blas_on_one_thread
from ....certify.balanced_duals import Part, balance, parts_of
from ....certify.certificate import relative_gap
from ....machine.problem import Problem
from ....machine.projection import Blocks
from ...options import LinearOptions
from ...protocol import EpochReport
from .newton import newton_step

SWEEPS = 10  # of an epoch, at most
SMALL = 0.1  # what a sweep gains, of the first, at which an epoch ends
NEWTON_STEPS = 5  # of an epoch, at most
SOLVER = "coordinate"


@dataclass
class SparseProblem:
    """Columns that are trained together.

    Attributes
    ----------
    columns : slice
        Of W.
    rows : ndarray of int
    blocks : Blocks
    core : CoordinateDescent
    matrix : csc_array or ndarray
        The rows in double precision, with the constant feature.
    primal, dual : float
    gradient : ndarray
        Of the losses, by feature and column.
    """

    columns: slice
    rows: np.ndarray
    blocks: Blocks
    core: object
    matrix: object
    primal: float = np.inf
    dual: float = 0.0
    gradient: np.ndarray | None = None


class CoordinateDriver:
    """Trains weights of which many are zero; a driver (see `protocol`).

    Parameters
    ----------
    rows : Rows
    problem : Problem
    options : LinearOptions
        `penalty` is "l1" or "group". A problem is finished when its gap is `tol`.
    """

    interrupted = False  # a signal raises KeyboardInterrupt, here as in any Python code
    solver = SOLVER

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.problem, self.dtype, self.tol = problem, rows.dtype, options.tol
        self.grouped = options.penalty == "group"
        self.free = options.fit_intercept == "free"
        self.bias = float(rows.bias)
        self._random = np.random.default_rng(options.seed)
        matrix = _with_constant(rows.matrix, self.bias)
        self.penalties = np.ones(matrix.shape[1])
        if self.free:
            self.penalties[-1] = 0.0
        parts = list(parts_of(problem))
        if self.grouped and len(parts) > 1:  # features are what they share
            parts = [_joined(problem)]
        self._problems = [self._begin(part, matrix) for part in parts]

    def _begin(self, part: Part, matrix) -> SparseProblem:
        X = matrix if len(part.rows) == matrix.shape[0] else matrix[part.rows]
        blocks = part.blocks
        own = np.zeros(blocks.shape, dtype=np.uint8)
        own[blocks.own] = 1
        none = np.zeros(0, np.int64), np.zeros(0, np.int32)
        if sp.issparse(X):
            values = X.data, X.indptr.astype(np.int64), X.indices.astype(np.int32)
        else:
            values = X.ravel(order="F"), *none
        descent = core.CoordinateDescent(
            *values,
            own,
            blocks.loss_weights,
            self.penalties,
            blocks.loss,
            self.grouped,
        )
        return SparseProblem(part.columns, part.rows, blocks, descent, X)

    def epoch(self, seconds: float) -> EpochReport:
        """Sweep over the features that count, of every problem that is not finished."""
        with blas_on_one_thread():  # vectors are short
            return self._epoch(perf_counter() + seconds)

    def _epoch(self, end: float) -> EpochReport:
        visits = moves = 0
        stopped = False
        for each in self._problems:
            if each.gradient is None:
                self._measure(each)
            if relative_gap(each.primal, each.dual) <= self.tol:
                continue
            if perf_counter() > end:
                stopped = True
                break
            active, first = self._active(each), 0.0
            before = each.primal, each.dual
            for _ in range(SWEEPS):
                fall = each.core.sweep(self._random.permutation(active))
                visits += len(active)
                first = first or fall
                if fall <= SMALL * first or perf_counter() > end:
                    break
            self._newton_steps(each)
            self._measure(each)
            moves += each.primal < before[0] or each.dual > before[1]
        primal, dual = self._objectives()
        return EpochReport(visits, moves, np.inf, dual, primal, stopped)

    def _newton_steps(self, each: SparseProblem) -> None:
        """Take Newton steps as long as they help much."""
        blocks, W = each.blocks, each.core.weights()
        value = self._penalty(W) + blocks.losses(blocks.violations(each.core.scores()))
        for _ in range(NEWTON_STEPS):
            found = newton_step(
                blocks, each.matrix, W, self.penalties, self.grouped, value
            )
            if found is None:
                return
            before = value
            W, value = found
            each.core.set_weights(W)
            if before - value <= self.tol * abs(value):
                return

    def _active(self, each: SparseProblem) -> np.ndarray:
        counts = each.core.weights().any(axis=1)
        counts |= self._dual_norms(each.gradient) > self.penalties
        return np.flatnonzero(counts)

    def _dual_norms(self, gradient) -> np.ndarray:
        if self.grouped:
            return np.sqrt(np.einsum("fm,fm->f", gradient, gradient))
        return np.abs(gradient).max(axis=1)

    def _penalty(self, W) -> float:
        norms = np.sqrt((W * W).sum(axis=1)) if self.grouped else np.abs(W).sum(axis=1)
        return float(self.penalties @ norms)

    def _measure(self, each: SparseProblem) -> None:
        """Compute the gradient of the losses, and both objectives."""
        blocks, scores, W = each.blocks, each.core.scores(), each.core.weights()
        h = blocks.violations(scores)
        u = blocks.loss_gradient(h)
        each.gradient = -self._sums(each, u)
        each.primal = self._penalty(W) + blocks.losses(h)
        certified = each.gradient
        if self.free:
            b = W[-1] * self.bias
            found = balance(blocks, scores - b, u, 1.0, b)
            if found is None:
                return
            u = found.duals
            certified = self._sums(each, u)
        kept = self.penalties > 0
        norms = self._dual_norms(certified)[kept]
        most = np.max(norms / self.penalties[kept], initial=1.0)
        each.dual = max(each.dual, blocks.dual_terms(u / most))

    def _sums(self, each: SparseProblem, u) -> np.ndarray:
        """X^T b: what the coefficients of variables make of the features."""
        return np.asarray(each.matrix.T @ each.blocks.coefficients(u))

    def _objectives(self) -> tuple[float, float]:
        primal = sum(each.primal for each in self._problems)
        return float(primal), float(sum(each.dual for each in self._problems))

    def rebuild(self) -> None:
        """Sum the scores anew."""
        for each in self._problems:
            each.core.set_weights(each.core.weights())

    def certify(self) -> tuple[float, float, float]:
        """Objectives of the weights, as they are rounded, and of the dual variables."""
        with blas_on_one_thread():
            for each in self._problems:
                rounded = each.core.weights().astype(self.dtype).astype(np.float64)
                each.core.set_weights(rounded)
                self._measure(each)
            violation = max(self._violation(each) for each in self._problems)
        return *self._objectives(), violation

    def _violation(self, each: SparseProblem) -> float:
        """By how much a slope is wrong, where the penalty has one or leaves a range."""
        W, gradient = each.core.weights(), each.gradient
        if self.grouped:
            norms = np.sqrt(np.einsum("fm,fm->f", W, W))[:, None]
            slopes = np.divide(W, norms, out=np.zeros_like(W), where=norms > 0)
        else:
            slopes = np.sign(W)
        wrong = gradient + self.penalties[:, None] * slopes
        at_zero = ~W.any(axis=1) if self.grouped else W == 0
        if self.grouped:
            excess = np.maximum(self._dual_norms(gradient) - self.penalties, 0)
            of_others = np.abs(wrong).max(axis=1)
            return float(np.where(at_zero, excess, of_others).max())
        excess = np.maximum(np.abs(gradient) - self.penalties[:, None], 0)
        return float(np.where(at_zero, excess, np.abs(wrong)).max())

    def duals(self) -> None:
        """Say that weights are not sums of rows."""

    def set_duals(self, indptr, classes, values) -> None:
        """Do nothing: it starts from weights."""

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        W = np.zeros((len(self.penalties), self.problem.n_columns))
        for each in self._problems:
            W[:, each.columns] = each.core.weights()
        return W.astype(self.dtype)

    def release_weights(self) -> np.ndarray:
        """W, as `weights`."""
        return self.weights()

    def set_weights(self, W) -> None:
        """Start from weights."""
        for each in self._problems:
            columns = np.ascontiguousarray(W[:, each.columns], dtype=np.float64)
            each.core.set_weights(columns)
            each.gradient = None


def _joined(problem: Problem) -> Part:
    """All classes of separate problems as one."""
    rows = np.flatnonzero(problem.loss_weights > 0)
    some = problem.of_rows(rows)
    blocks = Blocks(some.machine, some.own, some.loss_weights, some.n_columns)
    return Part(rows, slice(0, problem.n_columns), blocks)


def _with_constant(X, bias: float):
    """The rows by columns, in double precision, with the constant feature."""
    constant = np.full((X.shape[0], 1), bias)
    if sp.issparse(X):
        parts = [X, constant] if bias else [X]
        return sp.csc_array(sp.hstack(parts, format="csc"), dtype=np.float64)
    parts = [X, constant] if bias else [X]
    return np.asfortranarray(np.hstack(parts), dtype=np.float64)
