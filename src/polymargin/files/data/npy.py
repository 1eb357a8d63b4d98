"""An array of an .npz file, read from its beginning to its end."""

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.lib import format as npy


class ArrayStream:
    """An array that comes in parts.

    Parameters
    ----------
    stream : binary stream
        Of an .npy file.
    """

    def __init__(self, stream):
        self._stream = stream
        version = npy.read_magic(stream)
        if version == (1, 0):
            header = npy.read_array_header_1_0(stream)
        elif version == (2, 0):
            header = npy.read_array_header_2_0(stream)
        else:
            raise ValueError(f"an array has the version {version}, which is not known")
        self.shape, self._by_columns, self.dtype = header
        if self.dtype.hasobject:
            raise ValueError("Object arrays cannot be loaded when allow_pickle=False")

    def next(self, count: int) -> np.ndarray:
        """Read so many entries along the first axis."""
        shape = (int(count), *self.shape[1:])
        size = prod(shape) * self.dtype.itemsize
        content = self._stream.read(size)
        if len(content) != size:
            raise EOFError("an array is cut off")
        return np.frombuffer(content, self.dtype).reshape(shape)

    def all(self) -> np.ndarray:
        """Read all of it, of any dimension."""
        size = prod(self.shape) * self.dtype.itemsize
        content = self._stream.read(size)
        if len(content) != size:
            raise EOFError("an array is cut off")
        order = "F" if self._by_columns else "C"
        return np.frombuffer(content, self.dtype).reshape(self.shape, order=order)

    def in_parts(self, size: int) -> Iterator[np.ndarray]:
        """Read rows, of about so many bytes at once."""
        if len(self.shape) != 2 or self._by_columns:
            yield self.all()
            return
        each = max(self.shape[1] * self.dtype.itemsize, 1)
        count = max(size // each, 1)
        for start in range(0, self.shape[0], count):
            yield self.next(min(count, self.shape[0] - start))
