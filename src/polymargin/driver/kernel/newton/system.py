"""The Newton system of a machine with a kernel, in its dual form.

J_i = diag(q) - gamma r r^T is not zero for the free variables alone (see `Curvature`).
With J_i = L_i L_i^T and c_v the rows of L_i^T E, the matrix of the variables is

    M = I + (C C^T) o K_FF

and the step from the gradient G is ``G - sum_v (M^-1 a)_v c_v (x) phi(x_v)``, where
``a_v = c_v . s_v`` of the scores s of G. The systems are solved by conjugate gradients,
whose products take the kernel of the rows that have free variables, with one of the
preconditioners of `factors`.
"""

from collections.abc import Callable

import numpy as np

from ....machine.projection import Blocks, Curvature
from ...newton.curvature import factor_rows
from .factors import Variables, cheapest_form, preconditioner

EXACT = 1e-13  # relative residual where M itself is factorised
CORRECTIONS = 50  # most steps of conjugate gradients then; a few, but for huge C
MOST_STEPS = 200


def shares_mean(blocks: Blocks) -> bool:
    """Whether classes meet in the mean alone."""
    return blocks.centred and not blocks.relative and not blocks.maximum


class KernelSystem:
    """Solves Newton systems in the space of a kernel.

    Parameters
    ----------
    space : KernelSpace
    blocks : Blocks
    poll : callable
        Called between long operations; may raise.
    """

    def __init__(self, space, blocks: Blocks, poll: Callable[[], None]):
        self.space, self.blocks, self.poll = space, blocks, poll
        self.operations = 0.0
        self.rows = np.empty(0, dtype=int)  # of the last system
        self.kernel = np.empty((0, 0))  # of these rows

    def solve(self, curvature: Curvature, gradient, accuracy: float) -> np.ndarray:
        """Return the step; `accuracy` is that of systems that are not factorised."""
        if not len(curvature.rows):
            return gradient.copy()
        starts = np.flatnonzero(np.diff(curvature.rows, prepend=-1))
        rows = curvature.rows[starts]
        if not np.array_equal(rows, self.rows):
            self.rows, self.kernel = rows, self.space.rows.square(rows)
        variables = Variables(
            factor_rows(self.blocks, curvature),
            curvature.classes,
            np.searchsorted(rows, curvature.rows),
            starts,
        )
        form, cost = cheapest_form(
            len(rows), variables.counts, self.space.room, shares_mean(self.blocks)
        )
        self.operations += cost
        z = self._conjugate_gradients(
            lambda z: variables.product(self.kernel, z),
            preconditioner(
                form, self.kernel, variables, self.space.rows.threads, self.poll
            ),
            variables.along(gradient[1][curvature.rows]),
            *((accuracy, MOST_STEPS) if form == "classes" else (EXACT, CORRECTIONS)),
        )
        b = variables.by_rows(z)
        step = gradient.copy()
        step[0][rows] -= b
        step[1] -= self.space.combine(rows, b)
        return step

    def _conjugate_gradients(self, product, inverse, right, accuracy, most):
        """Solve; where M is factorised, this corrects what was rounded."""
        solution = np.zeros_like(right)
        residual, direction, old, first = right, None, 1.0, None
        for _ in range(most):
            self.poll()
            z = inverse(residual)
            new = residual @ z
            first = new if first is None else first
            if not new > accuracy**2 * first:
                break
            direction = z if direction is None else z + (new / old) * direction
            image = product(direction)
            length = new / (direction @ image)
            solution = solution + length * direction
            residual, old = residual - length * image, new
        return solution
