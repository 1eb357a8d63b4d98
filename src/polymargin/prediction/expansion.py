"""The model of a kernel machine: sums of kernels with a few points."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..access.csr import check_compressed
from ..access.kernel_base import Kernel
from ..access.kernel_points import Points
from ..access.nystroem import NystroemFeatures
from ..access.precomputed import Positions
from ..base.one_thread import blas_on_one_thread
from ..base.threads import on_threads

_VALUES = 1 << 20  # kernel values, or scores, that a thread computes at a time
_MOST_ROWS = 4096  # of these
_DENSE = 1 << 22  # coefficients that are multiplied sooner with their zeros


def fast_coefficients(coefficients: sp.csr_array) -> np.ndarray | sp.csr_array:
    """Return coefficients in the form that is sooner multiplied by."""
    few = np.prod(coefficients.shape, dtype=float) <= _DENSE
    return coefficients.toarray() if few else coefficients


def _same(scores: np.ndarray) -> np.ndarray:
    return scores


@dataclass(frozen=True)
class Expansion:
    """Scores ``s_m(x) = sum_i b_im k(x, x_i)``.

    Attributes
    ----------
    kernel : Kernel
    points : Points or Positions
        The x_i.
    coefficients : ndarray or csr_array of shape (n_points, n_columns)
        The b_im. Sparse if there are many pairs: a point belongs to few of them.
    """

    kernel: Kernel
    points: Points | Positions
    coefficients: np.ndarray | sp.csr_array

    @classmethod
    def on_landmarks(cls, features: NystroemFeatures, weights) -> "Expansion":
        """Return the model with these weights of features, a column per class."""
        coefficients = features.coefficients(weights)
        return cls(features.kernel, features.landmarks_, coefficients)

    def scores(
        self, X, threads: int, confidence: Callable[[np.ndarray], np.ndarray] = _same
    ) -> np.ndarray:
        """Return what the scores of the rows of `X` say, computed in blocks.

        Parameters
        ----------
        X : ndarray or CSR matrix
            The kernel of its rows with the training, if the kernel is precomputed.
        threads : int
            The scores do not depend on it.
        confidence : callable
            What it makes of the scores of some rows is returned: pairs are many more
            than the classes that they vote for.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_columns), or as `confidence` has them
        """
        n_points, n_columns = self.coefficients.shape
        coefficients = check_compressed(self.coefficients, "dual_coef_")
        step = min(max(_VALUES // max(n_points, n_columns, 1), 1), _MOST_ROWS)

        def of_block(start):
            rows = X[start : start + step]
            if n_points == 0:
                empty = np.zeros((rows.shape[0], n_columns), coefficients.dtype)
                return confidence(empty)
            tile = self.kernel(self.kernel.points(rows), self.points)
            return confidence(tile @ coefficients)

        with blas_on_one_thread():
            starts = range(0, max(X.shape[0], 1), step)
            return np.concatenate(on_threads(of_block, starts, threads))
