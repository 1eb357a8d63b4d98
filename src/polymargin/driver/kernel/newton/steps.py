"""Proximal Newton steps where the model is that of the dual variables."""

from dataclasses import replace

import numpy as np

from ...newton.proximal import PATIENCE, Point, ProximalNewton

_FAILURES = 12  # one after the other, after which there is nothing left to try


def _gap(point: Point) -> float:
    return point.primal - point.dual


class KernelNewton(ProximalNewton):
    """Newton steps for one problem with a kernel.

    A model is what dual variables make of the examples: `primal` and `dual` are the
    objectives of the best of them, those with the smallest gap, and of their weights.
    """

    longest = np.inf  # sigma, beyond which its system is rounding
    largest_dual = -np.inf  # of all points
    stays = False  # if so, until a step fails
    _failures = 0

    def step(self) -> bool:
        """Take one Newton step; return whether anything moved.

        A matrix without a Cholesky factor is one of a kernel that is not positive
        definite, if only by rounding: a shorter proximal step adds to its diagonal.
        """
        try:
            moved = super().step()
        except np.linalg.LinAlgError:
            self._failures += 1
            if self.blocks.smooth or self._failures > _FAILURES:
                return False
            self._restart(self.u, self.sigma / 10)
            return True
        self._failures = 0
        if self.failed:
            moved, self.stays = moved or self.stays, False
        return moved

    def _move(self, point: Point) -> None:
        if self.best_dual is None and self.u.any():
            self._note(self._given(point))
        self.point = point
        self._note(point)

    def _given(self, point: Point) -> Point:
        """The variables that it begins with, whose weights are those of a point."""
        dual = self.blocks.dual_terms(self.u) - self.space.inner(point.W, point.W) / 2
        primal = self._objective(point.W, point.h)
        return replace(
            point, u=self.u, gradient=0 * point.W, primal=primal, dual=float(dual)
        )

    def _note(self, point: Point) -> None:
        self.largest_dual = max(self.largest_dual, point.dual)
        best = self.best_dual
        if best is None or self.together or _gap(point) < _gap(best):
            self.best_primal = self.best_dual = point

    def _first_length(self) -> float:
        """As large as variables are; at zero, what moves the score of an example by
        the margin, and no more than C. Both are in the unit of dual variables: the same
        steps are taken for a kernel times t and C over t.
        """
        if self.u.any():
            return float(self.u[self.u > 0].mean())
        C = float(np.mean(self.blocks.loss_weights))
        return min(C, 1 / self.space.mean_square())

    def _proximal_point(self) -> Point:
        """Stay where the weights of the point would do, if only they were those of
        dual variables: u+ comes to them in a few steps, as long as these are found.
        """
        point, blocks = self.point, self.blocks
        if self.stays and not blocks.smooth and self.steps_of_this < PATIENCE:
            primal = self._objective(point.W, point.h)
            if self.enough(primal, self.largest_dual, np.inf):
                return point
        return super()._proximal_point()

    def _primal(self, W, h, phi, of_duals) -> float:
        return self._objective(of_duals, self.blocks.violations(of_duals[1]))

    def _restart(self, u, sigma) -> None:
        super()._restart(u, min(sigma, self.longest))

    def violation(self) -> float:
        """Largest violation of an optimality condition by the best variables."""
        best = self.best_dual
        of_duals = best.W - best.gradient
        return self.blocks.violation(self.blocks.violations(of_duals[1]), best.u)
