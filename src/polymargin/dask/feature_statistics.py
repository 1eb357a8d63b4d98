"""What a run has to know of the features of its partitions."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .partition import Partition


@dataclass(frozen=True)
class FeatureStatistics:
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


def statistics_of(partition: Partition) -> FeatureStatistics:
    X, loss_weights = partition.X, partition.problem.loss_weights
    counts = np.zeros(partition.n_features, np.int32)
    squares = np.zeros(partition.n_features)
    if partition.n_rows:
        if partition.features is not None:
            counts[partition.features] = 1
        elif sp.issparse(X):
            counts[X.indices] = 1
        else:
            counts[:] = 1
        own = (
            X.multiply(X).T @ loss_weights
            if sp.issparse(X)
            else loss_weights @ np.square(X)
        )
        bias = partition.options.bias
        if bias:
            counts[-1] = 1
            own = np.append(own, bias**2 * loss_weights.sum())
        squares[slice(None) if partition.features is None else partition.features] = own
    return FeatureStatistics(counts, squares, partition.n_rows)


def add_statistics(parts: list[FeatureStatistics]) -> FeatureStatistics:
    return FeatureStatistics(
        np.sum([found.counts for found in parts], axis=0),
        np.sum([found.squares for found in parts], axis=0),
        sum(found.n_rows for found in parts),
    )


def mean_square(statistics: FeatureStatistics) -> float:
    """Return the mean of C_i |x_i|^2."""
    return float(statistics.squares.sum()) / statistics.n_rows
