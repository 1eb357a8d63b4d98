"""A kernel matrix that is computed once, for many fits on some of its points."""

import numpy as np

from ..base.threads import blas_on_one_thread
from .given_kernels import PrecomputedKernel
from .kernel_base import Kernel
from .kernel_points import finite
from .precomputed import Positions
from .symmetric_matrix import symmetric_matrix

_MOST_RUNS = 8  # of points one after the other


class SharedKernel(PrecomputedKernel):
    """Looks up the kernel of points that are known by their numbers.

    What it is made for, trained on and asked for are columns of numbers: rows of
    `matrix`, as `numbers` returns them.

    Parameters
    ----------
    matrix : ndarray of shape (n_points, n_points)
        Kernel of all points with each other.
    gamma : float or None
        The parameter that it was computed with.
    """

    def __init__(self, matrix: np.ndarray, gamma: float | None = None):
        super().__init__(matrix)
        self.matrix, self.gamma_ = matrix, gamma

    def __deepcopy__(self, memo) -> "SharedKernel":
        """Return the kernel itself, which is never changed."""
        return self

    def numbers(self, chosen) -> np.ndarray:
        """Return points in place of rows: the X of a fit or of a prediction."""
        return np.asarray(chosen, dtype=self.dtype)[:, None]

    def points(self, X) -> Positions:
        """Prepare points, given by their numbers."""
        return Positions(self.matrix, X[:, 0].astype(np.intp))

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`.

        Runs of points on the right are copied at once, ten times as fast as one by one.
        """
        starts = np.flatnonzero(np.diff(right.at, prepend=-2) != 1)
        if len(starts) > _MOST_RUNS:
            return super().__call__(left, right)
        tile = np.empty((len(left), len(right)), dtype=self.dtype)
        for run in np.split(np.arange(len(right)), starts[1:]):
            if len(run):
                first, last = right.at[run[0]], right.at[run[-1]]
                tile[:, run[0] : run[-1] + 1] = self.matrix[left.at, first : last + 1]
        return tile


def kernel_matrix(kernel: Kernel, X, threads: int) -> np.ndarray:
    """Return the kernel of all rows of `X` with each other.

    Parameters
    ----------
    kernel : Kernel
        Made for these rows.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    threads : int
        The matrix does not depend on it.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_samples)
    """
    points = kernel.points(X)
    with blas_on_one_thread():
        matrix = symmetric_matrix(kernel, points, threads)[:, : len(points)]
    finite(matrix.diagonal(), "The kernel of some rows of X with themselves")
    return matrix
