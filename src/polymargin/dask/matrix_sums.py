"""Sums over matrices of the shape of W, a few rows at a time."""

from collections.abc import Iterator

import numpy as np

# Numbers of a matrix that are worked on at a time, so that they stay in a cache.
CACHED_NUMBERS = 2**15


def slices(matrix: np.ndarray) -> Iterator[slice]:
    step = max(1, CACHED_NUMBERS // matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield slice(start, start + step)


def row_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Inner products of rows, each as precise as the numbers, their sums more."""
    return np.einsum("ij,ij->i", a, b).astype(np.float64)


def row_squares(matrix: np.ndarray) -> np.ndarray:
    """In double precision: a certificate is made of them."""
    wide = matrix.astype(np.float64, copy=False)
    return row_products(wide, wide)


def square(matrix: np.ndarray, units: np.ndarray) -> float:
    """The sum of u m^2."""
    return sum(
        float(units[rows].ravel() @ row_squares(matrix[rows]))
        for rows in slices(matrix)
    )
