"""From Dask collections to partitions: one delayed (X, y[, weights]) for each."""

from collections.abc import Sequence

import numpy as np
from dask import delayed, is_dask_collection
from dask.delayed import Delayed
from sklearn.utils.validation import _check_feature_names, _check_n_features

from .partition_data import PartitionData, check_partition_data


def is_frame(collection) -> bool:
    """Whether it is a Dask data frame (or series): partitions and names of columns."""
    return (
        is_dask_collection(collection)
        and hasattr(collection, "npartitions")
        and hasattr(collection, "divisions")
    )


def is_array(collection) -> bool:
    return (
        is_dask_collection(collection)
        and hasattr(collection, "chunks")
        and hasattr(collection, "numblocks")
    )


def is_delayed_list(collection) -> bool:
    """Whether it is a list of delayed objects, one for each partition."""
    return isinstance(collection, Sequence) and all(
        isinstance(part, Delayed) for part in collection
    )


def delayed_partitions(X, y=None, sample_weight=None) -> list[Delayed]:
    """Return one delayed `PartitionData` for each partition.

    Parameters
    ----------
    X : Dask array, Dask data frame or list of Delayed
        Delayed objects are tuples (X, y) or (X, y, weights).
    y, sample_weight : Dask array or series, or None

    Returns
    -------
    parts : list of Delayed
    """
    if is_delayed_list(X):
        if y is not None or sample_weight is not None:
            raise TypeError(
                "y and sample_weight must be None if X is a list of delayed "
                "partitions; make each partition a tuple (X, y) or (X, y, weights)."
            )
        if not X:
            raise ValueError("X is a list without partitions; give at least one.")
        return [delayed(_check_part, pure=False)(part) for part in X]
    columns = [_partitions_of("X", X)]
    if y is None:
        raise TypeError("y is None; give the labels in as many partitions as X has.")
    if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
        raise ValueError(
            f"y has {y.shape[1]} columns, and several labels a row are not trained on "
            f"partitions; give one label a row, or use LinearSVM on rows in memory."
        )
    columns.append(_partitions_like("y", y, X))
    if sample_weight is not None:
        columns.append(_partitions_like("sample_weight", sample_weight, X))
    check = delayed(check_partition_data, pure=False)
    return [check(*parts) for parts in zip(*columns, strict=True)]


def feature_names(X) -> np.ndarray | None:
    """Return the names of the columns of a data frame, if all are text."""
    if not is_frame(X):
        return None
    names = np.asarray(X.columns, dtype=object)
    return names if all(isinstance(name, str) for name in names) else None


def check_features(model, X) -> None:
    """Check what is known of new collections before any of their rows is read."""
    if is_frame(X):
        _check_feature_names(model, X._meta, reset=False)
        _check_n_features(model, X._meta, reset=False)
    elif is_array(X):
        _check_chunks("X", X)
        _check_n_features(model, X, reset=False)


def _check_part(part) -> PartitionData:
    if not isinstance(part, tuple | list) or len(part) not in (2, 3):
        raise ValueError(
            "a delayed partition must be a tuple (X, y) or (X, y, weights), got "
            f"{type(part).__name__}."
        )
    return check_partition_data(*part)


def _partitions_of(name: str, collection) -> list[Delayed]:
    """The partitions of a collection, each with all columns."""
    if is_frame(collection):
        return list(collection.to_delayed())
    if not is_array(collection):
        raise TypeError(
            f"{name} is of type {type(collection).__name__}; give a Dask array, a Dask "
            "data frame or, in place of X and y, a list of delayed partitions."
        )
    _check_chunks(name, collection)
    return list(collection.to_delayed().ravel())


def _check_chunks(name: str, collection) -> None:
    if collection.ndim == 2 and collection.numblocks[1] != 1:
        raise ValueError(
            f"{name} has {collection.numblocks[1]} chunks along the features; make it "
            "one with rechunk({1: -1})."
        )


def _partitions_like(name: str, collection, X) -> list[Delayed]:
    """The partitions of labels or weights, which must be those of X."""
    found = _partitions_of(name, collection)
    expected = X.npartitions if is_frame(X) else X.numblocks[0]
    chunks = [_row_chunks(X), _row_chunks(collection)]
    unknown = any(sizes is None for sizes in chunks)
    if len(found) != expected and not (is_frame(X) or is_frame(collection)) and unknown:
        raise ValueError(
            f"X has {expected} chunks of rows, {name} {len(found)}, and their sizes "
            "are unknown; call compute_chunk_sizes() on both and rechunk one of them."
        )
    if len(found) != expected or not (unknown or chunks[0] == chunks[1]):
        raise ValueError(
            f"{name} is not divided like X ({len(found)} and {expected} partitions, "
            f"or others in size); rechunk {name} as X is along the rows."
        )
    return found


def _row_chunks(collection) -> tuple[int, ...] | None:
    """The numbers of rows of the chunks, if they are known."""
    if not is_array(collection) or np.isnan(collection.chunks[0]).any():
        return None
    return collection.chunks[0]
