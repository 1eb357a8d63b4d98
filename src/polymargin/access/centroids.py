"""Centroids of classes: which classes are near to a row, and which to each other."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .._core import core
from .csr import index_arrays
from .rows import Rows

# Of the square of a centroid's length, how much its largest numbers have to have; the
# many small ones cost time and decide little.
KEPT_SHARE = 0.9


@dataclass(frozen=True)
class Centroids:
    """Directions of the classes.

    Attributes
    ----------
    matrix : csr_array of shape (n_classes, n_features)
        Sums of the rows of each class, divided by their length; small numbers are zero.
    frequent : ndarray of int of shape (n_classes,)
        The classes, the one with the most rows first: the nearest to rows that share no
        feature with a centroid.
    """

    matrix: sp.csr_array
    frequent: np.ndarray

    @classmethod
    def of_rows(cls, X, labels, weights, n_classes: int) -> "Centroids":
        """Return those of rows with these labels and weights."""
        n = X.shape[0]
        members = sp.csr_array(
            (weights.astype(X.dtype), (labels, np.arange(n))), shape=(n_classes, n)
        )
        sums = sp.csr_array(members @ X)
        sums.sort_indices()
        counts = np.bincount(labels, weights, minlength=n_classes)
        frequent = np.argsort(-counts, kind="stable").astype(np.int32)
        return cls(_directions(_largest(sums)), frequent)

    def order(self, size: int, seed: int) -> np.ndarray:
        """Return an order of the classes in which every `size` of them are alike."""
        indices, indptr = self._indices(self.matrix)
        values, n_features = self.matrix.data, self.matrix.shape[1]
        return core.similar_order(indptr, indices, values, n_features, size, seed)

    def nearest(
        self, rows: Rows, count: int, threads: int, groups, own=None
    ) -> np.ndarray:
        """Return the groups of classes that are nearest to each row, ascending.

        Parameters
        ----------
        rows : Rows
            In the number format of the centroids.
        count : int
            How many for each row.
        threads : int
        groups : ndarray of int of shape (n_classes,)
            The group of each class. A group is as near as its nearest class.
        own : ndarray of int of shape (n_rows,) or None
            A group that each row has in any case.
        """
        ordered = groups[self.frequent]
        first = ordered[np.sort(np.unique(ordered, return_index=True)[1])]
        by_feature = self.matrix.T.tocsr()
        indices, indptr = self._indices(by_feature)
        whole = (
            np.ascontiguousarray(array, dtype=np.int32)
            for array in (groups, first, [] if own is None else own)
        )
        values = by_feature.data
        return core.nearest_groups(
            rows.core, indptr, indices, values, *whole, count, threads
        )

    @staticmethod
    def _indices(matrix) -> tuple[np.ndarray, np.ndarray]:
        return matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)


def listed_scores(rows: Rows, coef, intercept, classes, threads: int) -> np.ndarray:
    """Return the scores of the classes that are listed for each row.

    Parameters
    ----------
    rows : Rows
        In the number format of the weights, without a constant feature.
    coef : CSR matrix of shape (n_classes, n_features)
        With ascending indices.
    intercept : ndarray of shape (n_classes,)
    classes : ndarray of int32 of shape (n_rows, count)
    threads : int
    """
    indices, indptr = index_arrays(coef)
    return core.listed_scores(
        rows.core,
        indptr.astype(np.int64),
        indices.astype(np.int32),
        np.ascontiguousarray(coef.data),
        np.ascontiguousarray(intercept),
        np.ascontiguousarray(classes, dtype=np.int32),
        threads,
    )


def _largest(sums: sp.csr_array) -> sp.csr_array:
    """Of each row the largest numbers, up to a share of its squared length."""
    owner = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
    by_size = np.lexsort((-np.abs(sums.data), owner))
    squares = sums.data[by_size].astype(np.float64) ** 2
    before = np.cumsum(squares) - squares  # those of other rows, too
    lengths = np.bincount(owner, squares, minlength=sums.shape[0])
    begin = np.cumsum(lengths) - lengths
    enough = begin + KEPT_SHARE * lengths
    kept = np.sort(by_size[before <= enough[owner]])
    return sp.csr_array(
        (sums.data[kept], (owner[kept], sums.indices[kept])), shape=sums.shape
    )


def _directions(sums: sp.csr_array) -> sp.csr_array:
    """The rows divided by their lengths."""
    counts = np.diff(sums.indptr)
    owner = np.repeat(np.arange(sums.shape[0]), counts)
    squares = np.bincount(
        owner, sums.data.astype(np.float64) ** 2, minlength=sums.shape[0]
    )
    lengths = np.repeat(np.sqrt(squares), counts)
    values = np.divide(
        sums.data, lengths, where=lengths > 0, out=np.zeros_like(lengths)
    )
    parts = values.astype(sums.dtype), sums.indices, sums.indptr
    return sp.csr_array(parts, shape=sums.shape)
