"""What a user calls a partition: rows, labels and weights, checked."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..base.finite import are_weights


@dataclass(frozen=True)
class PartitionData:
    """Rows, labels and weights of a partition, checked."""

    X: object
    y: np.ndarray
    weights: np.ndarray


def check_partition_data(X, y, weights=None) -> PartitionData:
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
    if not are_weights(weights):
        raise ValueError("sample_weight must be finite and not negative.")
    return PartitionData(X, y, weights)
