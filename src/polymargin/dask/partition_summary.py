"""What has to be known of all partitions before a problem can be stated."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from .partition_data import PartitionData

# Kinds of labels that can be compared with each other.
_KINDS = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers"}
_KINDS |= {"U": "text", "O": "objects"}


@dataclass(frozen=True)
class PartitionSummary:
    """What has to be known of a partition before the problem can be stated.

    Attributes
    ----------
    n_rows, n_features, nonzeros : int
    dtype : dtype
    labels : ndarray
        The different ones.
    label_weights : ndarray of float
        Sums of the sample weights of the rows with each label.
    checksum : int
        Tells partitions of other data apart.
    """

    n_rows: int
    n_features: int
    nonzeros: int
    dtype: np.dtype
    labels: np.ndarray
    label_weights: np.ndarray
    checksum: int


def summarise_partition(data: PartitionData) -> PartitionSummary:
    X = data.X
    values = X.data if sp.issparse(X) else np.ascontiguousarray(X)
    labels, inverse = np.unique(data.y, return_inverse=True)
    arrays = [values, inverse, data.weights]
    if sp.issparse(X):
        arrays += [X.indices, X.indptr]
    checksum = crc32(repr((X.shape, labels.tolist())).encode())
    for array in arrays:
        checksum = crc32(array, checksum)
    return PartitionSummary(
        *X.shape,
        X.nnz if sp.issparse(X) else X.size,
        X.dtype,
        labels,
        np.bincount(inverse, data.weights, len(labels)),
        checksum,
    )


def join_labels(summaries: Sequence[PartitionSummary]) -> tuple[np.ndarray, np.ndarray]:
    """Return all labels, and the sums of the weights of their rows."""
    filled = {number: s for number, s in enumerate(summaries) if s.n_rows}
    if not filled:
        raise ValueError("no partition has rows; give at least one that has.")
    _check_kinds({number: s.labels for number, s in filled.items()})
    labels = np.concatenate([summary.labels for summary in filled.values()])
    classes, places = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only in all partitions, {classes.tolist()[0]!r}; give at "
            f"least two."
        )
    weights = np.concatenate([summary.label_weights for summary in filled.values()])
    if not weights.any():
        raise ValueError(
            "sample_weight is zero in all partitions; give rows that count a weight."
        )
    return classes, np.bincount(places, weights, len(classes))


def _check_kinds(labels: dict[int, np.ndarray]) -> None:
    """Numbers and text would become text, and no label of a number would be found."""
    kinds = {number: _kind(found) for number, found in labels.items()}
    first = min(kinds)
    for number, kind in kinds.items():
        if kind != kinds[first]:
            raise ValueError(
                f"the labels of partition {number} are {kind}, those of partition "
                f"{first} {kinds[first]}; give all partitions the same."
            )


def _kind(labels: np.ndarray) -> str:
    if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
        return "text"
    return _KINDS.get(labels.dtype.kind, str(labels.dtype))


def common_width(summaries: Sequence[PartitionSummary]) -> int:
    """Return the number of features, which all partitions must agree on."""
    first = summaries[0].n_features
    for number, summary in enumerate(summaries):
        if summary.n_features != first:
            raise ValueError(
                f"partition {number} has {summary.n_features} features, partition 0 "
                f"has {first}; give all partitions the same."
            )
    return first
