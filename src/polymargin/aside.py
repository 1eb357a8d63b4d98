"""Files that are never there in part."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_aside(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all of it is on the disk.

    If anything goes wrong, what was there stays, and nothing else is left. A device,
    which cannot be replaced, is written to as it is.

    Parameters
    ----------
    path : str or Path

    Yields
    ------
    file : binary file
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with open(path, "wb") as file:
            yield file
        return
    aside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as problem:
        problem.filename = str(path)  # what the user knows of
        raise
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
