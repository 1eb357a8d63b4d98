"""Files that are never there in part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_aside(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file under another name, and rename it when all is written.

    If anything goes wrong, the other name is taken away and what was there before
    stays.

    Parameters
    ----------
    path : str or Path

    Yields
    ------
    file : binary file
    """
    path = Path(path)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
