"""What a column of written cells is: numbers or dates if all that is known can be.

Columns are pyarrow ChunkedArrays of strings.
"""

from collections.abc import Sequence

from .written_dates import DATES, dates_of_form
from .written_numbers import (
    TIMES,
    hours,
    is_style,
    numbers_in_style,
    styles_for,
    unit_of,
)

# What stands for a missing cell, spaces around it left out.
MISSING = ("", "?", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "None")
# What stands for a missing number or date, in any case; among words it is a word.
NO_NUMBER = (
    *("-", "--", "---", "\u2013", "\u2014", ".", "..", "n.a.", "#n/a", "#na", "<na>"),
    *("none", "missing", "unknown", "#div/0!", "#value!", "#ref!", "#num!", "#null!"),
    *("na", "null", "nil", "(null)", "<null>", "\\n", "*", "**", "#name?", "#error!"),
    *("n/d", "n.d.", "nd", "not available", "not applicable", "no data", "(blank)"),
    *("not known", "not reported", "tbd"),
)
NUMBER, WORDS = "number", "words"
_MOSTLY = 0.9  # numbers, in a column that was meant to have nothing else
_FEW = 40  # different values, which may be categories, whatever they look like
_LOOK = 100  # cells, to find a unit
_CODE = r"^0\d+$"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def without_missing(column):
    """Return trimmed words, null where a cell is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, value_set=pa.array(MISSING))
    return pc.if_else(missing, None, column)


def type_of_cells(column, delimiter: str = ","):
    """Return a column as what all of it is, and what that is; words, if nothing else.

    Parameters
    ----------
    column : ChunkedArray
        As `without_missing` returns it.
    delimiter : str
        Between columns, which tells what a comma in a number is.

    Returns
    -------
    column : ChunkedArray
        Of strings, float64 or timestamps.
    kind : str
        WORDS, NUMBER, or how numbers or dates are written: all that `as_kind` takes.
    """
    if are_codes(column):
        return column, WORDS
    styles = styles_for(delimiter)
    unit = _common_unit(column)
    units = tuple(f"{style} {unit}" for style in styles) if unit else ()
    for kind in (NUMBER, *styles, *units, *TIMES, *DATES):
        found = as_kind(column, kind)
        only_marks = found is not None and found.null_count == len(column)
        if found is not None and not (only_marks and column.null_count < len(column)):
            return found, kind
    return column, WORDS


def as_trained(column, kind: str, delimiter: str = ","):
    """Return a column as what it was in training, however it is written now.

    Returns
    -------
    column : ChunkedArray or None
        None if some cell is nothing of that kind.
    """
    others: Sequence[str] = ()
    if kind == NUMBER or is_style(kind):
        others = NUMBER, *styles_for(delimiter)
    elif kind in TIMES:
        others = TIMES
    elif kind in DATES:
        others = DATES
    tried = (as_kind(column, one) for one in (kind, *others))
    return next((found for found in tried if found is not None), None)


def as_kind(column, kind: str):
    """Return words as what they are to be; None if one of them is not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == WORDS:
        return column
    marks = pc.is_in(pc.utf8_lower(column), value_set=pa.array(NO_NUMBER))
    column = pc.if_else(marks, None, column)
    if is_style(kind):
        return numbers_in_style(column, kind)
    if kind in TIMES:
        return hours(column, kind)
    if kind == NUMBER:
        try:
            return pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            return None
    known = column.drop_null()
    if len(known) and not len(dates_of_form(known[:1], kind).drop_null()):
        return None  # the first is none: the others need no look
    dates = dates_of_form(column, kind)
    return dates if dates.null_count == column.null_count else None


def is_kind(kind: object) -> bool:
    """Whether this says how cells are written, as `as_kind` takes it."""
    if not isinstance(kind, str):
        return False
    return kind in (NUMBER, WORDS, *TIMES, *DATES) or is_style(kind)


def are_codes(column) -> bool:
    """Whether a cell has digits after a zero, as 02134: it is no number of anything."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(column, _CODE)).as_py())


def is_mixed(column) -> bool:
    """Whether a few words are in a column that has numbers otherwise."""
    import pyarrow.compute as pc

    if are_codes(column):
        return False
    known = column.drop_null()
    numbers = pc.match_substring_regex(known, _NUMBER)
    return pc.mean(numbers).as_py() >= _MOSTLY and len(known.unique()) > _FEW


def wrong_cell(column, kind: str) -> tuple[int, str]:
    """Return the first row with a cell that is nothing of a kind, and the cell."""
    import pyarrow as pa

    words = column.to_pylist()
    cells = (pa.chunked_array([[word]], pa.string()) for word in words)
    rows = (row for row, cell in enumerate(cells) if as_kind(cell, kind) is None)
    row = next(rows, 0)
    return row, words[row]


def _common_unit(column) -> str:
    """Return the unit of the first number that has one, "" if there is none."""
    known = (word for word in column.slice(0, _LOOK).to_pylist() if word is not None)
    return next(filter(None, map(unit_of, known)), "")
