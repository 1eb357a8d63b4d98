"""Predictions on Dask collections: lazy, partition by partition."""

import numpy as np
from dask import delayed

from .collections import check_features, is_array, is_delayed_list, is_frame
from .partition_data import PartitionData


def is_lazy(X) -> bool:
    """Whether predictions on X are made by Dask."""
    return is_array(X) or is_frame(X) or (is_delayed_list(X) and len(X) > 0)


def map_rows(model, method: str, X):
    """Return ``model.method(X)`` as a collection like X.

    Parameters
    ----------
    model : local estimator
    method : str
    X : Dask array, Dask data frame or list of Delayed
        Lists give lists; frames give series or frames with the same index.
    """
    check_features(model, X)
    example = _apply(np.zeros((1, model.n_features_in_)), model, method, names=False)
    if is_delayed_list(X):
        task = delayed(_apply, pure=False)
        return [task(part, delayed(model), method) for part in X]
    if is_frame(X):
        return X.map_partitions(
            _as_pandas, model, method, meta=_as_pandas(X._meta, model, method, example)
        )
    shape = {"drop_axis": 1}
    if example.ndim == 2:
        shape = {"chunks": (X.chunks[0], (example.shape[1],))}
    return X.map_blocks(
        _apply, model, method, dtype=example.dtype, meta=example[:0], **shape
    )


def count_right(data: PartitionData, model) -> tuple[float, float]:
    """Return the sums of the weights of rows that are predicted well, and of all."""
    right = _apply(data.X, model, "predict", names=False) == data.y
    return float(data.weights[right].sum()), float(data.weights.sum())


def _apply(X, model, method: str, names: bool = True) -> np.ndarray:
    """Call a method; a partition may have no rows, and an array has no names."""
    if X.shape[0] == 0:
        return _apply(np.zeros((1, model.n_features_in_)), model, method, False)[:0]
    if not names or not hasattr(X, "columns"):
        model = _without_names(model)
    return getattr(model, method)(X)


def _without_names(model):
    if not hasattr(model, "feature_names_in_"):
        return model
    nameless = object.__new__(type(model))
    nameless.__dict__.update(model.__dict__)
    del nameless.feature_names_in_
    return nameless


def _as_pandas(X, model, method: str, values=None):
    """The answers of a partition with its index."""
    import pandas as pd

    values = _apply(X, model, method) if values is None else values[:0]
    index = X.index[: len(values)]
    if values.ndim == 1:
        return pd.Series(values, index=index)
    return pd.DataFrame(values, index=index, columns=list(model.classes_))
