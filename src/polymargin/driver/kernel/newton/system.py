"""The Newton system of a machine with a kernel, in its dual form.

J_i = diag(q) - gamma r r^T is not zero for the free variables alone (see `Curvature`).
With J_i = L_i L_i^T and c_v the rows of L_i^T E, the matrix of the variables is

    M = I + (C C^T) o K_FF

and the step from the gradient G is ``G - sum_v (M^-1 a)_v c_v (x) phi(x_v)``, where
``a_v = c_v . s_v`` of the scores s of G. The systems are solved by conjugate gradients,
whose products take the kernel of the rows that have free variables, with the Cholesky
factor of M as the preconditioner or, where that takes more operations, with those of
the blocks of M that belong to one class each. The eigenvalues are then at most the
number of classes: a few dozen steps do. Of machines whose classes do not meet, these
blocks are all of M.
"""

from collections.abc import Callable

import numpy as np

from ....base.threads import on_threads
from ....machine.projection import Blocks, Curvature
from ...newton.cholesky import add_identity, positive_solver
from ...newton.curvature import factor_rows

EXACT = 1e-13  # relative residual where M itself is factorised
BLOCK_STEPS = 30  # of conjugate gradients, expected with the blocks of the classes
MOST_STEPS = 200
GATHERED = 4  # operations that it takes to gather a kernel value


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
        position = np.searchsorted(rows, curvature.rows)
        C = factor_rows(self.blocks, curvature)
        scores = gradient[1][curvature.rows]
        z = self._solution(
            C, position, starts, curvature.classes, _along(C, scores), accuracy
        )
        b = np.add.reduceat(C * z[:, None], starts)
        step = gradient.copy()
        step[0][rows] -= b
        step[1] -= self.space.combine(rows, b)
        return step

    def _solution(self, C, position, starts, classes, right, accuracy):
        counts = np.bincount(classes, minlength=C.shape[1])
        whole, cost = cheapest_form(len(self.rows), counts, self.space.room)
        self.operations += cost
        groups = (
            [np.arange(len(C))]
            if whole
            else [np.flatnonzero(classes == m) for m in np.flatnonzero(counts)]
        )
        inverse = self._preconditioner(C, position, groups)

        def product(z):
            b = np.add.reduceat(C * z[:, None], starts)
            return z + _along(C, (self.kernel @ b)[position])

        return self._conjugate_gradients(
            product, inverse, right, EXACT if whole else accuracy
        )

    def _preconditioner(self, C, position, groups) -> Callable:
        """Return the inverse of the blocks of M of these variables."""

        def factor(group):
            self.poll()
            at = position[group]
            M = self.kernel[at[:, None], at]
            M *= C[group] @ C[group].T
            add_identity(M)
            return positive_solver(M, self.poll)

        inverses = on_threads(factor, groups, self.space.rows.threads)

        def inverse(residual):
            z = np.empty_like(residual)
            for group, solve in zip(groups, inverses, strict=True):
                z[group] = solve(residual[group])
            return z

        return inverse

    def _conjugate_gradients(self, product, inverse, right, accuracy):
        """Solve; where M is factorised, this corrects what was rounded."""
        solution = np.zeros_like(right)
        residual, direction, old, first = right, None, 1.0, None
        for _ in range(MOST_STEPS):
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


def _along(C, scores) -> np.ndarray:
    return np.einsum("vm,vm->v", C, scores)


def cheapest_form(n_rows: int, counts: np.ndarray, room: float) -> tuple[bool, float]:
    """Return whether to factorise all of M, and the operations it takes to solve.

    Parameters
    ----------
    n_rows : int
        That have free variables.
    counts : ndarray of int
        Free variables of each class.
    room : float
        Numbers that may be in all matrices.
    """
    counts = counts.astype(float)
    k, total = len(counts), counts.sum()
    products = 2.0 * n_rows**2 * k
    whole = total**3 / 3 + GATHERED * total**2 + 2 * (products + 2 * total**2)
    blocks = (counts**3).sum() / 3 + GATHERED * (counts**2).sum()
    blocks += BLOCK_STEPS * (products + 2 * (counts**2).sum())
    if total**2 > room:
        whole = np.inf
    return bool(whole <= blocks), float(min(whole, blocks))
