"""How the rows of a block lie in its file: plain arrays, one after the other."""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from zlib import crc32

import numpy as np
import scipy.sparse as sp

_ALIGNMENT = 64
LABEL, WEIGHT = np.dtype("<i4"), np.dtype("<f8")


@dataclass(frozen=True)
class Place:
    """Where an array lies: its type, its shape and its first byte."""

    dtype: np.dtype
    shape: tuple[int, ...]
    start: int

    @property
    def end(self) -> int:
        return self.start + self.dtype.itemsize * prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """What the blocks of a store have in common.

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
        """Where the arrays of a block lie, in the order of the file."""
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
        """Bytes of the file of a block."""
        return max(place.end for place in self.places(rows, nonzeros).values())

    def row_bytes(self, rows: int, nonzeros: int) -> float:
        """Bytes of a row, in the mean."""
        return self.size(rows, nonzeros) / max(rows, 1)


def write_block(path: Path, layout: Layout, X, labels, weights) -> tuple[int, int, int]:
    """Write a block; return its rows, its nonzeros and what it is checked by."""
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
    return X.shape[0], nonzeros, checksum


@dataclass(frozen=True)
class MappedRows:
    """Some neighbouring rows of a block, in a file that is mapped into memory.

    Pages count as memory of the process from when they are read until this object is
    gone.
    """

    path: Path
    layout: Layout
    block: int  # its number
    rows: int  # of the block
    nonzeros: int
    start: int
    stop: int

    @cached_property
    def _bytes(self) -> np.ndarray:
        try:
            return np.asarray(np.memmap(self.path, np.uint8, "r"))
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{self.path} cannot be mapped: {error}; convert the data again."
            ) from error

    def _array(self, name: str) -> np.ndarray:
        place = self.layout.places(self.rows, self.nonzeros)[name]
        if place.end > len(self._bytes):
            raise ValueError(f"{self.path} is cut off; convert the data again.")
        flat = self._bytes[place.start : place.end].view(place.dtype)
        return flat.reshape(place.shape)

    @property
    def _range(self) -> tuple[int, int]:
        """The values of these rows, among all of a sparse block."""
        starts = self._array("starts")
        first, last = int(starts[self.start]), int(starts[self.stop])
        if not 0 <= first <= last <= self.nonzeros:
            raise ValueError(f"{self.path} is damaged; convert the data again.")
        return first, last

    @cached_property
    def X(self):
        """The rows: an ndarray, or a csr_array of which the row starts are a copy."""
        values = self._array("values")
        if not self.layout.sparse:
            return values[self.start : self.stop]
        first, last = self._range
        starts = self._array("starts")[self.start : self.stop + 1]
        X = sp.csr_array((self.stop - self.start, self.layout.n_features))
        # Not by the constructor, which would read all columns to check them.
        X.data, X.indices = values[first:last], self._array("columns")[first:last]
        X.indptr = starts - self.layout.index.type(first)
        return X

    @property
    def labels(self) -> np.ndarray:
        """The positions of their labels among the classes."""
        return self._array("labels")[self.start : self.stop]

    @property
    def weights(self) -> np.ndarray:
        """Their weights; ones if the store has none."""
        if not self.layout.weighted:
            return np.ones(self.stop - self.start)
        return self._array("weights")[self.start : self.stop]

    def ranges(self) -> list[tuple[int, int]]:
        """First byte and length of what will be read of the file."""
        places = self.layout.places(self.rows, self.nonzeros)
        found = []
        for name, place in places.items():
            each = place.dtype.itemsize * prod(place.shape[1:])
            first, last = self.start, self.stop
            if self.layout.sparse and name in ("values", "columns"):
                first, last = self._range
            found.append((place.start + first * each, (last - first) * each))
        return found
