"""Where a table begins, if lines with a title or remarks are above it."""

import csv
import io
from collections.abc import Sequence
from itertools import islice

_LOOK = 16  # rows
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
    sample = str(text[:_SAMPLE], "utf-8", "ignore")
    found = [_lines_above(sample, delimiter) for delimiter in delimiters]
    above = min((lines for lines in found if lines is not None), default=0)
    lines = islice(io.StringIO(sample, newline=""), above)
    return len("".join(lines).encode())


def _lines_above(text: str, delimiter: str) -> int | None:
    """Return the lines above a table, None if this is none of two rows or more."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, ends = [], [0]
    try:
        for row in islice(reader, _LOOK):
            rows.append(row)
            ends.append(reader.line_num)
    except csv.Error:
        return None
    if len(rows) < _LOOK and len(text) >= _SAMPLE // 4:
        rows.pop()  # which may go on beyond the sample
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
