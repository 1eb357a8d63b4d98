"""Where bytes come from: files, standard input, streams, compressed or not."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from pathlib import Path

import numpy as np

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
    if path.suffix.lower() in _SUFFIXES:
        path = path.with_suffix("")
    return path.suffix.lower()


def read_bytes(source) -> memoryview:
    """Read all of a source and unpack it if its first bytes say that it is compressed.

    Parameters
    ----------
    source : str, Path, bytes-like or binary stream
        "-" is standard input.

    Returns
    -------
    text : memoryview of bytes
    """
    packed = _read(source)
    for magic, unpack in _UNPACK.items():
        if packed[: len(magic)] == magic:
            return _unpacked(packed, unpack, name_of(source))
    return packed


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
            f"source={source!r} is neither a path nor bytes nor a binary stream."
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


def _unpacked(packed: memoryview, unpack, name: str) -> memoryview:
    try:
        return memoryview(unpack(packed))
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise ValueError(
            f"{name} is compressed, but broken or cut off: {error}; make it again."
        ) from error


def _gzip(packed: memoryview) -> bytes:
    return gzip.open(io.BytesIO(packed)).read()


def _bz2(packed: memoryview) -> bytes:
    return bz2.open(io.BytesIO(packed)).read()


def _xz(packed: memoryview) -> bytes:
    return lzma.open(io.BytesIO(packed)).read()


def _zstandard(packed: memoryview) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            "reading .zst needs the package zstandard; pip install zstandard."
        ) from error
    parts = []
    try:
        while packed:  # frame by frame, to see that the last one is whole
            unpacker = zstandard.ZstdDecompressor().decompressobj()
            while not unpacker.eof:
                if not packed:
                    raise EOFError("it ends too soon")
                parts.append(unpacker.decompress(packed[:_BLOCK]))
                done = min(_BLOCK, len(packed)) - len(unpacker.unused_data)
                packed = packed[done:]
    except zstandard.ZstdError as error:
        raise OSError(error) from error
    return b"".join(parts)


_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_UNPACK = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bz2,
    b"\xfd7zXZ\x00": _xz,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
