"""CSV and TSV: a header or none, one column of labels, numbers in the others."""

import csv
import io
import re

import numpy as np

from .columns import find_label
from .data import Data
from .labels import tidy_labels

DELIMITERS = (",", "\t", ";")
_HEAD = 1 << 16
_PAIR = re.compile(rb"(^|\s)\d+:")


def first_line(text: memoryview) -> bytes:
    """The first line that is not blank and no comment, or its beginning."""
    for line in bytes(text[:_HEAD]).splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return line
    return b""


def looks_like_table(text: memoryview) -> bool:
    """Whether the first line is that of a table rather than svmlight text."""
    line = first_line(text)
    return not _PAIR.search(line) and any(one.encode() in line for one in DELIMITERS)


def read_table(
    text: memoryview, name: str, delimiter: str | None, *, label=None, threads: int = 1
) -> Data:
    """Read a table.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    delimiter : str or None
        Between columns; None: the one of comma, tab and semicolon that the first line
        has most of.
    label : str, int, False or None
        As in `load_data`.
    threads : int

    Returns
    -------
    data : Data
        X dense, float64.
    """
    if delimiter is None:
        line = first_line(text)
        delimiter = max(DELIMITERS, key=lambda one: line.count(one.encode()))
    try:
        lines = str(text, "utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is no text in UTF-8; save it as that.") from error
    rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    if not rows:
        raise ValueError(f"{name} has no rows.")
    names = [word.strip() for word in rows.pop(0)] if has_header(rows[:2]) else None
    if not rows:
        raise ValueError(f"{name} has a header, but no rows.")
    width = len(rows[0])
    at = find_label(names, width, label, name)
    if at is not None:
        y = tidy_labels(np.array([row.pop(at) for row in rows]))
        if names:
            names.pop(at)
    X = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    return Data(X, y if at is not None else None, names)


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns.

    It does if none of its fields is a number, or if one is not below which there is.
    """
    first = [_is_number(word) for word in rows[0]]
    second = [_is_number(word) for word in rows[1]] if len(rows) > 1 else []
    below = zip(first, second, strict=False)
    return not any(first) or any(two and not one for one, two in below)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
