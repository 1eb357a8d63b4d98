"""Data of any size into a row store, in one pass and with bounded memory."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from sklearn.utils import check_random_state

from .checked import checked_chunk
from .chunk import Chunk
from .header import NAME
from .labels import LabelCodes
from .shuffling import Shuffler
from .sizes import as_bytes
from .sources import Part, parts_of
from .store import RowStore
from .writing import Seen, write_store

# Rows that are collected are copied when they are scattered or permuted.
_COPIES = 8
_OF_TEXT = 16  # how often a part of a text fits, which takes several times as much


def convert(
    source,
    target: str | os.PathLike,
    *,
    format: str = "auto",
    label: str | int | bool | None = None,
    n_features: int | None = None,
    dtype=None,
    zero_based: bool | str = "auto",
    layout: str = "auto",
    block_size="64MB",
    memory_limit="1GB",
    random_state=0,
    n_jobs: int | None = None,
    overwrite: bool = False,
    watch: Callable[[int, float | None], None] | None = None,
):
    """Turn data that may not fit into memory into a row store, in one pass.

    Rows are stored in a random order, so it does no harm if the source is sorted.

    Parameters
    ----------
    source : str, Path, bytes, binary stream, or iterable of (X, y) or (X, y, weights)
        What `load_data` reads, read in parts: svmlight text, CSV and TSV, compressed or
        not, Parquet and npz. Or chunks from a generator: X of the same width, dense or
        sparse, y labels or None, weights not negative.
    target : str or Path
        The folder to make, usually called ``something.rows``. It is there when all is
        written, or not at all.
    format, label, n_features, zero_based
        As in `load_data`.
    dtype : float32, float64 or None, default=None
        None keeps what arrays have; text becomes float64. float32 takes half the room
        and time.
    layout : {"auto", "csr", "dense"}, default="auto"
        How to store rows; "auto" is "csr" if less than 40 % of the values are not zero.
    block_size : number or str, default="64MB"
        Most bytes of a block.
    memory_limit : number or str, default="1GB"
        Bytes to use, about. Rows that do not fit are shuffled in files beside the
        target, which take as much room as the rows.
    random_state : int, RandomState or None, default=0
        Seed of the order of the rows.
    n_jobs : int or None, default=None
        Threads that parse text.
    overwrite : bool, default=False
        Whether to replace a row store of that name.
    watch : callable or None, default=None
        Called now and then with the rows so far and the share that is done, None if
        that is not known.

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
        raise ValueError(f"layout={layout!r} is not one of auto, csr and dense.")
    block_bytes = as_bytes(block_size, "block_size")
    limit = as_bytes(memory_limit, "memory_limit")
    _check_target(target, overwrite)
    random = check_random_state(random_state)
    generator = np.random.default_rng(random.randint(2**31))
    told = _Told(watch)
    parts = parts_of(
        source,
        part_bytes=max(limit // _OF_TEXT, 2**16),
        format=format,
        label=label,
        n_features=n_features,
        dtype=dtype,
        zero_based=zero_based,
        n_jobs=n_jobs,
    )
    with _made_aside(target) as folder:
        rows = folder / "rows"
        rows.mkdir()
        shuffler = Shuffler(folder, limit // _COPIES, generator)
        seen, names, zero_based = _collect(parts, shuffler, dtype, told)
        if n_features is not None:
            seen.widen(n_features)
        write_store(
            rows,
            shuffler.shuffled(),
            seen,
            layout,
            min(block_bytes, limit // _COPIES),
            lambda done: told.write(done, seen.rows),
            names,
            zero_based,
        )
    return RowStore(target)


def _collect(parts: Iterable[Part], shuffler: Shuffler, dtype, told: "_Told"):
    """Take all rows; return what was seen, names of features and the first index."""
    seen = Seen(dtype=dtype, dtype_given=dtype is not None)
    names, least_column, text = None, None, False
    for number, part in enumerate(parts):
        X, y, weights = checked_chunk(part, seen, number)
        if number == 0:
            names, text = part.feature_names, part.zero_based is not None
            seen.labels = None if y is None else LabelCodes(mixed=part.from_file)
        if y is None:
            codes = np.zeros(X.shape[0], dtype=np.int32)
        else:
            codes = seen.labels.add(y, weights)
        if part.auto and X.nnz:
            least = int(X.indices.min())
            least_column = least if least_column is None else min(least, least_column)
        shuffler.add(Chunk(X, codes, weights))
        told.read(seen.rows, part.share)
    if seen.rows == 0:
        raise ValueError("source has no rows.")
    zero_based = None
    if text:
        zero_based = part.zero_based
        if part.auto:
            zero_based = least_column == 0
            seen.first_column = int(not zero_based)
    return seen, names, zero_based


class _Told:
    """Tells of progress: reading is most of it, writing the rest."""

    _READING = 0.75

    def __init__(self, watch):
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


@contextmanager
def _made_aside(target: Path) -> Iterator[Path]:
    """A folder whose subfolder `rows` takes the place of the target in the end."""
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    aside.mkdir()
    try:
        yield aside
        if target.exists():
            os.rename(target, aside / "old")
        os.rename(aside / "rows", target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
