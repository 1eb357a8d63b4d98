"""Kernel values of a fold, between what is trained on, and with what is held out."""

from typing import Any, Protocol

import numpy as np

from ..access.given_kernels import PrecomputedKernel
from ..access.kernel_points import finite
from ..access.precomputed import Positions
from ..access.symmetric_matrix import padded_to_packs, symmetric_matrix


class FoldKernel(Protocol):
    """Kernel values of a fold.

    Attributes
    ----------
    dtype : dtype
        Of the values.
    """

    dtype: np.dtype

    def between(self) -> np.ndarray:
        """Return those between the points that are trained on: a matrix with as many
        columns of zeros at its end as fill up the vectors of the core.
        """

    def held_out(self) -> np.ndarray:
        """Return those of points held out with the ones that are trained on."""


def points_of(between: np.ndarray) -> tuple[PrecomputedKernel, Positions]:
    """Return a kernel that is looked up, and the points that it knows."""
    return PrecomputedKernel(between), Positions(between, np.arange(len(between)))


class ComputedKernel:
    """Kernel values that are computed for one fold.

    Parameters
    ----------
    machine : KernelSVM
        Whose kernel it is.
    X, X_test : ndarray or CSR matrix
        Rows to train on, and to be measured on.
    threads : int
        Values do not depend on it, as long as BLAS is on one thread.
    """

    def __init__(self, machine: Any, X: Any, X_test: Any, threads: int):
        kernel = machine._make_kernel(X)
        points = kernel.points(X)
        self._between = _finite(symmetric_matrix(kernel, points, threads))
        self._held_out = kernel(kernel.points(X_test), points)
        self.dtype = self._between.dtype

    @staticmethod
    def bytes_for(n: int, n_test: int, itemsize: int) -> float:
        """How much room it needs."""
        return float(itemsize) * n * (n + n_test)

    def between(self) -> np.ndarray:
        """Return those between the points that are trained on."""
        return self._between

    def held_out(self) -> np.ndarray:
        """Return those of points held out with the ones that are trained on."""
        return self._held_out


class ChosenKernel:
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
        self._held_out: np.ndarray | None = None

    def between(self) -> np.ndarray:
        """Return those between the points that are trained on."""
        found = self._between
        if found is None:
            n = len(self.train)
            found = np.zeros((n, padded_to_packs(n, self.dtype)), dtype=self.dtype)
            found[:, :n] = self._choose(self.train)
            self._between = found if self.kept else None
        return found

    def held_out(self) -> np.ndarray:
        """Return those of points held out with the ones that are trained on."""
        found = self._held_out
        if found is None:
            found = self._choose(self.test)
            self._held_out = found if self.kept else None
        return found

    def _choose(self, rows) -> np.ndarray:
        # Without a look at every index, this is twice as fast.
        return np.take(
            np.take(self.matrix, rows, axis=0), self.train, axis=1, mode="clip"
        )


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
    kernel = machine._make_kernel(X)
    return _finite(symmetric_matrix(kernel, kernel.points(X), threads))


def _finite(matrix: np.ndarray) -> np.ndarray:
    finite(matrix.diagonal(), "The kernel of some rows of X with themselves")
    return matrix
