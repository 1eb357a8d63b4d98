"""A segment, which is a file of rows of a store: plain arrays, one after the other.

On disk segments are called blocks: in the names of their files, and in the header.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

_ALIGNMENT = 64
LABEL, WEIGHT = np.dtype("<i4"), np.dtype("<f8")


class Segment(NamedTuple):
    """What the header says of a segment; nonzeros are the values it stores."""

    rows: int
    nonzeros: int
    checksum: int


def segment_path(folder: Path, number: int) -> Path:
    """Return the file of a segment."""
    return folder / f"block-{number:05d}.bin"


@dataclass(frozen=True)
class Place:
    """Where an array lies: its type, its shape and its first byte."""

    dtype: np.dtype
    shape: tuple[int, ...]
    start: int

    @cached_property
    def row_bytes(self) -> int:
        """Of an entry along the first axis."""
        return self.dtype.itemsize * prod(self.shape[1:])

    @property
    def end(self) -> int:
        return self.start + self.row_bytes * self.shape[0]


@dataclass(frozen=True)
class SegmentLayout:
    """What the segments of a store have in common.

    Attributes
    ----------
    sparse : bool
        Rows are those of a CSR matrix.
    dtype : dtype
        float32 or float64.
    index : dtype
        int32 or int64, of the columns and row starts of sparse rows.
    n_features : int
    labelled, weighted : bool
        Whether rows have a label, and a weight.
    """

    sparse: bool
    dtype: np.dtype
    index: np.dtype
    n_features: int
    labelled: bool
    weighted: bool

    def places(self, rows: int, nonzeros: int) -> dict[str, Place]:
        """Where the arrays of a segment lie, in the order of the file."""
        if self.sparse:
            arrays = {
                "values": (self.dtype, (nonzeros,)),
                "columns": (self.index, (nonzeros,)),
                "starts": (self.index, (rows + 1,)),
            }
        else:
            arrays = {"values": (self.dtype, (rows, self.n_features))}
        if self.labelled:
            arrays["labels"] = (LABEL, (rows,))
        if self.weighted:
            arrays["weights"] = (WEIGHT, (rows,))
        places, end = {}, 0
        for name, (dtype, shape) in arrays.items():
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            places[name] = Place(dtype, shape, start)
            end = places[name].end
        return places

    def size(self, rows: int, nonzeros: int) -> int:
        """Bytes of a segment."""
        return max(place.end for place in self.places(rows, nonzeros).values())


def write_segment(path: Path, layout: SegmentLayout, X, labels, weights) -> Segment:
    """Write a segment; return what the header says of it."""
    arrays = {"labels": labels, "weights": weights}
    if layout.sparse:
        arrays |= {"values": X.data, "columns": X.indices, "starts": X.indptr}
        nonzeros = len(X.data)
    else:
        arrays["values"], nonzeros = X, X.size
    checksum, end = 0, 0
    with open(path, "xb") as file:
        for name, place in layout.places(X.shape[0], nonzeros).items():
            array = np.ascontiguousarray(arrays[name], dtype=place.dtype)
            for part in (bytes(place.start - end), memoryview(array).cast("B")):
                file.write(part)
                checksum = crc32(part, checksum)
            end = place.end
        file.flush()
        os.fsync(file.fileno())
    return Segment(X.shape[0], nonzeros, checksum)
