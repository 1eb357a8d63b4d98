"""Scores of sparse rows under a dense model: SciPy's product, shared by threads."""

import numpy as np

from ..base.threads import on_threads

_ROWS_AT_ONCE = 2**11
_FEATURES_AT_ONCE = 2**12


def linear_scores(X, coef: np.ndarray, intercept, threads: int) -> np.ndarray:
    """Return ``X @ coef.T + intercept``, the same for any number of threads.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)
    coef : ndarray of shape (n_columns, n_features)
    intercept : ndarray of shape (n_columns,) or float
    threads : int

    Returns
    -------
    scores : ndarray of shape (n_samples, n_columns)
    """
    weights = np.empty(coef.shape[::-1], dtype=coef.dtype)  # as SciPy would copy them
    scores = np.empty((X.shape[0], len(coef)), dtype=np.result_type(X, coef))

    def turn(begin):
        features = slice(begin, begin + _FEATURES_AT_ONCE)
        weights[features] = coef[:, features].T

    def multiply(begin):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        scores[rows] = X[rows] @ weights
        scores[rows] += intercept

    on_threads(turn, range(0, len(weights), _FEATURES_AT_ONCE), threads)
    on_threads(multiply, range(0, len(scores), _ROWS_AT_ONCE), threads)
    return scores
