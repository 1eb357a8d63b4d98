"""Standard output and standard error: results on the one, notes on the other."""

import json
import math
import os
import sys
import warnings
from contextlib import contextmanager


@contextmanager
def notes_on_stderr(prog: str):
    """Show warnings as one line each, for the time of a command."""

    told = set()

    def show(message, *_, **__):
        if str(message) in told:
            return
        told.add(str(message))
        fresh = "\r\x1b[K" if sys.stderr.isatty() else ""  # over a progress bar
        print(f"{fresh}{prog}: note: {in_one_line(message)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.filterwarnings("always", category=UserWarning)
        # Columns are matched by name before they are an array.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        warnings.showwarning = show
        yield


def note(what: str) -> None:
    """Tell the user something that is no result."""
    warnings.warn(what, UserWarning, stacklevel=2)


def in_one_line(what) -> str:
    """Return an error, or a text, as one line.

    Examples
    --------
    >>> in_one_line(FileNotFoundError(2, "No such file or directory", "a.svm"))
    'a.svm: No such file or directory.'
    """
    if isinstance(what, MemoryError) and not str(what):
        return "there is not enough memory for these data."
    if isinstance(what, OSError) and what.strerror:
        where = "" if what.filename is None else f"{what.filename}: "
        return f"{where}{what.strerror}."
    return " ".join(str(what).split())


def print_json(values: dict) -> None:
    """Print one JSON object; numbers that JSON does not have become null."""
    print(json.dumps(plain(values), allow_nan=False, ensure_ascii=False))


def plain(value):
    """Return what `json` can write; numbers that JSON does not have are None."""
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def flush_output() -> None:
    """Write what has been printed, so that a failure shows now and not at the end."""
    sys.stdout.flush()


def silence_output() -> None:
    """Send what is still to be written nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
