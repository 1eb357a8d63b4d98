"""Data of any size into a row store, in one pass and with bounded memory."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...access.row_store.header import NAME
from ...access.row_store.store import RowStore
from ...base.annotations import Seed
from ...base.byte_counts import parse_bytes
from ..atomic_folder import NEW, clean_up, open_atomic_folder
from .chunk_validation import validate_chunk
from .coded_rows import CodedRows
from .label_codes import LabelCodes
from .segment_writer import write_store
from .shuffling import Shuffler
from .source_chunks import SourceChunk, chunks_of
from .source_summary import SourceSummary

# Rows that are collected are copied when they are scattered or permuted.
_COPIES = 8
_OF_TEXT = 16  # how often a chunk of a text fits, which takes several times as much


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    format: str = "auto",
    label: str | int | bool | None = None,
    n_features: int | None = None,
    dtype: Any = None,
    zero_based: bool | str = "auto",
    layout: str = "auto",
    segment_size: int | str | None = "64MB",
    memory_limit: int | str | None = "1GB",
    random_state: Seed = 0,
    n_jobs: int | None = None,
    unpacked_limit: int | None = None,
    overwrite: bool = False,
    watch: Callable[[int, float | None], None] | None = None,
    block_size: int | str | None = None,
) -> RowStore:
    """Turn data that may not fit into memory into a row store, in one pass.

    Rows are stored in a random order, so it does no harm if the source is sorted.

    Parameters
    ----------
    source : str, Path, bytes, binary stream, or iterable of (X, y) or (X, y, weights)
        What `load_data` reads, read in parts: svmlight text, CSV and TSV, compressed or
        not, Parquet and npz. Or chunks from a generator: X of the same width, dense or
        sparse, y labels or None, weights not negative.
    target : str or Path
        The folder to make, usually called ``something.rows``. It appears when it is
        complete.
    format, label, n_features, zero_based
        As in `load_data`.
    dtype : float32, float64 or None, default=None
        None keeps the format of arrays; text becomes float64. float32 takes half the
        space and time.
    layout : {"auto", "csr", "dense"}, default="auto"
        How to store rows; "auto" is "csr" if less than 40 % of the values are not zero.
    segment_size : number or str, default="64MB"
        Most bytes of a segment, which is a file of rows.
    memory_limit : number or str, default="1GB"
        About how many bytes to use. Rows that do not fit are shuffled in files next to
        the target, which take as much space as the rows.
    random_state : int, RandomState or None, default=0
        Seed of the order of the rows.
    n_jobs : int or None, default=None
        Threads that parse text.
    unpacked_limit : number, str or None, default=None
        Most bytes of a line, and of compressed content that cannot be read in parts;
        half of the free memory if None.
    overwrite : bool, default=False
        Whether to replace a row store of that name.
    watch : callable or None, default=None
        Called now and then with the rows so far and the share that is done, None if
        that is not known.
    block_size : number, str or None, default=None
        Former name of `segment_size`, which it replaces if it is not None.

    Returns
    -------
    store : RowStore
        Opened without a limit of its own; see `open_rows`.

    Examples
    --------
    >>> import tempfile, polymargin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     chunks = ((([[i], [2.0]], ["a", "b"]) for i in range(3)))
    ...     store = polymargin.convert(chunks, folder + "/small.rows")
    ...     store.shape, store.classes.tolist()
    ((6, 1), ['a', 'b'])
    """
    target = Path(target)
    if layout not in ("auto", "csr", "dense"):
        raise ValueError(
            f"layout={layout!r} is not known; choose one of auto, csr and dense."
        )
    if block_size is None:
        segment_bytes = parse_bytes(segment_size, "segment_size")
    else:
        segment_bytes = parse_bytes(block_size, "block_size")
    limit = parse_bytes(memory_limit, "memory_limit")
    clean_up(target)
    _check_target(target, overwrite)
    random = check_random_state(random_state)
    generator = np.random.default_rng(random.randint(2**31))
    watched = _WatchedConversion(watch)
    chunks = chunks_of(
        source,
        chunk_bytes=max(limit // _OF_TEXT, 2**16),
        format=format,
        label=label,
        n_features=n_features,
        dtype=dtype,
        zero_based=zero_based,
        n_jobs=n_jobs,
        unpacked_limit=unpacked_limit,
    )
    with open_atomic_folder(target) as folder:
        rows = folder / NEW
        shuffler = Shuffler(folder, limit // _COPIES, generator)
        summary, names, zero_based = _collect(chunks, shuffler, dtype, watched)
        if n_features is not None:
            summary.widen(n_features)
        write_store(
            rows,
            shuffler.shuffled(),
            summary,
            layout,
            min(segment_bytes, limit // _COPIES),
            lambda done: watched.write(done, summary.rows),
            names,
            zero_based,
        )
    return RowStore(target)


def _collect(
    chunks: Iterable[SourceChunk],
    shuffler: Shuffler,
    dtype: Any,
    watched: "_WatchedConversion",
) -> Any:
    """Take all rows; return a summary, names of features and the first index."""
    summary = SourceSummary(dtype=dtype, dtype_given=dtype is not None)
    names, least_column, text = None, None, False
    for number, chunk in enumerate(chunks):
        X, y, weights = validate_chunk(chunk, summary, number)
        if number == 0:
            names, text = chunk.feature_names, chunk.zero_based is not None
            summary.labels = None if y is None else LabelCodes(chunk.from_file)
        if y is None or summary.labels is None:
            codes = np.zeros(X.shape[0], dtype=np.int32)
        else:
            codes = summary.labels.add(y, weights)
        if chunk.auto and X.nnz:
            least = int(X.indices.min())
            least_column = least if least_column is None else min(least, least_column)
        shuffler.add(CodedRows(X, codes, weights))
        watched.read(summary.rows, chunk.share)
    if summary.rows == 0:
        raise ValueError("source has no rows; give one that has some.")
    zero_based = None
    if text:
        zero_based = chunk.zero_based
        if chunk.auto:
            zero_based = least_column == 0
            summary.first_column = int(not zero_based)
    return summary, names, zero_based


class _WatchedConversion:
    """Tells of progress: reading is most of it, writing the rest."""

    _READING = 0.75

    def __init__(self, watch: Any) -> None:
        self.watch = watch or (lambda rows, share: None)

    def read(self, rows: int, share: float | None) -> None:
        self.watch(rows, None if share is None else self._READING * share)

    def write(self, done: int, rows: int) -> None:
        self.watch(rows, self._READING + (1 - self._READING) * done / rows)


def _check_target(target: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(2, "No such folder to write into", str(target.parent))
    if target.exists() and not overwrite:
        raise FileExistsError(
            17, "Is there already; remove it, or give overwrite=True", str(target)
        )
    if target.exists() and not (target / NAME).is_file():
        raise FileExistsError(17, "Is there and no row store; remove it", str(target))
