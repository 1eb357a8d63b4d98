"""Preconditioners of M = I + (C C^T) o K_FF, and what each of them takes.

- "whole": the Cholesky factor of M;
- "classes": those of its blocks of one class each. Of machines whose classes do not
  meet, these are all of M; else the eigenvalues are at most the number of classes;
- "mean": of machines with absolute margins whose weights sum to zero, ``c_v = a_v (e_m
  - 1/k)``, classes meet in the mean alone. With D the blocks ``I + (a a^T) o K`` of
  the classes and U the matrix that has a_v in the row of v's example,

      M = D - U K U^T / k,    M^-1 = D^-1 + D^-1 U K (I - S K / k)^-1 U^T D^-1 / k

  where ``S = U^T D^-1 U`` has the order of the rows, not that of the variables.

"whole" and "mean" are inverses of M but for rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from ....base.threads import on_threads
from ...newton.cholesky import add_identity, positive_inverse, positive_solver

BLOCK_STEPS = 300  # of conjugate gradients, expected with the blocks of the classes
GATHERED = 4  # operations that it takes to gather a kernel value
_HEIGHT = 256  # rows of a product that a thread computes at a time


@dataclass
class Variables:
    """The free variables, ordered by rows.

    Attributes
    ----------
    C : ndarray of shape (variables, classes)
        The rows of L^T E.
    classes : ndarray of int
        The class of each variable.
    position : ndarray of int
        The row of each, among those that have free variables.
    starts : ndarray of int
        The first variable of each of these rows.
    """

    C: np.ndarray
    classes: np.ndarray
    position: np.ndarray
    starts: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many there are of each class."""
        return np.bincount(self.classes, minlength=self.C.shape[1])

    def groups(self) -> list[np.ndarray]:
        """The variables of each class that has any."""
        return [np.flatnonzero(self.classes == m) for m in np.flatnonzero(self.counts)]

    def by_rows(self, z) -> np.ndarray:
        """C^T z of every row."""
        return np.add.reduceat(self.C * z[:, None], self.starts)

    def along(self, scores) -> np.ndarray:
        """C s, of scores of every variable's row."""
        return np.einsum("vm,vm->v", self.C, scores)

    def product(self, kernel, z) -> np.ndarray:
        """M z."""
        return z + self.along((kernel @ self.by_rows(z))[self.position])


def cheapest_form(
    n_rows: int, counts: np.ndarray, room: float, shares_mean: bool
) -> tuple[str, float]:
    """Return the name of a preconditioner and the operations that a solution takes.

    Parameters
    ----------
    n_rows : int
        That have free variables.
    counts : ndarray of int
        Free variables of each class.
    room : float
        Numbers that its matrices may have together.
    shares_mean : bool
        Whether classes meet in the mean alone.
    """
    counts = counts.astype(float)
    total, squares, cubes = counts.sum(), (counts**2).sum(), (counts**3).sum()
    products = 2.0 * n_rows**2 * len(counts)
    costs = {
        "classes": cubes / 3
        + GATHERED * squares
        + BLOCK_STEPS * (products + 2 * squares)
    }
    if total**2 <= room:
        solving = 2 * (products + 2 * total**2)
        costs["whole"] = total**3 / 3 + GATHERED * total**2 + solving
    if shares_mean and squares + 3 * n_rows**2 <= room:
        solving = 2 * (products + 4 * squares + 4 * n_rows**2)
        costs["mean"] = cubes + 3.0 * n_rows**3 + GATHERED * squares + solving
    form = min(costs, key=costs.get)
    return form, float(costs[form])


def preconditioner(
    form: str, kernel, variables: Variables, threads: int, poll: Callable[[], None]
) -> Callable:
    """Return the product with the inverse of M, or of what is near it."""
    if form == "mean":
        return _through_the_mean(kernel, variables, threads, poll)
    groups = [np.arange(len(variables.C))] if form == "whole" else variables.groups()

    def factor(group):
        poll()
        at, C = variables.position[group], variables.C[group]
        return positive_solver(_shifted(kernel, at, C @ C.T), poll)

    solvers = on_threads(factor, groups, threads)

    def inverse(residual):
        z = np.empty_like(residual)
        for group, solve in zip(groups, solvers, strict=True):
            z[group] = solve(residual[group])
        return z

    return inverse


def _through_the_mean(kernel, variables: Variables, threads, poll) -> Callable:
    C, classes, position = variables.C, variables.classes, variables.position
    n, k = len(kernel), C.shape[1]
    groups = variables.groups()
    # Of a_v (e_m - 1/k), the entry of the class itself is a_v (1 - 1/k).
    a = C[np.arange(len(C)), classes] / (1 - 1 / k)

    def invert(group):
        poll()
        weights = np.multiply.outer(a[group], a[group])
        return positive_inverse(_shifted(kernel, position[group], weights))

    inverses = on_threads(invert, groups, threads)
    S = np.zeros((n, n))
    for group, D in zip(groups, inverses, strict=True):
        at = position[group]
        S[at[:, None], at] += D * np.multiply.outer(a[group], a[group])
    T = np.empty((n, n))

    def multiply(begin):
        poll()
        np.matmul(S[begin : begin + _HEIGHT], kernel, out=T[begin : begin + _HEIGHT])

    on_threads(multiply, range(0, n, _HEIGHT), threads)
    T *= -1 / k
    add_identity(T)
    poll()
    factors = lu_factor(T, overwrite_a=True, check_finite=False)

    def of_classes(residual):
        z = np.empty_like(residual)
        for group, D in zip(groups, inverses, strict=True):
            z[group] = D @ residual[group]
        return z

    def inverse(residual):
        z = of_classes(residual)
        sums = np.bincount(position, weights=a * z, minlength=n)
        shared = kernel @ lu_solve(factors, sums, check_finite=False)
        return z + of_classes(a * shared[position]) / k

    return inverse


def _shifted(kernel, at, weights) -> np.ndarray:
    """I + weights o kernel, of some rows."""
    M = kernel[at[:, None], at]
    M *= weights
    add_identity(M)
    return M
