"""Pieces of the blocks of a store, read into memory one below the other."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .header import Header
from .layout import Layout, Place

_MOST_OPEN = 128  # files


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


class Buffers:
    """Memory that is used again and again, because new memory is slow to begin with."""

    def __init__(self):
        self._arrays: dict[str, np.ndarray] = {}

    def array(self, name: str, shape: tuple, dtype) -> np.ndarray:
        """An array of any content, where the last one of this name was."""
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if name not in self._arrays or self._arrays[name].nbytes < nbytes:
            self._arrays.pop(name, None)  # before there is a second one beside it
            self._arrays[name] = np.empty(nbytes, np.uint8)
        return self._arrays[name][:nbytes].view(dtype).reshape(shape)


class PieceReader:
    """Reads pieces of the blocks in a folder.

    Parameters
    ----------
    folder : Path
    header : Header
    """

    def __init__(self, folder: Path, header: Header):
        self.folder, self.header = folder, header
        self._open: dict[int, tuple] = {}

    def read(
        self, pieces: Sequence[Piece], buffers: Buffers | None = None
    ) -> LoadedRows:
        """Read pieces, one below the other.

        Parameters
        ----------
        pieces : sequence of Piece
        buffers : Buffers or None
            Where the rows go, in the place of those read before; new memory if None.

        Raises
        ------
        ValueError
            If a file is not what the header says.
        """
        layout = self.header.layout
        if not pieces:
            return _no_rows(layout)
        empty = _new if buffers is None else buffers.array
        blocks = [self._block(piece.block) for piece in pieces]
        ranges = [(piece.start, piece.stop) for piece in pieces]
        if layout.sparse:
            starts = self._starts(blocks, pieces)
            inner = [(int(ends[0]), int(ends[-1])) for ends in starts]
            X = sp.csr_array((0, layout.n_features), dtype=layout.dtype)
            # Not by the constructor, which reads all columns; the core checks them.
            X.data = _joined(blocks, inner, "values", empty)
            X.indices = _joined(blocks, inner, "columns", empty)
            X.indptr = _joined_starts(starts, layout.index)
            X._shape = len(X.indptr) - 1, layout.n_features
        else:
            X = _joined(blocks, ranges, "values", empty)
        labels = None
        if layout.labelled:
            labels = _joined(blocks, ranges, "labels", empty)
            if not 0 <= labels.min() <= labels.max() < len(self.header.classes):
                raise _damaged(block_path(self.folder, pieces[0].block))
        weights = np.ones(X.shape[0])
        if layout.weighted:
            weights = _joined(blocks, ranges, "weights", empty)
        return LoadedRows(X, labels, weights)

    def _block(self, number: int) -> tuple:
        """The file of a block, and where its arrays lie."""
        found = self._open.get(number)
        if found is None:
            if len(self._open) >= _MOST_OPEN:
                self.close()
            rows, nonzeros, _ = self.header.blocks[number]
            file = open(block_path(self.folder, number), "rb", buffering=0)  # noqa: SIM115
            places = self.header.layout.places(rows, nonzeros)
            found = self._open[number] = file, places
        return found

    def close(self) -> None:
        """Close all files; they are opened again when they are needed."""
        for file, _ in self._open.values():
            file.close()
        self._open.clear()

    def _starts(self, blocks, pieces) -> list[np.ndarray]:
        """Row starts of every piece, and where its last row ends."""
        found = []
        for (file, places), piece in zip(blocks, pieces, strict=True):
            place = places["starts"]
            starts = np.empty(piece.stop - piece.start + 1, place.dtype)
            _fill(starts, file, place, piece.start)
            last = self.header.blocks[piece.block][1]
            if starts[0] < 0 or starts[-1] > last or (starts[1:] < starts[:-1]).any():
                raise _damaged(file.name)
            found.append(starts)
        return found

    def ask_for(self, pieces: Sequence[Piece]) -> None:
        """Tell the system that pieces will be read soon, where it listens."""
        if not hasattr(os, "posix_fadvise"):
            return
        for piece in pieces:
            file, places = self._block(piece.block)
            rows = self.header.blocks[piece.block][0]
            for name in ("values", "columns"):
                if name in places:
                    # Where values of sparse rows lie is known in the mean only.
                    each = (places[name].end - places[name].start) / rows
                    start = places[name].start + int(each * piece.start)
                    length = int(each * (piece.stop - piece.start))
                    with suppress(OSError):
                        os.posix_fadvise(
                            file.fileno(), start, length, os.POSIX_FADV_WILLNEED
                        )


def _damaged(path) -> ValueError:
    return ValueError(f"{path} is damaged or cut off; convert the data again.")


def _new(_: str, shape: tuple, dtype) -> np.ndarray:
    return np.empty(shape, dtype)


def _joined(blocks, ranges, name: str, empty) -> np.ndarray:
    """An array of all pieces, one after the other, in memory that `empty` gives."""
    place = blocks[0][1][name]
    count = sum(stop - start for start, stop in ranges)
    joined = empty(name, (count, *place.shape[1:]), place.dtype)
    at = 0
    for (file, places), (start, stop) in zip(blocks, ranges, strict=True):
        _fill(joined[at : at + stop - start], file, places[name], start)
        at += stop - start
    return joined


def _fill(array: np.ndarray, file, place: Place, start: int) -> None:
    """Read entries of an array, from `start` along its first axis."""
    view = memoryview(array.reshape(-1)).cast("B")
    file.seek(place.start + start * place.row_bytes)
    done = 0
    while done < len(view):
        count = file.readinto(view[done:])
        if not count:
            raise _damaged(file.name)
        done += count


def _no_rows(layout: Layout) -> LoadedRows:
    shape = 0, layout.n_features
    X = np.empty(shape, layout.dtype)
    if layout.sparse:
        X = sp.csr_array(shape, dtype=layout.dtype)
        X.indices, X.indptr = np.zeros(0, layout.index), np.zeros(1, layout.index)
    return LoadedRows(X, np.zeros(0, np.int32), np.ones(0))


def _joined_starts(starts: list[np.ndarray], dtype) -> np.ndarray:
    """Row starts of matrices one below the other."""
    joined = np.zeros(sum(len(ends) - 1 for ends in starts) + 1, dtype)
    at, total = 1, 0
    for ends in starts:
        np.add(ends[1:], total - ends[0], out=joined[at : at + len(ends) - 1])
        at, total = at + len(ends) - 1, total + int(ends[-1] - ends[0])
    return joined
