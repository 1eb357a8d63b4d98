"""The model of a kernel machine: sums of kernels with a few points."""

from dataclasses import dataclass

import numpy as np

from ..access.kernel_base import Kernel
from ..access.kernel_points import Points
from ..access.nystroem import NystroemFeatures
from ..access.precomputed import Positions
from ..base.threads import blas_on_one_thread, on_threads

_VALUES = 1 << 20  # kernel values that a thread computes at a time
_MOST_ROWS = 4096  # of these


@dataclass(frozen=True)
class Expansion:
    """Scores ``s_m(x) = sum_i b_im k(x, x_i)``.

    Attributes
    ----------
    kernel : Kernel
    points : Points or Positions
        The x_i.
    coefficients : ndarray of shape (n_points, n_columns)
        The b_im.
    """

    kernel: Kernel
    points: Points | Positions
    coefficients: np.ndarray

    @classmethod
    def on_landmarks(cls, features: NystroemFeatures, weights) -> "Expansion":
        """Return the model with these weights of features, a column per class."""
        coefficients = features.coefficients(weights)
        return cls(features.kernel, features.landmarks_, coefficients)

    def scores(self, X, threads: int) -> np.ndarray:
        """Return the scores of the rows of `X`, computed in blocks.

        Parameters
        ----------
        X : ndarray or CSR matrix
            The kernel of its rows with the training, if the kernel is precomputed.
        threads : int
            The scores do not depend on it.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_columns)
        """
        n_points, n_columns = self.coefficients.shape
        scores = np.zeros((X.shape[0], n_columns), dtype=self.coefficients.dtype)
        if n_points == 0:
            return scores
        step = min(max(_VALUES // n_points, 1), _MOST_ROWS)

        def fill(start):
            block = slice(start, start + step)
            tile = self.kernel(self.kernel.points(X[block]), self.points)
            np.matmul(tile, self.coefficients, out=scores[block])

        with blas_on_one_thread():
            on_threads(fill, range(0, X.shape[0], step), threads)
        return scores
