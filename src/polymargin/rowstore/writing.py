"""Rows in random order become the blocks of a store."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..access import SPARSE_BELOW
from .chunk import Chunk, join
from .header import NAME, Header
from .labels import LabelCodes
from .layout import Layout, write_block
from .pieces import block_path


@dataclass
class Seen:
    """What is known of all rows when the last one has come.

    Attributes
    ----------
    rows, nonzeros, width : int
    dtype : dtype or None
    dtype_given : bool
        Whether the user has said so.
    sparse, weighted : bool
    first_column : int
        What is counted as the first feature: 1 for svmlight text without an index 0.
    labels : LabelCodes or None
    """

    rows: int = 0
    nonzeros: int = 0
    width: int = 0
    dtype: np.dtype | None = None
    dtype_given: bool = False
    sparse: bool = False
    weighted: bool = False
    first_column: int = 0
    labels: LabelCodes | None = None

    def widen(self, n_features: int) -> None:
        """Have so many features, of which the last may not occur."""
        found = self.width - self.first_column
        if found > n_features:
            raise ValueError(
                f"n_features={n_features}, but source has {found}; give that, or None."
            )
        self.width = n_features + self.first_column

    def layout(self, kind: str) -> Layout:
        """How to store them; "auto" is what the core is fastest with."""
        n_features = max(self.width - self.first_column, 1)
        sparse = kind == "csr"
        if kind == "auto":
            sparse = self.nonzeros < SPARSE_BELOW * self.rows * n_features
        large = n_features > np.iinfo(np.int32).max
        return Layout(
            sparse,
            np.dtype(self.dtype),
            np.dtype("<i8" if large else "<i4"),
            n_features,
            self.labels is not None,
            self.weighted,
        )


class BlockWriter:
    """Collects rows until they fill a block, and writes it.

    Parameters
    ----------
    folder : Path
    layout : Layout
    seen : Seen
    block_size : int
        Most bytes of a block, which has at least one row.
    """

    def __init__(self, folder: Path, layout: Layout, seen: Seen, block_size: int):
        self.folder, self.layout, self.seen = folder, layout, seen
        of_a_row = layout.n_features * layout.dtype.itemsize
        if layout.sparse:
            mean = seen.nonzeros / seen.rows
            of_a_row = mean * (layout.dtype.itemsize + layout.index.itemsize) + 8
        self.block_rows = int(max(block_size / (of_a_row + 12), 1))
        # Blocks of the same size: the last one is no remainder.
        count = -(-seen.rows // self.block_rows)
        self.block_rows = -(-seen.rows // count)
        self.classes = None
        if seen.labels is not None:
            *self.classes, self.places = seen.labels.classes()
        self._waiting: list[Chunk] = []
        self._rows = 0
        self.blocks: list[tuple[int, int, int]] = []

    def add(self, chunk: Chunk) -> None:
        """Take rows."""
        self._waiting.append(chunk)
        self._rows += len(chunk)
        if self._rows < self.block_rows:
            return
        chunk = join(self._waiting)
        full = self._rows // self.block_rows * self.block_rows
        for start in range(0, full, self.block_rows):
            self._write(chunk.take(slice(start, start + self.block_rows)))
        rest = chunk.take(slice(full, None))
        self._waiting, self._rows = [rest] if len(rest) else [], len(rest)

    def finish(self) -> None:
        """Write what is left."""
        if self._waiting:
            self._write(join(self._waiting))
            self._waiting = []

    def _write(self, chunk: Chunk) -> None:
        labels = self.places[chunk.codes] if self.layout.labelled else None
        path = block_path(self.folder, len(self.blocks))
        X = self._rows_of(chunk.X)
        self.blocks.append(write_block(path, self.layout, X, labels, chunk.weights))

    def _rows_of(self, X):
        """The rows in the layout of the store."""
        shape = X.shape[0], self.layout.n_features
        if sp.issparse(X):
            columns = X.indices - X.indices.dtype.type(self.seen.first_column)
            X = sp.csr_array((X.data, columns, X.indptr), shape=shape)
            X.sum_duplicates()
            return X if self.layout.sparse else X.toarray()
        return sp.csr_array(X) if self.layout.sparse else X


def write_store(
    folder: Path,
    shuffled: Iterable[Chunk],
    seen: Seen,
    kind: str,
    block_size: int,
    watch: Callable[[int], None],
    feature_names=None,
    zero_based=None,
) -> None:
    """Write blocks, and the header when they are there.

    Parameters
    ----------
    folder : Path
        Which exists, and has no blocks.
    shuffled : iterable of Chunk
        All rows, in random order.
    seen : Seen
    kind : {"auto", "csr", "dense"}
    block_size : int
    watch : callable
        Is told how many rows have been written.
    feature_names, zero_based
        Of the header.
    """
    writer = BlockWriter(folder, seen.layout(kind), seen, block_size)
    done = 0
    for chunk in shuffled:
        writer.add(chunk)
        done += len(chunk)
        watch(done)
    writer.finish()
    header = Header(
        writer.layout,
        *(writer.classes or (None, None, None)),
        writer.blocks,
        seen.nonzeros,
        feature_names,
        zero_based,
    )
    header.write(folder / NAME)
