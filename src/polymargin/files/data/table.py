"""CSV and TSV: a header or none, one column of labels, numbers in the others."""

import csv
import re
import warnings
from dataclasses import dataclass

import numpy as np

from ... import _reading
from .data import Data
from .label_column import find_label
from .label_rule import as_strings, simplest_labels, told_apart
from .parse_errors import check_utf8, parse_error_message, without_byte_order_mark
from .table_start import is_row_of_words, title_bytes

DELIMITERS = (",", "\t", ";", "|")
# A first line for Excel; the second form says that the next line has the names.
_SEPARATOR = re.compile(r"sep=(.)( header)?", re.IGNORECASE)
NAMES_FOLLOW = "sep=, header"
_HEAD = 1 << 16
_SHOWN = 40  # letters of a title
_USUAL = {"label", "class", "target"}  # names of a column
_MISSING = "fill it in, or leave out the row"
_WORDS = "correct it, or encode or leave out the column"
_PAIR = re.compile(rb"(^|\s)\d+:")
_PARSE = {
    np.dtype(np.float32): _reading.parse_table_float32,
    np.dtype(np.float64): _reading.parse_table_float64,
}


def looks_like_table(text: memoryview) -> bool:
    """Whether the first line is that of a table rather than svmlight text."""
    for line in bytes(text[:_HEAD]).splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            pair = _PAIR.search(line)
            return not pair and any(one.encode() in line for one in DELIMITERS)
    return False


@dataclass(frozen=True)
class TableHead:
    """What the first lines tell of a table.

    Attributes
    ----------
    delimiter : str
    names : list of str or None
        Of the columns, if there is a header.
    width : int
        Columns.
    end : int
        Bytes before the first row.
    """

    delimiter: str
    names: list[str] | None
    width: int
    end: int


@dataclass(frozen=True)
class Head(TableHead):
    """The same, and which column has the labels.

    Attributes
    ----------
    label : int or None
    """

    label: int | None


def read_table(
    text: memoryview,
    name: str,
    delimiter: str | None,
    *,
    label=None,
    dtype=None,
    threads: int = 1,
    written: bool = False,
    codes: bool = True,
) -> Data:
    """Read a table, every row of which is one line.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    delimiter : str or None
        Between columns; None: the one of comma, tab, semicolon and bar that the first
        line has most of.
    label, dtype
        As in `load_data`.
    threads : int
    written : bool
        Whether labels stay as they are written, without quotes.
    codes : bool
        Whether digits after a zero, as 02134, are numbers. If not, an error says so.

    Returns
    -------
    data : Data
        X is dense.
    """
    head = table_head(text, name, delimiter, label=label)
    lines = bytes(text[: head.end]).count(b"\n")
    body = text[head.end :]
    options = {"dtype": dtype, "threads": threads, "written": written}
    return read_body(body, head, name, lines=lines, codes=codes, **options)


def table_head(text: memoryview, name: str, delimiter: str | None, *, label) -> Head:
    """Look at the first lines of a table; arguments are those of `read_table`."""
    head = read_head(text, name, delimiter)
    at = find_label(head.names, head.width, label, name)
    _check_columns(head.names, head.width, at, name)
    return Head(**vars(head), label=at)


def read_head(text: memoryview, name: str, delimiter: str | None) -> TableHead:
    """Look at the first lines of a table, whichever column has the labels."""
    plain = without_byte_order_mark(text, name)
    mark = len(text) - len(plain)
    before = 0
    first, after_first = _next_line(plain, 0, name)
    if asked := _SEPARATOR.fullmatch(first):
        delimiter, before = asked[1], after_first
        first, after_first = _next_line(plain, before, name)
    known = asked is not None and asked[2] is not None
    if not known and (above := title_bytes(plain[before:], delimiter or DELIMITERS)):
        warnings.warn(
            f"{name} has lines above the table, which are left out: "
            f"{first[:_SHOWN]!r}, ...",
            stacklevel=2,
        )
        before += above
        first, after_first = _next_line(plain, before, name)
    if not first:
        raise ValueError(
            f"{name} has no rows; give a line with the names of columns, and one for "
            f"each row."
        )
    if delimiter is None:
        delimiter = max(DELIMITERS, key=first.count)
    second, _ = _next_line(plain, after_first, name)
    rows = [_fields(line, delimiter, name) for line in (first, second) if line]
    width = len(rows[0])
    named = known or _is_named(rows, plain[before:], delimiter)
    names = rows[0] if named else None
    if names is not None and not second:
        raise ValueError(f"{name} has a header, but no rows; add a line for each row.")
    end = after_first if names else before
    return TableHead(delimiter, names, width, mark + end)


def read_body(
    body: memoryview,
    head: Head,
    name: str,
    *,
    dtype,
    threads: int,
    lines: int,
    written: bool,
    codes: bool = True,
) -> Data:
    """Read rows of a table; `lines` are before them."""
    names, at = head.names, head.label
    place = -1 if at is None else at
    parse = _PARSE[np.dtype(dtype or np.float64)]
    parsed = parse(body, head.delimiter, head.width, place, threads)
    if "expected" in parsed:
        parsed["line"] += lines
        raise ValueError(_message(name, parsed, names))
    if parsed["codes"] and not codes:
        raise ValueError(
            f"{name} has codes with a zero before other digits, which are no numbers; "
            f"leave out the zero."
        )
    X = parsed["data"].reshape(parsed["n_rows"], head.width - (at is not None))
    y = None if at is None else _labels(body, head.delimiter, parsed, written)
    return Data(X, y, names and [word for i, word in enumerate(names) if i != at])


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns.

    It does if none of its fields is a number, if one is not below which there is, or
    if one is called label, class or target.
    """
    if not _USUAL.isdisjoint(map(str.lower, rows[0])):
        return True
    first, *others = ([_is_number(word) for word in row] for row in rows)
    second = others[0] if others else []
    below = zip(first, second, strict=False)
    return not any(first) or any(two and not one for one, two in below)


def _is_named(rows: list[list[str]], text: memoryview, delimiter: str) -> bool:
    """Whether the first of two rows names the columns, as far as all rows tell."""
    if not has_header(rows):
        return False
    numbers = any(_is_number(word) for row in rows for word in row)
    usual = not _USUAL.isdisjoint(map(str.lower, rows[0]))
    return numbers or usual or not is_row_of_words(text, delimiter)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _next_line(text: memoryview, start: int, name: str) -> tuple[str, int]:
    """The next line that is not blank, "" if there is none, and where it ends."""
    while start < len(text):
        block = _HEAD
        end = bytes(text[start : start + block]).find(b"\n")
        while end < 0 and start + block < len(text):
            block *= 4
            end = bytes(text[start : start + block]).find(b"\n")
        stop = len(text) if end < 0 else start + end + 1
        check_utf8(text[:stop], name)
        line = str(text[start:stop], "utf-8").strip("\r\n")
        if line.strip(" "):
            return line, stop
        start = stop
    return "", start


def _fields(line: str, delimiter: str, name: str) -> list[str]:
    try:
        (row,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    except csv.Error as error:
        raise ValueError(f"{name} cannot be read as a table: {error}.") from error
    return [word.strip() for word in row]


def _check_columns(names, width: int, at: int | None, name: str) -> None:
    if width == 1 and at == 0:
        raise ValueError(
            f"{name} has only one column, the label; separate columns by a comma, "
            f"tab, semicolon or bar, or give label=False."
        )
    if names is not None and at != 0 and not names[0]:
        raise ValueError(
            f"{name} has a first column without a name, which is probably the number "
            f"of the row; leave it out (in pandas: index=False), or name it."
        )


def _message(name: str, failure: dict, names: list[str] | None) -> str:
    at = failure["table_column"]
    if at is None:  # the number of columns is wrong: found is no word of the file
        found = failure["found"].decode()
        return (
            f"{name}, line {failure['line']}: expected {failure['expected']}, found "
            f"{found}."
        )
    column = repr(names[at]) if names else f"{at}, counted from 0"
    failure["expected"] += f" in column {column}"
    remedy = _WORDS if failure["found"] else _MISSING
    return f"{parse_error_message(name, failure)[:-1]}; {remedy}."


def _labels(
    body: memoryview, delimiter: str, parsed: dict, written: bool
) -> np.ndarray:
    numbers = parsed["labels"]
    if not written and parsed["labels_are_numbers"] and told_apart(numbers):
        return simplest_labels(numbers)  # the same as of the words, and sooner
    words = as_strings(_reading.fields(body, parsed["label_offsets"], delimiter))
    different, codes = np.unique(words, return_inverse=True)
    words = np.array([_unquoted(word) for word in different.tolist()])[codes]
    return words if written else simplest_labels(words)


def _unquoted(word: str) -> str:
    return word[1:-1].replace('""', '"') if word.startswith('"') else word
