"""Bytes that are compressed by gzip, bzip2, xz or Zstandard, unpacked as they come."""

import bz2
import gzip
import io
import lzma
import zlib

from ...base.byte_counts import format_bytes

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_BUFFER = 1 << 16
_PART = 1 << 20


def unpacked(packed: io.BufferedReader, name: str) -> "UnpackedStream | None":
    """Return a stream of what is unpacked, or None if it is not compressed.

    Parameters
    ----------
    packed : BufferedReader
        At its beginning, which tells.
    name : str
        Of the source, for messages.
    """
    start = packed.peek(8)
    for magic, unpack in _UNPACK.items():
        if start.startswith(magic):
            return UnpackedStream(unpack(packed), name)
    return None


def is_packed(content: memoryview) -> bool:
    """Whether the first bytes are those of something compressed."""
    return bytes(content[:8]).startswith(tuple(_UNPACK))


class UnpackedStream(io.RawIOBase):
    """Reads what a decoder unpacks; one sentence if what is packed is broken.

    Parameters
    ----------
    decoder : object with read(size)
    name : str
        Of the source, for messages.
    """

    def __init__(self, decoder, name: str):
        self._decoder, self._name = decoder, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        content = self._next(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def read_all(self, limit: int) -> bytes:
        """Read everything; an error if that has more bytes than `limit`."""
        parts, size = [], 0
        while part := self._next(_PART):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise too_large(self._name, limit)
        return b"".join(parts)

    def _next(self, size: int) -> bytes:
        try:
            return self._decoder.read(size)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise ValueError(
                f"{self._name} is compressed, but broken or cut off: {error}; make it "
                f"again."
            ) from error


def too_large(name: str, limit: int) -> ValueError:
    """Return what to say of content that is larger than is plausible."""
    return ValueError(
        f"{name} has more than {format_bytes(limit)} when it is unpacked; if that is "
        f"meant, give a larger unpacked_limit, such as '{format_bytes(4 * limit)}'."
    )


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
        self._unpacker, self._packed, self._ready = None, b"", memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self._ready:
            packed = self._packed or self._file.read(_BUFFER)
            if not packed:
                if self._unpacker is not None:
                    raise EOFError("it ends too soon")
                return b""
            self._packed = b""
            if self._unpacker is None:
                self._unpacker = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                self._ready = memoryview(self._unpacker.decompress(packed))
            except self._zstandard.ZstdError as error:
                raise OSError(error) from error
            if self._unpacker.eof:
                self._packed, self._unpacker = self._unpacker.unused_data, None
        part, self._ready = bytes(self._ready[:size]), self._ready[size:]
        return part


_UNPACK = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
