"""Arrays in .npz files: dense X, or the parts of a CSR matrix, with y or without."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from textwrap import shorten
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from ...access.csr import check_compressed
from .data import Data
from .decompression import too_large
from .label_rule import as_written
from .npy import ArrayStream

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


def read_npz(
    content: memoryview, name: str, *, limit: int, label=None, part: str = ""
) -> Data:
    """Read the arrays of a file, never code.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    limit : int
        Most bytes of what is unpacked.
    label : None or False
        False leaves y out.
    part : str
        "test" for X_test and y_test, or test_data, ..., and y_test.

    Returns
    -------
    data : Data
        Labels are as they are written. Names of features are those of an array
        feature_names, if there is one.
    """
    rows, labels = (f"X_{part}", f"y_{part}") if part else ("X", "y")
    try:
        _check_size(content, name, limit)
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
        raise _told(error, name) from error
    _check(name, X, y, names)
    return Data(
        X,
        None if y is None else as_written(y, name),
        None if names is None else [str(one) for one in names],
    )


def npz_chunks(file, name: str, chunk_bytes: int, *, label=None) -> Iterator[Data]:
    """Read X and y of a file in parts; `file` can be sought in.

    Arrays that are stored column by column are read whole.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            yield from _chunks(archive, name, chunk_bytes, label)
    except _BROKEN as error:
        raise _told(error, name) from error


def _told(error: Exception, name: str) -> ValueError:
    """Return what to say of a file that is not what it says it is."""
    if isinstance(error, ValueError) and str(error).startswith(name):
        return error
    # Some quote what they have read, which may be the whole file.
    reason = shorten(str(error), 300, placeholder=" ...").rstrip(". ")
    return ValueError(f"{name} cannot be read as .npz: {reason}.")


def _check_size(content: memoryview, name: str, limit: int) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > limit:
            raise too_large(name, limit)


def _chunks(archive, name: str, chunk_bytes: int, label) -> Iterator[Data]:
    members = {entry.removesuffix(".npy") for entry in archive.namelist()}
    sparse = "indptr" in members
    if not sparse and "X" not in members:
        found = ", ".join(sorted(members)) or "nothing"
        raise ValueError(f"it has no X and no indptr, only {found}")
    with ExitStack() as stack:

        def member(key: str) -> ArrayStream:
            return ArrayStream(stack.enter_context(archive.open(f"{key}.npy")))

        names = member("feature_names").all() if "feature_names" in members else None
        y = member("y") if "y" in members and label is not False else None
        if sparse:
            parts = [member(key) for key in ("data", "indices", "indptr")]
            form = member("format").all().item() if "format" in members else "csr"
            rows = _sparse_rows(parts, member("shape").all(), form, chunk_bytes)
            n_rows = parts[2].shape[0] - 1
        else:
            X = member("X")
            rows, n_rows = X.in_parts(chunk_bytes), X.shape[0]
        if y is not None and y.shape != (n_rows,):
            raise ValueError(f"X has {n_rows} rows and y has the shape {y.shape}")
        for X in rows:
            labels = None if y is None else y.next(X.shape[0])
            _check(name, X, labels, names)
            if X.shape[0]:
                yield Data(
                    X,
                    None if labels is None else as_written(labels, name),
                    None if names is None else [str(one) for one in names],
                )


def _sparse_rows(parts, shape, form: str, chunk_bytes: int) -> Iterator[sp.csr_matrix]:
    _check_form(form)
    values, columns, starts = parts
    n_rows, width = (int(size) for size in shape)
    if starts.shape[0] != n_rows + 1 or values.shape != columns.shape:
        raise ValueError("data, indices, indptr and shape do not belong together")
    mean = max(values.shape[0] / max(n_rows, 1), 1.0)
    count = max(int(chunk_bytes / (16 * mean)), 1)
    first = int(starts.next(1)[0])
    if first != 0:
        raise ValueError("indptr does not begin with 0")
    for start in range(0, n_rows, count):
        ends = starts.next(min(count, n_rows - start)).astype(np.int64)
        indptr = np.concatenate([[first], ends]) - first
        if (np.diff(indptr) < 0).any():
            raise ValueError("indptr must not decrease")
        first = int(ends[-1])
        arrays = values.next(indptr[-1]), columns.next(indptr[-1]), indptr
        yield check_compressed(sp.csr_matrix(arrays, shape=(len(ends), width)))


def has_part(content: memoryview, part: str) -> bool:
    """Whether there are rows of a part such as "test"."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return f"y_{part}" in arrays and (
            f"X_{part}" in arrays or f"{part}_indptr" in arrays
        )


def _csr(arrays, prefix: str) -> sp.csr_matrix:
    _check_form(arrays["format"].item() if "format" in arrays else "csr")
    parts = tuple(arrays[prefix + key] for key in ("data", "indices", "indptr"))
    shape = tuple(int(size) for size in arrays[prefix + "shape"])
    # SciPy does not look at the starts of rows if the last one is zero.
    return check_compressed(sp.csr_matrix(parts, shape=shape))


def _check_form(form) -> None:
    if str(form).strip("b'") != "csr":  # as scipy.sparse.save_npz writes
        raise ValueError(f"its matrix is stored as {form}; save X.tocsr() instead")


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
    if names is not None and names.shape != X.shape[1:]:
        raise ValueError(
            f"{name} has X with {X.shape[1]} features and feature_names of shape "
            f"{names.shape}; it takes one name for each."
        )
