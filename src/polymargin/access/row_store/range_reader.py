"""Ranges of rows of a store, read into memory one below the other."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .header import Header
from .reused_buffers import ReusedBuffers
from .segment_layout import Place, SegmentLayout, segment_path

_MOST_OPEN = 128  # files


class RowRange(NamedTuple):
    """Neighbouring rows of a segment: its number, the first and the end."""

    segment: int
    start: int
    stop: int


class LoadedRows(NamedTuple):
    """Rows in memory, the positions of their labels and their weights.

    Weights are ones if the store has none, labels None.
    """

    X: np.ndarray | sp.csr_array
    labels: np.ndarray | None
    weights: np.ndarray


class RangeReader:
    """Reads ranges of rows from the segments in a folder.

    Parameters
    ----------
    folder : Path
    header : Header
    """

    def __init__(self, folder: Path, header: Header):
        self.folder, self.header = folder, header
        self._open: dict[int, tuple] = {}

    def read(
        self, ranges: Sequence[RowRange], buffers: ReusedBuffers | None = None
    ) -> LoadedRows:
        """Read ranges, one below the other.

        Parameters
        ----------
        ranges : sequence of RowRange
        buffers : ReusedBuffers or None
            Where the rows go, in the place of those read before; new memory if None.

        Raises
        ------
        ValueError
            If a file is not what the header says.
        """
        layout = self.header.layout
        if not ranges:
            return _no_rows(layout)
        empty = _new if buffers is None else buffers.array
        segments = [self._segment(found.segment) for found in ranges]
        ends = [(found.start, found.stop) for found in ranges]
        if layout.sparse:
            starts = self._starts(segments, ranges)
            inner = [(int(of[0]), int(of[-1])) for of in starts]
            X = sp.csr_array((0, layout.n_features), dtype=layout.dtype)
            # Not by the constructor, which reads all columns; the core checks them.
            X.data = _joined(segments, inner, "values", empty)
            X.indices = _joined(segments, inner, "columns", empty)
            X.indptr = _joined_starts(starts, layout.index)
            X._shape = len(X.indptr) - 1, layout.n_features
        else:
            X = _joined(segments, ends, "values", empty)
        labels = None
        if layout.labelled:
            labels = _joined(segments, ends, "labels", empty)
            if not 0 <= labels.min() <= labels.max() < len(self.header.classes):
                raise _damaged(segment_path(self.folder, ranges[0].segment))
        weights = np.ones(X.shape[0])
        if layout.weighted:
            weights = _joined(segments, ends, "weights", empty)
        return LoadedRows(X, labels, weights)

    def _segment(self, number: int) -> tuple:
        """The file of a segment, and where its arrays lie."""
        found = self._open.get(number)
        if found is None:
            if len(self._open) >= _MOST_OPEN:
                self.close()
            rows, nonzeros, _ = self.header.segments[number]
            file = open(segment_path(self.folder, number), "rb", buffering=0)  # noqa: SIM115
            places = self.header.layout.places(rows, nonzeros)
            found = self._open[number] = file, places
        return found

    def close(self) -> None:
        """Close all files; they are opened again when they are needed."""
        for file, _ in self._open.values():
            file.close()
        self._open.clear()

    def __del__(self) -> None:
        if hasattr(self, "_open"):  # it was made
            self.close()

    def _starts(self, segments, ranges) -> list[np.ndarray]:
        """Row starts of every range, and where its last row ends."""
        all_starts = []
        for (file, places), found in zip(segments, ranges, strict=True):
            place = places["starts"]
            starts = np.empty(found.stop - found.start + 1, place.dtype)
            _fill(starts, file, place, found.start)
            last = self.header.segments[found.segment].nonzeros
            if starts[0] < 0 or starts[-1] > last or (starts[1:] < starts[:-1]).any():
                raise _damaged(file.name)
            all_starts.append(starts)
        return all_starts

    def ask_for(self, ranges: Sequence[RowRange]) -> None:
        """Tell the system that ranges will be read soon, where it listens."""
        if not hasattr(os, "posix_fadvise"):
            return
        for found in ranges:
            file, places = self._segment(found.segment)
            rows = self.header.segments[found.segment].rows
            for name in ("values", "columns"):
                if name in places:
                    # Where values of sparse rows lie is known in the mean only.
                    each = (places[name].end - places[name].start) / rows
                    start = places[name].start + int(each * found.start)
                    length = int(each * (found.stop - found.start))
                    with suppress(OSError):
                        os.posix_fadvise(
                            file.fileno(), start, length, os.POSIX_FADV_WILLNEED
                        )


def _damaged(path) -> ValueError:
    return ValueError(f"{path} is damaged or cut off; convert the data again.")


def _new(_: str, shape: tuple, dtype) -> np.ndarray:
    return np.empty(shape, dtype)


def _joined(segments, ends, name: str, empty) -> np.ndarray:
    """An array of all ranges, one after the other, in memory that `empty` gives."""
    place = segments[0][1][name]
    count = sum(stop - start for start, stop in ends)
    joined = empty(name, (count, *place.shape[1:]), place.dtype)
    at = 0
    for (file, places), (start, stop) in zip(segments, ends, strict=True):
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


def _no_rows(layout: SegmentLayout) -> LoadedRows:
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
