"""A kernel with a constant added: the machine then has an intercept."""

import numpy as np

from .kernel_base import Kernel


class ShiftedKernel(Kernel):
    """k(x, y) + constant.

    In the space of the kernel every point has one more coordinate, the root of the
    constant. Its weight is an intercept, which is penalised like the other weights.

    Parameters
    ----------
    plain : Kernel
    constant : float
    """

    def __init__(self, plain: Kernel, constant: float):
        self._plain, self.constant = plain, constant
        self.dtype, self.sparse = plain.dtype, plain.sparse
        self.gamma_ = plain.gamma_

    @property
    def plain(self):
        """The kernel without the constant."""
        return self._plain

    def points(self, X):
        """Prepare the rows of `X`."""
        return self.plain.points(X)

    def placed(self, rows):
        """Return points at `rows`."""
        return self.plain.placed(rows)

    def rows(self, points):
        """Return the rows that points were made of."""
        return self.plain.rows(points)

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        # Not in place: what a function of the user returned may be the user's.
        return np.add(self.plain(left, right), self.constant, dtype=self.dtype)

    def diagonal(self, points):
        """Return the kernel of every point with itself."""
        return np.add(self.plain.diagonal(points), self.constant, dtype=self.dtype)

    def check_finite(self, points):
        """Raise if values between points are beyond the number format."""
        self.plain.check_finite(points)

    def nodes(self, graph, points):
        """Add the kernel of the rows with `points` to an ONNX graph."""
        values = self.plain.nodes(graph, points)
        return graph.node("Add", values, graph.constant(self.constant))
