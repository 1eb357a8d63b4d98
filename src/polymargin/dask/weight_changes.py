"""What travels between partitions: changes of W, of which many rows may be zero."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# A row that travels alone brings its number along; above this share of rows all of
# them travel, without numbers.
SPARSE_BELOW = 0.75


@dataclass(frozen=True)
class WeightChange:
    """A matrix of the shape of W, of which perhaps only some rows are not zero.

    Attributes
    ----------
    n_features : int
        Rows of W.
    features : ndarray of int or None
        Numbers of the rows, ascending; None for all rows.
    values : ndarray of shape (n_rows, n_columns)
    """

    n_features: int
    features: np.ndarray | None
    values: np.ndarray

    @property
    def nbytes(self) -> int:
        numbers = 0 if self.features is None else self.features.nbytes
        return numbers + self.values.nbytes

    def rows(self, features: np.ndarray | None) -> np.ndarray:
        """Return the rows of these features; None for all."""
        if self.features is None:
            return self.values if features is None else self.values[features]
        if features is None:
            features = np.arange(self.n_features)
        found = np.zeros((len(features), self.values.shape[1]), self.values.dtype)
        if len(self.features):
            places = np.searchsorted(self.features, features)
            places[places == len(self.features)] = 0
            there = self.features[places] == features
            found[there] = self.values[places[there]]
        return found


def pack_change(values, features, n_features: int, dtype) -> WeightChange:
    """Return a change without its zero rows, if that is less to send.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    features : ndarray of int or None
        Numbers of the rows in W; None if there are all.
    n_features : int
    dtype : dtype
        Number format in which it travels.
    """
    touched = np.flatnonzero(values.any(axis=1))
    if len(touched) < SPARSE_BELOW * n_features:
        numbers = touched if features is None else features[touched]
        chosen = values[touched].astype(dtype, copy=False)
        return WeightChange(n_features, numbers.astype(np.int32), chosen)
    if features is not None:
        spread = np.zeros((n_features, values.shape[1]), dtype)
        spread[features] = values
        values = spread
    return WeightChange(n_features, None, values.astype(dtype, copy=False))


def no_change(n_features: int, n_columns: int, dtype) -> WeightChange:
    return WeightChange(
        n_features, np.empty(0, np.int32), np.empty((0, n_columns), dtype)
    )


def add_changes(changes: Sequence[WeightChange]) -> WeightChange:
    """Return the sum, added in the order given."""
    if len(changes) == 1:
        return changes[0]
    first = changes[0]
    n_features, dtype = first.n_features, first.values.dtype
    features = None
    if all(change.features is not None for change in changes):
        features = np.unique(np.concatenate([change.features for change in changes]))
        if len(features) >= SPARSE_BELOW * n_features:
            features = None
    n_rows = n_features if features is None else len(features)
    total = np.zeros((n_rows, first.values.shape[1]), dtype)
    for change in changes:
        if change.features is None:
            total += change.values
        elif features is None:
            total[change.features] += change.values
        else:
            total[np.searchsorted(features, change.features)] += change.values
    return WeightChange(n_features, features, total)
