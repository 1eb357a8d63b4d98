"""The kernel of points with each other, of which one half is computed."""

from time import perf_counter

import numpy as np

from .._core import core
from ..base.threads import on_threads
from .kernel_base import Kernel
from .precomputed import Positions

_BLOCK = 512  # rows that a thread computes at a time
_WIDTH = 1024  # columns of a tile, which finds room near the processor


def padded_to_packs(n: int, dtype) -> int:
    """Return how many columns a row of n values has in whole vectors of the core."""
    lanes = core.vector_bytes // np.dtype(dtype).itemsize
    return -(-n // lanes) * lanes


def symmetric_matrix(
    kernel: Kernel, points, threads: int, end: float = float("inf")
) -> np.ndarray | None:
    """Return the kernel of all points with each other.

    Parameters
    ----------
    kernel : Kernel
    points : Points, Positions or ChosenPoints
    threads : int
        The matrix does not depend on it, as long as BLAS is on one thread.
    end : float
        Of the time that there is.

    Returns
    -------
    matrix : ndarray of shape (n_points, columns) or None
        Columns behind those of the points are zero; there are as many as fill up the
        vectors of the core. None if the time was over before. Not to be changed: it
        is where the points were looked up if it is there as it has to be.
    """
    n = len(points)
    shape = n, padded_to_packs(n, kernel.dtype)
    if isinstance(points, Positions) and points.is_run:
        given = points.matrix
        if given.shape == shape and given.flags.c_contiguous:
            return given
    matrix = np.empty(shape, dtype=kernel.dtype)
    matrix[:, n:] = 0

    def fill(first: int) -> bool:
        if perf_counter() >= end:
            return False
        last = min(first + _BLOCK, n)
        rows = points.take(slice(first, last))
        for start in range(0, last, _WIDTH):
            columns = slice(start, min(start + _WIDTH, last))
            matrix[first:last, columns] = kernel(rows, points.take(columns))
        core.mirror(matrix, first, last)
        return True

    # The longest first: the last ones are short, and threads end together.
    blocks = reversed(range(0, n, _BLOCK))
    return matrix if all(on_threads(fill, blocks, threads)) else None
