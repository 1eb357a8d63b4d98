"""Bytes of a source as a stream, unpacked as they come."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ...base.byte_counts import format_bytes
from .decompression import too_large, unpacked
from .sources import STANDARD_INPUT, name_of

_HEAD = 1 << 16
_PART = 1 << 20


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


class SourceStream:
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
        self._unpacked = unpacked(packed, name)
        self._stream = packed
        if self._unpacked is not None:
            self._stream = io.BufferedReader(self._unpacked, _HEAD)

    def head(self) -> bytes:
        """The first bytes, which are still to come."""
        return self._stream.peek(_HEAD)

    def share(self) -> float | None:
        """How much of the file has been read; None of what is no file."""
        return min(self._file.tell() / self._size, 1.0) if self._size else None

    def seekable(self):
        """The file itself, at its beginning, if it is one and not packed."""
        if self._unpacked is not None or not self._size:
            return None
        self._file.seek(0)
        return self._file

    def all(self, limit: int) -> io.BytesIO:
        """Everything, in memory; an error if it has more bytes than `limit`."""
        content = io.BytesIO()
        while part := self._stream.read(_PART):
            content.write(part)
            if content.tell() > limit:
                raise too_large(self.name, limit)
        content.seek(0)
        return content

    def lines(self, size: int, longest: int) -> Iterator[memoryview]:
        """Whole lines, of about so many bytes together and none above `longest`."""
        rest = b""
        while part := self._stream.read(size):
            end = part.rfind(b"\n") + 1
            if end:
                text = b"".join([rest, memoryview(part)[:end]])
                rest = part[end:]
                del part
                yield memoryview(text)
            else:
                rest += part
            if len(rest) > longest:
                raise ValueError(
                    f"{self.name} has a line of more than {format_bytes(longest)}; if "
                    f"that is meant, give a larger unpacked_limit, such as "
                    f"'{format_bytes(4 * longest)}'."
                )
        if rest:
            yield memoryview(rest)


@contextmanager
def open_stream(source) -> Iterator[SourceStream]:
    """Open a source: a path, "-" for standard input, bytes or a binary stream."""
    name = name_of(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        yield SourceStream(io.BytesIO(source), name)
    elif hasattr(source, "read"):
        yield SourceStream(source, name)
    elif str(source) == STANDARD_INPUT:
        yield SourceStream(sys.stdin.buffer, name)
    else:
        with open(source, "rb", buffering=0) as file:
            yield SourceStream(file, name)
