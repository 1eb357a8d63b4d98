"""Folders that are never there in part, and never gone when they are replaced."""

import ctypes
import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .atomic import naming_file

try:
    import fcntl
except ImportError:  # not on Windows: there, what a kill has left stays
    fcntl = None

NEW, _OLD, _LOCK = "new", "old", ".lock"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux
_NOT_THERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


@contextmanager
def open_atomic_folder(target: str | os.PathLike) -> Iterator[Path]:
    """Make a folder that takes the place of `target` when all of it is on the disk.

    Until then, and if anything goes wrong, what was there stays. Where the system can
    exchange two names at once, one of the two folders is there at any time; where it
    cannot, whoever calls this next for the same target brings back what a kill between
    two renames has left. What earlier kills have left is removed.

    Parameters
    ----------
    target : str or Path

    Yields
    ------
    folder : Path
        To work in; its subfolder ``new`` is what becomes the target.
    """
    target = Path(os.path.realpath(target))
    clean_up(target)
    with naming_file(target):
        work = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        work.mkdir()
        lock = _locked(work)
        try:
            (work / NEW).mkdir()
            yield work
            _synchronise(work / NEW)
            _put_in_place(work, target)
            _synchronise_names(target.parent)
        finally:
            if lock is not None:
                os.close(lock)
            shutil.rmtree(work, ignore_errors=True)


def clean_up(target: Path) -> None:
    """Remove what killed processes have left beside a target, or bring it back."""
    if fcntl is None or not target.parent.is_dir():
        return
    ours = re.compile(re.escape(f".{target.name}.") + r"[0-9a-f]{8}\.tmp")
    for work in list(target.parent.iterdir()):
        if not ours.fullmatch(work.name) or not (work / _LOCK).is_file():
            continue
        try:
            lock = _locked(work)
        except OSError:
            continue  # somebody is at work
        try:
            if (work / _OLD).exists() and not target.exists():
                os.rename(work / _OLD, target)
            shutil.rmtree(work, ignore_errors=True)
        finally:
            os.close(lock)


def _locked(work: Path) -> int | None:
    """Take the lock of a folder, which ends with the process; an OSError if taken."""
    if fcntl is None:
        return None
    lock = os.open(work / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _put_in_place(work: Path, target: Path) -> None:
    if not target.exists():
        os.rename(work / NEW, target)
    elif not _exchange(work / NEW, target):
        os.rename(target, work / _OLD)
        try:
            os.rename(work / NEW, target)
        except BaseException:
            os.rename(work / _OLD, target)
            raise


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names at once; False if the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    names = os.fsencode(first), os.fsencode(second)
    done = rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0
    if not done and ctypes.get_errno() not in _NOT_THERE:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(second))
    return done


def _synchronise(folder: Path) -> None:
    """See that all files of a folder are on the disk, and their names."""
    for file in folder.iterdir():
        descriptor = os.open(file, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    _synchronise_names(folder)


def _synchronise_names(folder: Path) -> None:
    with suppress(OSError):  # folders cannot be opened on Windows
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
