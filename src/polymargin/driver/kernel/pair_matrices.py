"""Kernel matrices of pairs of classes, one at a time."""

import numpy as np

from ..._core import core
from ...access.gram import Gram
from ...access.symmetric_matrix import padded_to_packs


class PairMatrices:
    """Computes the kernel between the rows of two classes when it is asked for.

    What a class has with itself is computed once.

    Parameters
    ----------
    gram : Gram
        Of rows that come class after class.
    sizes : ndarray of int
        Rows of each class.

    Attributes
    ----------
    n_evaluations : int
        Kernel values computed so far.
    """

    def __init__(self, gram: Gram, sizes: np.ndarray):
        self.kernel = gram.kernel
        ends = np.cumsum(sizes)
        ranges = zip(ends - sizes, ends, strict=True)
        self.points = [gram.points.take(slice(first, last)) for first, last in ranges]
        self.pairs = np.column_stack(np.triu_indices(len(sizes), 1)).tolist()
        self.own: list[np.ndarray | None] = [None] * len(sizes)
        self.n_evaluations = 0

    def __call__(self, number: int) -> np.ndarray:
        """Return the kernel of the rows of a pair, padded as `symmetric_matrix` is."""
        a, b = self.pairs[number]
        first, n = len(self.points[a]), len(self.points[a]) + len(self.points[b])
        matrix = np.empty((n, padded_to_packs(n, self.kernel.dtype)), self.kernel.dtype)
        matrix[:, n:] = 0
        matrix[:first, :first] = self._own(a)
        matrix[first:, first:n] = self._own(b)
        matrix[first:, :first] = self.kernel(self.points[b], self.points[a])
        core.mirror(matrix, first, n)
        self.n_evaluations += first * (n - first)
        return matrix

    def _own(self, c: int) -> np.ndarray:
        if self.own[c] is None:
            self.own[c] = self.kernel(self.points[c], self.points[c])
            self.n_evaluations += self.own[c].size
        return self.own[c]
