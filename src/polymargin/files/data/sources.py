"""Where bytes come from: files, standard input, streams, compressed or not."""

import io
import os
import stat
import sys
from pathlib import Path

import numpy as np

from .decompression import SUFFIXES, is_packed, unpacked

STANDARD_INPUT = "-"
_BLOCK = 1 << 20


def name_of(source) -> str:
    """What to call a source in a message."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "the input"
    if hasattr(source, "read"):
        return str(getattr(source, "name", "the input"))
    return "standard input" if str(source) == STANDARD_INPUT else str(source)


def suffix_of(source) -> str:
    """The last suffix in lower case, that of a compression left out; "" if none."""
    path = Path(name_of(source))
    if path.suffix.lower() in SUFFIXES:
        path = path.with_suffix("")
    return path.suffix.lower()


def read_bytes(source, limit: int) -> memoryview:
    """Read all of a source and unpack it if its first bytes say that it is compressed.

    Parameters
    ----------
    source : str, Path, bytes-like or binary stream
        "-" is standard input.
    limit : int
        Most bytes of what is unpacked.

    Returns
    -------
    text : memoryview of bytes
    """
    packed = _read(source)
    if not is_packed(packed):
        return packed
    stream = unpacked(io.BufferedReader(io.BytesIO(packed)), name_of(source))
    return memoryview(stream.read_all(limit))


def _read(source) -> memoryview:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return memoryview(source).cast("B")
    if str(source) == STANDARD_INPUT:
        return memoryview(sys.stdin.buffer.read())
    if hasattr(source, "read"):
        content = source.read()
        if isinstance(content, str):
            raise TypeError(
                f"source={name_of(source)!r} is a stream of text; open it as 'rb'."
            )
        return memoryview(content)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"source={source!r} cannot be read; give a path, bytes or a binary stream."
        )
    with open(source, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):  # a pipe
            return memoryview(file.read())
        return _read_file(file, status.st_size)


def _read_file(file: io.FileIO, size: int) -> memoryview:
    """Read into memory that is not cleared before."""
    content = memoryview(np.empty(size, dtype=np.uint8))
    done = 0
    while done < size:
        count = file.readinto(content[done : done + 64 * _BLOCK])
        if not count:
            break
        done += count
    return content[:done]
