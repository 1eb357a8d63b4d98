"""Files that are never there in part."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_atomic(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all of it is on the disk.

    If anything goes wrong, what was there stays, and nothing else is left. Who may read
    and write the new file is who could the old one. A device, which cannot be replaced,
    is written to as it is.

    Parameters
    ----------
    path : str or Path

    Yields
    ------
    file : binary file
    """
    path = Path(os.path.realpath(path))
    with naming_file(path):
        if path.exists() and not path.is_file():
            with open(path, "wb") as file:
                yield file
            return
        unfinished = path.with_name(f".{secrets.token_hex(8)}.tmp")
        mode = _mode_of(path)
        # Not readable for others before it is known who may.
        rights = 0o666 if mode is None else 0o600
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(unfinished, flags, rights)
        try:
            with open(descriptor, "wb") as file:
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(descriptor, mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished)
            raise


def write_text_atomic(path: str | os.PathLike, text: str) -> None:
    """Write a text file that is never there in part."""
    with open_atomic(path) as file:
        file.write(text.encode())


def append_whole(descriptor: int, content: bytes) -> None:
    """Append to a file so that all of `content` is on the disk, or nothing of it."""
    size = os.fstat(descriptor).st_size
    view = memoryview(content)
    try:
        while view:  # the system may take a part only
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


@contextmanager
def naming_file(path: str | os.PathLike) -> Iterator[None]:
    """Let an error of the system, such as that of a full disk, say which file it is of.

    An error that names another file, as that of a source which is read meanwhile, stays
    as it is.
    """
    path = Path(path)
    try:
        yield
    except OSError as problem:
        unfinished = str(problem.filename or "").startswith(f"{path.parent}{os.sep}.")
        if problem.errno is not None and (problem.filename is None or unfinished):
            problem.filename = str(path)  # what the user knows of
            if problem.filename2 is not None:
                del problem.filename2  # None would be part of the message
        raise


def _mode_of(path: Path) -> int | None:
    """Who may read and write a file; None if there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
