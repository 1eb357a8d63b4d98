"""A row store: a folder of blocks of rows that training reads one after the other."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from .header import read_header
from .pieces import Buffers, LoadedRows, Piece, PieceReader, block_path
from .sizes import as_bytes, half_of_memory, in_words

_PART = 2**20  # bytes that are read at once to be checked


class Block(NamedTuple):
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
        Whether blocks are CSR matrices.
    classes : ndarray or None
        The labels that occur, in order; None if rows have no labels.
    class_counts : ndarray or None
        Rows of each class.
    weighted : bool
        Whether rows have weights of their own.
    feature_names : list of str or None
    nbytes : int
        Of all blocks.
    """

    def __init__(self, path: str | os.PathLike, memory_limit=None):
        self.path = Path(path)
        self.memory_limit = (
            half_of_memory()
            if memory_limit is None
            else as_bytes(memory_limit, "memory_limit")
        )
        self.header = read_header(self.path)
        self.reader = PieceReader(self.path, self.header)
        self._verified: set[int] = set()
        for number, (rows, nonzeros, _) in enumerate(self.header.blocks):
            path = block_path(self.path, number)
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
    def n_blocks(self) -> int:
        return len(self.header.blocks)

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
        return sum(layout.size(rows, some) for rows, some, _ in self.header.blocks)

    def __repr__(self) -> str:
        kind = "CSR" if self.sparse else "dense"
        classes = (
            "no labels" if self.classes is None else f"{len(self.classes)} classes"
        )
        return (
            f"<RowStore {self.path}: {len(self):,} rows, {self.n_features:,} features, "
            f"{classes}, {kind} {self.dtype}, {in_words(self.nbytes)} in "
            f"{self.n_blocks} blocks>"
        )

    def summary(self) -> dict:
        """Return what is known of the store without reading its rows."""
        labels = None
        if self.classes is not None:
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
            "blocks": self.n_blocks,
            "bytes": self.nbytes,
            "labels": labels,
        }

    def __array__(self, *_, **__):
        raise TypeError(
            "A row store is no array; LinearSVM and MaxEnt train on it as it is, for "
            "others read its rows into memory with load()."
        )

    def pieces(self, most_rows: int | None = None) -> list[Piece]:
        """Return all rows in pieces of at most so many, or in blocks if None."""
        pieces = []
        for number, (rows, _, _) in enumerate(self.header.blocks):
            count = 1 if most_rows is None else -(-rows // most_rows)
            cuts = np.linspace(0, rows, count + 1).astype(int).tolist()
            pieces += [Piece(number, *ends) for ends in pairwise(cuts)]
        return pieces

    def read(
        self, pieces: Sequence[Piece], buffers: Buffers | None = None
    ) -> LoadedRows:
        """Read pieces into memory, one below the other (see `PieceReader.read`)."""
        for piece in pieces:
            self.verify(piece.block)
        return self.reader.read(pieces, buffers)

    def verify(self, number: int) -> None:
        """Compare a block with its checksum, once."""
        if number in self._verified:
            return
        path, checksum = block_path(self.path, number), 0
        with open(path, "rb", buffering=0) as file:
            while part := file.read(_PART):
                checksum = crc32(part, checksum)
        if checksum != self.header.blocks[number][2]:
            raise ValueError(
                f"{self.path} is a damaged row store: the checksum of {path.name} is "
                f"wrong; convert the data again."
            )
        self._verified.add(number)

    def blocks(self) -> Iterator[Block]:
        """Iterate over the blocks, one of which is in memory at a time.

        Yields
        ------
        block : Block
            X, y and weights.
        """
        for piece in self.pieces():
            rows = self.read([piece])
            y = None if self.classes is None else self.classes[rows.labels]
            yield Block(rows.X, y, rows.weights if self.weighted else None)

    def labels(self) -> np.ndarray | None:
        """Return the labels of all rows, in the order of the store."""
        if self.classes is None:
            return None
        return np.concatenate([block.y for block in self.blocks()])

    def load(self) -> Block:
        """Read all rows into memory, whatever the limit is.

        Returns
        -------
        block : Block
            X, y and weights, in the order of the store.
        """
        Xs, ys, weights = zip(*self.blocks(), strict=True)
        X = sp.vstack(Xs, format="csr") if self.sparse else np.concatenate(Xs)
        return Block(
            X,
            None if self.classes is None else np.concatenate(ys),
            np.concatenate(weights) if self.weighted else None,
        )


def open_rows(path: str | os.PathLike, memory_limit=None) -> RowStore:
    """Open a row store.

    Sizes and header are checked now, the checksum of a block when it is first read.

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
    """
    return RowStore(path, memory_limit)
