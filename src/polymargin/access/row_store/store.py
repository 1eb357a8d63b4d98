"""A row store: a folder of files of rows, from which training reads a few at a time."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from ...base.annotations import Rows
from ...base.byte_counts import format_bytes, half_of_free_memory, parse_bytes
from .header import read_header
from .range_reader import LoadedRows, RangeReader, RowRange
from .reused_buffers import ReusedBuffers
from .segment_layout import segment_path

_CHECKED_AT_ONCE = 2**20  # bytes


class LabelledRows(NamedTuple):
    """Rows with their labels and weights, None where the store has none."""

    X: np.ndarray | sp.csr_array
    y: np.ndarray | None
    weights: np.ndarray | None


class RowStore:
    """Rows in a folder on disk, in the random order in which they are trained on.

    Made by `convert`, opened by `open_rows`; `LinearSVM` and `MaxEnt` take it in the
    place of X.

    Parameters
    ----------
    path : str or Path
        The folder.

    memory_limit : number, str or None, default=None
        Bytes that training may use beside what the process has already, such as 2e9 or
        "2GB"; half of the memory that is free if None.

    Attributes
    ----------
    path : Path
    memory_limit : int
        In bytes.
    shape : tuple of int
        Rows and features.
    dtype : dtype
        float32 or float64.
    sparse : bool
        Whether rows are those of CSR matrices.
    classes : ndarray or None
        The labels that occur, in order; None if rows have no labels.
    class_counts : ndarray or None
        Rows of each class.
    weighted : bool
        Whether rows have weights of their own.
    feature_names : list of str or None
    nbytes : int
        Of all segments, which are files of rows.

    Examples
    --------
    >>> import tempfile
    >>> import polymargin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = ([[0.0, 3.0], [1.0, 4.0]], ["no", "yes"])
    ...     store = polymargin.convert([rows], folder + "/small.rows")
    ...     X, y, weights = store.load()
    >>> store.shape, store.classes.tolist(), X.shape
    ((2, 2), ['no', 'yes'], (2, 2))
    """

    def __init__(
        self, path: str | os.PathLike[str], memory_limit: int | str | None = None
    ) -> None:
        self.path = Path(path)
        self.memory_limit = (
            half_of_free_memory()
            if memory_limit is None
            else parse_bytes(memory_limit, "memory_limit")
        )
        self.header = read_header(self.path)
        self.reader = RangeReader(self.path, self.header)
        self._verified: set[int] = set()
        for number, (rows, nonzeros, _) in enumerate(self.header.segments):
            path = segment_path(self.path, number)
            size = path.stat().st_size if path.is_file() else None
            wanted = self.header.layout.size(rows, nonzeros)
            if size != wanted:
                found = "is missing" if size is None else f"has {size} bytes"
                raise ValueError(
                    f"{self.path} is a damaged row store: {path.name} {found} where "
                    f"{wanted} are due; convert the data again."
                )

    def __len__(self) -> int:
        return self.header.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_features

    @property
    def n_features(self) -> int:
        return self.header.layout.n_features

    @property
    def n_segments(self) -> int:
        return len(self.header.segments)

    @property
    def dtype(self) -> np.dtype:
        return self.header.layout.dtype

    @property
    def sparse(self) -> bool:
        return self.header.layout.sparse

    @property
    def weighted(self) -> bool:
        return self.header.layout.weighted

    @property
    def classes(self) -> np.ndarray | None:
        return self.header.classes

    @property
    def class_counts(self) -> np.ndarray | None:
        return self.header.class_counts

    @property
    def feature_names(self) -> list[str] | None:
        return self.header.feature_names

    @property
    def density(self) -> float:
        """Share of the values that are not zero."""
        return self.header.nonzeros / (len(self) * self.n_features)

    @property
    def nbytes(self) -> int:
        layout = self.header.layout
        return sum(layout.size(rows, some) for rows, some, _ in self.header.segments)

    def __repr__(self) -> str:
        kind = "CSR" if self.sparse else "dense"
        classes = (
            "no labels" if self.classes is None else f"{len(self.classes)} classes"
        )
        return (
            f"<RowStore {self.path}: {len(self):,} rows, {self.n_features:,} features, "
            f"{classes}, {kind} {self.dtype}, {format_bytes(self.nbytes)} in "
            f"{self.n_segments} segments>"
        )

    def summary(self) -> dict[str, Any]:
        """Return what is known of the store without reading its rows."""
        labels = None
        if self.classes is not None and self.class_counts is not None:
            pairs = zip(self.classes.tolist(), self.class_counts.tolist(), strict=True)
            labels = [list(pair) for pair in pairs]
        return {
            "rows": len(self),
            "features": self.n_features,
            "classes": 0 if labels is None else len(labels),
            "density": round(self.density, 6),
            "layout": "csr" if self.sparse else "dense",
            "dtype": str(self.dtype),
            "weighted": self.weighted,
            "segments": self.n_segments,
            "bytes": self.nbytes,
            "labels": labels,
        }

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "A row store is no array; LinearSVM and MaxEnt train on it as it is, for "
            "others read its rows into memory with load()."
        )

    def row_ranges(self, most_rows: int | None = None) -> list[RowRange]:
        """Return all rows in ranges of at most so many, or in segments if None."""
        ranges = []
        for number, (rows, _, _) in enumerate(self.header.segments):
            count = 1 if most_rows is None else -(-rows // most_rows)
            cuts = np.linspace(0, rows, count + 1).astype(int).tolist()
            ranges += [RowRange(number, *ends) for ends in pairwise(cuts)]
        return ranges

    def read(
        self, ranges: Sequence[RowRange], buffers: ReusedBuffers | None = None
    ) -> LoadedRows:
        """Read ranges into memory, one below the other (see `RangeReader.read`)."""
        for found in ranges:
            self.verify(found.segment)
        return self.reader.read(ranges, buffers)

    def verify(self, number: int) -> None:
        """Compare a segment with its checksum, once."""
        if number in self._verified:
            return
        path, checksum = segment_path(self.path, number), 0
        with open(path, "rb", buffering=0) as file:
            while part := file.read(_CHECKED_AT_ONCE):
                checksum = crc32(part, checksum)
        if checksum != self.header.segments[number].checksum:
            raise ValueError(
                f"{self.path} is a damaged row store: the checksum of {path.name} is "
                f"wrong; convert the data again."
            )
        self._verified.add(number)

    def segments(self) -> Iterator[LabelledRows]:
        """Iterate over the segments, one of which is in memory at a time.

        Yields
        ------
        rows : LabelledRows
            X, y and weights.
        """
        for whole in self.row_ranges():
            rows = self.read([whole])
            y = None if self.classes is None else self.classes[rows.labels]
            yield LabelledRows(rows.X, y, rows.weights if self.weighted else None)

    # Former names.
    n_blocks, blocks = n_segments, segments

    def labels(self) -> np.ndarray | None:
        """Return the labels of all rows, in the order of the store."""
        if self.classes is None:
            return None
        return np.concatenate([rows.y for rows in self.segments()])

    def load(self) -> LabelledRows:
        """Read all rows into memory, whatever the limit is.

        Returns
        -------
        rows : LabelledRows
            X, y and weights, in the order of the store.
        """
        Xs, ys, weights = zip(*self.segments(), strict=True)
        X = sp.vstack(Xs, format="csr") if self.sparse else np.concatenate(Xs)
        return LabelledRows(
            X,
            None if self.classes is None else np.concatenate(ys),
            np.concatenate(weights) if self.weighted else None,
        )


def open_rows(
    path: str | os.PathLike[str], memory_limit: int | str | None = None
) -> RowStore:
    """Open a row store.

    Sizes and header are checked now, the checksum of a segment when it is first read.

    Parameters
    ----------
    path : str or Path
        The folder that `convert` made.

    memory_limit : number, str or None, default=None
        Bytes that training may use beside what the process has already, such as 2e9 or
        "2GB"; half of the memory that is free if None. The weights and a few thousand
        rows have to find room; dual variables go to disk where they do not.

    Returns
    -------
    store : RowStore

    Examples
    --------
    >>> import tempfile
    >>> import polymargin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     chunks = [([[0.0], [1.0]], [0, 1])]
    ...     _ = polymargin.convert(chunks, folder + "/small.rows")
    ...     store = polymargin.open_rows(folder + "/small.rows", "1GB")
    ...     polymargin.LinearSVM(random_state=0).fit(store).predict([[2.0]])
    array([1])
    """
    return RowStore(path, memory_limit)


def check_in_memory(X: Rows) -> None:
    """Raise if the rows of `X` are on disk, and say what to do instead."""
    if isinstance(X, RowStore):
        np.asarray(X)
