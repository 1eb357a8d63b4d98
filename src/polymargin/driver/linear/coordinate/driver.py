"""The driver of coordinate descent, for penalties that make weights zero and bounds.

The objective is ``penalty(W) + sum_i C_i loss_i`` (see `penalty`). The gradients of the
losses at the scores are dual variables u; the dual is the sum of their terms, less the
conjugate of the penalty at X^T b(u). Shrunk until that is finite, and with intercepts
that are not penalised moved until they are balanced, they prove a gap.

An epoch is a step of a proximal Newton method: it looks at all features, chooses those
that count (weights other than zero, and some of those that are to leave zero),
minimises a quadratic model on them, and goes along as far as the objective falls.
Columns of "l1" where classes are problems of their own are solved one by one, each with
its own features.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ....access.rows import Rows
from ....base.one_thread import blas_on_one_thread
from ....certify.balanced_duals import Part, balance, parts_of
from ....certify.certificate import relative_gap
from ....machine.problem import Problem
from ....machine.projection import Blocks
from ...options import LinearOptions
from ...protocol import EpochReport
from .bounds import bounds_of
from .penalty import Penalty
from .proximal_step import minimise
from .quadratic_model import quadratic_model

HALVINGS = 30  # of a step
ENOUGH = 0.01  # of the fall that the slope at its beginning promises
ROUNDING = 8 * np.finfo(np.float64).eps  # of an objective: no smaller fall is seen
DAMPING = 1  # of the first model
FEW = 100  # features that may always leave zero together
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
    matrix : csc_array or ndarray
        The rows in double precision, with the constant feature.
    weights, scores : ndarray
    damping : float
        Of the next model.
    primal, dual : float
    duals : ndarray
        The gradient of the losses with respect to violations.
    pulls : ndarray
        Minus the gradient of the losses, by feature and column.
    """

    columns: slice
    rows: np.ndarray
    blocks: Blocks
    matrix: object
    weights: np.ndarray
    scores: np.ndarray
    damping: float = DAMPING
    primal: float = np.inf
    dual: float = 0.0
    duals: np.ndarray | None = None
    pulls: np.ndarray | None = None


class CoordinateDriver:
    """Trains weights of which many are zero; a driver (see `protocol`).

    Parameters
    ----------
    rows : Rows
    problem : Problem
    options : LinearOptions
        With `penalty` and `weight_bounds`. A problem is finished when its gap is `tol`.
    """

    interrupted = False  # a signal raises KeyboardInterrupt, here as in any Python code
    solver = SOLVER

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.problem, self.dtype, self.tol = problem, rows.dtype, options.tol
        self.free = options.fit_intercept == "free"
        self.bias = float(rows.bias)
        self._random = np.random.default_rng(options.seed)
        matrix = _with_constant(rows.matrix, self.bias)
        terms = np.empty((3, matrix.shape[1]))
        terms[:] = np.array([1.0, -np.inf, np.inf])[:, None]
        n_features = matrix.shape[1] - bool(self.bias)
        bounds = bounds_of(options.weight_bounds, n_features, rows.dtype)
        terms[1:, :n_features] = bounds
        if self.free:
            terms[0, -1] = 0.0
        self.penalty = Penalty(options.penalty, terms)
        parts = list(parts_of(problem))
        if options.penalty == "group" and len(parts) > 1:  # features are shared
            parts = [_joined(problem)]
        self._problems = [_begin(part, matrix) for part in parts]

    def epoch(self, seconds: float) -> EpochReport:
        """Take a step in every problem that is not finished."""
        with blas_on_one_thread():
            return self._epoch(perf_counter() + seconds)

    def _epoch(self, end: float) -> EpochReport:
        visits = moves = 0
        stopped = False
        for each in self._problems:
            if each.pulls is None:
                self._measure(each)
            if relative_gap(each.primal, each.dual) <= self.tol:
                continue
            if perf_counter() > end:
                stopped = True
                break
            before = each.primal, each.dual
            visits += self._step(each, lambda: perf_counter() > end)
            self._measure(each)
            moves += each.primal < before[0] or each.dual > before[1]
        primal, dual = self._objectives()
        return EpochReport(visits, moves, np.inf, dual, primal, stopped)

    def _step(self, each: SparseProblem, is_over: Callable[[], bool]) -> int:
        """Take a proximal Newton step; return of how many features."""
        features, blocks = self._chosen(each), each.blocks
        X, W = each.matrix[:, features], each.weights[features]
        penalty = self.penalty.of(features)
        model = quadratic_model(blocks, X, each.duals, each.damping)
        left = min(max(0.1 * relative_gap(each.primal, each.dual), 1e-3), 0.1)
        step = minimise(model, W, penalty, left, is_over) - W
        changes, before = X @ step, penalty.value(W)
        slope = penalty.value(W + step) - before - np.vdot(each.pulls[features], step)
        losses = each.primal - self.penalty.value(each.weights)
        length = 1.0
        for _ in range(HALVINGS):
            weights, scores = W + length * step, each.scores + length * changes
            fall = before + losses - penalty.value(weights)
            fall -= blocks.losses(blocks.violations(scores))
            # Near the end, gradients and with them the gap still gain where the
            # objective, which is flat there, has no digits left to show it.
            least = max(-ENOUGH * length * slope, 0) - ROUNDING * each.primal
            if fall >= least:
                each.weights[features], each.scores = weights, scores
                break
            length /= 2
        each.damping *= 0.2 if length == 1 else 5 if length < 0.5 else 1
        return len(features)

    def _chosen(self, each: SparseProblem) -> np.ndarray:
        """Features with weights, and those that leave zero: at most as many again.

        In a new order, for the descent.
        """
        counts = each.weights.any(axis=1)
        excess = self.penalty.excess(each.pulls)
        excess[counts] = 0
        leaving = np.flatnonzero(excess > 1)
        most = max(FEW, int(counts.sum()))
        if len(leaving) > most:
            leaving = leaving[np.argpartition(-excess[leaving], most)[:most]]
        return self._random.permutation(np.append(np.flatnonzero(counts), leaving))

    def _measure(self, each: SparseProblem) -> None:
        """Compute the gradient of the losses, and both objectives."""
        blocks, W = each.blocks, each.weights
        h = blocks.violations(each.scores)
        each.duals = u = blocks.loss_gradient(h)
        each.pulls = self._sums(each, u)
        each.primal = self.penalty.value(W) + blocks.losses(h)
        certified = each.pulls
        if self.free:
            b = W[-1] * self.bias
            found = balance(blocks, each.scores - b, u, 1.0, b)
            if found is None:
                return
            u = found.duals
            certified = self._sums(each, u)
        most = self.penalty.shrinkage(certified)
        dual = blocks.dual_terms(u / most) - self.penalty.conjugate(certified / most)
        each.dual = max(each.dual, dual)

    def _sums(self, each: SparseProblem, u) -> np.ndarray:
        """X^T b: what the coefficients of variables make of the features."""
        return np.asarray(each.matrix.T @ each.blocks.coefficients(u))

    def _objectives(self) -> tuple[float, float]:
        primal = sum(each.primal for each in self._problems)
        return float(primal), float(sum(each.dual for each in self._problems))

    def rebuild(self) -> None:
        """Sum the scores anew."""
        for each in self._problems:
            each.scores = each.matrix @ each.weights

    def certify(self) -> tuple[float, float, float]:
        """Objectives of the weights, as they are rounded, and of the dual variables."""
        with blas_on_one_thread():
            for each in self._problems:
                each.weights = each.weights.astype(self.dtype).astype(np.float64)
                each.scores = each.matrix @ each.weights
                self._measure(each)
            violation = max(
                self.penalty.violation(each.weights, each.pulls)
                for each in self._problems
            )
        return *self._objectives(), violation

    def duals(self) -> None:
        """Say that weights are not sums of rows."""

    def set_duals(self, indptr, classes, values) -> None:
        """Do nothing: it starts from weights."""

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        W = np.zeros((self.penalty.terms.shape[1], self.problem.n_columns))
        for each in self._problems:
            W[:, each.columns] = each.weights
        return W.astype(self.dtype)

    def release_weights(self) -> np.ndarray:
        """W, as `weights`."""
        return self.weights()

    def set_weights(self, W) -> None:
        """Start from weights, or from the nearest ones in the bounds."""
        low, high = self.penalty.terms[1:, :, None]
        for each in self._problems:
            given = np.asarray(W[:, each.columns], dtype=np.float64)
            each.weights = np.clip(given, low, high)
            each.scores = each.matrix @ each.weights
            each.pulls = None


def _begin(part: Part, matrix) -> SparseProblem:
    X = matrix if len(part.rows) == matrix.shape[0] else matrix[part.rows]
    if not sp.issparse(X):
        X = np.asfortranarray(X)
    weights = np.zeros((X.shape[1], part.blocks.shape[1]))
    scores = np.zeros(part.blocks.shape)
    return SparseProblem(part.columns, part.rows, part.blocks, X, weights, scores)


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
