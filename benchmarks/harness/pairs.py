"""LIBLINEAR on every pair of classes, called as LinearSVC does: no more is timed."""

from itertools import combinations

import numpy as np
import scipy.sparse as sp
from sklearn.svm import _liblinear

DUAL_HINGE = 3  # LIBLINEAR's number of the dual solver for the hinge loss


class PairsOfLiblinear:
    """One binary machine for each pair of classes, without intercept, at C = 1.

    Parameters
    ----------
    tol : float

    Attributes
    ----------
    coef_ : ndarray of shape (n_pairs, n_features)
        Pairs in the order (0, 1), (0, 2), ..., (1, 2), ...; positive for the second.
    """

    def __init__(self, tol: float):
        self.tol = tol

    def fit(self, X: sp.csr_matrix, y: np.ndarray):
        rows_of = [np.flatnonzero(y == label) for label in range(int(y.max()) + 1)]
        weights = []
        _liblinear.set_verbosity_wrap(0)
        for one, other in combinations(rows_of, 2):
            chosen = np.concatenate([one, other])
            positive = np.repeat([0.0, 1.0], [len(one), len(other)])
            raw, _ = _liblinear.train_wrap(
                sp.csr_matrix(X[chosen]),
                positive,
                True,  # sparse
                DUAL_HINGE,
                self.tol,
                -1.0,  # no intercept
                1.0,
                np.ones(2),
                20_000,
                0,
                0.1,
                np.ones(len(chosen)),
            )
            weights.append(raw.ravel())
        self.coef_ = np.stack(weights)
        return self

    def score(self, X, y: np.ndarray) -> float:
        """Share of rows whose label has the most votes, the lowest of those."""
        k = round((1 + (1 + 8 * len(self.coef_)) ** 0.5) / 2)
        votes = np.zeros((X.shape[0], k), dtype=int)
        second = np.asarray(X @ self.coef_.T) > 0
        for pair, (i, j) in enumerate(combinations(range(k), 2)):
            votes[:, j] += second[:, pair]
            votes[:, i] += ~second[:, pair]
        return float(np.mean(votes.argmax(axis=1) == y))
