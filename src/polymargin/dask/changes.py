"""What travels between partitions: changes of W, by rows, and sums beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

# A row that travels alone brings its number along; above this share of rows all of
# them travel, without numbers.
SPARSE_BELOW = 0.75


@dataclass(frozen=True)
class RowChange:
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


def as_change(values, features, n_features: int, dtype) -> RowChange:
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
        return RowChange(n_features, numbers.astype(np.int32), chosen)
    if features is not None:
        spread = np.zeros((n_features, values.shape[1]), dtype)
        spread[features] = values
        values = spread
    return RowChange(n_features, None, values.astype(dtype, copy=False))


def no_change(n_features: int, n_columns: int, dtype) -> RowChange:
    return RowChange(n_features, np.empty(0, np.int32), np.empty((0, n_columns), dtype))


def add_changes(changes: Sequence[RowChange]) -> RowChange:
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
    return RowChange(n_features, features, total)


@dataclass(frozen=True)
class Sums:
    """What a round knows of a partition, or of several together.

    Attributes
    ----------
    losses, terms : float
        Sums of C_i loss_i under the Z with which the round began, and of the dual terms
        of its dual variables: the primal without 1/2 |Z|^2, the dual without that of W.
    violation : float
        The largest at the beginning.
    moved_squares, own_squares : float
        Sums of |dW_k - beta (dW_k before)|^2, with the momentum beta, and of |W_k|^2 of
        what the partitions' own dual variables add to W; the latter only if measured.
    visits, moves : int
    bytes : int
        Size of the changes sent.
    """

    losses: float = 0.0
    terms: float = 0.0
    violation: float = 0.0
    moved_squares: float = 0.0
    own_squares: float = 0.0
    visits: int = 0
    moves: int = 0
    bytes: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        added = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
        }
        added["violation"] = max(self.violation, other.violation)
        return Sums(**added)


@dataclass(frozen=True)
class Message:
    """A change of W and the sums beside it: what is added up over the tree."""

    change: RowChange
    sums: Sums


def add_messages(messages: Sequence[Message]) -> Message:
    """One node of the tree."""
    change = add_changes([message.change for message in messages])
    return Message(change, sum((message.sums for message in messages), Sums()))
