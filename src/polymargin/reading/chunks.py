"""Files of any size, a part at a time: the same rows as `load_data` has."""

import io
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from ..threads import thread_count
from .data import Data, as_numbers
from .load import check_options, find_format
from .npz import npz_chunks
from .parquet import parquet_chunks
from .sources import name_of, read_bytes
from .streams import Opened, open_stream
from .svmlight import read_svmlight
from .table import read_body, table_head


def read_chunks(
    source,
    chunk_bytes: int,
    *,
    format: str = "auto",
    label=None,
    n_features: int | None = None,
    dtype=None,
    zero_based: bool | str = "auto",
    n_jobs: int | None = None,
) -> Iterator[tuple[Data, float | None]]:
    """Read rows and labels in parts.

    Indices of svmlight text are counted from 0 if `zero_based` is "auto": only who has
    seen all of it knows. The width of sparse parts may grow.

    Parameters
    ----------
    source, format, label, n_features, dtype, zero_based, n_jobs
        As in `load_data`.
    chunk_bytes : int
        Of text, or of arrays, to read at once.

    Yields
    ------
    data : Data
    share : float or None
        How much has been read, if that is known.
    """
    check_options(format, n_features, dtype, zero_based)
    name, threads = name_of(source), thread_count(n_jobs)
    with open_stream(source) as opened:
        kind = format
        if format == "auto":
            kind = find_format(memoryview(opened.head()), source)
        if kind in ("npz", "parquet"):
            file = opened.seekable() or io.BytesIO(read_bytes(opened.stream))
            chunks = npz_chunks if kind == "npz" else parquet_chunks
            parts = _numbers(chunks(file, name, chunk_bytes, label=label), name, dtype)
        elif kind == "svmlight":
            parts = _svmlight(
                opened, name, chunk_bytes, label, dtype, zero_based, threads
            )
        else:
            delimiter = "\t" if kind == "tsv" else None
            parts = _table(opened, name, chunk_bytes, delimiter, label, dtype, threads)
        for data in parts:
            _check_width(data, n_features, name)
            yield data, opened.share()


def _numbers(parts: Iterator[Data], name: str, dtype) -> Iterator[Data]:
    first = 0
    for data in parts:
        yield as_numbers(data, name, dtype, first)
        first += data.X.shape[0]


def _svmlight(opened: Opened, name, chunk_bytes, label, dtype, zero_based, threads):
    lines = 0
    for text in opened.lines(chunk_bytes):
        data = read_svmlight(
            text,
            name,
            label=label,
            dtype=dtype,
            zero_based=True if zero_based == "auto" else zero_based,
            threads=threads,
            lines_before=lines,
        )
        lines += np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        if data is not None:
            yield data


def _table(opened: Opened, name, chunk_bytes, delimiter, label, dtype, threads):
    head, lines = None, 0
    for text in opened.lines(chunk_bytes):
        if head is None:
            head = table_head(text, name, delimiter, label=label)
            body = text[head.end :]
            lines = bytes(text[: head.end]).count(b"\n")
        else:
            body = text
        data = read_body(body, head, name, dtype=dtype, threads=threads, lines=lines)
        lines += np.count_nonzero(np.frombuffer(body, np.uint8) == ord("\n"))
        if data.X.shape[0]:
            yield data


def _check_width(data: Data, n_features: int | None, name: str) -> None:
    if n_features is None:
        return
    found = data.X.shape[1]
    # Of text that counts from 1, perhaps, the first column is none.
    wrong = found > n_features + 1 if sp.issparse(data.X) else found != n_features
    if wrong:
        raise ValueError(
            f"n_features={n_features}, but {name} has {found}; give that, or None."
        )
