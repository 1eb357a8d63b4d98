"""Newton steps on the weights that are not zero, between sweeps.

Where signs, or directions of groups, stay as they are, the penalty is smooth, and so is
the objective. Coordinates that are correlated need many sweeps there and one or two
Newton steps. A weight, or a group, that would change its sign is zero instead; sweeps
bring it back if that was wrong.
"""

import numpy as np
import scipy.sparse as sp

from ....machine.projection import Blocks

LARGEST = 2000  # order of a system
MOST_WORK = 2e9  # multiplications, for its matrix
LENGTHS = (1.0, 0.5, 0.25, 0.1)  # of a step, that are tried
RIDGE = 1e-9  # of the mean diagonal, for columns that are not independent


def newton_step(blocks: Blocks, X, W, penalties, grouped: bool, objective: float):
    """Return better weights and their objective, or None.

    Parameters
    ----------
    blocks : Blocks
        Of a smooth loss.
    X : csc_array or ndarray
        With the constant feature.
    W : ndarray of shape (features, columns)
    penalties : ndarray
        Of every feature.
    grouped : bool
        Whether the penalty is of whole features.
    objective : float
        Of W.
    """
    features = np.flatnonzero(W.any(axis=1))
    n, k = X.shape[0], W.shape[1]
    order = len(features) * k
    stored = X[:, features].nnz / n if sp.issparse(X) else len(features)
    work = n * stored**2 * k + order**3 / 3
    if not 0 < order <= LARGEST or work > MOST_WORK:
        return None
    A, w = X[:, features], W[features]
    A = sp.csr_array(A) if sp.issparse(A) else A
    slopes, matrix = _penalty(w, penalties[features], grouped)
    scores = A @ w
    u = blocks.loss_gradient(blocks.violations(scores))
    gradient = (slopes - A.T @ blocks.coefficients(u)).ravel()
    matrix += _loss_curvature(blocks, A, scores, u)
    kept = np.ones(order, bool) if grouped else (w != 0).ravel()
    matrix = matrix[np.ix_(kept, kept)]
    matrix[np.diag_indices_from(matrix)] += RIDGE * np.trace(matrix) / len(matrix)
    step = np.zeros(order)
    try:
        step[kept] = np.linalg.solve(matrix, gradient[kept])
    except np.linalg.LinAlgError:
        return None
    for length in LENGTHS:
        moved = w - length * step.reshape(w.shape)
        if grouped:
            turned = np.einsum("fm,fm->f", moved, w) <= 0
            moved[turned & (penalties[features] > 0)] = 0.0
            norms = np.sqrt(np.einsum("fm,fm->f", moved, moved))
        else:
            turned = moved * w < 0
            moved[turned & (penalties[features] > 0)[:, None]] = 0.0
            norms = np.abs(moved).sum(axis=1)
        losses = blocks.losses(blocks.violations(A @ moved))
        value = float(penalties[features] @ norms + losses)
        if value < objective:
            found = np.zeros_like(W)
            found[features] = moved
            return found, value
    return None


def _penalty(w, penalties, grouped: bool):
    """Return the slopes of the penalty, and the matrix of its second derivatives."""
    size, k = w.size, w.shape[1]
    if not grouped:
        return penalties[:, None] * np.sign(w), np.zeros((size, size))
    norms = np.sqrt(np.einsum("fm,fm->f", w, w))
    unit = w / norms[:, None]
    matrix = np.zeros((size, size))
    for f, (share, v) in enumerate(zip(penalties / norms, unit, strict=True)):
        at = slice(f * k, (f + 1) * k)
        matrix[at, at] = share * (np.eye(k) - np.outer(v, v))
    return penalties[:, None] * unit, matrix


def _loss_curvature(blocks: Blocks, A, scores, u) -> np.ndarray:
    """Second derivatives of the losses, of all features and columns."""
    d, k = A.shape[1], blocks.shape[1]
    matrix = np.zeros((d, k, d, k))
    weights = blocks.loss_weights
    if blocks.loss != "log":
        q = np.zeros(blocks.shape)
        curvature = blocks.loss_curvature(u)
        q[curvature.rows, curvature.classes] = curvature.q
        for m in range(k):
            matrix[:, m, :, m] = _gram(A, q[:, m])
        return matrix.reshape(d * k, d * k)
    p = u / weights[:, None]
    p[blocks.own] = 1 - p.sum(axis=1)
    for m in range(k):
        for other in range(m + 1):
            c = weights * p[:, m] * ((m == other) - p[:, other])
            both = _gram(A, c)
            matrix[:, m, :, other] = matrix[:, other, :, m] = both
    return matrix.reshape(d * k, d * k)


def _gram(A, weights) -> np.ndarray:
    """A^T diag(weights) A, of rows whose weights are not zero."""
    rows = np.flatnonzero(weights)
    A, weights = A[rows], weights[rows]
    if sp.issparse(A):
        return (A.T @ A.multiply(weights[:, None])).toarray()
    return A.T @ (weights[:, None] * A)
