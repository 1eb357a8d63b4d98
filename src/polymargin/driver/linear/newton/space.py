"""Weights of features, for rows that are there in double precision."""

import numpy as np

from .system import NewtonSystem


class RowSpace:
    """The space of the features; a `Space` of proximal Newton steps.

    Parameters
    ----------
    X : ndarray or CSR array of float64
        Rows with the constant feature, if there is one.
    """

    def __init__(self, X):
        self.X = X
        self.operations = 0.0
        self._entries = float(X.nnz if hasattr(X, "nnz") else X.size)

    def system(self, blocks, poll) -> NewtonSystem:
        """Return what solves the Newton systems."""
        return NewtonSystem(self.X, blocks, poll)

    def mean_square(self) -> float:
        """The mean of |x_i|^2."""
        squares = self.X.multiply(self.X) if hasattr(self.X, "multiply") else self.X**2
        return float(squares.sum() / self.X.shape[0]) or 1.0  # if squares are too small

    def weights(self, coefficients) -> np.ndarray:
        """sum_i x_i b_i."""
        self.operations += self._entries * coefficients.shape[1]
        return self.X.T @ coefficients

    def scores(self, W) -> np.ndarray:
        """X W."""
        self.operations += self._entries * W.shape[1]
        return self.X @ W

    def anew(self, W):
        """W and its scores."""
        return W, self.scores(W)

    def inner(self, V, W) -> float:
        """The sum of all products of entries."""
        return np.vdot(V, W)

    def largest(self, W) -> float:
        """The largest entry, without its sign."""
        return float(np.abs(W).max(initial=0))
