"""Kernel values of a fold, between what is trained on, and with what is held out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..access.given_kernels import PrecomputedKernel
from ..access.kernel_points import finite
from ..access.kernels import make_kernel
from ..access.precomputed import Positions
from ..access.symmetric_matrix import padded_to_packs, symmetric_matrix


class FoldKernel:
    """Some rows and columns of a matrix of kernel values.

    Parameters
    ----------
    matrix : ndarray of shape (n_points, n_points or more)
        Kernel of all points of a search with each other.
    train, test : ndarray of int
        Which of them are trained on, and held out.
    kept : bool
        Whether copies of their values are kept from one fit to the next.
    """

    def __init__(self, matrix: np.ndarray, train, test, kept: bool):
        self.matrix, self.train, self.test, self.kept = matrix, train, test, kept
        self.dtype = matrix.dtype
        self._between: np.ndarray | None = None
        self._with_test: np.ndarray | None = None

    def points(self) -> tuple[PrecomputedKernel, Positions]:
        """Return a kernel that is looked up, and the points that are trained on."""
        between = self._between
        if between is None:
            n = len(self.train)
            between = np.zeros((n, padded_to_packs(n, self.dtype)), dtype=self.dtype)
            rows = np.take(self.matrix, self.train, axis=0)
            between[:, :n] = np.take(rows, self.train, axis=1, mode="clip")
            self._between = between if self.kept else None
        return PrecomputedKernel(between), Positions(between, np.arange(len(between)))

    def held_out(self) -> np.ndarray:
        """Return the kernel of points held out with those that are trained on."""
        found = self._with_test
        if found is None:
            found = np.take(self.matrix[self.test], self.train, axis=1)
            self._with_test = found if self.kept else None
        return found


def kernel_of_all(machine: Any, X: Any, threads: int) -> np.ndarray:
    """Return the kernel of all rows with each other.

    Parameters
    ----------
    machine : KernelSVM
        Whose kernel it is.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    threads : int
        The matrix does not depend on it, as long as BLAS is on one thread.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_samples or more)
    """
    if machine.kernel == "precomputed":
        return X
    parameters = machine.gamma, machine.degree, machine.coef0
    kernel = make_kernel(machine.kernel, *parameters, X)
    matrix = symmetric_matrix(kernel, kernel.points(X), threads)
    finite(matrix.diagonal(), "The kernel of some rows of X with themselves")
    return matrix


def bytes_of_kernels(sizes: Sequence[int], itemsize: int) -> float:
    """Return how much room the matrices of so many rows each take."""
    return float(itemsize) * sum(float(size) ** 2 for size in sizes)
