"""Weights of linear models in few bytes: how they are rounded, and what that costs.

"float16" keeps eleven bits of every number; "int8" multiples of a number a class, the
largest of its weights over 127. A file says by how much its predictions differ from
those of the model, on rows that are given when it is written.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import accuracy_score

from .errors import ModelFileError
from .tensors import TensorReader, TensorWriter, fields

FORMATS = ("same", "float16", "int8")
SCALES = ".scales"  # at the end of the name of their tensor
_LARGEST = 127  # of int8, by absolute value
_TYPES = {"float32": np.float32, "float64": np.float64}


def write_weights(writer: TensorWriter, name: str, coef) -> dict:
    """Take weights, a row for each column of the model."""
    if writer.weights == "same":
        return writer.matrix(name, coef)
    values = coef.data if sp.issparse(coef) else coef
    rounded, scales = _rounded(coef, values, writer.weights)
    if sp.issparse(coef):
        matrix = coef.copy()
        matrix.data = rounded
    else:
        matrix = rounded
    return {
        "weights": writer.matrix(name, matrix),
        "scales": writer.tensor(f"{name}{SCALES}", scales),
        "type": str(values.dtype),
    }


def _rounded(coef, values, form: str):
    """Return values of few bytes, and what the rows are to be multiplied by."""
    largest = np.abs(coef).max(axis=1)
    largest = largest.toarray().ravel() if sp.issparse(largest) else np.ravel(largest)
    largest = np.where(largest > 0, largest, 1).astype(np.float64)
    if form == "float16":  # which holds nothing above 65,504, and little near zero
        scales, dtype = largest, np.float16
        return (values / _of_values(coef, scales)).astype(dtype), scales
    scales = largest / _LARGEST
    return np.rint(values / _of_values(coef, scales)).astype(np.int8), scales


def _of_values(coef, scales):
    """Scales of rows, for every value."""
    if sp.issparse(coef):
        return np.repeat(scales, np.diff(coef.indptr))
    return scales[:, None]


def read_weights(reader: TensorReader, entry):
    """Return weights as numbers that can be computed with."""
    if not isinstance(entry, dict) or "weights" not in entry:
        return reader.matrix(entry)
    entry = fields(entry, "weights", "scales", "type")
    dtype = _TYPES.get(entry["type"]) if isinstance(entry["type"], str) else None
    if dtype is None:
        raise ModelFileError("its weights are of an unknown type")
    scales = reader.tensor(entry["scales"], "f", 1)
    matrix = reader.matrix(entry["weights"], kinds="fi")
    if len(scales) != matrix.shape[0]:
        raise ModelFileError("its weights have not as many scales as rows")
    values = matrix.data if sp.issparse(matrix) else matrix
    wide = (values.astype(np.float64) * _of_values(matrix, scales)).astype(dtype)
    if not np.isfinite(wide).all():
        raise ModelFileError("its weights are not finite")
    if not sp.issparse(matrix):
        return wide
    return type(matrix)((wide, matrix.indices, matrix.indptr), shape=matrix.shape)


def measured(model: Any, stored: Any, examples) -> dict[str, float]:
    """Return what rounding has changed, on rows and their labels."""
    X, y = examples
    before, after = model.predict(X), stored.predict(X)
    differ = before != after
    differ = differ.any(axis=1) if differ.ndim == 2 else differ
    return {
        "accuracy": float(accuracy_score(y, after)),
        "accuracy_before": float(accuracy_score(y, before)),
        "changed": float(np.mean(differ)),
        "rows": len(differ),
    }
