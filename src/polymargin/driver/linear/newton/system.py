"""The Newton system of a linear machine: (I + sum_i E^T J_i E (x) x_i x_i^T) D = G.

J_i = diag(q) - gamma r r^T is zero for most examples (see `Curvature`); the others are
few, and only their rows count. It is solved in the form that takes the fewest
operations:

- primal, by a Cholesky factorisation of the order of the weights;
- dual, of the order of the free variables: with J_i = L_i L_i^T and the rows
  ``c_v (x) x_i`` of a matrix A, where c_v are the rows of L_i^T E, the inverse is
  ``I - A^T (I + A A^T)^-1 A``, and ``A A^T = (C C^T) o (X X^T)``;
- conjugate gradients, where both would be too large.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.sparse as sp

from ....machine.projection import Blocks, Curvature
from ...newton.cholesky import add_identity, positive_solver
from ...newton.curvature import CurvatureOperator, factor_rows
from .class_pairs import class_grams, class_pairs

# Most entries of a matrix to be factorised (512 MB).
MOST_ENTRIES = 1 << 26
# Conjugate gradient steps that are expected, to compare with the other forms.
CG_STEPS = 60
CORRECTIONS = 4  # at most, of a solution


@dataclass(frozen=True)
class SystemSize:
    """How large a system is.

    Attributes
    ----------
    d, k : int
        Features and classes.
    row : float
        Entries of a row.
    free : ndarray of int
        Free variables of each row that has some.
    coupled : bool or ndarray of bool
        Whether those of a row are coupled (gamma is not zero).
    """

    d: int
    k: int
    row: float
    free: np.ndarray
    coupled: bool | np.ndarray

    def operations(self) -> dict[str, float]:
        """Return what each form takes that does not need too much memory."""
        free, order = float(self.free.sum()), self.d * self.k
        found = {"cg": CG_STEPS * 4.0 * len(self.free) * self.row * self.k}
        if order * order <= MOST_ENTRIES:
            of_block = (self.free + 1) * (self.free + 2) / 2
            pairs = float(np.sum(np.where(self.coupled, of_block, 2 * self.free)))
            found["primal"] = 2 * pairs * self.row * self.row + order**3 / 3
        if free * free <= MOST_ENTRIES:
            found["dual"] = free**2 * (self.row + self.k) + free**3 / 3
        return found


class NewtonSystem:
    """Solves Newton systems for the rows of one problem.

    Parameters
    ----------
    X : ndarray or CSR array of float64
        With the constant feature, if there is one.
    blocks : Blocks
    poll : callable
        Called between long operations; may raise.
    """

    def __init__(self, X, blocks: Blocks, poll: Callable[[], None]):
        self.X, self.blocks, self.poll = X, blocks, poll
        self.form = ""  # of the last system
        self.operations = 0.0  # of all systems so far

    def solve(self, curvature: Curvature, gradient, accuracy: float) -> np.ndarray:
        """Return D; `accuracy` is the relative residual of conjugate gradients."""
        if not len(curvature.rows):
            return gradient.copy()
        d, k = gradient.shape
        counts = np.bincount(curvature.rows)
        rows = np.flatnonzero(counts)
        row = self.X.nnz / self.X.shape[0] if sp.issparse(self.X) else d
        coupled = curvature.gamma[rows] > 0
        costs = SystemSize(d, k, row, counts[rows], coupled).operations()
        # The cheapest form whose matrix is definite, also after rounding.
        for self.form in sorted(costs, key=costs.get):
            self.operations += costs[self.form]
            self.poll()
            if self.form == "cg":
                break
            try:
                solve = getattr(self, f"_{self.form}")(curvature, gradient.shape)
            except np.linalg.LinAlgError:
                continue
            return self._corrected(solve, self._product(curvature, rows), gradient)
        return self._conjugate_gradients(curvature, rows, gradient, accuracy)

    def _product(self, curvature, rows) -> Callable:
        """Return the product with the matrix of the system."""
        X = self.X[rows]
        apply = CurvatureOperator(self.blocks, curvature, rows)
        return lambda V: V + X.T @ apply(X @ V)

    def _corrected(self, solve, product, gradient):
        """Solve, and correct the rounding of large entries, as long as that helps."""
        step = solve(gradient)
        residual = gradient - product(step)
        size = np.inf
        for _ in range(CORRECTIONS):
            self.poll()
            correction = solve(residual)
            last, size = size, abs(np.vdot(residual, correction))
            if size > last / 4:
                break
            step += correction
            if size <= 1e-16 * abs(np.vdot(gradient, step)):
                break
            residual = gradient - product(step)
        return step

    def _primal(self, curvature, shape) -> Callable:
        d, k = shape
        H = np.zeros((k, d, k, d))
        for a, b, gram in class_grams(self.X, class_pairs(self.blocks, curvature)):
            H[a, :, b, :] += gram
            if a != b:
                H[b, :, a, :] += gram  # a sum of x x^T
        Q = zero_sum_basis(k) if self.blocks.relative or self.blocks.centred else None
        if Q is not None:
            H = np.tensordot(H, Q, axes=(2, 0))  # (k, d, d, k - 1)
            H = np.tensordot(Q, H, axes=(0, 0)).transpose(0, 1, 3, 2)
            k -= 1
        H = np.ascontiguousarray(H).reshape(k * d, k * d)
        add_identity(H)
        self.poll()
        inverse = positive_solver(H, self.poll)

        def solve(right):
            right = right if Q is None else right @ Q
            step = inverse(right.T.ravel()).reshape(k, d).T
            return np.ascontiguousarray(step) if Q is None else step @ Q.T

        return solve

    def _dual(self, curvature, shape) -> Callable:
        X = self.X[curvature.rows]
        C = factor_rows(self.blocks, curvature)
        product = X @ X.T
        M = product.toarray() if sp.issparse(product) else product
        self.poll()
        M *= C @ C.T
        add_identity(M)
        inverse = positive_solver(M, self.poll)

        def solve(right):
            along = np.einsum("vm,vm->v", C, X @ right)
            return right - X.T @ (C * inverse(along)[:, None])

        return solve

    def _conjugate_gradients(self, curvature, rows, gradient, accuracy):
        X = self.X[rows]
        apply = CurvatureOperator(self.blocks, curvature, rows)
        # The diagonal of the system is the preconditioner.
        squares = X.power(2) if sp.issparse(X) else X * X
        scale = 1 / (1 + squares.T @ apply.diagonal())
        step = np.zeros_like(gradient)
        residual = gradient.copy()
        z = scale * residual
        direction, old = z, np.vdot(residual, z)
        enough = accuracy * np.linalg.norm(gradient)
        for _ in range(1000):
            if np.linalg.norm(residual) <= enough:
                break
            self.poll()
            image = direction + X.T @ apply(X @ direction)
            length = old / np.vdot(direction, image)
            step += length * direction
            residual -= length * image
            z = scale * residual
            new = np.vdot(residual, z)
            direction = z + (new / old) * direction
            old = new
        return step


@cache
def zero_sum_basis(k: int) -> np.ndarray:
    """Return an orthonormal basis of the vectors of length k that sum to zero.

    Where weights sum to zero over the classes, so do gradients and steps. The system
    has no curvature along the others, which rounding must not make up.
    """
    Q = np.tril(np.ones((k, k - 1)), -1)
    index = np.arange(k - 1)
    Q[index, index] = -(k - 1.0 - index)
    return Q / np.sqrt((Q * Q).sum(axis=0))
