"""Files that the command line writes: checked before the work, whole or not there."""

import io
import os
import sys
from contextlib import contextmanager
from pathlib import Path

from .exit_status import UsageError


def check_target(path: str | Path, *sources: str) -> None:
    """Say before the work begins that its result cannot be written.

    Parameters
    ----------
    path : str or Path
        Where it is to go.
    *sources : str
        Files that must not be written over.
    """
    if str(path) == "-":
        raise UsageError(
            "-o -: this is written aside and renamed, so that it is there in full or "
            "not at all, and cannot go to standard output; give the name of a file."
        )
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "No such folder to write into", str(folder))
    if path.exists() and not path.is_file():
        raise OSError(22, "Is not a file; choose another name with -o", str(path))
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(13, "No permission to write", str(path))
    for source in sources:
        if path.exists() and Path(source).exists() and path.samefile(source):
            raise UsageError(f"{path} would be written over; choose another name.")


@contextmanager
def open_text_output(path: str | None):
    """Open a text file that appears when it is complete, or standard output.

    Parameters
    ----------
    path : str or None
        Standard output if None or "-". What is no file, such as a device, is written
        in place.
    """
    if path is None or path == "-":
        yield sys.stdout
        return
    from ..files.atomic import open_atomic

    with open_atomic(path) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8")
        yield stream
        stream.flush()
        stream.detach()


def write_page(path: str, found: dict, command: str) -> None:
    """Write what was found as a page, which appears when it is complete.

    Parameters
    ----------
    path : str
    found : dict
        What ``--json`` prints.
    command : str
        What has found it.
    """
    from .report_page import report_page
    from .standard_streams import plain

    page = report_page(plain(found), command)
    with open_text_output(path) as file:
        file.write(page)
