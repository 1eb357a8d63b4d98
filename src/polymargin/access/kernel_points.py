"""Points as kernels know them: rows prepared once, of which any can be taken."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .._core import core
from ..base.finite import all_finite


@dataclass(frozen=True)
class Points:
    """Rows, and what a kernel needs of each of them.

    Attributes
    ----------
    rows : C-ordered ndarray or csr_array
    norms : ndarray or None
        gamma |x|^2 of each row, if the kernel is a function of distances.
    """

    rows: np.ndarray | sp.csr_array
    norms: np.ndarray | None = None

    def __len__(self) -> int:
        return self.rows.shape[0]

    def take(self, chosen) -> "Points":
        """Return the points at `chosen`, an array of indices or a slice."""
        rows = self.rows[chosen]
        if not sp.issparse(rows):
            rows = np.ascontiguousarray(rows)
        norms = self.norms
        return Points(
            rows, None if norms is None else np.ascontiguousarray(norms[chosen])
        )

    def keep(self, chosen) -> "Points":
        """Return the points at `chosen` for a model, which is asked for tiles with
        new points on the left and these on the right.
        """
        return self.take(chosen)

    def choose(self, chosen) -> "ChosenPoints":
        """Return the points at `chosen`, an array of indices, without a copy."""
        return ChosenPoints(self, chosen)


@dataclass(frozen=True)
class ChosenPoints:
    """Some of many points, copied only where they are taken.

    Attributes
    ----------
    points : Points
    at : ndarray of int
    """

    points: Points
    at: np.ndarray

    @property
    def rows(self):
        """A copy of all of them."""
        return self.points.rows[self.at]

    def __len__(self) -> int:
        return len(self.at)

    def take(self, chosen) -> Points:
        """Return the points at `chosen`, an array of indices or a slice."""
        return self.points.take(self.at[chosen])

    def choose(self, chosen) -> "ChosenPoints":
        """Return the points at `chosen`, an array of indices, without a copy."""
        return ChosenPoints(self.points, self.at[chosen])


def products(left, right) -> np.ndarray:
    """Return the products of the rows of `left` with those of `right`, dense."""
    if not sp.issparse(left):
        return np.matmul(left, right.T)
    columns = right.T.tocsr()
    starts_and_indices = left.indices, left.indptr, columns.indices, columns.indptr
    index = np.result_type(*starts_and_indices)
    left_at, left_starts, right_at, right_starts = (
        array.astype(index, copy=False) for array in starts_and_indices
    )
    tile = np.empty((left.shape[0], right.shape[0]), dtype=left.dtype)
    core.sparse_products(
        left.data, left_at, left_starts, columns.data, right_at, right_starts, tile
    )
    return tile


def square_norms(rows) -> np.ndarray:
    """Return |x|^2 of rows in double precision."""
    if sp.issparse(rows):
        of_value = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        squares = np.square(rows.data, dtype=np.float64)
        return np.bincount(of_value, weights=squares, minlength=rows.shape[0])
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)


def finite(values: np.ndarray, what: str) -> np.ndarray:
    """Return `values`, or say that they are not finite."""
    if not all_finite(values):
        raise ValueError(
            f"{what} is infinite or not a number in {values.dtype}; scale X, choose "
            f"other parameters of the kernel, or use float64."
        )
    return values
