"""Weights in the space of a kernel: coefficients of the examples, and their scores.

Weights are an array of two parts, ``W[0]`` the coefficients b of all examples and
``W[1] = K b`` their scores, so that sums of weights know their scores, and the inner
product of V and W is the sum of all products of ``V[0]`` and ``W[1]``.
"""

import numpy as np

from .kernel_rows import KernelRows
from .system import KernelSystem

# Additions after which scores are summed up again.
_ADDITIONS = 30


class KernelSpace:
    """The space of a kernel; a `Space` of proximal Newton steps.

    Parameters
    ----------
    rows : KernelRows
    room : float
        Numbers that the matrices of a Newton system may have together.
    """

    def __init__(self, rows: KernelRows, room: float):
        self.rows, self.room = rows, room
        self.operations = 0.0
        self._last = None  # the weights that were asked for last
        self._additions = 0  # that they are made of

    def system(self, blocks, poll) -> KernelSystem:
        """Return what solves the Newton systems."""
        return KernelSystem(self, blocks, poll)

    def mean_square(self) -> float:
        """The mean of K(x_i, x_i)."""
        return float(np.mean(self.rows.gram.diagonal(), dtype=np.float64)) or 1.0

    def weights(self, coefficients) -> np.ndarray:
        """The weights with these coefficients, by what has changed since the last."""
        support = np.flatnonzero(coefficients.any(axis=1))
        if self._last is not None and self._additions < _ADDITIONS:
            difference = coefficients - self._last[0]
            changed = np.flatnonzero(difference.any(axis=1))
            if 2 * len(changed) <= len(support):
                self._additions += 1
                scores = self._last[1] + self.combine(changed, difference[changed])
                self._last = np.stack([coefficients, scores])
                return self._last
        self._additions = 0
        scores = self.combine(support, coefficients[support])
        self._last = np.stack([coefficients, scores])
        return self._last

    def combine(self, examples, coefficients) -> np.ndarray:
        """Scores of all examples, if these ones have coefficients."""
        self.operations += float(len(examples)) * coefficients.shape[1] * len(self)
        return self.rows.combine(examples, coefficients)

    def __len__(self) -> int:
        return len(self.rows.gram)

    def scores(self, W) -> np.ndarray:
        """The scores, which weights know."""
        return W[1]

    def anew(self, W):
        """W and its scores, summed up again."""
        support = np.flatnonzero(W[0].any(axis=1))
        W = np.stack([W[0], self.combine(support, W[0][support])])
        return W, W[1]

    def inner(self, V, W) -> float:
        """b^T K c, of coefficients b of V and c of W."""
        return np.vdot(V[0], W[1])

    def largest(self, W) -> float:
        """The largest score, without its sign."""
        return float(np.abs(W[1]).max(initial=0))
