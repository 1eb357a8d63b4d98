"""E^T J E of blocks, whose J is a diagonal matrix with a rank-one term."""

import numpy as np

from ...machine.projection import Blocks, Curvature


def coefficient_rows(blocks: Blocks, rows, classes) -> np.ndarray:
    """Return the rows of E that belong to variables."""
    E = np.zeros((len(rows), blocks.shape[1]))
    every = np.arange(len(rows))
    if blocks.relative:
        E[every, blocks.labels[rows]] = 1
        E[every, classes] -= 1
        return E
    E[every, classes] = blocks.signs[rows, classes]
    if blocks.centred:
        E -= E.mean(axis=1, keepdims=True)
    return E


def factor_rows(blocks: Blocks, curvature: Curvature) -> np.ndarray:
    """Return the rows of L^T E, for J = L L^T.

    With s = r / sqrt(q), ``L^T = (I - delta s s^T) diag(sqrt(q))`` where
    ``delta = (1 - sqrt(1 - gamma |s|^2)) / |s|^2``.
    """
    rows, classes, q, r, gamma = curvature
    E = coefficient_rows(blocks, rows, classes)
    C = np.sqrt(q)[:, None] * E
    if not gamma.any():
        return C
    s = r / np.sqrt(q)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    square = np.add.reduceat(s * s, starts)
    rest = np.maximum(1 - gamma[rows[starts]] * square, 0)
    delta = (1 - np.sqrt(rest)) / square
    b = np.add.reduceat(r[:, None] * E, starts)
    counts = np.diff(starts, append=len(rows))
    return C - s[:, None] * np.repeat(delta[:, None] * b, counts, axis=0)


class CurvatureOperator:
    """E^T J E of some rows, applied to their scores."""

    def __init__(self, blocks: Blocks, curvature: Curvature, rows):
        self.blocks = blocks
        position = np.searchsorted(rows, curvature.rows)
        shape = len(rows), blocks.shape[1]
        self.q, self.r = np.zeros(shape), np.zeros(shape)
        self.q[position, curvature.classes] = curvature.q
        self.r[position, curvature.classes] = curvature.r
        self.gamma = curvature.gamma[rows][:, None]
        self.every = np.arange(len(rows))
        self.labels = blocks.labels[rows]
        self.signs = None if blocks.relative else blocks.signs[rows]

    def __call__(self, scores):
        """Return E^T J E s, row by row."""
        if self.blocks.centred:
            scores = scores - scores.mean(axis=1, keepdims=True)
        if self.signs is None:
            y = scores[self.every, self.labels][:, None] - scores
        else:
            y = self.signs * scores
        u = self.q * y
        if self.gamma.any():
            u -= self.gamma * self.r * np.einsum("im,im->i", self.r, y)[:, None]
        if self.signs is None:
            b = -u
            b[self.every, self.labels] += u.sum(axis=1)
            return b
        b = self.signs * u
        return b - b.mean(axis=1, keepdims=True) if self.blocks.centred else b

    def diagonal(self):
        """Return the diagonals of E^T diag(q) E: an upper bound of those of E^T J E."""
        diagonal = self.q.copy()
        if self.signs is None:
            diagonal[self.every, self.labels] += self.q.sum(axis=1)
        return diagonal
