"""Parquet files, if pyarrow is installed."""

import numpy as np

from .columns import find_label
from .data import Data
from .labels import tidy_labels


def read_parquet(content: memoryview, name: str, *, label=None) -> Data:
    """Read a table of numbers with a label column.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    label : str, int, False or None
        As in `load_data`.

    Returns
    -------
    data : Data
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading Parquet needs the package pyarrow; pip install pyarrow, or save "
            "the table as CSV."
        ) from error
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(pa.py_buffer(content)))
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{name} cannot be read as Parquet: {reason}.") from error
    names = list(table.column_names)
    if not names:
        raise ValueError(f"{name} has no columns.")
    at = find_label(names, len(names), label, name)
    columns = dict(enumerate(zip(names, table.columns, strict=True)))
    y = None if at is None else _labels(*columns.pop(at), name)
    types = pa.types
    for title, column in columns.values():
        number = types.is_integer(column.type) or types.is_floating(column.type)
        if not (number or types.is_boolean(column.type)):
            raise ValueError(
                f"{name} has values of type {column.type} in column {title!r}; "
                f"features must be numbers: leave it out, or encode it."
            )
        _no_nulls(title, column, name)
    X = np.empty((len(table), len(columns)), order="F")
    if all(column.type == pa.float32() for _, column in columns.values()):
        X = X.astype(np.float32)
    for place, (_, column) in enumerate(columns.values()):
        X[:, place] = column.to_numpy()
    return Data(np.ascontiguousarray(X), y, [title for title, _ in columns.values()])


def _labels(title: str, column, name: str) -> np.ndarray:
    _no_nulls(title, column, name)
    return tidy_labels(column.to_numpy())


def _no_nulls(title: str, column, name: str) -> None:
    if column.null_count:
        raise ValueError(
            f"{name} has {column.null_count} missing values in column {title!r}; fill "
            f"them in, or leave out their rows."
        )
