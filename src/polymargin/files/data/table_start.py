"""Where a table begins below lines with a title, and whether its first row is names."""

import csv
import io
from collections.abc import Sequence
from itertools import islice

_LOOK = 16  # rows, to find a title
_LOOK_FURTHER = 100  # to find a word again
_SAMPLE = 1 << 16  # bytes that have them


def title_bytes(text: memoryview, delimiters: Sequence[str]) -> int:
    """Return how many bytes are above the first row of a table.

    A title is a row of fewer cells than all rows of the table have, or one of which
    only the first cell is filled in, if any.

    Parameters
    ----------
    text : memoryview of bytes
    delimiters : sequence of str
        Those that may separate columns.

    Examples
    --------
    >>> title_bytes(b"Orders\\nMay, 2024\\n\\nid;sum;state\\n1;2;ok\\n2;3;ok\\n", ",;")
    18
    >>> title_bytes(b"id;sum\\n1;2\\n", ",;")
    0
    """
    sample = _sample(text)
    found = [_lines_above(sample, delimiter) for delimiter in delimiters]
    above = min((lines for lines in found if lines is not None), default=0)
    lines = islice(io.StringIO(sample, newline=""), above)
    return len("".join(lines).encode())


def is_row_of_words(text: memoryview, delimiter: str) -> bool:
    """Whether a word of the first row is in its column again: then it names none.

    Examples
    --------
    >>> is_row_of_words(b"ham,see you\\nspam,win now\\nham,no idea\\n", ",")
    True
    """
    first, *others = _rows(_sample(text), delimiter, _LOOK_FURTHER)[0] or [[]]
    return any(
        word.strip() and word == below
        for row in others
        if row != first  # which may be there again where tables were joined
        for word, below in zip(first, row, strict=False)
    )


def _sample(text: memoryview) -> str:
    return str(text[:_SAMPLE], "utf-8", "ignore")


def _rows(text: str, delimiter: str, most: int) -> tuple[list[list[str]], list[int]]:
    """Return rows, and before which line each begins; none if this is no table."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, ends = [], [0]
    try:
        for row in islice(reader, most):
            rows.append(row)
            ends.append(reader.line_num)
    except csv.Error:
        return [], []
    if len(rows) < most and len(text) >= _SAMPLE // 4:
        rows.pop()  # which may go on beyond the sample
    return rows, ends


def _lines_above(text: str, delimiter: str) -> int | None:
    """Return the lines above a table, None if this is none of two rows or more."""
    rows, ends = _rows(text, delimiter, _LOOK)
    filled = [at for at, row in enumerate(rows) if len(row) > 1 or "".join(row).strip()]
    width = len(rows[filled[-1]]) if filled else 0
    # As R writes names: none for the column with those of rows.
    of_r = bool(filled) and len(rows[filled[0]]) == width - 1 > 1
    titles = [] if of_r else filled
    start = next((at for at in titles if not _is_title(rows[at], width)), 0)
    below = [rows[at] for at in filled if at >= start]
    if width < 2 or len(below) < 2 or any(len(row) != width for row in below):
        return None
    return ends[start] if start > filled[0] else 0


def _is_title(row: list[str], width: int) -> bool:
    alone = not any(map(str.strip, row[1:])) and not row[0].isdigit()
    return len(row) < width or (width > 2 and alone)
