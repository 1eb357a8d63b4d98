"""Kernels that are looked up in a matrix, given in place of X."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

_SYMMETRY_BLOCK = 1024  # rows and columns compared at a time
_SYMMETRY_TOLERANCE = 1e-5  # of the largest value


@dataclass(frozen=True)
class Positions:
    """Rows of a precomputed kernel matrix.

    Attributes
    ----------
    matrix : ndarray of shape (n_points, n_training or more) or None
        Kernel of points with those of the training. Not needed on the right.
    at : ndarray of int
        Rows of `matrix` on the left of a tile, columns on its right.
    """

    matrix: np.ndarray | None
    at: np.ndarray

    def __len__(self) -> int:
        return len(self.at)

    @property
    def is_run(self) -> bool:
        """Whether these are points one after the other, as they lie in the matrix."""
        at = self.at
        return len(at) > 0 and bool((np.diff(at) == 1).all())

    def take(self, chosen) -> "Positions":
        """Return the points at `chosen`, an array of indices or a slice."""
        return Positions(self.matrix, self.at[chosen])

    def keep(self, chosen) -> "Positions":
        """Return the points at `chosen` for a model, which need not keep the matrix."""
        return Positions(None, self.at[chosen])

    def choose(self, chosen) -> "Positions":
        """Return the points at `chosen`, an array of indices, without a copy."""
        return self.take(chosen)


def check_dense(matrix) -> None:
    """Raise if `matrix` is sparse."""
    if sp.issparse(matrix):
        raise ValueError(
            "X with kernel='precomputed' is sparse, which is not supported; give "
            "X.toarray()."
        )


def check_precomputed(matrix) -> None:
    """Raise if `matrix` cannot be the kernel of points with themselves.

    It must be square, symmetric but for rounding, and without negative values on the
    diagonal. Whether it is positive semi-definite is not checked.
    """
    check_dense(matrix)
    n = len(matrix)
    if matrix.shape != (n, n):
        raise ValueError(
            f"X with kernel='precomputed' has shape {matrix.shape}; give the kernel of "
            f"the training points with themselves, a square matrix."
        )
    tolerance = _SYMMETRY_TOLERANCE * max(matrix.max(), -matrix.min())
    for i in range(0, n, _SYMMETRY_BLOCK):
        for j in range(0, i + 1, _SYMMETRY_BLOCK):
            rows, columns = slice(i, i + _SYMMETRY_BLOCK), slice(j, j + _SYMMETRY_BLOCK)
            difference = matrix[rows, columns] - matrix[columns, rows].T
            at = np.unravel_index(np.abs(difference).argmax(), difference.shape)
            if abs(difference[at]) > tolerance:
                raise ValueError(
                    f"X with kernel='precomputed' is not symmetric: X[{i + at[0]}, "
                    f"{j + at[1]}] and X[{j + at[1]}, {i + at[0]}] differ by "
                    f"{abs(difference[at]):.3g}; give a symmetric matrix, e.g. "
                    f"(X + X.T) / 2."
                )
    lowest = matrix.diagonal().argmin()
    if matrix[lowest, lowest] < -tolerance:
        raise ValueError(
            f"X with kernel='precomputed' has {matrix[lowest, lowest]:.3g} at row "
            f"{lowest} of its diagonal; a kernel of a point with itself is a squared "
            f"norm and cannot be negative."
        )
