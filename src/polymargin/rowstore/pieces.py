"""Pieces of the blocks of a store, read into memory one below the other."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .header import Header


class Piece(NamedTuple):
    """Neighbouring rows of a block: its number, the first and the end."""

    block: int
    start: int
    stop: int


class LoadedRows(NamedTuple):
    """Rows in memory, the positions of their labels and their weights.

    Weights are ones if the store has none, labels None.
    """

    X: np.ndarray | sp.csr_array
    labels: np.ndarray | None
    weights: np.ndarray


def block_path(folder: Path, number: int) -> Path:
    """Return the file of a block."""
    return folder / f"block-{number:05d}.bin"


def read_pieces(folder: Path, header: Header, pieces: Sequence[Piece]) -> LoadedRows:
    """Read pieces, one below the other.

    Raises
    ------
    ValueError
        If a file is not what the header says.
    """
    layout = header.layout
    count = sum(piece.stop - piece.start for piece in pieces)
    files = _Files(folder, header)
    if layout.sparse:
        starts = [files.read(piece, "starts", stop=1) for piece in pieces]
        ranges = [(int(ends[0]), int(ends[-1])) for ends in starts]
        values, columns = (
            files.read_all(pieces, name, ranges) for name in ("values", "columns")
        )
        X = sp.csr_array((count, layout.n_features), dtype=layout.dtype)
        # Not by the constructor, which reads all columns; the core checks them.
        X.data, X.indices, X.indptr = values, columns, _joined(starts, layout.index)
    else:
        X = files.read_all(pieces, "values")
    labels = None
    if layout.labelled:
        labels = files.read_all(pieces, "labels")
        if count and not 0 <= labels.min() <= labels.max() < len(header.classes):
            raise files.damaged(pieces[0].block)
    weights = np.ones(count)
    if layout.weighted:
        weights = files.read_all(pieces, "weights")
    return LoadedRows(X, labels, weights)


def _joined(starts: list[np.ndarray], dtype) -> np.ndarray:
    """Row starts of matrices one below the other."""
    lengths = np.concatenate([np.diff(ends) for ends in starts])
    joined = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=joined[1:])
    return joined.astype(dtype)


class _Files:
    """The files of blocks, read from in ranges of the first axis."""

    def __init__(self, folder: Path, header: Header):
        self.folder, self.header = folder, header

    def damaged(self, block: int) -> ValueError:
        path = block_path(self.folder, block)
        return ValueError(f"{path} is damaged or cut off; convert the data again.")

    def read_all(self, pieces: Sequence[Piece], name: str, ranges=None) -> np.ndarray:
        """Read an array of all pieces into one."""
        if ranges is None:
            ranges = [(piece.start, piece.stop) for piece in pieces]
        place = self._place(pieces[0].block, name)
        ends = np.cumsum([0, *(stop - start for start, stop in ranges)])
        joined = np.empty((ends[-1], *place.shape[1:]), place.dtype)
        for piece, (start, stop), at in zip(pieces, ranges, ends, strict=False):
            self._fill(joined[at : at + stop - start], piece.block, name, start)
        return joined

    def read(self, piece: Piece, name: str, stop: int) -> np.ndarray:
        """Read an array of a piece, and `stop` entries more."""
        place = self._place(piece.block, name)
        array = np.empty(piece.stop - piece.start + stop, place.dtype)
        self._fill(array, piece.block, name, piece.start)
        last = self.header.blocks[piece.block][1]
        if not (array[0] >= 0 and array[-1] <= last and (np.diff(array) >= 0).all()):
            raise self.damaged(piece.block)
        return array

    def _place(self, block: int, name: str):
        rows, nonzeros, _ = self.header.blocks[block]
        return self.header.layout.places(rows, nonzeros)[name]

    def _fill(self, array: np.ndarray, block: int, name: str, start: int) -> None:
        place = self._place(block, name)
        first = place.start + start * place.dtype.itemsize * prod(place.shape[1:])
        view = memoryview(array.reshape(-1)).cast("B")
        with open(block_path(self.folder, block), "rb", buffering=0) as file:
            file.seek(first)
            done = 0
            while done < len(view):
                count = file.readinto(view[done:])
                if not count:
                    raise self.damaged(block)
                done += count


def ask_for(folder: Path, header: Header, pieces: Sequence[Piece]) -> None:
    """Tell the system that pieces will be read soon, where it listens."""
    if not hasattr(os, "posix_fadvise"):
        return
    for piece in pieces:
        with suppress(OSError):
            file = os.open(block_path(folder, piece.block), os.O_RDONLY)
            try:
                for start, length in _ranges(header, piece):
                    os.posix_fadvise(file, start, length, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(file)


def _ranges(header: Header, piece: Piece) -> Iterator[tuple[int, int]]:
    """First byte and length of the arrays of a piece, about."""
    rows, nonzeros, _ = header.blocks[piece.block]
    for place in header.layout.places(rows, nonzeros).values():
        each = (place.end - place.start) / rows
        yield (
            place.start + int(each * piece.start),
            int(each * (piece.stop - piece.start)),
        )
