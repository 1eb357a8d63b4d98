"""Files of any size, a part at a time: the same rows as `load_data` has."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from ...base.threads import thread_count
from .data import Data, as_numbers
from .limits import check_features, unpacked_bytes
from .load import check_options, find_format
from .npz import npz_chunks
from .parquet import parquet_chunks
from .source_streams import open_stream
from .sources import name_of
from .svmlight import read_svmlight
from .table import read_body, table_head
from .written_as_csv import AS_CSV


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
    unpacked_limit=None,
) -> Iterator[tuple[Data, float | None]]:
    """Read rows and labels in parts.

    Indices of svmlight text are counted from 0 if `zero_based` is "auto": only who has
    seen all of it knows. Likewise labels are as they are written: whether all of them
    are numbers is known at the end (see `label_rule`). The width of sparse parts may
    grow.

    Parameters
    ----------
    source, format, label, n_features, dtype, zero_based, n_jobs, unpacked_limit
        As in `load_data`; here, the limit holds for a line of text, and for what cannot
        be read in parts.
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
    limit = unpacked_bytes(unpacked_limit)
    with open_stream(source) as opened:
        kind = format
        if format == "auto":
            kind = find_format(memoryview(opened.head()), source)
        if kind in AS_CSV:
            raise ValueError(
                f"{name} is {kind.upper()}, which is not read in parts; save it as CSV."
            )
        if kind in ("npz", "parquet"):
            file = opened.seekable() or opened.all(limit)
            chunks = npz_chunks if kind == "npz" else parquet_chunks
            parts = _numbers(chunks(file, name, chunk_bytes, label=label), name, dtype)
        elif kind == "svmlight":
            texts = opened.lines(chunk_bytes, limit)
            parts = _svmlight(texts, name, label, dtype, zero_based, threads)
        else:
            delimiter = "\t" if kind == "tsv" else None
            texts = opened.lines(chunk_bytes, limit)
            parts = _table(texts, name, delimiter, label, dtype, threads)
        for data in parts:
            check_features(data, n_features, name)
            _check_width(data, n_features, name)
            yield data, opened.share()


def _numbers(parts: Iterator[Data], name: str, dtype) -> Iterator[Data]:
    first = 0
    for data in parts:
        yield as_numbers(data, name, dtype, first)
        first += data.X.shape[0]


def _svmlight(texts, name, label, dtype, zero_based, threads) -> Iterator[Data]:
    lines = 0
    for text in texts:
        data = read_svmlight(
            text,
            name,
            label=label,
            dtype=dtype,
            zero_based=True if zero_based == "auto" else zero_based,
            threads=threads,
            written=True,
            lines_before=lines,
        )
        lines += np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        if data is not None:
            yield data


def _table(texts, name, delimiter, label, dtype, threads) -> Iterator[Data]:
    head, lines = None, 0
    for text in texts:
        if head is None:
            head = table_head(text, name, delimiter, label=label)
            body = text[head.end :]
            lines = bytes(text[: head.end]).count(b"\n")
        else:
            body = text
        data = read_body(
            body, head, name, dtype=dtype, threads=threads, lines=lines, written=True
        )
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
