"""Newton's method for one-vs-rest machines with a smooth loss, all classes at a time.

The problems of the classes do not meet, but share the products with the rows: in small
data, what a step costs is mostly the number of operations on arrays. Each class has its
own length of step, and leaves when it is done. The loss of a margin z = Y s and the
gradient u = -C loss'(z), a feasible dual variable, are those of `smooth_loss`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....machine.problem import Problem
from ....machine.projection import places_of
from ....machine.smooth_loss import SMOOTH_LOSSES
from ...newton.cholesky import add_identity, positive_solver
from ...newton.proximal import FLAT, SEARCHES, STEEP, secant


@dataclass
class Columns:
    """Weights of some classes, and what is known there; one column or entry for each.

    Attributes
    ----------
    W : ndarray of shape (features, columns)
    z, curvature, u : ndarray of shape (rows, columns)
        Margins, second derivatives of the losses times C_i, dual variables.
    gradient : ndarray of shape (features, columns)
        W - W(u).
    primal, dual : ndarray of shape (columns,)
    """

    W: np.ndarray
    z: np.ndarray
    curvature: np.ndarray
    u: np.ndarray
    gradient: np.ndarray
    primal: np.ndarray
    dual: np.ndarray


class LockstepNewton:
    """Newton steps of all classes; interchangeable with `ProximalNewton`.

    Parameters
    ----------
    X : ndarray of float64
        Rows with the constant feature; none is zero.
    problem : Problem
        Of these rows, all with C_i > 0.
    enough : callable
        ``enough(primal, dual, violation)``: which classes are done.
    poll : callable
        Called between long operations; may raise.
    """

    def __init__(
        self, X: np.ndarray, problem: Problem, enough: Callable, poll: Callable
    ):
        self.X, self.loss_weights, self.poll = X, problem.loss_weights, poll
        self.loss = SMOOTH_LOSSES[problem.machine.loss]
        self.enough = enough
        k = problem.n_columns
        self.signs = np.full((len(X), k), -1.0)
        self.signs[places_of(problem.own)] = 1.0
        self.start_weights = np.zeros((X.shape[1], k))
        self.at: Columns | None = None
        self.best_u = np.zeros((len(X), k))
        self.best_dual = np.full(k, -np.inf)
        self.operations = 0.0

    def start(self, u: np.ndarray) -> None:
        """Begin with the weights of dual variables, if these are better than none."""
        self.start_weights = self.X.T @ (self.signs * u)
        self.at = None

    @property
    def started(self) -> bool:
        return self.at is not None

    @property
    def primal(self) -> float:
        return float(self.at.primal.sum())

    @property
    def dual(self) -> float:
        return float(self.best_dual.sum())

    @property
    def weights(self) -> np.ndarray:
        return self.at.W

    @property
    def duals(self) -> np.ndarray:
        return self.best_u

    @property
    def finished(self) -> bool:
        """Whether no class is left."""
        return not len(self._left())

    def _left(self):
        at = self.at
        violation = np.abs(at.gradient).max(axis=0)
        return np.flatnonzero(~self.enough(at.primal, self.best_dual, violation))

    def violation(self) -> float:
        """Largest entry of a gradient."""
        return float(np.abs(self.at.gradient).max())

    def first(self) -> None:
        """Evaluate the first point, if there is none."""
        if self.at is not None:
            return
        W = self.start_weights
        at = self._evaluate(W, self.signs * (self.X @ W), self.signs)
        at_zero = self.loss_weights.sum() * self.loss(np.zeros(1)).value
        worse = at.primal > at_zero
        if worse.any():
            W = np.where(worse, 0, W)
            at = self._evaluate(W, self.signs * (self.X @ W), self.signs)
        self.at = at
        self.best_dual[:] = -np.inf
        self._keep_best(np.arange(W.shape[1]))

    def step(self) -> bool:
        """Take a Newton step of every class that is left; say whether any moved."""
        self.first()
        left = self._left()
        at, signs = self.at, self.signs[:, left]
        step = np.empty((self.X.shape[1], len(left)))
        for position, m in enumerate(left):
            self.poll()
            step[:, position] = self._solve(at.curvature[:, m], at.gradient[:, m])
        dz = signs * (self.X @ step)
        W, z = at.W[:, left], at.z[:, left]
        length = self._lengths(W, z, at.primal[left], at.gradient[:, left], step, dz)
        moved = length > 0
        if not moved.any():
            return False
        found = self._evaluate(W - length * step, z - length * dz, signs)
        # A class that could not move, and with rounding is not better, stays.
        better = moved & (found.primal <= at.primal[left] * (1 + 1e-13))
        for name, values in vars(found).items():
            vars(at)[name][..., left[better]] = values[..., better]
        self._keep_best(left[better])
        return bool(better.any())

    def _keep_best(self, columns) -> None:
        """Keep the dual variables of those columns where they are the best so far."""
        risen = columns[self.at.dual[columns] > self.best_dual[columns]]
        self.best_dual[risen] = self.at.dual[risen]
        self.best_u[:, risen] = self.at.u[:, risen]

    def _solve(self, curvature, gradient):
        """Solve (I + X^T diag(curvature) X) step = gradient, in the smaller form.

        Where numbers are too large for that there is no step: the class stays.
        """
        try:
            return self._solve_exactly(curvature, gradient)
        except np.linalg.LinAlgError:
            return np.zeros_like(gradient)

    def _solve_exactly(self, curvature, gradient):
        rows = np.flatnonzero(curvature)
        if not len(rows):
            return gradient
        root = np.sqrt(curvature[rows])[:, None]
        A = self.X.take(rows, axis=0) * root
        d = len(gradient)
        self.operations += (
            float(len(rows)) * d * min(d, len(rows)) + min(d, len(rows)) ** 3 / 3
        )
        if len(rows) >= d:
            M = A.T @ A
            add_identity(M)
            return positive_solver(M, self.poll)(gradient)
        M = A @ A.T
        add_identity(M)
        solve = positive_solver(M, self.poll)
        step = gradient - A.T @ solve(A @ gradient)
        residual = gradient - step - A.T @ (A @ step)
        return step + residual - A.T @ solve(A @ residual)

    def _lengths(self, W, z, primal, gradient, step, dz):
        """Lengths at which the objectives are nearly least along the steps, or zero.

        See `ProximalNewton`.
        """
        toward = -np.einsum("fm,fm->m", step, gradient)
        square = np.einsum("fm,fm->m", step, step)
        inner = np.einsum("fm,fm->m", step, W)
        half = np.einsum("fm,fm->m", W, W) / 2
        lengths = np.where(toward < 0, 1.0, 0.0)
        columns = np.flatnonzero(toward < 0)
        low, low_slope = np.zeros(len(W.T)), toward.copy()
        high, high_slope = np.full((2, len(W.T)), np.inf)
        for _ in range(SEARCHES):
            self.poll()
            length = lengths[columns]
            at = self.loss(z[:, columns] - length * dz[:, columns])
            pulls = np.einsum(
                "i,im,im->m", self.loss_weights, at.dual_variable, dz[:, columns]
            )
            slope = length * square[columns] - inner[columns] + pulls
            norm = half[columns] - length * inner[columns]
            value = (
                norm + length**2 * square[columns] / 2 + self.loss_weights @ at.value
            )
            flat = (slope > 0) & (slope <= -FLAT * toward[columns])
            flat &= value <= primal[columns] * (1 + 1e-14)
            falls = (length == 1) | (slope >= STEEP * toward[columns])
            left = ~(flat | ((slope <= 0) & falls))
            if not left.any():
                return lengths
            columns, slope, length = columns[left], slope[left], length[left]
            up, down = columns[slope > 0], columns[slope <= 0]
            high[up], high_slope[up] = length[slope > 0], slope[slope > 0]
            low[down], low_slope[down] = length[slope <= 0], slope[slope <= 0]
            lengths[columns] = secant(
                low[columns], low_slope[columns], high[columns], high_slope[columns]
            )
        lengths[columns] = low[columns]  # the objective is convex, and falls so far
        return lengths

    def _evaluate(self, W, z, signs) -> Columns:
        self.operations += 2.0 * self.X.size * W.shape[1]
        at, loss_weights = self.loss(z), self.loss_weights[:, None]
        u = loss_weights * at.dual_variable
        of_duals = self.X.T @ (signs * u)
        return Columns(
            W,
            z,
            loss_weights * at.curvature,
            u,
            W - of_duals,
            np.einsum("fm,fm->m", W, W) / 2 + self.loss_weights @ at.value,
            self.loss_weights @ at.dual_term
            - np.einsum("fm,fm->m", of_duals, of_duals) / 2,
        )

    def objective_at(self, W) -> tuple[float, float]:
        """Objective of other weights, and their largest violation."""
        at = self.loss(self.signs * (self.X @ W))
        objective = np.vdot(W, W) / 2 + float(np.sum(self.loss_weights @ at.value))
        gradient = W - self.X.T @ (
            self.signs * (self.loss_weights[:, None] * at.dual_variable)
        )
        return float(objective), float(np.abs(gradient).max(initial=0))
