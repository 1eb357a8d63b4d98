"""The trust-region Newton method for one-vs-rest machines with a smooth loss.

With one column it also solves the pairs of one-vs-one (see `pairs`).

All binary problems run in lockstep: they share the products with the rows, and a
problem that is solved leaves them. One epoch is one Newton step of every problem that
is left. The scores of a model give more than its objective: the slopes of the losses
are a feasible point of the dual problem, so that every epoch ends with a certificate.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ..._core import core
from ...machine.block_algebra import coefficients_of
from ...machine.problem import Problem
from ...machine.smooth_loss import SMOOTH_LOSSES
from ..options import LinearOptions
from ..protocol import EpochReport
from .trust_region import ACCEPT, dots, newton_step, next_radius

# Losses are computed for this many scores at a time, which stay in the cache.
CHUNK = 1 << 15


@dataclass(frozen=True)
class Point:
    """Weights of some classes, and what is known there; one column or entry for each.

    Attributes
    ----------
    classes : ndarray of int
    weights : ndarray of shape (features, columns)
    objective, dual : ndarray of shape (columns,)
        Objectives of the problems and of their dual points.
    gradient : ndarray of shape (features, columns)
    curvature : ndarray of shape (examples, columns)
        Second derivatives of the losses, times C_i.
    """

    classes: np.ndarray
    weights: np.ndarray
    objective: np.ndarray
    dual: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray

    @property
    def violation(self) -> np.ndarray:
        """Largest entries of the gradients."""
        return np.abs(self.gradient).max(axis=0)

    def replaced(self, other: "Point", columns) -> "Point":
        """This point, with some columns of another of the same classes."""
        if columns.all():
            return other
        fields = {
            name: np.where(columns, value, vars(self)[name])
            for name, value in vars(other).items()
        }
        return Point(**fields)

    def only(self, columns) -> "Point":
        """Some columns of this point."""
        if columns.all():
            return self
        return Point(
            **{name: value[..., columns].copy() for name, value in vars(self).items()}
        )


class TronDriver:
    """Trains by Newton steps; a driver (see `protocol`).

    Parameters
    ----------
    rows : core object
    dtype : dtype
        Number format of the rows.
    empty : ndarray of bool
        Rows without features: their losses are constant.
    problem : Problem
    options : LinearOptions
        A class is finished when its relative gap is at most `tol` or, if
        `violation_tol` is given, when no entry of its gradient is larger than that.
    """

    interrupted = False  # a signal raises KeyboardInterrupt, here as in any Python code

    def __init__(self, rows, dtype, empty, problem: Problem, options: LinearOptions):
        self.rows = rows
        self.dtype = np.dtype(dtype)
        self.empty = empty
        self.problem = problem
        self.tol = options.tol
        self.violation_tol = options.violation_tol
        self.threads = options.threads
        self.loss = SMOOTH_LOSSES[problem.machine.loss]
        # A difference of objectives says nothing below this share of the objective.
        self.noise = 100 * np.finfo(self.dtype).eps
        k = problem.n_columns
        self.full_weights = np.zeros((rows.features, k), dtype=self.dtype)
        self.objective, self.dual, self.violation = np.full((3, k), np.inf)
        self.point: Point | None = None  # of the classes that are not finished
        self.radius = np.empty(0)
        self.passes = 0  # over the rows
        self.end = float("inf")  # of the time for an epoch

    @property
    def finished(self) -> bool:
        """Whether no class is left."""
        return self.point is not None and not len(self.point.classes)

    def stop(self) -> None:
        """Let an epoch that runs on another thread end at its next product."""
        self.end = float("-inf")

    def epoch(self, seconds: float) -> EpochReport:
        """Take one Newton step of every class that is not finished."""
        self.end = perf_counter() + seconds
        passes = self.passes
        self._start()
        if self.finished:
            return self._report(0, passes)
        point = self.point
        step = newton_step(
            point.gradient,
            point.curvature,
            self.radius,
            self._hessian,
            lambda: perf_counter() > self.end,
        )
        if step is None:
            return self._report(0, passes, stopped=True)
        trial = self._evaluate(point.weights + step.change, point.classes)
        increase = trial.objective - point.objective
        accepted = -increase > ACCEPT * step.predicted
        # Where the objectives cannot tell, a shorter gradient is progress.
        blurred = step.predicted <= self.noise * point.objective
        shorter = dots(trial.gradient, trial.gradient) < dots(
            point.gradient, point.gradient
        )
        increase = np.where(blurred & shorter, -step.predicted, increase)
        accepted |= blurred & shorter
        self.radius = next_radius(self.radius, step, increase)
        self._settle(point.replaced(trial, accepted), blurred & ~accepted)
        return self._report(int(np.sum(accepted | ~blurred)), passes)

    def _start(self) -> None:
        """Evaluate the first point, unless that has been done."""
        if self.point is not None:
            return
        k = self.problem.n_columns
        point = self._evaluate(self.full_weights, np.arange(k))
        # Weights of other C_i may be worse than none.
        at_zero = self.problem.loss_weights.sum() * self.loss(np.zeros(1)).value
        worse = point.objective > at_zero
        if worse.any():
            weights = np.where(worse, 0, self.full_weights)
            point = self._evaluate(weights, np.arange(k))
        # A good start has a short gradient, and still more than its length to go.
        self.radius = np.sqrt(
            np.maximum(
                dots(point.gradient, point.gradient), dots(point.weights, point.weights)
            )
        )
        self._settle(point, np.zeros(k, dtype=bool))

    def _evaluate(self, weights, classes) -> Point:
        """Objective, dual objective, gradient and curvatures at the given weights."""
        weights = np.ascontiguousarray(weights, dtype=self.dtype)
        scores = self._scores(weights)
        curvature = np.empty_like(scores)
        value, terms = np.zeros((2, len(classes)))
        for rows, signs, z in self._margins(scores, classes):
            at = self.loss(z)
            loss_weights = self.problem.loss_weights[rows]
            value += loss_weights @ at.value
            terms += loss_weights @ at.dual_term
            curvature[rows] = loss_weights[:, None] * at.curvature
            scores[rows] = signs * (loss_weights[:, None] * at.dual_variable)
        # The weights of the dual point, W(u) = sum_i Y u x; the gradient is W - W(u).
        self.passes += 1
        of_duals = core.transposed_products(self.rows, scores, self.threads)
        of_duals = of_duals.astype(np.float64, copy=False)
        wide = weights.astype(np.float64, copy=False)
        return Point(
            classes,
            weights,
            dots(wide, wide) / 2 + value,
            terms - dots(of_duals, of_duals) / 2,
            wide - of_duals,
            curvature,
        )

    def _scores(self, weights):
        self.passes += 1
        return core.products(self.rows, weights, self.threads)

    def _margins(self, scores, classes):
        """Yield (rows, signs Y, margins Y s) in double precision, chunk by chunk."""
        position = np.full(self.problem.n_columns + 1, -1)  # the last: no class
        position[classes] = np.arange(len(classes))
        own = position[self.problem.labels]
        length = max(1, CHUNK // len(classes))
        for begin in range(0, len(own), length):
            rows = slice(begin, begin + length)
            signs = np.full((len(own[rows]), len(classes)), -1.0)
            labelled = np.flatnonzero(own[rows] >= 0)
            signs[labelled, own[rows][labelled]] = 1.0
            yield rows, signs, signs * scores[rows]

    def _hessian(self, V, curvature):
        """(I + X^T D X) V, class by class."""
        self.passes += 1
        narrow = np.ascontiguousarray(V, dtype=self.dtype)
        curvature = np.ascontiguousarray(curvature)
        return V + core.curvature_products(self.rows, narrow, curvature, self.threads)

    def _settle(self, point: Point, stuck) -> None:
        """Keep a point, and let go of the classes that are finished or stuck."""
        classes = point.classes
        self.full_weights[:, classes] = point.weights
        self.objective[classes] = point.objective
        self.dual[classes] = point.dual
        self.violation[classes] = point.violation
        if self.violation_tol is None:
            going_on = point.objective - point.dual > self.tol * point.objective
        else:
            going_on = point.violation > self.violation_tol
        going_on &= ~stuck
        self.radius = self.radius[going_on]
        self.point = point.only(going_on)

    def _report(self, moves, passes_before, stopped=False) -> EpochReport:
        primal, dual, violation = self.certify()
        visits = (self.passes - passes_before) * self.rows.size
        return EpochReport(visits, moves, violation, dual, primal, stopped)

    def rebuild(self) -> None:
        """Do nothing: every epoch evaluates its weights afresh."""

    def certify(self) -> tuple[float, float, float]:
        """Primal, dual and largest entry of a gradient, as evaluated in the epochs."""
        self._start()
        return self.objective.sum(), self.dual.sum(), self.violation.max()

    def weights(self):
        """A copy of W."""
        return self.full_weights.copy()

    def release_weights(self):
        """W itself."""
        return self.full_weights

    def dual_variables(self):
        """The dual variables that belong to W: an array of (examples, classes)."""
        classes = np.arange(self.problem.n_columns)
        values = self._scores(self.full_weights)
        loss_weights = np.where(self.empty, 0.0, self.problem.loss_weights)
        for rows, _, z in self._margins(values, classes):
            values[rows] = loss_weights[rows, None] * self.loss(z).dual_variable
        return values

    def duals(self):
        """The dual variables as (indptr, classes, values)."""
        blocks = sp.csr_array(self.dual_variables())
        return blocks.indptr, blocks.indices, blocks.data

    def set_duals(self, indptr, classes, values) -> None:
        """Start from the weights that belong to dual variables."""
        problem = self.problem
        shape = (self.rows.size, problem.n_columns)
        duals = sp.csr_array((values, classes, indptr), shape=shape)
        coefficients = coefficients_of(problem.machine, duals, problem.labels)
        self.start_from(coefficients.toarray())

    def start_from(self, coefficients) -> None:
        """Start from the weights X^T B, of coefficients B of (examples, classes)."""
        self.full_weights = core.transposed_products(
            self.rows, coefficients.astype(self.dtype), self.threads
        )
        self.point = None
