"""Parquet files, if pyarrow is installed."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .data import Data
from .decompression import too_large
from .label_column import find_label
from .label_rule import as_written, simplest_labels
from .mixed_table import missing_column


def read_parquet(content: memoryview, name: str, *, limit: int, label=None) -> Data:
    """Read a table of numbers with a label column.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    limit : int
        Most bytes of what is unpacked.
    label : str, int, False or None
        As in `load_data`.

    Returns
    -------
    data : Data
        Labels are as they are written.
    """
    with _parquet(name) as pa:
        return _from_table(_read_whole(content, name, limit, pa), pa, name, label)


def parquet_table(
    content: memoryview,
    name: str,
    *,
    limit: int,
    label=None,
    types=None,
    unused=(),
    written=False,
    optional=False,
) -> Data:
    """Read a table with columns of any kind; arguments are those of `read_mixed`."""
    with _parquet(name) as pa:
        table = _read_whole(content, name, limit, pa)
    titles = list(table.column_names)
    at = find_label(titles, len(titles), label, name)
    y = None
    if at is not None and not (optional and table.column(at).null_count):
        y = _labels(titles[at], table.column(at), name)
    if y is not None and not written:
        y = simplest_labels(y)
    if types is None:
        wanted = [title for place, title in enumerate(titles) if place != at]
    else:
        wanted = [title for title, _ in types]
    for title in wanted:
        if title in unused:
            if title in titles:
                table = table.drop_columns(title)
            table = table.append_column(title, pa.nulls(len(table), pa.float64()))
        elif title not in titles:
            raise ValueError(missing_column(title, titles, name))
    X = table.select(wanted)
    return Data(
        X,
        y,
        wanted,
        types=[(title, str(X.schema.field(title).type)) for title in wanted],
        label_name=None if at is None else titles[at],
    )


def parquet_names(content: memoryview, name: str) -> list[str]:
    """Return the names of the columns."""
    with _parquet(name) as pa:
        return pa.parquet.read_schema(pa.BufferReader(pa.py_buffer(content))).names


def _read_whole(content: memoryview, name: str, limit: int, pa):
    buffer = pa.py_buffer(content)
    sizes = pa.parquet.read_metadata(pa.BufferReader(buffer))
    if 8 * sizes.num_rows * sizes.num_columns > limit:
        raise too_large(name, limit)
    return pa.parquet.read_table(pa.BufferReader(buffer))


def parquet_chunks(file, name: str, chunk_bytes: int, *, label=None) -> Iterator[Data]:
    """Read a table in parts; `file` can be sought in."""
    with _parquet(name) as pa:
        table = pa.parquet.ParquetFile(file)
        columns = max(table.metadata.num_columns, 1)
        rows = max(chunk_bytes // (8 * columns), 1)
        for batch in table.iter_batches(rows):
            if len(batch):
                yield _from_table(pa.Table.from_batches([batch]), pa, name, label)


@contextmanager
def _parquet(name: str):
    """Give pyarrow, and say in a sentence what it does not like."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading Parquet needs the package pyarrow; pip install pyarrow, or save "
            "the table as CSV."
        ) from error
    try:
        yield pa
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{name} cannot be read as Parquet: {reason}.") from error


def _from_table(table, pa, name: str, label) -> Data:
    names = list(table.column_names)
    if not names:
        raise ValueError(f"{name} has no columns; give a file that has some.")
    at = find_label(names, len(names), label, name)
    columns = dict(enumerate(zip(names, table.columns, strict=True)))
    y = None if at is None else _labels(*columns.pop(at), name)
    for title, column in columns.values():
        kind = column.type
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (number or pa.types.is_boolean(kind)):
            raise ValueError(
                f"{name} has values of type {kind} in column {title!r}; features must "
                f"be numbers: encode it, or leave it out."
            )
        _no_nulls(title, column, name)
    narrow = all(column.type == pa.float32() for _, column in columns.values())
    X = np.empty((len(table), len(columns)), np.float32 if narrow else np.float64)
    for place, (_, column) in enumerate(columns.values()):
        X[:, place] = column.to_numpy()
    titles = [title for title, _ in columns.values()]
    return Data(X, y, titles, label_name=None if at is None else names[at])


def _labels(title: str, column, name: str) -> np.ndarray:
    _no_nulls(title, column, name)
    return as_written(column.to_numpy(), name)


def _no_nulls(title: str, column, name: str) -> None:
    if column.null_count:
        raise ValueError(
            f"{name} has {column.null_count} missing values in column {title!r}; fill "
            f"them in, or leave out their rows."
        )
