"""Bytes of a source as a stream, unpacked as they come."""

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from .sources import STANDARD_INPUT, name_of

_HEAD = 1 << 16


class _Reads(io.RawIOBase):
    """What io.BufferedReader needs, of anything that can read."""

    def __init__(self, stream):
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        content = self._stream.read(len(buffer))
        if isinstance(content, str):
            raise TypeError(
                f"source={name_of(self._stream)!r} is a stream of text; open it as "
                f"'rb'."
            )
        buffer[: len(content)] = content
        return len(content)


class Opened:
    """A stream of unpacked bytes.

    Parameters
    ----------
    file : binary stream
        Packed as it is.
    name : str
        For messages.
    """

    def __init__(self, file, name: str):
        self.name = name
        self._file = file
        try:
            self._size = os.fstat(file.fileno()).st_size
        except (OSError, AttributeError):
            self._size = 0
        packed = io.BufferedReader(_Reads(file), _HEAD)
        start = packed.peek(8)[:8]
        for magic, unpack in _UNPACK.items():
            if start.startswith(magic):
                self._packed = True
                self.stream = io.BufferedReader(_Reads(unpack(packed)), _HEAD)
                return
        self._packed, self.stream = False, packed

    def head(self) -> bytes:
        """The first bytes, which are still to come."""
        with self._telling():
            return self.stream.peek(_HEAD)

    def share(self) -> float | None:
        """How much of the file has been read; None of what is no file."""
        return min(self._file.tell() / self._size, 1.0) if self._size else None

    def seekable(self):
        """The file itself, at its beginning, if it is one and not packed."""
        if self._packed or not self._size:
            return None
        self._file.seek(0)
        return self._file

    def lines(self, size: int) -> Iterator[memoryview]:
        """Whole lines, of about so many bytes together."""
        rest = b""
        while True:
            with self._telling():
                part = self.stream.read(size)
            if not part:
                break
            end = part.rfind(b"\n") + 1
            if end:
                text = b"".join([rest, memoryview(part)[:end]])
                rest = part[end:]
                del part
                yield memoryview(text)
            else:
                rest += part
        if rest:
            yield memoryview(rest)

    @contextmanager
    def _telling(self):
        try:
            yield
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            if not self._packed:
                raise
            raise ValueError(
                f"{self.name} is compressed, but broken or cut off: {error}; make it "
                f"again."
            ) from error


@contextmanager
def open_stream(source) -> Iterator[Opened]:
    """Open a source: a path, "-" for standard input, bytes or a binary stream."""
    name = name_of(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        yield Opened(io.BytesIO(source), name)
    elif hasattr(source, "read"):
        yield Opened(source, name)
    elif str(source) == STANDARD_INPUT:
        yield Opened(sys.stdin.buffer, name)
    else:
        with open(source, "rb", buffering=0) as file:
            yield Opened(file, name)


def _zstandard(file):
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            "reading .zst needs the package zstandard; pip install zstandard."
        ) from error
    return _Frames(zstandard, file)


class _Frames:
    """Zstandard frame by frame, to see that the last one is whole."""

    def __init__(self, zstandard, file):
        self._zstandard, self._file = zstandard, file
        self._unpacker, self._rest = None, b""

    def read(self, size: int) -> bytes:
        ready = b""
        while not ready:
            packed = self._rest or self._file.read(max(size // 4, 1))
            if not packed:
                if self._unpacker is not None:
                    raise EOFError("it ends too soon")
                return b""
            self._rest = b""
            if self._unpacker is None:
                self._unpacker = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                ready = self._unpacker.decompress(packed)
            except self._zstandard.ZstdError as error:
                raise OSError(error) from error
            if self._unpacker.eof:
                self._rest, self._unpacker = self._unpacker.unused_data, None
        return ready


_UNPACK = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
