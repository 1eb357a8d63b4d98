"""A partition: rows that stay where they are, and what a round leaves of them."""

from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..access import rows_of
from ..problem import Problem, state_problem
from ..row_parts import part_driver
from ..solver import constant_feature

# Where fewer of the features occur in a partition it keeps only their rows of W.
COMPACT_BELOW = 0.75


@dataclass(frozen=True)
class Block:
    """Rows, labels and weights of a partition, checked."""

    X: object
    y: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Summary:
    """What has to be known of all blocks before a problem can be stated.

    Attributes
    ----------
    n_rows, n_features, nonzeros : int
    dtype : dtype
    labels : ndarray
        The different ones.
    label_weights : ndarray of float
        Sums of the sample weights of the rows with each label.
    checksum : int
        Tells blocks of other data apart.
    """

    n_rows: int
    n_features: int
    nonzeros: int
    dtype: np.dtype
    labels: np.ndarray
    label_weights: np.ndarray
    checksum: int


def check_block(X, y, weights=None) -> Block:
    """Check what a user calls a partition. There may be no rows in it."""
    X = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=0,
        input_name="X",
    )
    y = column_or_1d(y)
    if weights is None:
        weights = np.ones(X.shape[0])
    weights = column_or_1d(weights, dtype=np.float64)
    check_consistent_length(X, y, weights)
    if len(y):
        check_classification_targets(y)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    return Block(X, y, weights)


def summarise(block: Block) -> Summary:
    X = block.X
    values = X.data if sp.issparse(X) else np.ascontiguousarray(X)
    labels, inverse = np.unique(block.y, return_inverse=True)
    arrays = [values, inverse, block.weights]
    if sp.issparse(X):
        arrays += [X.indices, X.indptr]
    checksum = crc32(repr((X.shape, labels.tolist())).encode())
    for array in arrays:
        checksum = crc32(array, checksum)
    return Summary(
        *X.shape,
        X.nnz if sp.issparse(X) else X.size,
        X.dtype,
        labels,
        np.bincount(inverse, block.weights, len(labels)),
        checksum,
    )


@dataclass(frozen=True)
class Partition:
    """A block as a part of a problem.

    Attributes
    ----------
    settings : estimator
        The local twin, for its parameters.
    X : ndarray or csr_array
        On the features that occur, if these are few.
    problem : Problem
    features : ndarray of int or None
        The rows of W that the partition needs, ascending; None for all.
    n_features : int
        Rows of W.
    constant : float
        The last feature of every row, beside those of X; none if zero.
    """

    settings: object
    X: object
    problem: Problem
    features: np.ndarray | None
    n_features: int
    constant: float

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_own_features(self) -> int:
        return self.n_features if self.features is None else len(self.features)

    @cached_property
    def _rows(self):
        """The rows for the core: checked once as long as they stay on a worker."""
        return rows_of(self.X, self.constant)

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_rows"}

    def driver(self, seed: int):
        """Return a fresh sequential driver of these rows."""
        dtype = self.X.dtype
        return part_driver(self.settings, self._rows, dtype, self.problem, seed)


def make_partition(block: Block, settings, machine, classes, by_class, dtype):
    """State the part of the problem that a block is."""
    X = block.X.astype(dtype, copy=False)
    n_features = X.shape[1] + settings.fit_intercept
    features = None
    if sp.issparse(X):
        X = sp.csr_array(X)
        occurring = np.unique(X.indices)
        if len(occurring) < COMPACT_BELOW * X.shape[1]:
            places = np.searchsorted(occurring, X.indices).astype(X.indices.dtype)
            shape = (X.shape[0], len(occurring))
            X = sp.csr_array((X.data, places, X.indptr), shape=shape)
            constant = [n_features - 1] if settings.fit_intercept else []
            features = np.concatenate([occurring, constant]).astype(np.int32)
    problem = state_problem(
        machine,
        np.searchsorted(classes, block.y),
        classes,
        settings.C,
        block.weights,
        by_class,
    )
    constant = constant_feature(settings)
    return Partition(settings, X, problem, features, n_features, constant)


@dataclass(frozen=True)
class Extent:
    """What a run has to know of its partitions, summed over them.

    Attributes
    ----------
    counts : ndarray of int
        How many have rows with this feature.
    squares : ndarray of float
        Of each feature, the sum of C_i x_i^2.
    n_rows : int
    """

    counts: np.ndarray
    squares: np.ndarray
    n_rows: int


def extent_of(partition: Partition) -> Extent:
    X, caps = partition.X, partition.problem.caps
    counts = np.zeros(partition.n_features, np.int32)
    squares = np.zeros(partition.n_features)
    if partition.n_rows:
        if partition.features is not None:
            counts[partition.features] = 1
        elif sp.issparse(X):
            counts[X.indices] = 1
        else:
            counts[:] = 1
        own = X.multiply(X).T @ caps if sp.issparse(X) else caps @ np.square(X)
        if partition.constant:
            counts[-1] = 1
            own = np.append(own, partition.constant**2 * caps.sum())
        squares[slice(None) if partition.features is None else partition.features] = own
    return Extent(counts, squares, partition.n_rows)


def add_extents(extents: list[Extent]) -> Extent:
    return Extent(
        np.sum([extent.counts for extent in extents], axis=0),
        np.sum([extent.squares for extent in extents], axis=0),
        sum(extent.n_rows for extent in extents),
    )


def mean_square(extent: Extent) -> float:
    """Return the mean of C_i |x_i|^2."""
    return float(extent.squares.sum()) / extent.n_rows


def features_of(partition: Partition) -> np.ndarray | None:
    """The rows of W that travel to a partition; None for all."""
    return partition.features
