"""Means and variances of the values of X, in double precision and without a copy."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

_BLOCK = 1 << 20  # values at a time
_ROUNDING = 1e-28  # variance of equal numbers, as a share of their squares


class Moments(NamedTuple):
    """Of the values of X.

    Attributes
    ----------
    means : ndarray of shape (n_features,) or None
        Means of the features, if X is dense.
    spread : float or None
        Mean squared distance of the rows from `means`.
    variance : float
        Variance of all values around one mean.
    """

    means: np.ndarray | None
    spread: float | None
    variance: float


def moments_of(X) -> Moments:
    """Return the moments of a dense or CSR matrix."""
    n, d = X.shape
    if sp.issparse(X):
        mean = X.data.sum(dtype=np.float64) / (n * d)
        squares = np.square(X.data - mean).sum() + (n * d - X.data.size) * mean**2
        return Moments(None, None, _variance(squares / (n * d), mean))
    means = X.mean(axis=0, dtype=np.float64)
    mean = means.mean()
    squares = 0.0
    step = max(_BLOCK // d, 1)
    for start in range(0, n, step):
        squares += np.square(X[start : start + step] - means).sum()
    variance = squares / (n * d) + np.square(means - mean).mean()
    return Moments(means, squares / n, _variance(variance, mean))


def _variance(value, mean) -> float:
    return float(value) if value > _ROUNDING * mean**2 else 0.0
