"""Features of low rank whose products approximate a kernel (Williams and Seeger, 2000).

A linear machine without intercept on these features is the kernel machine with the
approximated kernel.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_random_state

from ..base.threads import abandonable, on_threads
from .given_kernels import CallableKernel
from .kernel_base import Kernel
from .kernel_points import Points
from .landmarks import choose_means, choose_rows
from .precomputed import Positions

_BLOCK = 1 << 21  # kernel values at a time


# scikit-learn's Nystroem has no blocks, no means, and inverts eigenvalues of rounding.
class NystroemFeatures:
    """Features ``K(X, L) U S^(-1/2)``, with ``K(L, L) = U S U'`` of landmarks L.

    The approximated kernel is never larger than the kernel: their difference is
    positive semi-definite, if the kernel is. What an indefinite kernel has of negative
    eigenvalues is lost.

    Landmarks are means of rows by a few steps of k-means, because they are far better
    than rows (see `landmarks`); for kernels that know rows only, callables and
    precomputed ones, and for sparse rows, whose means are not sparse, they are rows
    drawn at random. If there are no more rows than `rank`, they are all rows, and the
    kernel of these is exact.

    Parameters
    ----------
    kernel : Kernel
    rank : int
        Number of landmarks, and the most features.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    landmarks_ : Points or Positions
    rank_ : int
        Number of features: eigenvalues of ``K(L, L)`` that are more than rounding.
    """

    def __init__(self, kernel: Kernel, rank: int, random_state=None):
        self.kernel = kernel
        self.rank = rank
        self.random_state = random_state

    def fit(self, X, poll: Callable = lambda: None) -> "NystroemFeatures":
        """Choose landmarks among the rows of `X`.

        Parameters
        ----------
        X : array-like, CSR matrix, Points or Positions
            The kernel matrix of the training, if the kernel is precomputed.
        poll : callable
            Called often; may raise to end it.
        """
        points = X if isinstance(X, Points | Positions) else self.kernel.points(X)
        seed = check_random_state(self.random_state).randint(2**31)
        landmarks = self._choose(points, np.random.default_rng(seed), poll)
        self.landmarks_ = landmarks.keep(slice(None))
        matrix = self._matrix(landmarks, poll)
        # Seconds for thousands of landmarks.
        values, vectors = abandonable(lambda: eigh(matrix), poll)
        kept = values > self._rounding(values, self.kernel.diagonal(landmarks))
        self._map = vectors[:, kept] / np.sqrt(values[kept])
        self._map = self._map.astype(self.kernel.dtype)
        self.rank_ = self._map.shape[1]
        if self.rank_ == 0:
            raise ValueError(
                f"The kernel of the {len(landmarks)} landmarks has no positive "
                f"eigenvalue; use another kernel, or no approximation."
            )
        return self

    def coefficients(self, weights) -> np.ndarray:
        """Return the coefficients of the landmarks, from weights of the features."""
        return self._map @ weights

    def transform(
        self, X, threads: int = 1, poll: Callable = lambda: None
    ) -> np.ndarray:
        """Return the features of the rows of `X`, computed in blocks.

        Parameters
        ----------
        X : array-like, CSR matrix, Points or Positions
            The kernel of its rows with the training, if the kernel is precomputed.
        threads : int, default=1
        poll : callable
            Called often, on any of the threads; may raise to end it.

        Returns
        -------
        features : ndarray of shape (n_samples, rank_), of the kernel's number format
        """
        prepared = isinstance(X, Points | Positions)
        n_rows = len(X) if prepared else X.shape[0]
        features = np.empty((n_rows, self.rank_), dtype=self.kernel.dtype)
        step = max(_BLOCK // len(self.landmarks_), 1)

        def fill(start):
            poll()
            block = slice(start, start + step)
            points = X.take(block) if prepared else self.kernel.points(X[block])
            tile = self.kernel(points, self.landmarks_)
            np.matmul(tile, self._map, out=features[block])

        on_threads(fill, range(0, n_rows, step), threads)
        return features

    def _rounding(self, values, diagonal) -> float:
        """What eigenvalues can be of rounding alone.

        Of the kernel, about as random as a matrix of independent errors, and of the
        decomposition, which is done in double precision.
        """
        errors = 10 * np.finfo(self.kernel.dtype).eps * diagonal.max()
        decomposition = np.finfo(np.float64).eps * max(values[-1], 0)
        return np.sqrt(len(values)) * errors + len(values) * decomposition

    def _matrix(self, landmarks, poll: Callable) -> np.ndarray:
        """K(L, L) in double precision."""
        step = max(_BLOCK // len(landmarks), 1)
        matrix = np.empty((len(landmarks), len(landmarks)))
        for start in range(0, len(landmarks), step):
            poll()
            block = slice(start, start + step)
            matrix[block] = self.kernel(landmarks.take(block), landmarks)
        return matrix

    def _choose(self, points, rng, poll: Callable):
        knows_rows_only = isinstance(self.kernel.plain, CallableKernel)
        knows_rows_only |= isinstance(points, Positions) or self.kernel.sparse
        if knows_rows_only or self.rank >= len(points):
            return points.take(choose_rows(len(points), self.rank, rng))
        return self.kernel.placed(choose_means(points, self.rank, rng, poll))
