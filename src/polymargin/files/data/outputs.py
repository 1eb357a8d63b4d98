"""Where bytes go to: files, compressed or not, standard output."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ..atomic import open_atomic

STANDARD_OUTPUT = "-"


@contextmanager
def open_output(path) -> Iterator[BinaryIO]:
    """Open a file to write, which is there only when all is written.

    Parameters
    ----------
    path : str or Path
        Compressed if it ends in .gz, .bz2, .xz or .zst; "-" is standard output.

    Yields
    ------
    file : binary file
    """
    if str(path) == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    pack = _PACK.get(Path(path).suffix.lower())
    with open_atomic(path) as file:
        if pack is None:
            yield file
        else:
            with pack(file) as packed:
                yield packed


def _zstandard(file: BinaryIO) -> BinaryIO:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            "writing .zst needs the package zstandard; pip install zstandard."
        ) from error
    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


_PACK = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": _zstandard,
}
