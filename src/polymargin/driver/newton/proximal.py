"""Semismooth Newton steps for one problem: proximal points of the dual, or plain.

With dual variables u and a length sigma, the dual of the proximal step is to minimise

    phi(W) = 1/2 |W|^2 + sum_i [ u+ . h_i - penalty(u+) - |u+ - u|^2 / (2 sigma) ]

where ``u+`` are the projections of `Blocks.project`; its gradient is ``W - W(u+)``, its
(generalised) Hessian that of `System`, and the gap of the step is exactly
``1/2 |W - W(u+)|^2``. When that is a tenth of ``|u+ - u|^2 / (2 sigma)``, u becomes u+
and sigma grows. Smooth losses need no proximal term: phi is the objective itself and u+
its gradient in h. Either way u+ is feasible, so that every step has a certificate.

Weights live in a `Space`: that of the features, or that of a kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...machine.projection import Blocks, Curvature

ENOUGH = 0.9  # of |u+ - u|^2 / (2 sigma), at which a proximal step is taken
FLAT = 0.01  # slope at the end of a step that rises there, of that at its beginning
STEEP = 0.5  # the same, if it falls there, and is not a whole step
SEARCHES = 40  # at most, for the length of a step
# Searches that were too far, after which lengths shrink by a factor: where no variable
# is free, the step is as long as examples are, and a billionth of it may be enough.
FAR, SHRINK = 6, 0.01
GROWTH = ((2, 5.0), (4, 3.0), (8, 2.0))  # Newton steps, factor of sigma
DRIFT = 100  # a step's scores over what they leave, from which they are summed anew
ACCURACY = 1e-3  # of conjugate gradients
LONGEST = 1e100  # sigma, so that what it is multiplied by stays a number
PATIENCE = 25  # Newton steps for a proximal one, before sigma is reduced


@dataclass
class Point:
    """Weights, and what is known there.

    Attributes
    ----------
    W, scores, h : ndarray
    u : ndarray
        Feasible dual variables, u+.
    phi : float
    gradient : ndarray
        W - W(u+).
    primal, dual : float
        Objectives of W and of u.
    """

    W: np.ndarray
    scores: np.ndarray
    h: np.ndarray
    u: np.ndarray
    phi: float
    gradient: np.ndarray
    primal: float
    dual: float


def growth(steps: int) -> float:
    """By what sigma is multiplied, after so many Newton steps of a proximal one."""
    for most, factor in GROWTH:
        if steps <= most:
            return factor
    return 1.5


def secant(low, low_slope, high, high_slope):
    """Where a line through two slopes is zero, but well inside of the interval."""
    share = low_slope / (low_slope - high_slope)
    return low + np.clip(share, 0.1, 0.9) * (high - low)


class System(Protocol):
    """Solves (I + sum_i E^T J_i E (x) phi_i phi_i^T) D = G, J_i of a `Curvature`."""

    operations: float  # multiplications so far, about

    def solve(self, curvature: Curvature, gradient, accuracy: float) -> np.ndarray:
        """Return D; `accuracy` is the relative residual of conjugate gradients."""


class Space(Protocol):
    """Where weights live: arrays that can be added and multiplied by numbers."""

    operations: float  # of all products so far

    def system(self, blocks: Blocks, poll: Callable[[], None]) -> System:
        """Return what solves the Newton systems."""

    def mean_square(self) -> float:
        """The mean of |phi(x_i)|^2."""

    def weights(self, coefficients: np.ndarray) -> np.ndarray:
        """The weights with these coefficients of the examples."""

    def scores(self, W) -> np.ndarray:
        """The scores of all examples."""

    def anew(self, W):
        """W and its scores, without the rounding of many additions."""

    def inner(self, V, W) -> float:
        """The inner product of weights."""

    def largest(self, W) -> float:
        """The largest entry, without its sign."""


class ProximalNewton:
    """Newton steps for one problem.

    Parameters
    ----------
    space : Space
        Of the examples; none is zero.
    blocks : Blocks
    enough : callable
        ``enough(primal, dual, violation)``: whether the problem is solved.
    poll : callable
        Called between long operations; may raise.
    together : bool
        Whether the best weights and the best dual variables are to be those of one
        point, the last.
    """

    def __init__(
        self,
        space: Space,
        blocks: Blocks,
        enough: Callable = lambda primal, dual, violation: False,
        poll: Callable[[], None] = lambda: None,
        together: bool = False,
    ):
        self.space, self.blocks, self.enough = space, blocks, enough
        self.poll, self.together = poll, together
        self.system = space.system(blocks, poll)
        self.u = np.zeros(blocks.shape)
        self.sigma = 0.0
        self.point: Point | None = None
        self.best_primal: Point | None = None
        self.best_dual: Point | None = None
        self.failed = False  # whether the last step did
        self.steps_of_this = 0  # Newton steps since u was moved
        self.steps = 0

    def start(self, u: np.ndarray) -> None:
        """Begin from dual variables, which are feasible up to rounding."""
        self.u = self.blocks.feasible(u)
        self.point = self.best_primal = self.best_dual = None

    def first(self) -> None:
        """Evaluate the first point, if there is none.

        It has the weights of u, or none if these are better.
        """
        if self.point is not None:
            return
        blocks, space = self.blocks, self.space
        W = space.weights(blocks.coefficients(self.u))
        self.sigma = self._first_length()
        self.steps_of_this = 0
        scores = space.scores(W)
        if self._phi(W, blocks.violations(scores))[1] > blocks.losses_at_zero():
            W, scores = 0 * W, 0 * scores
        self._move(self._point(W, scores))

    def _first_length(self) -> float:
        raise NotImplementedError

    def step(self) -> bool:
        """Take one Newton step; return whether anything moved.

        A step that rounding keeps from falling ends the proximal one where it is.
        """
        self.first()
        point = self._proximal_point()
        self.steps += 1
        self.steps_of_this += 1
        blocks = self.blocks
        if blocks.smooth:
            curvature = blocks.loss_curvature(point.u)
        else:
            curvature = blocks.step_curvature(point.u, self.sigma)
        step = self.system.solve(curvature, point.gradient, ACCURACY)
        found = self._search(point, step, self.space.scores(step))
        if found is not None:
            self.failed = False
            self._move(found)
            return True
        if self.failed or blocks.smooth:
            return False
        self.failed = True
        self._restart(point.u, self.sigma / 10)
        return True

    def _search(self, point: Point, step, scores) -> Point | None:
        """Return the point that nearly minimises phi along a step, or None.

        Along the step phi is convex, and its slope is that of a quadratic function and
        of the projections. The whole step is taken if phi still falls there or has
        hardly begun to rise, as near the solution it does; else the slope's zero is
        found by the secant method, safeguarded by bisection.
        """
        inner_product = self.space.inner
        toward = -inner_product(step, point.gradient)
        if not toward < 0:
            return None
        dh = -self.blocks.changes(scores)
        square, inner = inner_product(step, step), inner_product(point.W, step)
        noise = 1e-14 * abs(point.phi)
        low, low_slope, length = 0.0, toward, 1.0
        for search in range(SEARCHES):
            self.poll()
            h = point.h + length * dh
            W = point.W - length * step
            u, phi = self._phi(W, h)
            slope = length * square - inner + np.vdot(u, dh)
            if not np.isfinite(phi + slope):  # too far to be a number
                high, high_slope = length, np.inf
                length = secant(low, low_slope, high, high_slope)
                continue
            falls = slope <= 0 and (length == 1 or slope >= STEEP * toward)
            if falls or (0 < slope <= -FLAT * toward and phi <= point.phi + noise):
                s = point.scores - length * scores
                if np.abs(scores).max() > DRIFT * np.abs(s).max():
                    return self._point(*self.space.anew(W))  # digits were lost
                return self._rest(W, s, h, u, phi)
            if slope > 0:
                high, high_slope = length, slope
            else:
                low, low_slope = length, slope
            if low == 0 and search >= FAR:
                length = SHRINK * high
            else:
                length = secant(low, low_slope, high, high_slope)
        return None

    def _proximal_point(self) -> Point:
        """Move u, and change sigma, if it is time to; return the point."""
        point = self.point
        if self.blocks.smooth:
            return point
        change = point.u - self.u
        reached = np.vdot(change, change) / (2 * self.sigma)
        inner = self.space.inner(point.gradient, point.gradient) / 2
        if inner <= ENOUGH * reached:
            self._restart(point.u, self.sigma * growth(self.steps_of_this))
        elif self.steps_of_this >= PATIENCE:
            self._restart(self.u, self.sigma / 10)
        return self.point

    def _restart(self, u, sigma) -> None:
        """Begin another proximal step, with the weights as they are."""
        self.u, self.sigma, self.steps_of_this = u, min(sigma, LONGEST), 0
        self._move(self._point(self.point.W, self.point.scores))

    def _phi(self, W, h):
        """Return u+ and phi."""
        blocks = self.blocks
        half = self.space.inner(W, W) / 2
        if blocks.smooth:
            return blocks.loss_gradient(h), half + blocks.losses(h)
        u = blocks.project(self.u, h, self.sigma)
        return u, half + blocks.distance(u, h, self.u, self.sigma)

    def _point(self, W, scores) -> Point:
        h = self.blocks.violations(scores)
        return self._rest(W, scores, h, *self._phi(W, h))

    def _rest(self, W, scores, h, u, phi) -> Point:
        blocks = self.blocks
        of_duals = self.space.weights(blocks.coefficients(u))
        dual = blocks.dual_terms(u) - self.space.inner(of_duals, of_duals) / 2
        primal = self._primal(W, h, phi, of_duals)
        return Point(W, scores, h, u, phi, W - of_duals, float(primal), float(dual))

    def _primal(self, W, h, phi: float, of_duals) -> float:
        """Objective of the model at a point."""
        return phi if self.blocks.smooth else self._objective(W, h)

    def _move(self, point: Point) -> None:
        self.point = point
        if self.best_primal is None or self.together:
            self.best_primal = self.best_dual = point
        if point.primal < self.best_primal.primal:
            self.best_primal = point
        if point.dual > self.best_dual.dual:
            self.best_dual = point

    def objective_at(self, W) -> tuple[float, float]:
        """Objective of other weights, and their violation with the best variables."""
        best = self.best_dual
        h = self.blocks.violations(self.space.scores(W))
        violation = self._violation(W, h, best.u, best.W - best.gradient)
        return self._objective(W, h), violation

    def _objective(self, W, h) -> float:
        return float(self.space.inner(W, W) / 2 + self.blocks.losses(h))

    def violation(self) -> float:
        """Largest violation of an optimality condition at the last point."""
        point = self.point
        return self._violation(point.W, point.h, point.u, point.W - point.gradient)

    def _violation(self, W, h, u, of_duals) -> float:
        violation = self.blocks.violation(h, u) if len(h) else 0.0
        return max(violation, self.space.largest(W - of_duals))

    @property
    def operations(self) -> float:
        """Multiplications so far, about."""
        return self.system.operations + self.space.operations

    @property
    def started(self) -> bool:
        return self.point is not None

    @property
    def finished(self) -> bool:
        """Whether the best points are good enough."""
        violation = self.violation() if self.together else np.inf
        return bool(self.enough(self.primal, self.dual, violation))

    @property
    def primal(self) -> float:
        return self.best_primal.primal

    @property
    def dual(self) -> float:
        return self.best_dual.dual

    @property
    def weights(self) -> np.ndarray:
        return self.best_primal.W

    @property
    def duals(self) -> np.ndarray:
        return self.best_dual.u

    @property
    def gap(self) -> float:
        """Primal less dual."""
        return self.primal - self.dual
