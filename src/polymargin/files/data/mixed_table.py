"""Tables of more than numbers, as pyarrow reads them: words, dates, missing cells.

Every cell is read as text; then a column is made numbers or dates if all that is not
missing can be, as the columns of a model if there is one.
"""

from collections.abc import Sequence

import numpy as np

from .data import Data
from .label_column import find_label
from .label_rule import simplest_labels
from .parse_errors import check_utf8, without_byte_order_mark
from .table import TableHead, read_head
from .written_numbers import COMMA, POINT, numbers_in_style, styles_for

# What stands for a missing cell, spaces around it left out.
MISSING = ("", "?", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "None")
# The same of a label; "None" may be a class.
NO_LABEL = tuple(word for word in MISSING if word != "None")
# What stands for a missing number or date, in any case; among words it is a word.
NO_NUMBER = (
    *("-", "--", "---", "\u2013", "\u2014", ".", "..", "n.a.", "#n/a", "#na", "<na>"),
    *("none", "missing", "unknown", "#div/0!", "#value!", "#ref!", "#num!", "#null!"),
)
NUMBER, WORDS = "number", "words"
_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
_DAYS += ("%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M")
DATES = tuple(day + time for day in _DAYS for time in _TIMES)
# Parts of a second, and the zone of a clock, which are left out.
_CLOCK = r"(:\d\d)[.,]?\d*( ?(Z|UTC|[+-]\d\d:?\d\d))?$"
_MOSTLY = 0.9  # numbers, in a column that was meant to have nothing else
_FEW = 40  # different values, which may be categories, whatever they look like
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def read_mixed(
    text: memoryview,
    name: str,
    delimiter: str | None,
    *,
    label=None,
    types: Sequence[tuple[str, str]] | None = None,
    as_words: Sequence[str] = (),
    written: bool = False,
) -> Data:
    """Read a table with columns of any kind.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    delimiter : str or None
        As in `read_table`.
    label : str, int, False or None
        As in `load_data`.
    types : sequence of (str, str) or None
        Names and types of the columns of a model: "number", "words" or the format of a
        date. They are returned in that order; others are left out. None: all columns,
        of whatever type they are.
    as_words : sequence of str
        Columns that stay text, whatever it looks like.
    written : bool
        Whether labels stay as they are written.

    Returns
    -------
    data : Data
        X is a pyarrow Table.
    """
    import pyarrow as pa

    text = without_byte_order_mark(text, name)
    check_utf8(text, name)
    head = read_head(text, name, delimiter)
    titles = head.names or [str(position) for position in range(head.width)]
    check_titles(titles, name)
    at = find_label(head.names, head.width, label, name)
    table = _read_words(text, head, titles, name)
    # Of the first row; what spans several lines moves those below.
    first_line = bytes(text[: head.end]).count(b"\n") + 1
    y = None
    if at is not None:
        y = _labels(table.column(at), titles[at], name, first_line)
        y = y if written else simplest_labels(y)
    wanted = dict(types) if types is not None else {}
    found, found_types = {}, []
    for title in wanted or [t for place, t in enumerate(titles) if place != at]:
        if title not in titles:
            raise ValueError(missing_column(title, titles, name))
        column = _without_missing(table.column(titles.index(title)))
        known = wanted.get(title, WORDS if title in as_words else None)
        kinds = (NUMBER, *styles_for(head.delimiter), *DATES)
        kinds = kinds if known is None else (known,)
        found[title], kind = _typed(column, kinds, title, name, first_line)
        found_types.append((title, kind))
    if not found:
        raise ValueError(
            f"{name} has one column, the label {titles[0]!r}; give others to learn "
            f"from."
        )
    return Data(
        pa.table(found),
        y,
        list(found),
        types=found_types,
        label_name=None if at is None or head.names is None else titles[at],
    )


def check_titles(titles: Sequence[str], name: str) -> None:
    """Raise if two columns have one name."""
    twice = [title for title in titles if titles.count(title) > 1]
    if twice:
        raise ValueError(
            f"{name} has {titles.count(twice[0])} columns called {twice[0]!r}; give "
            f"each a name of its own."
        )


def missing_column(title: str, titles: Sequence[str], name: str) -> str:
    """Say that a column of a model is not there."""
    known = ", ".join(map(repr, titles[:10])) + (", ..." if len(titles) > 10 else "")
    return (
        f"column {title!r} is missing in {name}, whose columns are {known}; the model "
        f"was trained with it."
    )


def _read_words(text: memoryview, head: TableHead, titles: list[str], name: str):
    import pyarrow as pa
    from pyarrow import csv

    wrong = []

    def handle(row):
        wrong.append(row)
        return "error"

    body = text[head.end :]
    try:
        return csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            csv.ReadOptions(column_names=titles, use_threads=False),
            csv.ParseOptions(
                delimiter=head.delimiter,
                newlines_in_values=True,
                invalid_row_handler=handle,
            ),
            csv.ConvertOptions(
                column_types=dict.fromkeys(titles, pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        if not wrong:
            raise ValueError(f"{name} cannot be read as a table: {error}.") from error
        before = bytes(text[: head.end]).count(b"\n")
        found = wrong[0].actual_columns
        remedy = f"put what has a {head.delimiter!r} in it between quotes"
        if found < head.width:
            remedy = "fill in the row or leave it out"
        elif head.width == 1:
            remedy = "leave out what is above the names of the columns"
        raise ValueError(
            f"{name}, line {before + wrong[0].number}: expected {head.width} "
            f"column{'s' if head.width > 1 else ''}, found {found}; {remedy}."
        ) from None


def _labels(column, title: str, name: str, first_line: int) -> np.ndarray:
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(column).to_numpy().astype(str)
    empty = np.flatnonzero(np.isin(words, NO_LABEL))
    if len(empty) == len(words):
        raise ValueError(
            f"{name}: column {title!r}, which is to have the labels, is empty; name "
            f"another one with --label."
        )
    if len(empty):
        found = f", {str(words[empty[0]])!r} stands for none" * bool(words[empty[0]])
        raise ValueError(
            f"{name}, line {first_line + empty[0]}: there is no label in column "
            f"{title!r}{found}; fill it in, or leave out the row."
        )
    return words


def _without_missing(column):
    """Return trimmed words, null where a cell is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, value_set=pa.array(MISSING))
    return pc.if_else(missing, None, column)


def _typed(column, kinds: Sequence[str], title: str, name: str, first_line: int):
    """Return a column as the first of some kinds that all of it is, and which that is.

    Words, unless there is one kind only that it can be, or it was meant to be numbers.
    """
    for kind in kinds:
        converted = _converted(column, kind)
        if converted is None:
            continue
        only_marks = column.null_count < len(column) == converted.null_count
        if len(kinds) == 1 or not only_marks:
            return converted, kind
    if len(kinds) > 1 and not _is_mixed(column):
        return column, WORDS
    raise _wrong_cell(column, kinds[0], title, name, first_line)


def _converted(column, kind: str):
    """Return words as what they are to be, as dates of a format; None if one is not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == WORDS:
        return column
    marks = pc.is_in(pc.utf8_lower(column), value_set=pa.array(NO_NUMBER))
    column = pc.if_else(marks, None, column)
    if kind in (POINT, COMMA):
        return numbers_in_style(column, kind)
    if kind == NUMBER:
        try:
            return pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            return None
    known = column.drop_null()
    if len(known) and not len(_dates(known[:1], kind).drop_null()):
        return None  # the first is none: the others need no look
    dates = _dates(column, kind)
    return dates if dates.null_count == column.null_count else None


def _dates(column, form: str):
    """Return words as dates of a form, null if they are none."""
    import pyarrow.compute as pc

    words = pc.replace_substring_regex(column, _CLOCK, r"\1")
    dates = pc.strptime(words, format=form, unit="s", error_is_null=True)
    year = r"\d{4}" if "%Y" in form else r"\b\d\d\b"  # which may be shorter there
    return pc.if_else(pc.match_substring_regex(words, year), dates, None)


def _is_mixed(column) -> bool:
    """Whether a few words are in a column that has numbers otherwise."""
    import pyarrow.compute as pc

    known = column.drop_null()
    numbers = pc.match_substring_regex(known, _NUMBER)
    return pc.mean(numbers).as_py() >= _MOSTLY and len(known.unique()) > _FEW


def _wrong_cell(column, kind: str, title: str, name: str, first_line: int):
    """Return the error that tells of the first cell that is of another kind."""
    import pyarrow as pa

    words = column.to_pylist()
    cells = ([word] for word in words)
    row, word = next(
        (row, words[row])
        for row, cell in enumerate(cells)
        if _converted(pa.chunked_array([cell], pa.string()), kind) is None
    )
    shown = word if len(word) <= 40 else word[:37] + "..."
    what = f"date of the form {kind}" if kind in DATES else kind
    return ValueError(
        f"{name}, line {first_line + row}, column {title!r}: {shown!r} is no {what}, "
        f"as the others are; leave the cell empty if it is missing, or train with "
        f"--category {title} or --drop {title}."
    )
