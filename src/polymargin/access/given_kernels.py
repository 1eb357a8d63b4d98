"""Kernels whose values come from the user: a function, or a matrix."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from .kernel_base import Kernel
from .kernel_points import finite
from .precomputed import Positions, check_dense

_BLOCK = 64  # rows at a time where only a diagonal is wanted


class CallableKernel(Kernel):
    """f(A, B), an array of the kernels of rows of A with rows of B."""

    def __init__(self, X, function: Callable):
        super().__init__(X)
        self.function = function

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        tile = self.function(left.rows, right.rows)
        tile = tile.toarray() if sp.issparse(tile) else tile
        tile = np.ascontiguousarray(tile, dtype=self.dtype)
        if tile.shape != (len(left), len(right)):
            raise ValueError(
                f"kernel={self.function!r} returned an array of shape {tile.shape} for "
                f"{len(left)} and {len(right)} rows; it must return one value per pair."
            )
        return finite(tile, f"What kernel={self.function!r} returned")

    def diagonal(self, points):
        """Return the kernel of every point with itself."""
        values = np.empty(len(points), dtype=self.dtype)
        for start in range(0, len(points), _BLOCK):
            block = points.take(slice(start, start + _BLOCK))
            values[start : start + _BLOCK] = self(block, block).diagonal()
        return values

    def nodes(self, graph, points):
        """Say that code is no graph."""
        raise ValueError(
            f"kernel={self.function!r} is code, which ONNX does not know; use a "
            f"kernel by its name."
        )


class PrecomputedKernel(Kernel):
    """Looked up: `X` holds the kernel of its points with all points of the training."""

    def rows(self, points):
        """Return no rows: the kernel does not know them."""
        return np.empty((0, 0), dtype=self.dtype)

    def points(self, X) -> Positions:
        """Prepare the rows of `X`: the points of the training are its columns."""
        check_dense(X)
        return Positions(np.asarray(X, dtype=self.dtype), np.arange(len(X)))

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        if right.is_run:  # ten times as fast as one by one
            return left.matrix[left.at, right.at[0] : right.at[-1] + 1]
        return left.matrix[np.ix_(left.at, right.at)]

    def nodes(self, graph, points):
        """Add the kernel of the rows with `points`, which the rows hold."""
        at = graph.constant(points.at, np.int64)
        return graph.node("Gather", graph.rows, at, axis=1)

    def diagonal(self, points):
        """Return the kernel of every point of the training with itself."""
        return np.maximum(points.matrix[points.at, points.at], 0)
