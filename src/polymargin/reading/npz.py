"""Arrays in .npz files: dense X, or the parts of a CSR matrix, with y or without."""

import io
import zlib
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from .data import Data
from .labels import check_labels, tidy_labels

# What NumPy and zipfile raise when a file is not what it says it is.
_BROKEN = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    RuntimeError,
    MemoryError,
    OverflowError,
    TypeError,
    BadZipFile,
    zlib.error,
)


def read_npz(content: memoryview, name: str, *, label=None, part: str = "") -> Data:
    """Read the arrays of a file, never code.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    label : None or False
        False leaves y out.
    part : str
        "test" for X_test and y_test, or test_data, ..., and y_test.

    Returns
    -------
    data : Data
        Names of features are those of an array feature_names, if there is one.
    """
    rows, labels = (f"X_{part}", f"y_{part}") if part else ("X", "y")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            prefix = f"{part}_" if part else ""
            if f"{prefix}indptr" in arrays:
                X = _csr(arrays, prefix)
            elif rows in arrays:
                X = arrays[rows]
            else:
                raise ValueError(
                    f"it has no {rows} and no {prefix}indptr, only "
                    f"{', '.join(arrays.files) or 'nothing'}"
                )
            y = arrays[labels] if labels in arrays and label is not False else None
            names = arrays.get("feature_names")
    except _BROKEN as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{name} cannot be read as .npz: {reason}.") from error
    _check(name, X, y, names)
    return Data(
        X,
        None if y is None else tidy_labels(y),
        None if names is None else [str(one) for one in names],
    )


def has_part(content: memoryview, part: str) -> bool:
    """Whether there are rows of a part such as "test"."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return f"y_{part}" in arrays and (
            f"X_{part}" in arrays or f"{part}_indptr" in arrays
        )


def _csr(arrays, prefix: str) -> sp.csr_matrix:
    form = str(arrays["format"].item()) if "format" in arrays else "csr"
    if form.strip("b'") != "csr":  # as scipy.sparse.save_npz writes
        raise ValueError(f"its matrix is stored as {form}; save X.tocsr() instead")
    parts = tuple(arrays[prefix + key] for key in ("data", "indices", "indptr"))
    shape = tuple(int(size) for size in arrays[prefix + "shape"])
    X = sp.csr_matrix(parts, shape=shape)
    X.check_format(full_check=True)
    return X


def _check(name: str, X, y, names) -> None:
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} has X of shape {X.shape} and type {X.dtype}; it takes two "
            f"dimensions and numbers."
        )
    if y is not None and (y.ndim != 1 or len(y) != X.shape[0]):
        raise ValueError(
            f"{name} has X with {X.shape[0]} rows and y of shape {y.shape}; it takes "
            f"one label for each row."
        )
    if y is not None:
        check_labels(y, name)
    if names is not None and names.shape != X.shape[1:]:
        raise ValueError(
            f"{name} has X with {X.shape[1]} features and feature_names of shape "
            f"{names.shape}; it takes one name for each."
        )
