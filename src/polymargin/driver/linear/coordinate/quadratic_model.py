"""Quadratic models of smooth losses: what a proximal Newton step minimises.

    G . S + 1/2 S . (H + D) S + penalty(W + S)

is what a step S of the weights W changes, with the gradient G of the losses and their
second derivatives H. D is a diagonal matrix, the damping: it keeps steps short where
losses hardly bend at W but would farther away. H is used through the columns of the
rows, or as a matrix where that is small and soon computed.
"""

import numpy as np
import scipy.sparse as sp

from ...._core import core
from ....machine.projection import Blocks
from .penalty import Penalty

SHARE = 0.05  # of what sweeps gain, that may be left
MOST_VALUES = 8e6  # of the matrix
PAYS = 50  # sweeps over the columns, that computing the matrix may cost
DENSE_SPEED = 20  # products of dense matrices, over steps of coordinates


class ColumnModel:
    """The model by the columns of the rows.

    Parameters
    ----------
    X : csc_array or Fortran-ordered ndarray
        Of the features that are to change.
    slopes : ndarray of shape (n_samples, columns)
        Derivatives of the losses with respect to the scores.
    bends, shares : ndarray
        Second derivatives of scores; if there are shares of rows, they are
        diag(p) - p p^T times the share, p = bends.
    damping : ndarray
        Of every feature.
    """

    sweeps, products = 10, 10  # of a descent, and of a Newton step

    def __init__(self, X, slopes, bends, shares, damping):
        self.X, self.slopes = X, np.ascontiguousarray(slopes)
        self.bends, self.shares, self.damping = bends, shares, damping
        self.steps = np.zeros((X.shape[1], slopes.shape[1]))
        if sp.issparse(X):
            starts, rows = X.indptr.astype(np.int64), X.indices.astype(np.int32)
            self.columns = X.data, starts, rows
        else:
            none = np.zeros(0, np.int64), np.zeros(0, np.int32)
            self.columns = X.ravel(order="F"), *none

    def gradient(self) -> np.ndarray:
        """Of the model, where the steps so far have led."""
        return self.X.T @ self.slopes + self.damping[:, None] * self.steps

    def _by_score(self, changes) -> np.ndarray:
        if not len(self.shares):
            return self.bends * changes
        mean = np.einsum("im,im->i", self.bends, changes)[:, None]
        return self.shares[:, None] * self.bends * (changes - mean)

    def product(self, step) -> np.ndarray:
        """(H + D) S."""
        of_losses = self.X.T @ self._by_score(self.X @ step)
        return of_losses + self.damping[:, None] * step

    def diagonal(self) -> np.ndarray:
        """Of H + D, or above it."""
        weights = self.shares[:, None] * self.bends if len(self.shares) else self.bends
        squares = self.X.power(2) if sp.issparse(self.X) else self.X * self.X
        return squares.T @ weights + self.damping[:, None]

    def move(self, step) -> None:
        """Take a step."""
        self.slopes += self._by_score(self.X @ step)
        self.steps += step

    def descend(self, W, penalty: Penalty) -> float:
        """Change weights feature by feature; return by how much the model falls."""
        return core.descend_columns(
            *self.columns,
            self.slopes,
            self.bends,
            self.shares,
            self.damping,
            self.steps,
            penalty.kind,
            penalty.terms,
            W,
            self.sweeps,
            SHARE,
        )


class GramModel:
    """The model by its matrix, of losses that are sums over classes.

    Parameters are those of `ColumnModel`.
    """

    sweeps, products = 30, 100

    def __init__(self, X, slopes, bends, damping):
        self.gradients = np.ascontiguousarray((X.T @ slopes).T)
        self.gram = _gram(X, bends)
        diagonal = np.arange(X.shape[1])
        self.gram[:, diagonal, diagonal] += damping

    def gradient(self) -> np.ndarray:
        """Of the model, where the steps so far have led."""
        return self.gradients.T

    def product(self, step) -> np.ndarray:
        """(H + D) S."""
        return np.matmul(self.gram, step.T[:, :, None])[:, :, 0].T

    def diagonal(self) -> np.ndarray:
        """Of H + D."""
        return np.diagonal(self.gram, axis1=1, axis2=2).T

    def move(self, step) -> None:
        """Take a step."""
        self.gradients += self.product(step).T

    def descend(self, W, penalty: Penalty) -> float:
        """Change weights feature by feature; return by how much the model falls."""
        return core.descend_gram(
            self.gram,
            self.gradients,
            penalty.kind,
            penalty.terms,
            W,
            self.sweeps,
            SHARE,
        )


def quadratic_model(blocks: Blocks, X, u, damping: float):
    """Return the model of the losses whose gradient, by violations, is `u`.

    `damping` is that of a feature over the largest curvature it could have.
    """
    slopes = -blocks.coefficients(u)
    bends, shares, most = _curvature(blocks, u)
    squares = X.power(2) if sp.issparse(X) else X * X
    damping = damping * (squares.T @ most)
    if not len(shares) and _gram_pays(X, slopes.shape[1]):
        return GramModel(X, slopes, bends, damping)
    return ColumnModel(X, slopes, bends, shares, damping)


def _curvature(blocks: Blocks, u):
    """Return bends and shares of a `ColumnModel`, and the largest a row could have."""
    C = blocks.loss_weights
    weights = C[:, None]
    if blocks.loss == "squared_hinge":
        return np.where(u > 0, 2 * weights, 0.0), np.zeros(0), 2 * C
    p = u / weights
    if blocks.loss == "logistic":
        return u * (1 - p), np.zeros(0), C / 4
    p[blocks.own] = 1 - p.sum(axis=1)
    return p, C, C / 4


def _gram_pays(X, classes: int) -> bool:
    """Whether the matrix is small, and costs no more than sweeps over the columns."""
    n, d = X.shape
    if d * d * classes > MOST_VALUES:
        return False
    if sp.issparse(X):
        return X.nnz / n <= PAYS
    return d <= PAYS * DENSE_SPEED


def _gram(X, bends) -> np.ndarray:
    """X^T diag(bends) X of every class."""
    d, classes = X.shape[1], bends.shape[1]
    gram = np.empty((classes, d, d))
    by_rows = sp.csr_array(X) if sp.issparse(X) else X
    for m in range(classes):
        rows = np.flatnonzero(bends[:, m])
        root, some = np.sqrt(bends[rows, m])[:, None], by_rows[rows]
        if sp.issparse(X):
            scaled = some.multiply(root).tocsr()
            gram[m] = (scaled.T @ scaled).toarray()
        else:
            scaled = root * some
            gram[m] = scaled.T @ scaled
    return gram
